#include "inspector/analysis/diff/typical_execution.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <unordered_map>

#include "inspector/analysis/ops/executions.h"
#include "inspector/match/execution_basis.h"

namespace et::inspector {
namespace {

constexpr int64_t kScanned = 4'000'000;  // samples that are read faster in one go than found op by op
constexpr int kPositionBits = 32;        // of a sample's key: op << 32 | position

struct RunFacts {
  int64_t id = 0, start = 0;
  ExecutionFacts facts;
};

struct Sample {
  int64_t begin = 0, end = 0;
  uint32_t op = 0;
};

int64_t first_key(int64_t op) { return op << kPositionBits; }
int64_t last_key(int64_t op) { return first_key(op) + std::numeric_limits<uint32_t>::max(); }

/// The run that stands for the others on the basis.
const RunFacts* choose_run(const std::vector<RunFacts>& runs, const Basis& basis, double cost) {
  std::vector<ExecutionFacts> facts;
  for (const RunFacts& r : runs) facts.push_back(r.facts);
  const ExecutionBasis executions(facts);
  if (basis.kind == BasisKind::WarmMedian) cost = executions.warm_median();
  if (basis.kind == BasisKind::Total) cost /= static_cast<double>(std::max<size_t>(runs.size(), 1));
  const RunFacts* best = nullptr;
  double least = 0;
  for (size_t i = 0; i < runs.size(); ++i) {
    if (basis.kind == BasisKind::Execution && static_cast<int64_t>(i) != basis.execution) continue;
    if (basis.kind == BasisKind::Cold && !executions.cold(i)) continue;
    const bool of_warm = basis.kind != BasisKind::Execution && basis.kind != BasisKind::Cold;
    if (of_warm && executions.warm_count() > 0 && !executions.warm(i)) continue;
    const double away = std::fabs(static_cast<double>(runs[i].facts.latency) - cost);
    if (best != nullptr && away >= least) continue;
    best = &runs[i];
    least = away;
  }
  return best;
}

class TypicalReader {
 public:
  TypicalReader(const Store& store, const OpTable& table) : store_(store), table_(table) {
    for (uint32_t i = 0; i < table.ops.size(); ++i) shown_[table.ops[i].id] = i;
    for (const auto& [id, op] : table.merged_ids) shown_[id] = op;
    for (const OpEntry& op : table.ops) samples_ += op.count;
  }

  Status read(TypicalExecution* out) {
    std::vector<Sample> samples;
    Status status = samples_ <= kScanned ? scan(out->run, &samples) : look_up(out->run, &samples);
    if (!status.ok()) return status;
    std::stable_sort(samples.begin(), samples.end(), [](const Sample& a, const Sample& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
    });
    for (Sample& s : samples) {
      s.begin -= out->start;
      s.end -= out->start;
      if (table_.ops[s.op].kind == "delegate_call") out->calls.push_back({s.begin, s.end, s.op});
    }
    take_own(samples, &out->own);
    return {};
  }

 private:
  void add(int64_t op_id, int64_t start, int64_t duration, std::vector<Sample>* out) const {
    const auto op = shown_.find(op_id);
    if (op == shown_.end() || !table_.ops[op->second].on_trace_clock() || start < 0 || duration <= 0) return;
    if (start > std::numeric_limits<int64_t>::max() - duration) return;
    out->push_back({start, start + duration, op->second});
  }

  Status scan(int64_t run, std::vector<Sample>* out) const {
    if (shown_.empty()) return {};
    int64_t low = std::numeric_limits<int32_t>::max(), high = 0;
    for (const auto& [id, op] : shown_) {
      low = std::min(low, id);
      high = std::max(high, id);
    }
    Statement st =
        store_.query("SELECT id >> 32, start, duration FROM raw_sample WHERE id BETWEEN ?1 AND ?2 AND run = ?3");
    st.bind_all(first_key(low), last_key(std::min<int64_t>(high, std::numeric_limits<int32_t>::max() - 1)), run);
    while (st.step()) add(st.integer(0), st.integer(1), st.integer(2), out);
    return st.finish("samples");
  }

  /// Samples of an op are in the order of the runs.
  Status look_up(int64_t run, std::vector<Sample>* out) const {
    Statement last = store_.query("SELECT max(id) FROM raw_sample WHERE id BETWEEN ?1 AND ?2");
    Statement at = store_.query("SELECT run, start, duration FROM raw_sample WHERE id = ?1");
    for (const auto& [id, op] : shown_) {
      last.bind_all(first_key(id), last_key(id));
      int64_t from = first_key(id), to = from;
      if (last.step() && !last.is_null(0)) to = last.integer(0) + 1;
      last.reset();
      const int64_t end = to;
      const auto run_at = [&](int64_t key) {
        at.bind_all(key);
        const int64_t found = at.step() ? at.integer(0) : std::numeric_limits<int64_t>::max();
        return found;
      };
      while (from < to) {
        const int64_t middle = from + (to - from) / 2;
        const bool before = run_at(middle) < run;
        at.reset();
        (before ? from : to) = before ? middle + 1 : middle;
      }
      for (; from < end; ++from) {
        const bool same = run_at(from) == run;
        if (same) add(id, at.integer(1), at.integer(2), out);
        at.reset();
        if (!same) break;
      }
    }
    return last.finish("samples");
  }

  /// Samples by begin, enclosing ones first. What sticks out of its enclosing sample is cut there.
  static void take_own(const std::vector<Sample>& samples, std::vector<OwnSlice>* out) {
    std::vector<Sample> open;  // begin: of what is not given out yet
    int64_t at = std::numeric_limits<int64_t>::min();
    const auto give = [&](Sample& s, int64_t end) {
      const int64_t begin = std::max(s.begin, at);
      if (end <= begin) return;
      out->push_back({begin, end, s.op});
      at = end;
    };
    const auto close_until = [&](int64_t time) {
      while (!open.empty() && open.back().end <= time) {
        give(open.back(), open.back().end);
        open.pop_back();
      }
    };
    for (Sample s : samples) {
      close_until(s.begin);
      if (!open.empty()) {
        give(open.back(), s.begin);
        s.end = std::min(s.end, open.back().end);
      }
      open.push_back(s);
    }
    close_until(std::numeric_limits<int64_t>::max());
  }

  const Store& store_;
  const OpTable& table_;
  std::unordered_map<int64_t, uint32_t> shown_;  // by key: merged ops are those that they were merged into
  int64_t samples_ = 0;
};

}  // namespace

Status typical_executions(const Store& store, const OpTable& table, std::vector<TypicalExecution>* out) {
  out->clear();
  std::vector<std::string> order;
  std::map<std::string, double> costs;
  std::unordered_map<int64_t, std::string> method_of;  // by block
  for (const OpBlock& b : table.blocks) {
    if (b.kind != "execute") continue;
    const std::string name = b.method.value_or("");
    if (costs.try_emplace(name).second) order.push_back(name);
    costs[name] += b.cost;
    method_of[b.id] = name;
    for (const int64_t id : b.merged) method_of[id] = name;
  }
  std::map<std::string, std::vector<RunFacts>> runs;
  Statement st = store.query(
      "SELECT id, block, coalesce(start, 0), duration, is_cold, complete FROM raw_run WHERE trace = ?1 ORDER BY id");
  st.bind_all(table.trace_id);
  while (st.step()) {
    const auto method = method_of.find(st.integer(1));
    if (method == method_of.end()) continue;
    runs[method->second].push_back(
        {st.integer(0), st.integer(2), {st.integer(3), st.integer(4) != 0, st.integer(5) != 0}});
  }
  Status status = st.finish("executions");
  TypicalReader reader(store, table);
  for (const std::string& name : order) {
    if (!status.ok()) return status;
    const RunFacts* const run = choose_run(runs[name], table.basis, costs[name]);
    if (run == nullptr) continue;
    out->push_back({name, run->id, run - runs[name].data(), run->start, run->facts.latency, {}, {}});
    status = reader.read(&out->back());
  }
  return status;
}

}  // namespace et::inspector
