#include "gui/models/roofline_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "gui/core/text.h"
#include "inspector/report/roofline_report.h"
#include "inspector/text/format.h"
#include "inspector/text/words.h"

namespace et::gui {
namespace {

using inspector::RooflineRow;

struct ColumnText {
  const char* title;
  const char* help;
};
constexpr std::array<ColumnText, kRooflineColumns> kColumns = {{
    {"Op", "Ops that do the work of the same graph nodes are one row."},
    {"Time", "Per execution, on the basis."},
    {"Share", "Of the execution."},
    {"Could win", "Time beyond the roof: the most that a better kernel could win."},
    {"Of roof", "Part of the time that the machine's peaks explain: at 100% it cannot be faster there."},
    {"Held against", "The roof that it is held to: what is fastest for a working set of its size, or arithmetic."},
    {"Bound",
     "What limits it: compute (arithmetic), memory, the overhead of being called, or neither: below a quarter of "
     "its roof the machine is not what it waits for."},
    {"GFLOP/s", "Achieved: 10^9 operations a second."},
    {"GB/s", "Achieved: 10^9 bytes a second."},
    {"FLOP", "Operations of one execution, by a formula for each operator and the shapes of its nodes."},
    {"Bytes", "Read and written, weights included; what a fused kernel passes on inside costs none."},
    {"FLOP/B", "Operations for each byte: left of the roof's bend memory is the limit, right of it arithmetic."},
    {"Method", "Method that runs it."},
    {"Module", "Module of its heaviest node."},
    {"Line", "Python line of its heaviest node."},
}};

std::optional<double> number_of(const inspector::Roofline& r, const RooflineRow& row, RooflineColumn column) {
  switch (column) {
    case RooflineColumn::Time:
      return row.ns;
    case RooflineColumn::Share:
      return r.share_base_ns() > 0 ? row.ns / r.share_base_ns() : 0;
    case RooflineColumn::Flops:
      return row.work.flops;
    case RooflineColumn::Bytes:
      return row.work.bytes;
    case RooflineColumn::Intensity:
      return row.intensity();
    case RooflineColumn::Gflops:
      return row.gflops();
    case RooflineColumn::Gbytes:
      return row.gbytes();
    case RooflineColumn::Efficiency:
      return row.efficiency();
    case RooflineColumn::Win:
      return row.win_ns();
    case RooflineColumn::Op:
    case RooflineColumn::Reference:
    case RooflineColumn::Bound:
    case RooflineColumn::Method:
    case RooflineColumn::Module:
    case RooflineColumn::Line:
      break;
  }
  return {};
}

/// Of a group's roof: of its rows that have one.
std::optional<double> number_of_group(const inspector::Roofline& r, const RooflineGroup& g, RooflineColumn column) {
  if (column == RooflineColumn::Win) return g.known_ns > 0 ? std::optional(g.win) : std::nullopt;
  if (column == RooflineColumn::Efficiency)
    return g.known_ns > 0 ? std::optional(g.sum.roof_ns / g.known_ns) : std::nullopt;
  return number_of(r, g.sum, column);
}

std::string text_of(const RooflineRow& row, RooflineColumn column) {
  if (column == RooflineColumn::Op) return row.title;
  if (column == RooflineColumn::Line) return row.place;
  if (column == RooflineColumn::Module) return row.module;
  if (column == RooflineColumn::Method) return row.method;
  if (row.stays) return "moves nothing";
  if (row.bound != inspector::Bound::Unknown) return inspector::bound_name(row.bound);
  return row.work.flops || row.work.bytes ? "not known" : "";
}

/// Of ops that differ in what limits them: what limits those with most of the time.
const char* mostly(inspector::Bound bound) {
  switch (bound) {
    case inspector::Bound::Compute:
      return "mostly compute";
    case inspector::Bound::Memory:
      return "mostly memory";
    case inspector::Bound::Overhead:
      return "mostly overhead";
    case inspector::Bound::Neither:
      return "mostly neither";
    case inspector::Bound::Unknown:
      break;
  }
  return "mostly not known";
}

template <class Text, class Number>
void sort_by(std::vector<size_t>* out, RooflineColumn column, bool descending, const Text& text, const Number& number) {
  std::stable_sort(out->begin(), out->end(), [&](size_t a, size_t b) {
    if (!is_number(column)) {
      const std::string s = text(a), t = text(b);
      return s.empty() != t.empty() ? t.empty() : descending ? t < s : s < t;
    }
    const auto s = number(a), t = number(b);
    return s.has_value() != t.has_value() ? s.has_value() : s && (descending ? *t < *s : *s < *t);
  });
}

}  // namespace

const char* roofline_column_title(RooflineColumn column, bool integers) {
  if (integers) {
    if (column == RooflineColumn::Gflops) return "GOP/s";
    if (column == RooflineColumn::Flops) return "Operations";
    if (column == RooflineColumn::Intensity) return "OP/B";
  }
  return kColumns[static_cast<size_t>(column)].title;
}
const char* roofline_column_help(RooflineColumn column, bool machine) {
  if (column == RooflineColumn::Efficiency && !machine)
    return "Part of the time that it would take at the best rate that an op of this trace reached for such a working "
           "set: at 100% none was faster. The machine may be.";
  if (column == RooflineColumn::Win && !machine)
    return "Time beyond the best rates of this trace: so much would be won by reaching them. The machine may be faster "
           "than they are, and then more.";
  if (column == RooflineColumn::Bound && !machine)
    return "What limits it, where that is known without the machine's peaks: the overhead of being called, or neither: "
           "below a quarter of the best rate of this trace. Not known of what is near those: they may be slow "
           "themselves.";
  return kColumns[static_cast<size_t>(column)].help;
}
bool is_number(RooflineColumn column) {
  return column != RooflineColumn::Op && column != RooflineColumn::Bound && column != RooflineColumn::Method &&
         column != RooflineColumn::Module && column != RooflineColumn::Line && column != RooflineColumn::Reference;
}
bool needs_roofs(RooflineColumn column) {
  return column == RooflineColumn::Win || column == RooflineColumn::Efficiency || column == RooflineColumn::Reference ||
         column == RooflineColumn::Bound;
}

void RooflineModel::set(inspector::Roofline roofline, std::optional<inspector::MachinePeaks> machine, std::string hint,
                        std::shared_ptr<const TraceData> data, const std::vector<inspector::Advice>& advice,
                        std::optional<inspector::SeenPeaks> rates) {
  roofline_ = std::move(roofline);
  machine_ = std::move(machine);
  hint_ = std::move(hint);
  data_ = std::move(data);
  seen_ = machine_ ? std::nullopt : rates ? std::move(rates) : inspector::best_rates(roofline_);
  if (seen_) inspector::hold_against(seen_->peaks, &roofline_);
  roofs_.clear();
  other_roofs_.clear();
  lane_roofs_.clear();
  found_.clear();
  add_summary();
  add_points();
  add_labels();
  add_groups();
  advice_ = advice;
  add_findings();
  if (!points_.empty()) add_axes();
}

void RooflineModel::add_groups() {
  groups_.clear();
  std::map<std::pair<std::string, std::string>, size_t> known;
  for (size_t i = 0; i < roofline_.rows.size(); ++i) {
    if (!is_found(i)) continue;
    const RooflineRow& row = roofline_.rows[i];
    const auto [at, is_new] = known.try_emplace({row.title, row.method}, groups_.size());
    if (is_new) groups_.emplace_back().sum = row;
    RooflineGroup& group = groups_[at->second];
    group.rows.push_back(i);
    group.win += number_of(roofline_, row, RooflineColumn::Win).value_or(0);
    group.known_ns += row.roof_ns > 0 ? row.ns : 0;
    if (is_new) continue;
    RooflineRow& sum = group.sum;
    const auto add = [](std::optional<double>& to, const std::optional<double>& n) {
      to = to && n ? std::optional(*to + *n) : std::nullopt;
    };
    add(sum.work.flops, row.work.flops);
    add(sum.work.bytes, row.work.bytes);
    sum.roof_ns += row.roof_ns;
    sum.ns += row.ns;
    sum.calls += row.calls;
    sum.ops.insert(sum.ops.end(), row.ops.begin(), row.ops.end());
    if (sum.bound != row.bound) sum.bound = inspector::Bound::Unknown;
    sum.module = common_module(sum.module, row.module);
    if (sum.place != row.place) sum.place.clear();
  }
}

/// Rules name ops of the trace, or nodes of the graph.
bool RooflineModel::is_about(const inspector::Advice& advice, size_t row) const {
  const RooflineRow& r = roofline_.rows[row];
  return std::any_of(advice.items.begin(), advice.items.end(), [&](const inspector::AdviceItem& item) {
    if (item.place.op_id > 0) return item.place.op_id == r.op_id;
    if (item.place.node.empty() || advice.method != r.method) return false;
    return std::any_of(r.ops.begin(), r.ops.end(), [&](uint32_t op) {
      const inspector::OpNode* const n = data_->shown.main_node(data_->shown.ops[op]);
      return n != nullptr && n->node->name == item.place.node;
    });
  });
}

/// Findings hold ops against others that do the same kind of work, or ask what a change of the model saves.
void RooflineModel::add_findings() {
  if (data_ == nullptr) return;
  for (RooflineGroup& group : groups_) {
    for (const inspector::Advice& a : advice_) {
      if (!(a.most_ns > 0)) continue;
      int64_t rows = 0;
      double of_them = 0, of_all = 0;  // the finding may be about others, too
      for (size_t row = 0; row < roofline_.rows.size(); ++row) {
        if (!is_about(a, row)) continue;
        of_all += roofline_.rows[row].ns;
        if (std::find(group.rows.begin(), group.rows.end(), row) == group.rows.end()) continue;
        ++rows;
        of_them += roofline_.rows[row].ns;
      }
      if (rows == 0 || !(of_all > 0)) continue;
      const double won = std::min(a.most_ns * of_them / of_all, of_them);
      // A finding by the same rates says nothing else than the column does.
      constexpr double kAlike = 0.1;
      if (std::abs(won - group.win) <= kAlike * group.win) break;
      const auto all = std::ssize(group.rows);
      group.finding = (rows < all ? " (" + inspector::format_count(rows) + " of them): at most " : ": at most ") +
                      inspector::format_duration_with_unit(won, data_->unit()) +
                      (a.assumes.empty() ? std::string() : ", if " + a.assumes);
      break;  // the one that could save the most comes first
    }
  }
}

std::string RooflineModel::findings_brief() const {
  std::vector<std::string> names;
  for (const size_t g : order_of_groups(RooflineColumn::Win, true)) {
    if (!groups_[g].finding.empty()) names.push_back(groups_[g].sum.title);
  }
  if (names.empty()) return {};
  const auto others = std::ssize(names) - 1;
  return "A roof is the limit of any kernel; what a known change wins of " + names.front() +
         (others > 0 ? " and " + inspector::plural(others, "other type") : "") + " is in Findings";
}

std::string RooflineModel::findings_text() const {
  constexpr size_t kMost = 4;
  std::vector<std::string> parts;
  for (const size_t g : order_of_groups(RooflineColumn::Win, true)) {
    if (groups_[g].finding.empty()) continue;
    if (parts.size() == kMost) {
      parts.emplace_back("and others");
      break;
    }
    parts.push_back(group_cell(g, RooflineColumn::Op) + groups_[g].finding);
  }
  return parts.empty() ? std::string() : "Known changes of the model, from Findings: " + inspector::joined(parts, "; ");
}

bool RooflineModel::integers() const {
  return std::any_of(points_.begin(), points_.end(),
                     [&](const RooflinePoint& p) { return roofline_.rows[p.row].work.integer; });
}

/// Of an execution that is known well enough.
std::string RooflineModel::headline_without_roofs() const {
  if (!(roofline_.total_ns > 0) || machine_) return {};
  const bool known = std::any_of(roofline_.rows.begin(), roofline_.rows.end(),
                                 [](const RooflineRow& row) { return row.work.flops && row.work.bytes; });
  if (known) return "The ops of this trace are no roofs for each other: fewer than three take longer than a call, 2 µs";
  return roofline_.symbols.empty() ? std::string() : "The work of no op is known without the dynamic sizes";
}

std::string RooflineModel::headline() const {
  if (!has_roofs()) return headline_without_roofs();
  if (!(roofline_.total_ns > 0) || !(roofline_.roof_ns > 0) || (machine_ && !roofline_.believable())) return {};
  const double base = roofline_.share_base_ns();
  const auto part = [&](double ns) {
    return inspector::format_duration_with_unit(ns, "ns") + " of " + inspector::format_duration_with_unit(base, "ns") +
           " (" + inspector::format_share(ns / base) + ")";
  };
  // Of all, whatever is searched.
  const double win = roofline_.kernels_win_ns(), calls = roofline_.calls_win_ns();
  const std::string of_calls = !roofline_.has_calls_to_win()
                                   ? std::string()
                                   : ". Calling ops that do next to nothing takes another " +
                                         inspector::format_duration_with_unit(calls, "ns") + " (" +
                                         inspector::format_share(calls / base) + "), which only fewer calls win";
  if (roofline_.unknown_ns() > 0) {
    return "The work of only " + part(roofline_.known_ns) + " is known; of that " + (machine_ ? "at most " : "") +
           inspector::format_duration_with_unit(win, "ns") +
           (machine_ ? " could be won by kernels at the roofs of the machine"
                     : " would be won by kernels at the best rates of this trace, which the machine may exceed") +
           of_calls + (roofline_.symbols.empty() ? "" : ". Numbers for the dynamic sizes make more of it known");
  }
  return (machine_
              ? "At most " + part(win) + " could be won by kernels at the roofs of the machine"
              : "At the best rates of this trace kernels would win " + part(win) + "; the machine may exceed them") +
         of_calls;
}

void RooflineModel::add_summary() {
  summary_.clear();
  std::string text;
  if (machine_) text = inspector::machine_line(*machine_, data_ == nullptr ? "" : data_->facts.cpu.value_or(""));
  if (machine_ && !hint_.empty()) text += "! " + hint_ + "\n";
  text += inspector::roofline_summary(roofline_, machine_.has_value(), "auto");
  if (seen_) text += inspector::seen_summary(roofline_, *seen_, "auto");
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    if (end > at) summary_.push_back(text.substr(at, end - at));
    at = end + 1;
  }
}

std::vector<RooflineModel::Sum> RooflineModel::sums() const {
  constexpr double kWorthARow = 0.0005;
  double rest = roofline_.total_ns - roofline_.variation_ns;
  for (const RooflineRow& row : roofline_.rows) rest -= row.ns;
  std::vector<Sum> out;
  for (const auto& [name, ns] : {std::pair{"(variation)", roofline_.variation_ns}, {"(in no op)", rest}}) {
    if (std::abs(ns) >= kWorthARow * roofline_.total_ns) out.push_back({name, ns});
  }
  out.push_back({"All of it", roofline_.total_ns});
  return out;
}

inspector::Bound RooflineModel::group_bound(size_t group) const {
  std::map<inspector::Bound, double> times;
  for (const size_t row : groups_[group].rows) times[roofline_.rows[row].bound] += roofline_.rows[row].ns;
  return std::max_element(times.begin(), times.end(), [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

std::string RooflineModel::other_rates() const {
  std::vector<std::string> rates;
  for (const RoofLine& roof : other_roofs_) rates.push_back(roof.name);
  return inspector::joined(rates, ", ");
}

std::vector<size_t> RooflineModel::order(RooflineColumn column, bool descending) const {
  std::vector<size_t> out(roofline_.rows.size());
  std::iota(out.begin(), out.end(), size_t{0});
  sort_by(
      &out, column, descending, [&](size_t i) { return cell(i, column); },
      [&](size_t i) { return number_of(roofline_, roofline_.rows[i], column); });
  return out;
}

std::vector<size_t> RooflineModel::order_of_groups(RooflineColumn column, bool descending) const {
  std::vector<size_t> out(groups_.size());
  std::iota(out.begin(), out.end(), size_t{0});
  sort_by(
      &out, column, descending, [&](size_t i) { return group_cell(i, column); },
      [&](size_t i) { return number_of_group(roofline_, groups_[i], column); });
  return out;
}

std::vector<size_t> RooflineModel::order_in(size_t group, RooflineColumn column, bool descending) const {
  std::vector<size_t> out = groups_[group].rows;
  sort_by(
      &out, column, descending, [&](size_t i) { return cell(i, column); },
      [&](size_t i) { return number_of(roofline_, roofline_.rows[i], column); });
  return out;
}

std::optional<double> RooflineModel::win(size_t row) const {
  return number_of(roofline_, roofline_.rows[row], RooflineColumn::Win);
}

std::string RooflineModel::cell(size_t row, RooflineColumn column) const {
  const RooflineRow& r = roofline_.rows[row];
  return cell_of(r, number_of(roofline_, r, column), column);
}

std::string RooflineModel::group_cell(size_t group, RooflineColumn column) const {
  const RooflineGroup& g = groups_[group];
  if (g.rows.size() == 1) return cell(g.rows.front(), column);
  if (column == RooflineColumn::Op) return g.sum.title + " ×" + inspector::format_count(std::ssize(g.rows));
  if (column == RooflineColumn::Reference) {
    std::set<std::string> roofs;
    for (const size_t row : g.rows) {
      if (std::string roof = reference_of(row); !roof.empty()) roofs.insert(std::move(roof));
    }
    return roofs.empty()       ? std::string()
           : roofs.size() == 1 ? *roofs.begin()
                               : inspector::plural(std::ssize(roofs), "roof");
  }
  if (column == RooflineColumn::Bound) {
    const bool alike = std::all_of(g.rows.begin(), g.rows.end(), [&](size_t row) {
      return roofline_.rows[row].bound == roofline_.rows[g.rows.front()].bound;
    });
    if (!alike) return mostly(group_bound(group));
  }
  return cell_of(g.sum, number_of_group(roofline_, g, column), column);
}

std::string RooflineModel::cell_of(const RooflineRow& r, std::optional<double> value, RooflineColumn column) const {
  if (column == RooflineColumn::Reference) return reference_text(r);
  if (!is_number(column)) return text_of(r, column);
  if (!value || (column == RooflineColumn::Gflops && r.work.flops == 0.0)) return {};
  switch (column) {
    case RooflineColumn::Win:
    case RooflineColumn::Time:
      return inspector::format_duration_with_unit(*value, "ns");
    case RooflineColumn::Efficiency:
      // The best of a trace are usual rates, which an execution may exceed; a machine's peaks nothing should.
      return seen_ ? "≤ " + inspector::format_share(std::min(*value, 1.0)) : inspector::format_share(*value);
    case RooflineColumn::Share:
      return inspector::format_share(*value);
    case RooflineColumn::Flops:
      return inspector::flops_text(*value);
    case RooflineColumn::Bytes:
      return inspector::format_bytes(static_cast<int64_t>(*value));
    default:
      return inspector::rate_text(*value);
  }
}

std::string RooflineModel::reference_of(size_t row) const { return reference_text(roofline_.rows[row]); }

std::string RooflineModel::reference_text(const RooflineRow& row) const {
  if (seen_) return seen_->reference_of(row);
  if (!machine_ || !(row.roof_ns > 0) || !row.work.bytes || !row.work.flops || machine_->bandwidth.empty()) return {};
  const inspector::MachinePeaks::Roofs roofs = inspector::roofs_of(*machine_, row);
  if (!roofs.memory_holds())
    return inspector::rate_text(roofs.gops) +
           (row.work.integer && machine_->int8_gops > 0 ? " GOP/s int8" : " GFLOP/s");
  return roofline_rate_in(machine_->bandwidth[roofs.entry]);
}

Selection RooflineModel::selection_of_group(size_t group) const {
  const RooflineGroup& g = groups_[group];
  std::vector<Selection> parts;
  for (const size_t row : g.rows) parts.push_back(selection_of(row));
  return select_several(std::move(parts), g.sum.title + ": " + inspector::plural(std::ssize(g.rows), "op"));
}

SelectedPart RooflineModel::selected_part(size_t row, const Selection& selection) const {
  SelectedPart out;
  if (data_ == nullptr) return out;
  // A click on a row selects the op that speaks for it.
  const int32_t speaker = data_->find_op(roofline_.rows[row].op_id);
  const bool speaks = speaker >= 0 && selection.has_op(speaker);
  for (const uint32_t i : roofline_.rows[row].ops) {
    const inspector::OpEntry& op = data_->shown.ops[i];
    const int32_t index = data_->index_of(op);
    out.whole += op.cost;
    if (!speaks && (index < 0 || !selection.has_op(index))) continue;
    out.selected += op.cost;
    ++out.ops;
  }
  return out;
}

SelectedPart RooflineModel::selected_part_of_group(size_t group, const Selection& selection) const {
  SelectedPart out;
  for (const size_t row : groups_[group].rows) {
    const SelectedPart part = selected_part(row, selection);
    out.selected += part.selected, out.whole += part.whole, out.ops += part.ops;
  }
  return out;
}

Selection RooflineModel::selection_of(size_t row) const {
  return data_ == nullptr ? Selection() : select_op(*data_, roofline_.rows[row].op_id);
}

std::string RooflineModel::csv() const {
  std::string out;
  if (data_ != nullptr)
    (void)inspector::write_roofline(roofline_, machine_ ? &*machine_ : nullptr, "", {.format = "csv"}, &out);
  return out;
}

std::string RooflineModel::markdown() const {
  std::string out;
  if (data_ != nullptr)
    (void)inspector::write_roofline(roofline_, machine_ ? &*machine_ : nullptr, data_->facts.cpu.value_or(""),
                                    {.format = "markdown"}, &out);
  return out;
}

}  // namespace et::gui
