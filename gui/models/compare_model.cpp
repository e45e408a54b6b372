#include "gui/models/compare_model.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "gui/core/text.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/report/roofline_report.h"
#include "inspector/text/table.h"

namespace et::gui {

using inspector::DiffGroup;
using inspector::DiffVerdict;

namespace {

double ratio_of(const DiffGroup& g) {
  if (g.before.cost > 0) return g.after.cost / g.before.cost;
  return g.after.cost > 0 ? HUGE_VAL : 1;
}

template <class T>
int compared_to(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

int compare_by(const DiffGroup& a, const DiffGroup& b, CompareSort sort) {
  switch (sort) {
    case CompareSort::Size:
      return compared_to(std::fabs(a.change()), std::fabs(b.change()));
    case CompareSort::Op:
      return a.title.compare(b.title);
    case CompareSort::Before:
      return compared_to(a.before.cost, b.before.cost);
    case CompareSort::After:
      return compared_to(a.after.cost, b.after.cost);
    case CompareSort::Change:
      return compared_to(a.change(), b.change());
    case CompareSort::Relative:
      return compared_to(ratio_of(a), ratio_of(b));
    case CompareSort::Verdict:
      return compared_to(a.verdict, b.verdict);
    case CompareSort::Delegate:
      return delegate_text(a).compare(delegate_text(b));
    case CompareSort::Line:
      return a.place.compare(b.place);
    case CompareSort::Module:
      return a.module.compare(b.module);
    case CompareSort::Method:
      return a.method.compare(b.method);
  }
  return 0;
}

/// By what the two sides were found to be the same work.
const char* match_text(const std::optional<inspector::NodeMatchVia>& via) {
  using inspector::NodeMatchVia;
  if (!via) return "what it is called: no graph node leads to it";
  switch (*via) {
    case NodeMatchVia::Same:
      return "name, operator, module and line";
    case NodeMatchVia::Renamed:
      return "operator, module and line; the node has another name";
    case NodeMatchVia::Moved:
      return "operator and module; the line is another one";
    case NodeMatchVia::OtherPath:
      return "operator and line; the module has another path";
    case NodeMatchVia::Order:
      return "operator and order, between nodes that match";
    case NodeMatchVia::Place:
      return "module and line alone: it was lowered in another way";
  }
  return "";
}

}  // namespace

const char* compare_filter_name(CompareFilter filter) {
  static constexpr std::array<const char*, kCompareFilters> kNames = {
      "All rows", "Slower",  "Faster", "Same or negligible", "Within noise", "Too few executions",
      "Added",    "Removed", "Moved",  "Other delegate"};
  return kNames[static_cast<size_t>(filter)];
}

int64_t CompareMethod::extent() const { return std::max({before.duration, after.duration, int64_t{1}}); }

void CompareModel::set(std::shared_ptr<const ComparedTraces> compared) {
  compared_ = std::move(compared);
  rows_made_ = false;
  rows_.clear();
  methods_.clear();
  usual_methods_.clear();
  changes_.clear();
  summary_.clear();
  sentences_.clear();
  shares_.clear();
  method_shares_.clear();
  warnings_.clear();
  group_of_before_.clear();
  group_of_after_.clear();
  counts_ = {};
  largest_ = 0;
  if (compared_ == nullptr) return;
  const inspector::TraceDiff& d = compared_->diff;
  (void)inspector::choose_unit("auto", d.unit, std::max(d.before, d.after), &unit_);
  for (size_t g = 0; g < d.groups.size(); ++g) {
    if (!d.groups[g].is_variation) largest_ = std::max(largest_, std::fabs(d.groups[g].change()));
    for (size_t f = 0; f < kCompareFilters; ++f)
      counts_[f] += fits(static_cast<int32_t>(g), static_cast<CompareFilter>(f)) ? 1 : 0;
  }
  find_scale();
  sentences_ = inspector::diff_sentences(d, unit_, compared_->changes.same_program);
  shares_ = inspector::diff_shares(d);
  if (has_several_methods()) method_shares_ = inspector::diff_shares_by_method(d);
  const auto is_there = [&](const inspector::DiffMethod& m) { return m.name == query.method; };
  if (!has_several_methods() || std::none_of(d.methods.begin(), d.methods.end(), is_there)) query.method.reset();
  query.type.reset();
  errors_ = inspector::source_errors(compared_->before, compared_->after);
  warnings_ = inspector::source_warnings(compared_->before, compared_->after);
  if (std::string little = inspector::little_in_common(d); !little.empty()) warnings_.push_back(std::move(little));
  map_ops();
  make_lanes();
  make_changes();
  make_summary();
}

void CompareModel::find_scale() {
  constexpr double kLeast = 1.1, kMost = 4, kFitting = 0.9;
  std::vector<double> ratios;
  double sure = kLeast;  // what changed is seen whole, if a scale can show it
  has_delegates_ = false;
  for (const DiffGroup& g : diff().groups) {
    has_delegates_ = has_delegates_ || !g.before.backend.empty() || !g.after.backend.empty();
    if (!g.interval_low || !g.interval_high || !(*g.interval_low > 0)) continue;
    ratios.push_back(std::max(*g.interval_high, 1 / *g.interval_low));
    if (g.verdict == DiffVerdict::Slower || g.verdict == DiffVerdict::Faster) sure = std::max(sure, ratios.back());
  }
  interval_scale_ = kLeast;
  has_intervals_ = !ratios.empty();
  if (ratios.empty()) return;
  const auto at = ratios.begin() + static_cast<ptrdiff_t>(static_cast<double>(ratios.size() - 1) * kFitting);
  std::nth_element(ratios.begin(), at, ratios.end());
  interval_scale_ = std::clamp(std::max(*at, sure), kLeast, kMost);
}

bool CompareModel::fits(int32_t g, CompareFilter filter) const {
  const DiffVerdict v = group(g).verdict;
  switch (filter) {
    case CompareFilter::All:
      return true;
    case CompareFilter::Slower:
      return v == DiffVerdict::Slower;
    case CompareFilter::Faster:
      return v == DiffVerdict::Faster;
    case CompareFilter::Slight:
      return v == DiffVerdict::Same;
    case CompareFilter::Noise:
      return v == DiffVerdict::Unclear;
    case CompareFilter::TooFew:
      return v == DiffVerdict::TooFew;
    case CompareFilter::Added:
      return v == DiffVerdict::Added;
    case CompareFilter::Removed:
      return v == DiffVerdict::Removed;
    case CompareFilter::Moved:
      return is_moved(g);
    case CompareFilter::Delegate:
      return group(g).delegation_changed();
  }
  return false;
}

bool CompareModel::matches(int32_t g, const std::string& text) const {
  if (text.empty()) return true;
  const DiffGroup& of = group(g);
  std::string all;
  for (const std::string* where : {&of.title, &of.was_title, &of.place, &of.was_place, &of.module, &of.method,
                                   &of.before.backend, &of.after.backend})
    all += lower(*where) + "\n";
  return has_all_words(all, text);
}

const std::vector<int32_t>& CompareModel::rows() {
  if (rows_made_ && made_ == query) return rows_;
  made_ = query;
  rows_made_ = true;
  rows_.clear();
  if (compared_ == nullptr) return rows_;
  const std::string text = lower(query.text);
  for (size_t g = 0; g < diff().groups.size(); ++g) {
    const auto row = static_cast<int32_t>(g);
    if (query.method && group(row).method != *query.method) continue;
    if (query.type && (group(row).type != *query.type || group(row).is_variation)) continue;
    if (fits(row, query.filter) && matches(row, text)) rows_.push_back(row);
  }
  std::stable_sort(rows_.begin(), rows_.end(), [&](int32_t a, int32_t b) {
    const int order = compare_by(group(a), group(b), query.sort);
    return query.descending ? order > 0 : order < 0;
  });
  return rows_;
}

std::string CompareBand::verdict() const {
  std::string out;
  if (faster > 0) out = inspector::format_count(faster) + " faster";
  if (slower > 0) out += (out.empty() ? "" : ", ") + inspector::format_count(slower) + " slower";
  return out;
}

std::vector<CompareBand> CompareModel::bands(CompareGrouping by) {
  std::vector<CompareBand> out;
  if (compared_ == nullptr || by == CompareGrouping::None) return out;
  std::map<std::string, size_t> at;
  for (const int32_t row : rows()) {
    const DiffGroup& g = group(row);
    const std::string& of = by == CompareGrouping::Module ? g.module : by == CompareGrouping::Line ? g.place : g.type;
    const bool is_op = !g.type.empty();
    const char* const none = by == CompareGrouping::Module ? "(no module)" : "(no line)";
    std::string name = !is_op           ? g.title
                       : of.empty()     ? std::string(none)
                       : &of == &g.type ? inspector::operator_title(of)
                                        : of;
    const auto [found, is_new] = at.try_emplace(name, out.size());
    if (is_new) out.push_back({std::move(name), {}});
    CompareBand& band = out[found->second];
    band.rows.push_back(row);
    band.before += g.before.cost;
    band.after += g.after.cost;
    band.slower += g.verdict == DiffVerdict::Slower || g.verdict == DiffVerdict::Added;
    band.faster += g.verdict == DiffVerdict::Faster || g.verdict == DiffVerdict::Removed;
  }
  std::stable_sort(out.begin(), out.end(), [](const CompareBand& a, const CompareBand& b) {
    return std::fabs(a.change()) > std::fabs(b.change());
  });
  return out;
}

std::string CompareModel::verdict(int32_t g) const {
  std::string out = inspector::verdict_word(group(g));
  if (is_moved(g)) out += ", moved";
  return out;
}

void CompareModel::map_ops() {
  group_of_before_.assign(compared_->before_table().ops.size(), -1);
  group_of_after_.assign(compared_->after_table().ops.size(), -1);
  for (size_t g = 0; g < diff().groups.size(); ++g) {
    for (const inspector::GroupPart& p : diff().groups[g].before.parts)
      group_of_before_[p.op] = static_cast<int32_t>(g);
    for (const inspector::GroupPart& p : diff().groups[g].after.parts) group_of_after_[p.op] = static_cast<int32_t>(g);
  }
}

int32_t CompareModel::group_of(int32_t table_op) const {
  if (compared_ == nullptr || table_op < 0) return -1;
  const TraceData& open = *compared_->open;
  if (static_cast<size_t>(table_op) >= open.table.ops.size()) return -1;
  const auto shown = open.shown.find(open.table.ops[static_cast<size_t>(table_op)].id);
  if (!shown) return -1;
  return (compared_->open_is_after ? group_of_after_ : group_of_before_)[*shown];
}

std::vector<int32_t> CompareModel::groups_of(const Selection& selection) const {
  std::vector<int32_t> out;
  for (const int32_t op : selection.ops) {
    if (const int32_t g = group_of(op); g >= 0) out.push_back(g);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

int32_t CompareModel::group_of(const Selection& selection) const {
  const std::vector<int32_t> groups = groups_of(selection);
  return groups.empty() ? -1 : groups.front();  // groups are by the size of the change
}

Selection CompareModel::selection_of(int32_t g) const {
  const inspector::DiffSide& side = compared_->open_is_after ? group(g).after : group(g).before;
  const inspector::OpTable& table = compared_->open->shown;
  const inspector::OpEntry* best = nullptr;
  for (const inspector::GroupPart& p : side.parts) {
    const inspector::OpEntry& op = table.ops[p.op];
    if (op.is_wrapper() && side.parts.size() > 1) continue;
    if (best == nullptr || op.cost > best->cost) best = &op;
  }
  if (best == nullptr && !side.parts.empty()) best = &table.ops[side.parts.front().op];
  return best == nullptr ? Selection() : select_op(*compared_->open, best->id);
}

std::string CompareModel::interval_text(int32_t g) const {
  const DiffGroup& of = group(g);
  if (!of.interval_low || !of.interval_high) return {};
  // Of all rows alike, as they stand below each other: what is surely slower has two signs, too.
  return inspector::percent_change(1, *of.interval_low) + " to " + inspector::percent_change(1, *of.interval_high);
}

CompareModel::Facts CompareModel::facts(int32_t g) const {
  const DiffGroup& of = group(g);
  Facts out;
  const auto add = [&](const char* what, std::string text) {
    if (!text.empty()) out.emplace_back(what, std::move(text));
  };
  // A call and its kernel are one op.
  const auto ops = [](const inspector::DiffSide& side, const inspector::OpTable& table) {
    const auto n = std::count_if(side.parts.begin(), side.parts.end(),
                                 [&](const auto& part) { return !table.ops[part.op].is_wrapper(); });
    return n > 1 ? ", " + inspector::format_count(n) + " ops" : std::string();
  };
  if (of.verdict != DiffVerdict::Added)
    add("before", inspector::format_duration_named(of.before.cost, unit_) + ops(of.before, compared_->before_table()));
  if (of.verdict != DiffVerdict::Removed)
    add("after", inspector::format_duration_named(of.after.cost, unit_) + ops(of.after, compared_->after_table()));
  const std::string relative = inspector::percent_change(of.before.cost, of.after.cost);
  add("difference", inspector::signed_duration(of.change(), unit_) + (relative.empty() ? "" : ", " + relative));
  if (of.interval_low && of.interval_high) add("95 % interval", interval_text(g));
  add("verdict", verdict(g));
  if (of.is_variation) add("what it is", inspector::variation_text());
  add("was called", of.was_title);
  add("delegate", delegate_text(of));
  add("line", inspector::with_change(of.place, of.was_place));
  add("module", of.module);
  if (has_several_methods()) add("method", of.method);
  if (of.before.flops && of.after.flops && *of.before.flops + *of.after.flops > 0) {
    const std::string now = inspector::flops_text(*of.after.flops), was = inspector::flops_text(*of.before.flops);
    add("operations", now == was ? now + "FLOP" : was + "FLOP before, " + now + "FLOP after");
  }
  if (!of.before.parts.empty() && !of.after.parts.empty() && !of.is_variation) add("matched by", match_text(of.via));
  return out;
}

size_t CompareModel::first_method() const {
  size_t best = 0;
  const auto rank = [&](size_t m) {
    const bool both = methods_[m].before.number >= 0 && methods_[m].after.number >= 0;
    const DiffVerdict verdict = diff().methods[m].verdict;
    const bool changed = verdict == DiffVerdict::Slower || verdict == DiffVerdict::Faster;
    return std::tuple(both, changed, methods_[m].extent());
  };
  for (size_t m = 1; m < methods_.size(); ++m) {
    if (rank(m) > rank(best)) best = m;
  }
  return best;
}

std::string CompareModel::csv() {
  if (compared_ == nullptr) return {};
  using inspector::Cell;
  using inspector::cell;
  inspector::Table t;
  const inspector::TimeUnit unit{diff().unit};
  t.columns = {{.title = "op"},
               {.title = "before", .kind = inspector::CellKind::Duration, .unit = unit},
               {.title = "after", .kind = inspector::CellKind::Duration, .unit = unit},
               {.title = "change", .kind = inspector::CellKind::Real},
               {.title = "relative"},
               {.title = "interval_low", .kind = inspector::CellKind::Real},
               {.title = "interval_high", .kind = inspector::CellKind::Real},
               {.title = "verdict"},
               {.title = "delegate"},
               {.title = "line"},
               {.title = "module"},
               {.title = "method"}};
  for (const int32_t g : rows()) {
    const DiffGroup& of = group(g);
    t.add({of.title, of.verdict == DiffVerdict::Added ? Cell() : Cell(of.before.cost),
           of.verdict == DiffVerdict::Removed ? Cell() : Cell(of.after.cost), of.change(),
           inspector::percent_change(of.before.cost, of.after.cost), cell(of.interval_low), cell(of.interval_high),
           verdict(g), cell(delegate_text(of)), cell(inspector::with_change(of.place, of.was_place)), cell(of.module),
           cell(of.method)});
  }
  std::string out;
  if (!t.write({.format = "csv"}, &out).ok()) return {};
  return out;
}

std::string CompareModel::markdown() const {
  std::string out;
  if (compared_ == nullptr) return out;
  (void)inspector::write_diff(diff(), compared_->changes, compared_->before, compared_->after, {.format = "markdown"},
                              &out);
  return out;
}

}  // namespace et::gui
