#include "inspector/analysis/diff/trace_diff.h"

#include "inspector/analysis/diff/diff_text.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "inspector/analysis/diff/op_groups.h"
#include "inspector/analysis/ops/group_face.h"
#include "inspector/analysis/ops/group_times.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/analysis/ops/share_basis.h"
#include "inspector/analysis/work/node_work.h"
#include "inspector/match/median_interval.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

constexpr double kLeastOfTotal = 0.001;

struct Verdict {
  DiffVerdict verdict = DiffVerdict::TooFew;
  std::optional<double> low, high, interval_low, interval_high;

  template <class T>
  void put_into(T* out) const {
    out->verdict = verdict;
    out->low = low;
    out->high = high;
    out->interval_low = interval_low;
    out->interval_high = interval_high;
  }
};

std::vector<int64_t> whole(const std::vector<double>& times) {
  std::vector<int64_t> out;
  for (const double t : times) out.push_back(std::llround(t));
  return out;
}

/// Executions of one run are not independent: its clock and its neighbours change while it goes on. The interval has
/// the medians of the run's quarters, too (of fewer parts where these would have less than five executions each), so
/// that what drifts is known no better than it is. Too few executions: none.
std::optional<MedianInterval> interval_of_run(const std::vector<double>& times) {
  constexpr size_t kMostParts = 4, kLeastOfPart = 5;
  const std::vector<int64_t> in_order = whole(times);
  std::vector<int64_t> all = in_order;
  auto out = median_interval(all);
  const size_t parts = std::clamp<size_t>(times.size() / kLeastOfPart, 1, kMostParts);
  for (size_t i = 0; i < parts && out; ++i) {
    const auto at = [&](size_t part) {
      return in_order.begin() + static_cast<ptrdiff_t>(part * in_order.size() / parts);
    };
    std::vector<int64_t> part(at(i), at(i + 1));
    const double median = percentile(part, 0.5);
    out->low = std::min(out->low, median);
    out->high = std::max(out->high, median);
  }
  return out;
}

/// Where the cost of a side lies, which is about the median of its times.
void bound_cost(DiffSide* side) {
  const auto interval = interval_of_run(side->times);
  std::vector<int64_t> times = whole(side->times);
  const double median = times.empty() ? 0 : percentile(times, 0.5);
  if (!interval || !(median > 0)) return;
  side->low = side->cost * interval->low / median;
  side->high = side->cost * interval->high / median;
}

/// `change` is that of the costs, which the report shows; the samples say whether it is sure.
Verdict judge(const std::vector<double>& before, const std::vector<double>& after, double old_cost, double change,
              double total, double least_effect) {
  const bool small =
      std::fabs(change) < least_effect * std::fabs(old_cost) || std::fabs(change) < kLeastOfTotal * total;
  std::vector<int64_t> a = whole(before), b = whole(after);
  const auto low = interval_of_run(before), high = interval_of_run(after);
  Verdict out;
  out.verdict = small ? DiffVerdict::Same : DiffVerdict::TooFew;
  if (!low || !high) return out;
  if (low->low > 0) {
    out.interval_low = high->low / low->high;
    out.interval_high = high->high / low->low;
  }
  out.verdict = small ? DiffVerdict::Same : DiffVerdict::Unclear;
  const double old_median = percentile(a, 0.5), new_median = percentile(b, 0.5);
  const auto sure = time_change(old_median, *low, new_median, *high);
  if (!sure) return out;
  out.low = sure->low;
  out.high = sure->high;
  // Sure and small, or the medians say the opposite of the costs.
  if (small || (sure->ratio > 1) != (change > 0)) {
    out.verdict = DiffVerdict::Same;
  } else {
    out.verdict = change > 0 ? DiffVerdict::Slower : DiffVerdict::Faster;
  }
  return out;
}

class TraceDiffer {
 public:
  TraceDiffer(const OpTable& before, const OpTable& after, const TraceDiffOptions& options, TraceDiff* out)
      : before_(before), after_(after), options_(options), out_(*out) {}

  Status run(const Store& old_store, const Store& new_store) {
    GroupTimes old_times(old_store, before_), new_times(new_store, after_);
    Status status = old_times.prepare();
    if (status.ok()) status = new_times.prepare();
    if (status.ok()) status = old_times.read_all();
    if (status.ok()) status = new_times.read_all();
    if (!status.ok()) return status;
    out_.unknown = find_unknown_methods(before_, after_);
    compare_methods(old_times, new_times);
    for (const OpGroup& group : group_ops(before_, after_, out_.unknown)) {
      if (lacks_basis(before_, false, group.before) || lacks_basis(after_, true, group.after)) continue;
      DiffGroup made = describe(group);
      if (status = old_times.of(made.before.parts, &made.before.times); !status.ok()) return status;
      if (status = new_times.of(made.after.parts, &made.after.times); !status.ok()) return status;
      decide(&made);
      out_.groups.push_back(std::move(made));
    }
    add_work(old_store, before_, &DiffGroup::before);
    add_work(new_store, after_, &DiffGroup::after);
    judge_by_usual_times();
    add_rests();
    std::stable_sort(out_.groups.begin(), out_.groups.end(), [](const DiffGroup& a, const DiffGroup& b) {
      return std::fabs(a.change()) > std::fabs(b.change());
    });
    return {};
  }

 private:
  static DiffSide side_of(const OpTable& table, const std::vector<uint32_t>& ops) {
    DiffSide out;
    std::set<std::string> backends;
    for (const uint32_t i : ops) {
      out.parts.push_back({i, 1});
      out.cost += table.ops[i].cost;
      out.has_nodes = out.has_nodes || has_work(table.ops[i]);
      if (table.ops[i].backend) backends.insert(*table.ops[i].backend);
    }
    out.backend = joined(backends, ", ");
    return out;
  }

  /// What cannot be read is not known: times stand for themselves.
  void add_work(const Store& store, const OpTable& table, DiffSide DiffGroup::*side) const {
    WorkOfNodes work;
    if (!work.load(store, table).ok() || !work.has_graph()) return;
    for (DiffGroup& group : out_.groups) {
      std::set<int64_t> nodes;
      for (const GroupPart& part : (group.*side).parts) {
        for (const OpNode* const n : table.own_nodes(table.ops[part.op])) nodes.insert(n->node->id);
      }
      if (!nodes.empty()) (group.*side).flops = work.of(nodes).flops;
    }
  }

  DiffGroup describe(const OpGroup& group) const {
    DiffGroup out;
    out.before = side_of(before_, group.before);
    out.after = side_of(after_, group.after);
    out.via = group.via;
    const GroupFace old_face = group_face(before_, group.before), new_face = group_face(after_, group.after);
    const GroupFace& shown = group.after.empty() ? old_face : new_face;
    out.title = shown.title;
    out.method = shown.method;
    out.place = shown.place;
    out.module = shown.module;
    out.type = type_of(group.after.empty() ? before_ : after_, shown.op);
    if (group.before.empty() || group.after.empty()) return out;
    if (old_face.place != new_face.place) out.was_place = old_face.place;
    if (old_face.title != new_face.title) out.was_title = old_face.title;
    return out;
  }

  static std::string type_of(const OpTable& table, const OpEntry* op) {
    if (op == nullptr || op->kind == "framework" || op->encloses) return {};
    const OpNode* const node = table.main_node(*op);
    return node != nullptr ? node->node->op : type_title(table, *op);
  }

  /// Where the basis is one execution, or the few slowest, the warm samples say nothing of it.
  Verdict judged(const std::vector<double>& before, const std::vector<double>& after, double old_cost, double change,
                 double total) const {
    const BasisKind kind = after_.basis.kind;
    const bool single = kind == BasisKind::Cold || kind == BasisKind::Execution || kind == BasisKind::P99;
    if (!single) {
      Verdict out = judge(before, after, old_cost, change, total, options_.least_effect);
      // What warm samples say is of the change that is shown only where it can be: a mean has interruptions.
      const double ratio = old_cost > 0 ? (old_cost + change) / old_cost : 0;
      const bool fits = !out.interval_low || (ratio >= *out.interval_low && ratio <= *out.interval_high);
      if (kind == BasisKind::WarmMedian || fits) return out;
      Verdict unknown;
      unknown.verdict = DiffVerdict::Unclear;
      return unknown;
    }
    Verdict out = judge({}, {}, old_cost, change, total, options_.least_effect);
    if (out.verdict == DiffVerdict::TooFew) out.verdict = DiffVerdict::Unclear;
    return out;
  }

  void decide(DiffGroup* g) const {
    bound_cost(&g->before);
    bound_cost(&g->after);
    const double total = std::max(out_.before, out_.after);
    if (g->before.parts.empty() || g->after.parts.empty()) {
      g->verdict = g->before.parts.empty() ? DiffVerdict::Added : DiffVerdict::Removed;
      return;
    }
    judged(g->before.times, g->after.times, g->before.cost, g->change(), total).put_into(g);
  }

  bool lacks_basis(const OpTable& table, bool after, const std::vector<uint32_t>& ops) const {
    return std::any_of(ops.begin(), ops.end(), [&](uint32_t i) {
      const std::string method = out_.unknown.name(after, table.block_of(table.ops[i]).method.value_or(""));
      return std::any_of(out_.methods.begin(), out_.methods.end(),
                         [&](const DiffMethod& m) { return m.name == method && m.lacks_basis(); });
    });
  }

  static bool has_basis(const OpBlock& block, const Basis& basis) {
    if (basis.kind == BasisKind::Cold) return block.cold.has_value();
    return basis.kind != BasisKind::Execution || block.runs > basis.execution;
  }

  /// Of a method that one side has no execution of the basis of, no figure says anything: not known is not 0.
  void find_lacking(std::map<std::string, DiffMethod>* methods) const {
    for (const bool after : {false, true}) {
      const OpTable& table = after ? after_ : before_;
      std::set<std::string> having;
      for (const OpBlock& b : table.blocks) {
        if (b.kind == "execute" && has_basis(b, out_.basis))
          having.insert(out_.unknown.name(after, b.method.value_or("")));
      }
      for (auto& [name, m] : *methods) {
        if (m.both_ran()) (after ? m.lacks_after : m.lacks_before) = !having.contains(name);
      }
    }
    for (auto& [name, m] : *methods) {
      if (!m.lacks_basis()) continue;
      out_.before -= m.before;
      out_.after -= m.after;
      m.before = m.after = m.delegated_before = m.delegated_after = 0;
      m.variation_before = m.variation_after = 0;
    }
  }

  void compare_methods(const GroupTimes& old_times, const GroupTimes& new_times) {
    std::vector<std::string> order;
    std::map<std::string, DiffMethod> methods;
    std::map<std::string, std::vector<double>> latencies[2];
    const auto add = [&](const OpTable& table, const GroupTimes& times, bool after) {
      for (size_t b = 0; b < table.blocks.size(); ++b) {
        const OpBlock& block = table.blocks[b];
        if (block.kind != "execute") continue;
        const std::string name = out_.unknown.name(after, block.method.value_or(""));
        const auto [at, fresh] = methods.try_emplace(name);
        if (fresh) order.push_back(name);
        (after ? at->second.executions_after : at->second.executions_before) += block.runs;
        (after ? at->second.after : at->second.before) += block.cost;
        (after ? out_.after : out_.before) += block.cost;
        (after ? at->second.variation_after : at->second.variation_before) += block.variation;
        std::vector<double>& all = latencies[after ? 1 : 0][name];
        all.insert(all.end(), times.latencies(b).begin(), times.latencies(b).end());
        // Where the cold one is the only one, it stands in for the warm ones.
        const bool only_cold = block.runs == 1 && block.cold.has_value();
        (after ? at->second.warm_after : at->second.warm_before) +=
            only_cold ? 0 : static_cast<int64_t>(times.latencies(b).size());
      }
    };
    add(before_, old_times, false);
    add(after_, new_times, true);
    count_delegates(before_, false, &methods);
    count_delegates(after_, true, &methods);
    find_lacking(&methods);
    for (const std::string& name : order) {
      DiffMethod& m = methods[name];
      m.name = name;
      if (m.executions_before == 0 || m.executions_after == 0) {
        m.verdict = m.executions_before == 0 ? DiffVerdict::Added : DiffVerdict::Removed;
      } else if (m.lacks_basis()) {
        m.verdict = DiffVerdict::Unclear;
      } else {
        judged(latencies[0][name], latencies[1][name], m.before, m.after - m.before, std::max(m.before, m.after))
            .put_into(&m);
      }
      out_.methods.push_back(m);
    }
  }

  void count_delegates(const OpTable& table, bool after, std::map<std::string, DiffMethod>* methods) const {
    const std::vector<OpPart> parts = parts_of(table);
    for (size_t i = 0; i < table.ops.size(); ++i) {
      const OpEntry& op = table.ops[i];
      const OpBlock& block = table.block_of(op);
      if (block.kind != "execute" || op.count == 0 || !op.on_trace_clock()) continue;
      DiffMethod& m = (*methods)[out_.unknown.name(after, block.method.value_or(""))];
      if (op.kind == "delegate_call") ++(after ? m.calls_after : m.calls_before);
      if (op.kind == "kernel" && parts[i].part == Part::Kernel) ++(after ? m.kernels_after : m.kernels_before);
      if (parts[i].part == Part::Delegate) (after ? m.delegated_after : m.delegated_before) += op.cost;
    }
  }

  /// What executions took says little of a change where they were held up, or where that is what they differ by. What
  /// the ops usually take together is bounded by the bounds of all of them: wide rather than narrow.
  void judge_by_usual_times() const {
    constexpr double kMostly = 0.5;  // of the difference
    if (out_.basis.kind != BasisKind::WarmMedian) return;
    for (DiffMethod& m : out_.methods) {
      const double change = m.after - m.before, noise = m.variation_after - m.variation_before;
      const bool sure = m.verdict == DiffVerdict::Slower || m.verdict == DiffVerdict::Faster;
      const bool mostly = sure && noise * change > 0 && std::fabs(noise) >= kMostly * std::fabs(change);
      m.by_usual = m.both_ran() && !m.lacks_basis() && m.verdict != DiffVerdict::TooFew && m.interval_low &&
                   (m.disturbed(false) || m.disturbed(true) || mostly);
      if (m.by_usual) judge_usual_times(&m);
    }
  }

  void judge_usual_times(DiffMethod* m) const {
    struct Bounds {
      double low = 0, high = 0, cost = 0;
    } before, after;
    const auto add = [](const DiffSide& side, Bounds* to) {
      to->low += side.low.value_or(side.cost);
      to->high += side.high.value_or(side.cost);
      to->cost += side.cost;
    };
    for (const DiffGroup& g : out_.groups) {
      if (method_of(g) != m->name) continue;
      add(g.before, &before);
      add(g.after, &after);
    }
    // What is in no op is not known better or worse.
    const double rest_before = m->usual_before() - before.cost, rest_after = m->usual_after() - after.cost;
    m->verdict = DiffVerdict::Unclear;
    m->low = m->high = m->interval_low = m->interval_high = {};
    if (!(before.low + rest_before > 0) || !(m->usual_before() > 0)) return;
    m->interval_low = (after.low + rest_after) / (before.high + rest_before);
    m->interval_high = (after.high + rest_after) / (before.low + rest_before);
    const double ratio = m->usual_after() / m->usual_before();
    if (std::fabs(ratio - 1) < options_.least_effect || (*m->interval_low <= 1 && *m->interval_high >= 1)) return;
    m->verdict = ratio > 1 ? DiffVerdict::Slower : DiffVerdict::Faster;
    m->low = m->interval_low;
    m->high = m->interval_high;
  }

  std::string method_of(const DiffGroup& g) const {
    const bool after = !g.after.parts.empty();
    const auto& parts = after ? g.after.parts : g.before.parts;
    const OpTable& table = after ? after_ : before_;
    if (parts.empty()) return {};
    return out_.unknown.name(after, table.block_of(table.ops[parts.front().op]).method.value_or(""));
  }

  /// What the groups do not account for, so that all adds up.
  void add_rests() {
    const auto variation = [](const OpTable& table) {
      double sum = 0;
      for (const OpBlock& b : table.blocks) sum += b.kind == "execute" ? b.variation : 0;  // of medians alone
      return sum;
    };
    DiffGroup noise, rest;
    noise.before.cost = variation(before_);
    noise.after.cost = variation(after_);
    const bool negative = noise.before.cost < 0 || noise.after.cost < 0;
    noise.is_variation = true;
    noise.title = negative ? "(variation; below 0: the usual times add up to more)" : "(variation)";
    rest.title = "(in no op)";
    rest.before.cost = out_.before - noise.before.cost;
    rest.after.cost = out_.after - noise.after.cost;
    for (const DiffGroup& g : out_.groups) {
      rest.before.cost -= g.before.cost;
      rest.after.cost -= g.after.cost;
    }
    for (DiffGroup* g : {&noise, &rest}) {
      const double least = 1e-9 * std::max(out_.before, out_.after);
      g->verdict = std::fabs(g->change()) < kLeastOfTotal * std::max(out_.before, out_.after) ? DiffVerdict::Same
                                                                                              : DiffVerdict::Unclear;
      if (std::fabs(g->before.cost) > least || std::fabs(g->after.cost) > least) out_.groups.push_back(std::move(*g));
    }
  }

  const OpTable& before_;
  const OpTable& after_;
  const TraceDiffOptions& options_;
  TraceDiff& out_;
};

}  // namespace

bool DiffMethod::disturbed(bool is_after) const {
  return ExecutionTime{is_after ? after : before, is_after ? variation_after : variation_before}.is_disturbed();
}

const char* diff_verdict_name(DiffVerdict verdict) {
  switch (verdict) {
    case DiffVerdict::Same:
      return "same";
    case DiffVerdict::Slower:
      return "slower";
    case DiffVerdict::Faster:
      return "faster";
    case DiffVerdict::Unclear:
      return "unclear";
    case DiffVerdict::TooFew:
      return "too few";
    case DiffVerdict::Added:
      return "added";
    case DiffVerdict::Removed:
      return "removed";
    case DiffVerdict::Other:
      return "another program";
  }
  return "";
}

Status diff_traces(const Store& before, int64_t before_id, const Store& after, int64_t after_id,
                   const TraceDiffOptions& options, TraceDiff* out) {
  *out = {};
  OpTable old_table, new_table;
  Status status = load_shown_ops(before, before_id, {.basis = options.basis}, &old_table);
  if (status.ok()) status = load_shown_ops(after, after_id, {.basis = options.basis}, &new_table);
  if (!status.ok()) return status;
  return diff_tables(before, old_table, after, new_table, options, out);
}

Status diff_tables(const Store& before, const OpTable& old_table, const Store& after, const OpTable& new_table,
                   const TraceDiffOptions& options, TraceDiff* out) {
  *out = {};
  if (old_table.unit != new_table.unit) {
    return {Error::InvalidArgument, "the traces have different units: expected both in " + old_table.unit + ", got " +
                                        new_table.unit + " in the second; --source-time-scale says what ticks are"};
  }
  out->unit = new_table.unit;
  out->basis = new_table.basis;
  if (Status status = TraceDiffer(old_table, new_table, options, out).run(before, after); !status.ok()) return status;
  const bool no_times = !without_times(*out).empty();
  if (!no_times && different_programs(*out).empty()) return {};
  for (DiffMethod& m : out->methods) {
    if (!no_times || !m.both_ran()) continue;
    m.verdict = DiffVerdict::Unclear;
    m.low = m.high = m.interval_low = m.interval_high = {};
    m.by_usual = false;
  }
  for (DiffGroup& g : out->groups) {
    if (g.before.parts.empty() || g.after.parts.empty()) continue;
    g.verdict = no_times ? DiffVerdict::Unclear : DiffVerdict::Other;
    g.low = g.high = g.interval_low = g.interval_high = {};
  }
  return {};
}

}  // namespace et::inspector
