#include "gui/models/overview_model.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "gui/core/text.h"
#include "gui/core/window_words.h"
#include "gui/core/words.h"
#include "gui/models/overview_costliest.h"
#include "gui/models/overview_facts.h"
#include "gui/models/timeline_regimes.h"
#include "inspector/analysis/ops/group.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/analysis/ops/share_basis.h"
#include "inspector/ingest/links/unlinked_reasons.h"
#include "inspector/text/words.h"

namespace et::gui {
namespace {

using inspector::OpBlock;
using inspector::OpEntry;

constexpr size_t kFirstUnlinked = 5;
constexpr size_t kFirstExecutionNotes = 6;
constexpr size_t kFirstWarnings = 3;

double share_of_total(double time, double total) { return total > 0 ? time / total : 0; }

OverviewPart::Kind kind_of(inspector::Part part) {
  switch (part) {
    case inspector::Part::Delegate:
      return OverviewPart::Kind::Delegate;
    case inspector::Part::Kernel:
      return OverviewPart::Kind::Kernel;
    case inspector::Part::Control:
      return OverviewPart::Kind::Control;
    case inspector::Part::Framework:
      break;
  }
  return OverviewPart::Kind::Framework;
}

/// `total`: what shares are of. `without_variation`: without the variation.
std::vector<OverviewPart> parts_of_all(const TraceData& data, double total, bool without_variation) {
  using Kind = OverviewPart::Kind;
  const bool sums = data.shown.basis.is_sum();
  std::map<std::pair<Kind, std::string>, OverviewPart> rows;
  for (const inspector::PartRow& part : data.parts) {
    const Kind kind = kind_of(part.part);
    OverviewPart& row = rows[{kind, part.backend}];
    row.kind = kind;
    row.backend = part.backend;
    row.name = inspector::part_name(part);
    // What it takes to call a kernel belongs to the kernel.
    const double unexplained = kind == Kind::Delegate ? part.overhead : 0;
    row.time += part.total - unexplained;
    row.calling += part.overhead - unexplained;
    row.ops += part.ops;
    row.calls += sums ? static_cast<double>(part.calls) : part.calls_each;
    if (unexplained == 0) continue;
    OverviewPart& rest = rows[{Kind::Unattributed, part.backend}];
    rest.backend = part.backend;
    rest.name = "unattributed in " + row.name;
    rest.time += unexplained;
    rest.calls += sums ? static_cast<double>(part.calls) : part.calls_each;
  }
  for (const OpBlock& block : data.shown.blocks) {
    if (block.kind != "execute" || block.variation == 0) continue;
    OverviewPart& rest = rows[{Kind::Variation, ""}];
    rest.kind = Kind::Variation;
    rest.name = "variation";
    rest.time += block.variation;
  }
  std::vector<OverviewPart> out;
  for (auto& [key, row] : rows) {
    row.share = share_of_total(row.time, total);
    row.left_out = without_variation && row.kind == Kind::Variation;
    out.push_back(std::move(row));
  }
  std::stable_sort(out.begin(), out.end(), [](const OverviewPart& a, const OverviewPart& b) {
    const bool a_last = a.kind >= Kind::Unattributed, b_last = b.kind >= Kind::Unattributed;
    return a_last != b_last ? b_last : a.time > b.time;
  });
  return out;
}

/// Into the parts that their ops are of.
void add_slices(const TraceData& data, const inspector::GroupTable& types, Overview* out) {
  std::map<std::pair<OverviewPart*, const std::string*>, std::pair<OverviewSlice, double>> slices;
  for (const inspector::GroupRow& row : types.rows) {
    if (row.none) continue;
    for (const inspector::GroupPart& part : row.parts) {
      const OpEntry& op = data.shown.ops[part.op];
      const int32_t index = data.index_of(op);
      if (index < 0) continue;
      const inspector::OpPart& of = data.op_parts[static_cast<size_t>(index)];
      const OverviewPart::Kind kind = kind_of(of.part);
      if (of.overhead && kind == OverviewPart::Kind::Delegate) continue;
      if (kind != OverviewPart::Kind::Delegate && kind != OverviewPart::Kind::Kernel) continue;
      const auto at = std::find_if(out->parts.begin(), out->parts.end(), [&](const OverviewPart& p) {
        return p.kind == kind && p.backend == of.backend.str();
      });
      if (at == out->parts.end()) continue;
      auto& [slice, most] = slices[{&*at, &row.key}];
      const double time = part.weight * op.cost;
      slice.type = row.key;
      slice.time += time;
      if (slice.op == 0 || time > most) most = time, slice.op = op.id;
    }
  }
  for (auto& [key, slice] : slices) {
    if (!(slice.first.time > 0)) continue;
    slice.first.share = share_of_total(slice.first.time, out->shares_total);
    key.first->types.push_back(std::move(slice.first));
  }
  for (OverviewPart& part : out->parts) {
    std::stable_sort(part.types.begin(), part.types.end(), [](const OverviewSlice& a, const OverviewSlice& b) {
      return a.time != b.time ? a.time > b.time : a.type < b.type;
    });
  }
}

std::vector<OverviewUnlinked> unlinked_by_reason(const TraceData& data) {
  std::vector<OverviewUnlinked> out;
  std::map<const std::string*, size_t> at;       // each text is kept once
  std::vector<std::map<uint32_t, double>> rows;  // of each reason: ops as they are counted, with their time
  for (const inspector::UnlinkedRow& row : data.facts.unlinked) {
    // The same op of another block (a cold run): it is there, and has its time there.
    if (data.shown.merged_ids.contains(data.table.ops[row.op].id)) continue;
    const auto [found, is_new] = at.try_emplace(&row.reason.str(), out.size());
    if (is_new) {
      out.emplace_back().reason = row.reason;
      rows.emplace_back();
      const inspector::UnlinkedReason* const known = inspector::find_unlinked_reason(row.reason.str());
      if (known != nullptr) out.back().advice = in_window(known->advice);
    }
    const auto event = static_cast<uint32_t>(row.op);
    const auto shown = data.shown.find_own(data.table.ops[row.op].id);
    double& time = rows[found->second][inspector::counted_op(data.table, event).value_or(event)];
    if (shown && data.table.ops[row.op].on_trace_clock()) time += data.shown.ops[*shown].cost;
  }
  for (size_t i = 0; i < out.size(); ++i) {
    std::vector<uint32_t> ops;
    for (const auto& [op, time] : rows[i]) {
      ops.push_back(op);
      out[i].time += time;
    }
    out[i].count = inspector::count_ops_and_calls(data.table, ops);
    const size_t few = std::min(ops.size(), kFirstUnlinked);
    std::partial_sort(ops.begin(), ops.begin() + static_cast<std::ptrdiff_t>(few), ops.end(),
                      [&](uint32_t a, uint32_t b) {
                        const double x = rows[i][a], y = rows[i][b];
                        return x != y ? x > y : a < b;
                      });
    for (size_t k = 0; k < few; ++k) out[i].costliest.push_back({static_cast<int32_t>(ops[k]), rows[i][ops[k]]});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const OverviewUnlinked& a, const OverviewUnlinked& b) { return a.time > b.time; });
  return out;
}

}  // namespace

std::vector<OverviewPart> parts_of_bar(const std::vector<OverviewPart>& parts) {
  std::vector<OverviewPart> out;
  std::copy_if(parts.begin(), parts.end(), std::back_inserter(out),
               [](const OverviewPart& part) { return part.share > 0 && part.is_worth_a_row(); });
  return out;
}

const char* part_help(OverviewPart::Kind kind) {
  switch (kind) {
    case OverviewPart::Kind::Variation:
      return words::kVariation;
    case OverviewPart::Kind::Framework:
      return words::kFramework;
    case OverviewPart::Kind::Unattributed:
      return words::kUnattributed;
    default:
      return "";
  }
}

OverviewNotices first_notices(const std::vector<inspector::Finding>& findings) {
  OverviewNotices out;
  const auto add = [&](std::vector<const inspector::Finding*>* list, const inspector::Finding& finding, size_t most) {
    list->size() < most ? list->push_back(&finding) : void(++out.more);
  };
  for (const inspector::Finding& finding : findings) {
    if (finding.severity == "error") {
      out.errors.push_back(&finding);
    } else if (finding.of_executions) {
      add(&out.executions, finding, kFirstExecutionNotes);
    } else if (finding.severity == "data-loss" || finding.severity == "warning") {
      add(&out.warnings, finding, kFirstWarnings);
    }
  }
  return out;
}

std::string OverviewNotices::in_short() const {
  static constexpr std::pair<std::string_view, const char*> kNames[] = {
      {"execution-disturbed", "a disturbed machine"},
      {"execution-outlier", "executions that stand out"},
      {"execution-modes", "two groups of executions"},
      {"execution-step", "a step"},
      {"execution-drift", "a drift"},
      {"cold-start", "a slow first execution"},
      {"few-samples", "few executions"},
  };
  std::vector<std::string> names;
  int64_t others = more;
  for (const auto* const list : {&executions, &warnings}) {
    for (const inspector::Finding* const finding : *list) {
      const auto name =
          std::find_if(std::begin(kNames), std::end(kNames), [&](const auto& n) { return n.first == finding->id; });
      if (name == std::end(kNames)) {
        ++others;
      } else if (std::find(names.begin(), names.end(), name->second) == names.end()) {
        names.emplace_back(name->second);
      }
    }
  }
  if (others > 0)
    names.push_back(names.empty() ? inspector::plural(others, "warning") : inspector::format_count(others) + " more");
  return inspector::plural(size() + more, "note") + " on the measurement: " + inspector::joined(names, ", ");
}

int64_t slowest_run(const TraceData& data) {
  int64_t out = 0, most = -1;
  for (const inspector::Execution& run : data.runs) {
    if (data.table.blocks[static_cast<size_t>(run.block)].kind != "execute" || run.cold || !run.complete) continue;
    if (run.duration > most) most = run.duration, out = run.id;
  }
  return out;
}

namespace {

/// An execution of each method counts alike, however often it ran.
std::string weight_of_methods(const TraceData& data, double total) {
  constexpr double kFarFrom = 0.2;
  if (data.shown.basis.is_sum() || !(total > 0)) return {};
  struct Weight {
    double cost = 0, all = 0;
    int64_t runs = 0;
  };
  std::map<std::string, Weight> methods;
  double all = 0;
  for (const OpBlock& b : data.shown.blocks) {
    if (b.kind != "execute") continue;
    Weight& w = methods[b.method.value_or("")];
    w.cost += b.cost;
    w.all += static_cast<double>(b.total);
    w.runs += b.runs;
    all += static_cast<double>(b.total);
  }
  const auto most = std::max_element(methods.begin(), methods.end(),
                                     [](const auto& a, const auto& b) { return a.second.all < b.second.all; });
  if (methods.size() < 2 || !(all > 0) || most->first.empty()) return {};
  const double part = most->second.all / all;
  if (part - most->second.cost / total < kFarFrom) return {};
  return "One execution of each method counts alike here. Of the whole trace " + most->first + " takes " +
         inspector::format_share(part) + " (" + inspector::plural(most->second.runs, "execution") +
         "): Times, sum of all executions, has them by that.";
}

}  // namespace

Overview make_overview(const TraceData& data, const std::string& search) {
  Overview out;
  out.search = lower(search);
  if (!data.has_etdump()) out.exports = exports_of(data);
  out.basis = data.shown.basis;
  out.basis_text = data.shown.basis_text();
  const ExecutionsModel executions = ExecutionsModel::make(data);
  // Only what the notes say as well: times that stalls made are no second way to run.
  const auto says = [&](const char* id) {
    return std::any_of(data.findings.begin(), data.findings.end(), [&](const auto& f) { return f.id == id; });
  };
  if (!executions.several_blocks() && data.shown.basis.kind == inspector::BasisKind::WarmMedian &&
      (says("execution-modes") || says("execution-step")))
    out.two_times = regimes_in_short(find_regimes(executions, names_groups(data.findings)), data.unit());
  for (const OpBlock& block : data.shown.blocks) {
    if (block.kind == "execute") {
      out.total += block.cost;
      out.executions += block.runs;
    } else if (block.kind == "load") {
      out.loading += block.total;
    }
  }
  out.weight_text = weight_of_methods(data, out.total);
  out.files = file_facts(data);
  out.machine = machine_facts(data.facts);
  out.methods = methods_of(data);
  out.not_run = methods_not_run(data, out.methods);
  out.shares_total = inspector::share_basis(data.shown);
  const bool all = out.shares_total == out.total;
  out.shares_of = all ? out.basis.whole() : std::string("what ") + inspector::share_basis_text(out.basis);
  out.parts = parts_of_all(data, out.shares_total, !all);
  const inspector::GroupTable types = inspector::group_costs(data.shown, inspector::GroupBy::Type, inspector::Filter());
  add_slices(data, types, &out);
  add_costliest_types(data, types, &out);
  out.lines = costliest_lines(data, out.shares_total, out.search);
  out.modules = costliest_modules(data, out.shares_total, out.search);
  out.unlinked = unlinked_by_reason(data);
  for (const OverviewUnlinked& group : out.unlinked) {
    out.unlinked_ops.ops += group.count.ops;
    out.unlinked_ops.calls += group.count.calls;
    out.unlinked_time += group.time;
  }
  for (const OpEntry& op : data.table.ops) out.foreign_ops += op.on_trace_clock() || op.count == 0 ? 0 : 1;
  // "auto" always finds a unit: only wishes can fail.
  (void)inspector::choose_unit("auto", data.unit(), out.total, &out.unit);
  return out;
}

}  // namespace et::gui
