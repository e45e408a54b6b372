// What to do next: each step says what no table above says, and leads to the panel that shows it.
#include <algorithm>

#include "gui/core/text.h"
#include "gui/core/window_words.h"
#include "gui/models/group_samples.h"
#include "gui/models/overview_model.h"
#include "inspector/analysis/delegation/delegation_map.h"
#include "inspector/analysis/ops/group.h"
#include "inspector/report/findings_report.h"
#include "inspector/text/words.h"

namespace et::gui {
namespace {

constexpr double kWorthALook = 0.1;  // of an execution
constexpr double kMuchOfTheRuntime = 0.3;
constexpr size_t kMostAdvice = 3, kMostSilent = 2;
constexpr size_t kTypesOfALine = 2;
constexpr double kMost = 0.8;  // of a type's time: in few of its ops

double share_of_kind(const Overview& overview, OverviewPart::Kind kind) {
  double sum = 0;
  for (const OverviewPart& part : overview.parts) sum += part.kind == kind ? part.share : 0;
  return sum;
}

/// "6 of its 18 ops take 60% of that", "its 18 ops cost much the same", or of one op its time.
std::string spread_of(const TraceData& data, const inspector::GroupRow& row) {
  std::vector<double> times;
  double sum = 0;
  for (const GroupOp& op : ops_of_group(data, row)) {
    times.push_back(op.time);
    sum += op.time;
  }
  if (times.size() < 2 || !(sum > 0)) return "see its samples";
  std::sort(times.rbegin(), times.rend());
  const auto number = [](size_t n) { return inspector::format_count(static_cast<int64_t>(n)); };
  double first = 0;
  size_t few = 0;
  while (few < times.size() && first < kMost * sum) first += times[few++];
  if (few * 2 > times.size()) {
    return "its " + number(times.size()) + " ops take " +
           inspector::format_duration_with_unit(times.back(), data.unit()) + " to " +
           inspector::format_duration_with_unit(times.front(), data.unit()) + " each; see them";
  }
  return number(few) + " of its " + number(times.size()) + " ops take " + inspector::format_share(first / sum) +
         " of that; see which";
}

const inspector::SourceLine* line_of(const TraceData& data, const OverviewCost& cost) {
  for (const inspector::SourceFileCost& file : data.sources.files) {
    if (file.file != cost.file) continue;
    for (const inspector::SourceLine& line : file.lines)
      if (line.line == cost.line) return &line;
  }
  return nullptr;
}

/// "aten.addmm and aten.permute_copy".
std::string types_of_line(const inspector::SourceLine& line) {
  std::vector<std::string> names;
  for (const std::string& type : line.op_types) {
    std::string name = type.substr(0, type.ends_with(".default") ? type.size() - 8 : type.size());
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  }
  if (names.size() > kTypesOfALine) {
    const auto more = static_cast<int64_t>(names.size() - kTypesOfALine);
    names.resize(kTypesOfALine);
    names.push_back(inspector::format_count(more) + " more");
  }
  return inspector::joined(names, ", ");
}

void add_costliest(const TraceData& data, const Overview& overview, const inspector::GroupTable& types,
                   bool type_is_said, std::vector<OverviewStep>* out) {
  if (!overview.ops.empty() && !type_is_said) {
    const OverviewCost& type = overview.ops.front();
    const auto row = std::find_if(types.rows.begin(), types.rows.end(),
                                  [&](const inspector::GroupRow& r) { return !r.none && r.key == type.type; });
    out->push_back({.text = type.title + ", " + inspector::format_share(type.share) + ": " +
                            (row == types.rows.end() ? "see its samples" : spread_of(data, *row)),
                    .panel = "operators",
                    .selection = select_op(data, type.op),
                    .type = type.type});
  }
  if (!overview.lines.empty()) {
    const OverviewCost& cost = overview.lines.front();
    const inspector::SourceLine* const line = line_of(data, cost);
    const std::string made_of = line == nullptr ? std::string() : types_of_line(*line);
    out->push_back({.text = cost.title + ", " + inspector::format_share(cost.share) +
                            (made_of.empty() ? "" : ": becomes " + made_of) + "; see the line",
                    .panel = "source",
                    .selection = select_line(data, cost.file, cost.line)});
  }
}

/// "187 µs of 3.51 ms (5.3%)".
std::string of_the_whole(const TraceData& data, const Overview& overview, double ticks) {
  return inspector::format_duration_with_unit(ticks, data.unit()) + " of " +
         inspector::format_duration_with_unit(overview.shares_total, data.unit()) + " (" +
         inspector::format_share(ticks / overview.shares_total) + ")";
}

/// Time that computes nothing: layouts, copies, views that copy.
void add_moves(const TraceData& data, const Overview& overview, const inspector::GroupTable& types,
               std::vector<OverviewStep>* out) {
  double moved = 0;
  const inspector::GroupRow* most = nullptr;
  for (const inspector::GroupRow& row : types.rows) {
    if (row.none || !(row.self > 0) || !inspector::only_moves_data(row.key)) continue;
    moved += row.self;
    if (most == nullptr) most = &row;  // they come by time
  }
  if (most == nullptr || !(moved >= kWorthALook * overview.shares_total)) return;
  int64_t op = 0;
  double time = -1;
  for (const inspector::GroupPart& part : most->parts) {
    const inspector::OpEntry& entry = data.shown.ops[part.op];
    if (part.weight * entry.cost > time) time = part.weight * entry.cost, op = entry.id;
  }
  out->push_back({.text = "Could save up to " + of_the_whole(data, overview, moved) +
                          ": operators that only move data, most of all " + most->key +
                          "; another layout, or weights transposed before export, spare them",
                  .panel = "operators",
                  .selection = select_op(data, op),
                  .type = most->key,
                  .win = moved});
}

void add_delegation(const Overview& overview, std::vector<OverviewStep>* out) {
  const double kernels = share_of_kind(overview, OverviewPart::Kind::Kernel);
  // A backend without events has unattributed time alone; without an ETRecord and a program none has a name.
  const bool delegates = std::any_of(overview.parts.begin(), overview.parts.end(), [](const OverviewPart& p) {
    return p.kind == OverviewPart::Kind::Delegate || p.kind == OverviewPart::Kind::Unattributed;
  });
  if (kernels < kWorthALook) return;
  if (delegates) {
    out->push_back({.text = "Non-delegated operators take " + inspector::format_share(kernels) +
                            ", the most that delegating them could spare: see why they stayed outside",
                    .panel = "delegation"});
  } else {
    out->push_back({.text = "Nothing is delegated: " + inspector::format_share(kernels) +
                            " runs in kernels, one operator at a time. Export with a partitioner (for CPUs "
                            "XnnpackPartitioner) and compare",
                    .panel = "delegation"});
  }
}

/// Small operators cost less than calling them.
void add_framework(const Overview& overview, std::vector<OverviewStep>* out) {
  double calling = 0;
  for (const OverviewPart& part : overview.parts) calling += part.calling;
  const double share = share_of_kind(overview, OverviewPart::Kind::Framework) + calling / overview.shares_total;
  if (share < kMuchOfTheRuntime) return;
  out->push_back({.text = "The runtime and its calls of kernels take " + inspector::format_share(share) +
                          ": operators are small beside what calling them costs. Fewer and larger ones, or a delegate "
                          "that takes them together, have less of it",
                  .panel = "timeline"});
}

/// Of several methods one that ran often weighs more, as in the list of findings.
double weight_of_method(const TraceData& data, const std::string& method) {
  int64_t runs = 0, others = 0;
  for (const inspector::OpBlock& b : data.shown.blocks) {
    if (b.kind == "execute") (b.method.value_or("") == method ? runs : others) += b.runs;
  }
  return others == 0 || runs == 0 || data.shown.basis.is_sum() ? 1 : static_cast<double>(runs);
}

/// Of a finding's text the first part that has a number: what its title says already has none.
std::string what_was_measured(const std::string& text) {
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find("; ", at), text.size());
    const std::string part = text.substr(at, end - at);
    if (part.find_first_of("0123456789") != std::string::npos) return part;
    at = end + 2;
  }
  return text.substr(0, text.find("; "));
}

/// What the findings would win the most with; the panel has all of them.
void add_advice(const TraceData& data, const std::vector<inspector::Advice>& advice, std::vector<OverviewStep>* out) {
  size_t shown = 0;
  for (const inspector::Advice& a : advice) {
    if (!(a.most_ns > 0) || shown++ == kMostAdvice) break;  // by what they win, those without a time last
    const inspector::AdvicePlace& p = a.place;
    Selection s;
    if (!p.node.empty()) s = select_node(data, p.node);
    if (s.empty() && !p.file.empty()) s = select_line(data, p.file, p.line);
    // What goes along is in the saving, and in no time of the operator.
    const auto copies = std::find_if(a.facts.begin(), a.facts.end(), [](const inspector::AdviceFact& fact) {
      return fact.what == inspector::kCopiesAtBreaks;
    });
    const std::string along = copies == a.facts.end() ? "" : inspector::advice_fact_text(*copies, data.shown);
    out->push_back({.text = "Could save " + inspector::advice_range_text(a, data.shown) + ": " + in_window(a.title) +
                            (along.empty() ? "" : ", and the copies at them"),
                    .detail = with_capital(in_window(what_was_measured(a.text))) +
                              (along.empty() ? "" : ", and the copies at them " + along) +
                              (a.overlap.empty() ? "" : "; " + a.overlap),
                    .panel = "findings",
                    .selection = std::move(s),
                    .finding = WantedFinding{a.id, a.method, a.title},
                    .win = inspector::named_bound(a) * weight_of_method(data, a.method)});
  }
}

void add_missing(const TraceData& data, std::vector<OverviewStep>* out) {
  if (!data.has_etrecord()) {
    out->push_back({.text = "Open the ETRecord with the ETDump (drop both at once): it names nodes, Python lines and "
                            "modules"});
  }
  if (!data.facts.program_path) {
    out->push_back({.text = "Open the program (.pte) with the ETDump: it names what delegates contain, and the memory "
                            "plan"});
  }
}

}  // namespace

std::vector<OverviewStep> next_steps(const TraceData& data, const Overview& overview,
                                     const std::vector<inspector::Advice>& advice,
                                     const std::vector<inspector::Consumer>& silent) {
  std::vector<OverviewStep> out;
  if (!data.has_etdump() || !(overview.total > 0)) return out;
  add_advice(data, advice, &out);
  // Why nothing is said of the costliest.
  for (size_t i = 0; i < std::min(silent.size(), kMostSilent); ++i)
    out.push_back(
        {.text = in_window(inspector::consumer_text(silent[i], data.shown)),
         .panel = silent[i].calls > 0 ? "delegation" : "roofline",
         .selection = select_op(data, silent[i].op_id),
         .win = !silent[i].is_far_from_roof() || silent[i].exponential ? 0 : silent[i].known_ns - silent[i].roof_ns});
  const inspector::GroupTable types = inspector::group_costs(data.shown, inspector::GroupBy::Type, inspector::Filter());
  const bool type_is_said = std::any_of(out.begin(), out.end(), [&](const OverviewStep& step) {
    if (overview.ops.empty()) return false;
    const OverviewCost& type = overview.ops.front();
    return (step.finding && step.finding->title.starts_with(type.title + " ")) || step.selection.op == type.op;
  });
  add_costliest(data, overview, types, type_is_said, &out);
  add_framework(overview, &out);
  const auto said = [&](std::string_view id) {
    return std::any_of(advice.begin(), advice.end(), [&](const inspector::Advice& a) { return a.id == id; });
  };
  if (!said("no-delegate")) add_delegation(overview, &out);
  if (!said("data-movement") && !said("delegate-copies") && !said("constant-work"))
    add_moves(data, overview, types, &out);
  add_missing(data, &out);
  std::stable_sort(out.begin(), out.end(), [](const OverviewStep& a, const OverviewStep& b) { return a.win > b.win; });
  return out;
}

}  // namespace et::gui
