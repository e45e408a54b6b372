#include "inspector/analysis/ops/extra_time.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "inspector/analysis/ops/op_title.h"
#include "inspector/analysis/ops/share_basis.h"

namespace et::inspector {
namespace {

constexpr int64_t kLargestOpId = std::numeric_limits<int32_t>::max();

// The samples of an op in one run, by primary key (op << 32 | position).
class RunSamples {
 public:
  Status open(const Store& store) { return store.prepare("SELECT run, duration FROM raw_sample WHERE id = ?1", &one_); }

  // 0 when the op has none there. `guess`: where the first would be if all runs had as many; `each`: how many these
  // are, where all have.
  double sum(int64_t op, int64_t samples, int64_t run, int64_t guess, int64_t each) {
    double all = 0;
    int64_t found = 0;
    for (; found < each && read(op, guess + found, samples) && run_ == run; ++found)
      all += static_cast<double>(duration_);
    if (each > 0 && found == each) return all;
    int64_t at = guess;
    if (!read(op, at, samples) || run_ != run || (at > 0 && (!read(op, at - 1, samples) || run_ >= run))) {
      // Runs ascend with the position.
      int64_t low = 0, high = samples;
      while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (!read(op, middle, samples)) return 0;
        (run_ < run ? low = middle + 1 : high = middle);
      }
      at = low;
    }
    double ticks = 0;
    for (; read(op, at, samples) && run_ == run; ++at) ticks += static_cast<double>(duration_);
    return ticks;
  }
  Status finish() { return one_.finish("samples"); }

 private:
  bool read(int64_t op, int64_t position, int64_t samples) {
    if (position < 0 || position >= samples) return false;
    one_.bind_all((op << 32) + position);
    const bool found = one_.step();
    if (found) run_ = one_.integer(0), duration_ = one_.integer(1);
    one_.reset();
    return found;
  }

  Statement one_;
  int64_t run_ = 0, duration_ = 0;
};

}  // namespace

std::string UsualTimes::name_of(const Store& store, const BlockOp& op, bool repeated) {
  const int64_t instruction = std::get<2>(op.key);
  const std::string number = instruction < 0 ? "" : std::to_string(instruction);
  if (op.encloses && std::get<1>(op.key) == "operator_call") {
    // Without an ETRecord the call has no name of its own, its kernel has.
    Statement inside = store.query("SELECT min(id) FROM raw_op WHERE parent = ?1 AND clock IS NULL AND count > 0");
    inside.bind_all(op.id);
    const bool found = inside.step() && !inside.is_null(0);
    return "calling " + stored_op_title(store, found ? inside.integer(0) : op.id);
  }
  if (op.encloses)
    return "the " + op.backend + " call" + (number.empty() ? "" : " of instruction " + number) + ", in none of its ops";
  return stored_op_title(store, op.id) + (repeated && !number.empty() ? " (instruction " + number + ")" : "");
}

Status UsualTimes::block_ops(const Store& store, int64_t block, int64_t runs, std::vector<BlockOp>* out) {
  Statement st;
  Status status = store.prepare(
      "SELECT op_id, name, kind, coalesce(instruction_id, -1), coalesce(delegate_debug_id, ''), count, "
      "coalesce(warm_p50_ns, p50_ns, 0), parent_op_id, coalesce(backend, 'delegate') FROM ops WHERE block_id = ?1 AND "
      "clock IS NULL AND count > 0 ORDER BY ordinal",
      &st);
  if (!status.ok()) return status;
  st.bind_all(block);
  std::map<int64_t, size_t> places;
  std::vector<int64_t> parents;
  std::map<Key, int64_t> same;
  while (st.step()) {
    BlockOp op;
    op.id = st.integer(0);
    op.samples = st.integer(5);
    op.key = {st.str(1), st.str(2), st.integer(3), st.str(4), 0};
    std::get<4>(op.key) = same[op.key]++;
    op.usual = st.real(6) * static_cast<double>(op.samples) / static_cast<double>(std::max<int64_t>(runs, 1));
    op.backend = st.str(8);
    if (op.id < 0 || op.id > kLargestOpId) return {Error::InvalidExternalData, store.path() + ": op id out of range"};
    parents.push_back(st.is_null(7) ? -1 : st.integer(7));
    places.emplace(op.id, out->size());
    out->push_back(std::move(op));
  }
  for (size_t i = 0; i < out->size(); ++i) {
    const auto parent = places.find(parents[i]);
    if (parent == places.end()) continue;
    (*out)[i].parent = parent->second;
    (*out)[parent->second].encloses = true;
  }
  return st.finish("ops");
}

Status UsualTimes::kept_ops(const Store& store, int64_t block, int64_t runs, const std::vector<BlockOp>** out) const {
  const auto [at, is_new] = ops_.try_emplace(block);
  *out = &at->second;
  if (!is_new) return {};
  Status status = block_ops(store, block, runs, &at->second);
  if (!status.ok()) ops_.erase(at);
  return status;
}

Status UsualTimes::load(const Store& store, int64_t block, int64_t runs, UsualTimes* out) {
  const std::vector<BlockOp>* kept = nullptr;
  Status status = out->kept_ops(store, block, runs, &kept);
  if (!status.ok()) return status;
  const std::vector<BlockOp>& ops = *kept;
  std::vector<double> self(ops.size());
  for (size_t i = 0; i < ops.size(); ++i) {
    self[i] += ops[i].usual;
    if (ops[i].parent) self[*ops[i].parent] -= ops[i].usual;
  }
  for (size_t i = 0; i < ops.size(); ++i) {
    if (!ops[i].has_own_time()) continue;
    out->usual_[ops[i].key] = self[i];
    out->sum_ += self[i];
  }
  if (status = out->load_outside(store, block); !status.ok()) return status;
  Statement st = store.query("SELECT duration FROM raw_run WHERE block = ?1 AND is_cold = 0 AND complete = 1");
  st.bind_all(block);
  std::vector<double> times;
  while (st.step()) times.push_back(static_cast<double>(st.integer(0)));
  if (!times.empty()) {
    const auto upper = times.begin() + static_cast<ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), upper, times.end());
    const double lower = times.size() % 2 != 0 ? *upper : *std::max_element(times.begin(), upper);
    out->whole_ = (lower + *upper) / 2;
  }
  return st.finish("executions");
}

/// What is around the ops and none of them: the own time of Method::execute.
Status UsualTimes::load_outside(const Store& store, int64_t block) {
  if (!store.has_table("raw_op_cost")) return {};
  Statement st = store.query(
      "SELECT sum(h.warm_median) FROM raw_op o JOIN raw_op_cost c ON c.op = o.id JOIN raw_op_cost h ON h.op = "
      "coalesce(c.merged_into, c.op) WHERE o.block = ?1 AND o.kind = 'framework' AND o.clock IS NULL AND EXISTS "
      "(SELECT "
      "1 FROM raw_op i WHERE i.parent = o.id AND i.count > 0)");
  st.bind_all(block);
  if (st.step() && !st.is_null(0)) outside_ = st.real(0);
  return st.finish("costs of ops");
}

Status UsualTimes::explain(const Store& store, int64_t block, int64_t runs, const ExplainedRun& run, size_t most,
                           std::vector<ExtraTime>* out, OpCount* parts, std::vector<ExtraTime>* less,
                           ExplainedParts* sums) const {
  const std::vector<BlockOp>* kept = nullptr;
  Status status = kept_ops(store, block, runs, &kept);
  RunSamples samples;
  if (status.ok()) status = samples.open(store);
  if (!status.ok()) return status;
  const std::vector<BlockOp>& ops = *kept;
  std::map<std::string, int> names;
  std::vector<double> self(ops.size());
  for (size_t i = 0; i < ops.size(); ++i) {
    const BlockOp& op = ops[i];
    ++names[std::get<0>(op.key)];
    const int64_t each = runs > 0 ? op.samples / runs : 0;
    const bool alike = each > 0 && op.samples == each * runs;
    const double ticks = samples.sum(op.id, op.samples, run.id, run.position * each, alike ? each : 0);
    self[i] += ticks;
    if (op.parent) self[*op.parent] -= ticks;
  }
  // Where the clock changed, executions of one part have another median than all: their ops' are in proportion. Those
  // of a disturbed machine are not: they were held up more or less.
  const bool disturbed = whole_ - sum_ - outside_.value_or(0) >= kMostNoise * whole_;
  const double scale = whole_ > 0 && run.usual > 0 && !disturbed ? run.usual / whole_ : 1;
  double measured = 0;
  struct More {
    double ticks, usual;
    const BlockOp* op;
    bool is_op() const { return op != nullptr && !op->encloses; }
  };
  std::vector<More> more;
  for (size_t i = 0; i < ops.size(); ++i) {
    const BlockOp& op = ops[i];
    if (!op.has_own_time()) continue;
    measured += self[i];
    const auto found = usual_.find(op.key);
    const double usual = found == usual_.end() ? 0 : scale * found->second;
    more.push_back({self[i] - usual, usual, &op});
  }
  // What the run took outside of its ops, against what it usually takes there. What is left of the usual execution then
  // is in its ops, in others each time: an interruption in one of them is no time between them.
  const double left = run.usual - scale * sum_, outside = outside_ ? scale * *outside_ : left;
  more.push_back({(run.time - measured) - outside, outside, nullptr});
  if (sums != nullptr) *sums = {measured, scale * sum_, run.time - measured, outside, left - outside};
  std::stable_sort(more.begin(), more.end(), [](const More& a, const More& b) { return a.ticks > b.ticks; });
  *parts = {};
  for (const More& e : more) {
    if (e.ticks > 0) ++(e.is_op() ? parts->ops : parts->calls);
  }
  const auto add = [&](const More& e, std::vector<ExtraTime>* to) {
    if (e.op == nullptr) {
      to->push_back({{}, "no op", e.ticks, e.usual});
    } else {
      const auto [name, is_new] = names_.try_emplace(e.op->id);
      if (is_new) name->second = name_of(store, *e.op, names[std::get<0>(e.op->key)] > 1);
      to->push_back({e.op->id, name->second, e.ticks, e.usual, e.is_op()});
    }
  };
  for (size_t i = 0; i < std::min(most, static_cast<size_t>(parts->ops + parts->calls)); ++i) add(more[i], out);
  for (size_t i = more.size(); less != nullptr && i-- > 0 && more[i].ticks < 0 && less->size() < most;)
    add(more[i], less);
  return samples.finish();
}

}  // namespace et::inspector
