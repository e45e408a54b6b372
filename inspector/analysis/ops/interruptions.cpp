#include "inspector/analysis/ops/interruptions.h"

#include <algorithm>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "inspector/analysis/ops/op_title.h"
#include "inspector/analysis/ops/samples.h"
#include "inspector/text/format.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

constexpr int64_t kUsualOf = 3;             // samples that make a usual time
constexpr size_t kMostSamples = 1'000'000;  // read of a trace; the longest times first
constexpr size_t kMostMerged = 1'000;       // blocks
constexpr double kMatters = 0.25;           // of an execution
constexpr int64_t kOftenOneIn = 50;         // executions: an op that is slow more often than that has a slow way

double usual_of(const OpBlock& block) {
  return block.warm_p50 ? *block.warm_p50
                        : static_cast<double>(block.total) / static_cast<double>(std::max<int64_t>(block.runs, 1));
}

double runs_of(const OpBlock& block) { return static_cast<double>(std::max<int64_t>(block.runs, 1)); }

/// What an op and all inside it take in an execution otherwise; 0 where it is not known.
double usual_with_inner(const OpTable& shown, const OpEntry& op) {
  const double one = op.warm_p50 ? *op.warm_p50 : op.count >= kUsualOf && op.p50 ? *op.p50 : 0;
  return one * static_cast<double>(op.count) / runs_of(shown.block_of(op));
}

bool is_interruption(double more, double usual, double execution_more, double execution) {
  return more >= kInterrupted * usual && more >= kHeldUp * execution_more && more >= kMatters * execution;
}

/// Ops inside of others, of which a call may have been held up before or behind its kernel.
std::unordered_map<size_t, std::vector<size_t>> children_of(const OpTable& shown) {
  std::unordered_map<size_t, std::vector<size_t>> out;
  for (size_t i = 0; i < shown.ops.size(); ++i) {
    if (shown.ops[i].parent && shown.ops[i].on_trace_clock()) out[*shown.ops[i].parent].push_back(i);
  }
  return out;
}

bool may_be_interrupted(const OpTable& shown, const OpEntry& op) {
  const OpBlock& block = shown.block_of(op);
  if (block.kind != "execute" || !op.on_trace_clock() || op.kind == "framework" || op.count < kUsualOf || !op.max)
    return false;
  return static_cast<double>(*op.max) - usual_with_inner(shown, op) >= kMatters * usual_of(block);
}

/// Of all executions: their samples say which one it was.
class SumSearch {
 public:
  SumSearch(const Store& store, const OpTable& shown) : store_(store), shown_(shown), children_(children_of(shown)) {}

  Status find(std::vector<size_t> ops, std::vector<Interruption>* out) {
    std::stable_sort(ops.begin(), ops.end(),
                     [&](size_t a, size_t b) { return *shown_.ops[a].max > *shown_.ops[b].max; });
    Status status = load_runs();
    for (size_t i = 0; i < ops.size() && status.ok() && read_ < kMostSamples; ++i) status = look_at(ops[i], out);
    return status;
  }

 private:
  Status load_runs() {
    Statement st;
    Status status =
        store_.prepare("SELECT run_id, duration_ns, is_cold FROM executions WHERE trace_id = ?1 AND complete", &st);
    if (!status.ok()) return status;
    st.bind_all(shown_.trace_id);
    while (st.step()) runs_[st.integer(0)] = {st.real(1), st.integer(2) != 0};
    return st.finish("executions");
  }

  Status add_samples(size_t op, double sign, std::map<int64_t, double>* by_run) {
    OpSamples samples;
    // Each of the blocks that are one op in the table may have all of them.
    constexpr size_t kAll = kMostSamples * kMostMerged;
    if (Status status = load_op_samples(store_, shown_.ops[op].id, kAll, &samples); !status.ok()) return status;
    read_ += samples.durations.size();
    for (size_t i = 0; i < samples.durations.size(); ++i)
      (*by_run)[samples.runs[i]] += sign * static_cast<double>(samples.durations[i]);
    return {};
  }

  Status look_at(size_t index, std::vector<Interruption>* out) {
    std::map<int64_t, double> self;  // by execution
    Status status = add_samples(index, 1, &self);
    if (const auto inner = children_.find(index); inner != children_.end()) {
      for (const size_t child : inner->second) {
        if (status.ok()) status = add_samples(child, -1, &self);
      }
    }
    if (!status.ok() || self.size() < static_cast<size_t>(kUsualOf)) return status;
    std::vector<double> times;
    for (const auto& [run, time] : self) times.push_back(time);
    std::nth_element(times.begin(), times.begin() + std::ssize(times) / 2, times.end());
    const double usual = std::max(times[times.size() / 2], 0.0), whole = usual_of(shown_.block_of(shown_.ops[index]));
    Interruption found = {index, 0, 0};
    for (const auto& [id, time] : self) {
      const auto run = runs_.find(id);
      if (run == runs_.end() || run->second.is_cold) continue;
      if (!is_interruption(time - usual, usual, run->second.time - whole, whole)) continue;
      ++found.count;
      found.ticks += time - usual;
    }
    const int64_t runs = shown_.block_of(shown_.ops[index]).runs;
    if (found.count == 0 || found.count > std::max<int64_t>(1, runs / kOftenOneIn)) return {};
    if (shown_.basis.kind == BasisKind::Mean) found.ticks /= static_cast<double>(std::max<int64_t>(runs, 1));
    out->push_back(found);
    return {};
  }

  struct Run {
    double time = 0;
    bool is_cold = false;
  };
  const Store& store_;
  const OpTable& shown_;
  std::unordered_map<size_t, std::vector<size_t>> children_;
  std::unordered_map<int64_t, Run> runs_;
  size_t read_ = 0;
};

/// Of one execution, or of the slowest: what one op took more than usual, where that is most of what all did.
void find_in_one(const OpTable& shown, const std::vector<size_t>& ops, std::vector<Interruption>* out) {
  const auto children = children_of(shown);
  for (const size_t index : ops) {
    const OpEntry& op = shown.ops[index];
    const OpBlock& block = shown.block_of(op);
    double usual = usual_with_inner(shown, op);
    if (const auto inner = children.find(index); inner != children.end()) {
      for (const size_t child : inner->second) usual -= usual_with_inner(shown, shown.ops[child]);
    }
    usual = std::max(usual, 0.0);
    const double more = op.cost - usual, whole = usual_of(block);
    if (is_interruption(more, usual, block.cost - whole, whole)) out->push_back({index, 1, more});
  }
}

}  // namespace

Status find_interruptions(const Store& store, const OpTable& shown, std::vector<Interruption>* out) {
  out->clear();
  const BasisKind kind = shown.basis.kind;
  if (shown.old_store || kind == BasisKind::WarmMedian || kind == BasisKind::Cold || kind == BasisKind::Range)
    return {};
  std::vector<size_t> ops;
  for (size_t i = 0; i < shown.ops.size(); ++i) {
    if (may_be_interrupted(shown, shown.ops[i])) ops.push_back(i);
  }
  if (ops.empty()) return {};
  Status status;
  if (kind == BasisKind::Mean || kind == BasisKind::Total) {
    status = SumSearch(store, shown).find(std::move(ops), out);
  } else {
    find_in_one(shown, ops, out);
  }
  std::stable_sort(out->begin(), out->end(),
                   [](const Interruption& a, const Interruption& b) { return a.ticks > b.ticks; });
  return status;
}

OpTable without_interruptions(const OpTable& shown, const std::vector<Interruption>& found) {
  // Who calls has the table for as long as the copy.
  OpTable out = OpTable::like(std::shared_ptr<const OpTable>(std::shared_ptr<const OpTable>(), &shown));
  for (const Interruption& one : found) {
    OpEntry& op = out.ops[one.op];
    op.cost -= one.ticks;
    out.blocks[op.block].variation += one.ticks;
  }
  return out;
}

std::string interruptions_text(const OpTable& shown, const std::vector<Interruption>& found) {
  if (found.empty()) return {};
  int64_t count = 0;
  double ticks = 0;
  for (const Interruption& one : found) count += one.count, ticks += one.ticks;
  return plural(count, "interruption") + ", " + format_duration_with_unit(ticks, shown.unit) + " of " +
         shown.basis.whole() + (found.size() > 1 ? ", the longest in " : ", in ") +
         op_title(shown, shown.ops[found.front().op]);
}

std::string left_out_text(const OpTable& shown, const std::vector<Interruption>& found) {
  return found.empty() ? std::string()
                       : "Left out, as no change of the model saves it: " + interruptions_text(shown, found);
}

}  // namespace et::inspector
