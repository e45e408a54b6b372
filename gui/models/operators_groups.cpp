// Groups of ops as rows of the table of operators: what they add up to, what tells them apart, and their times.
#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "gui/models/operators_rows.h"
#include "gui/models/overview_model.h"
#include "inspector/analysis/ops/op_count.h"
#include "inspector/text/words.h"

namespace et::gui {

using inspector::GroupBy;
using inspector::GroupRow;
using inspector::OpEntry;

const char* group_column_title(GroupColumn column, GroupBy by) {
  static constexpr const char* kKeys[] = {"Name", "Type", "Module", "Line", "Delegate", "Method"};
  switch (column) {
    case GroupColumn::Key:
      return kKeys[static_cast<size_t>(by)];
    case GroupColumn::Backend:
      return "Backend";
    case GroupColumn::Shapes:
      return "Shapes";
    case GroupColumn::Detail:
      return by == GroupBy::Module ? "Class" : by == GroupBy::Line ? "Text" : "Line";
    case GroupColumn::Ops:
      return "Ops";
    case GroupColumn::Samples:
      return "Samples";
    case GroupColumn::Self:
      return "Self";
    case GroupColumn::Share:
      return "Share";
    case GroupColumn::Mean:
      return "Mean";
    case GroupColumn::P50:
      return "P50";
    case GroupColumn::P99:
      return "P99";
    case GroupColumn::Max:
      return "Max";
    case GroupColumn::Cold:
      return "Cold";
    case GroupColumn::Inner:
      break;
  }
  return "With submodules";
}

const char* group_column_help(GroupColumn column) {
  switch (column) {
    case GroupColumn::Backend:
      return "Where its ops run: the delegates, or kernels of the runtime. Those of one type that run in several are a "
             "row of each.";
    case GroupColumn::Shapes:
      return "Tensors that its ops read, without biases, and → what they make where that is of another shape. float32 "
             "where no dtype stands before them.";
    case GroupColumn::Ops:
      return "Ops with a part of their time here: a kernel and its call are one. – where it is the time of no op.";
    case GroupColumn::Samples:
      return "How often they ran in the executions that times are of: on the warm median in the warm ones.";
    case GroupColumn::Self:
      return "Self time of its ops on the shown basis. Usual, on the warm median: of each op the mean of the middle "
             "half of its "
             "samples. P50 is the median of what they take together: the two differ a little.";
    case GroupColumn::Mean:
      return "Mean over warm executions of what its ops take together: exclusive time. Of ops of several methods: in "
             "one execution of each. In orange: far above the median, few slow executions make it.";
    case GroupColumn::P50:
      return "Median over warm executions of what its ops take together: exclusive time. None for ops of several "
             "methods, whose executions are not the same.";
    case GroupColumn::P99:
      return "99th percentile over warm executions of what its ops take together: exclusive time. Needs ten of them.";
    case GroupColumn::Max:
      return "The slowest warm execution: what its ops took together in it, exclusive time.";
    case GroupColumn::Cold:
      return "Exclusive time of its ops in the first execution, with cold caches and the first touch of memory.";
    case GroupColumn::Inner:
      return "Exclusive time of its ops and of those of all modules inside, on the shown basis.";
    default:
      return nullptr;
  }
}

Status load_group_times(const inspector::Store& store, const TraceData& data, const OperatorsQuery& query,
                        const Cancel& cancel, GroupTimes* out) {
  out->data = &data;
  out->filter = query.whole_filter();
  out->group = query.group;
  out->by_shapes = query.by_shapes;
  out->repeats = query.repeats;
  inspector::Filter filter;
  // What is wrong with a filter is said beside it.
  if (!query.group || !inspector::Filter::parse(right_terms(out->filter), &filter).ok()) return {};
  inspector::GroupTable whole;
  const std::vector<OperatorsGroup> groups =
      operators_groups(data, query, filter, query.by_shapes ? OpShapes(data) : OpShapes(), &whole);
  const std::vector<GroupRow> rows(groups.begin(), groups.end());
  std::vector<inspector::GroupStatistics> times;
  Status status = inspector::group_statistics(
      store, data.shown, rows, [&] { return cancel.cancelled(); }, &times);
  for (size_t i = 0; i < times.size(); ++i) out->of[{groups[i].none, groups[i].id()}] = times[i];
  return status;
}

namespace {

/// "model.py:250 and 8 other lines", the costliest of them first; "" where no op has a line.
std::string lines_of(const TraceData& data, const GroupRow& row) {
  std::map<std::string, double> lines;
  for (const inspector::GroupPart& part : row.parts) {
    const OpEntry& op = data.shown.ops[part.op];
    const inspector::OpNode* const node = op.encloses ? nullptr : data.shown.main_node(op);
    if (node != nullptr && !node->node->file.empty())
      lines[short_place(node->node->file, node->node->line.value_or(0))] += part.weight * op.cost;
  }
  if (lines.empty()) return {};
  const auto costliest =
      std::max_element(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  const auto others = static_cast<int64_t>(lines.size()) - 1;
  return costliest->first + (others > 0 ? " and " + inspector::plural(others, "other line") : "");
}

/// What the filter hides, and the whole that shares are of, of the method that is asked for.
void restrict_to_method(const TraceData& data, const inspector::GroupTable* groups, OperatorsView* view) {
  inspector::Filter method;
  OperatorsQuery all = view->query;
  all.filter.clear();
  if (!inspector::Filter::parse(all.whole_filter(), &method).ok()) return;
  const inspector::GroupTable other = inspector::group_costs(data.shown, *view->query.group, method);
  view->hidden = groups->hidden - other.hidden;
  view->hidden_ops = groups->hidden_ops - other.hidden_ops;
  view->hides = !view->query.filter.empty() && groups->hides;
  view->total = 0;
  for (const inspector::OpBlock& block : data.shown.blocks) {
    if (block.kind == "execute" && block.method.value_or("") == *view->query.method) view->total += block.cost;
  }
}

/// How often a group's ops ran in the executions that the basis is of; a call and its kernel ran once.
int64_t samples_of_group(const inspector::OpTable& table, const GroupRow& row) {
  std::set<uint32_t> ops;
  for (const inspector::GroupPart& part : row.parts)
    ops.insert(inspector::counted_op(table, part.op).value_or(part.op));
  int64_t out = 0;
  for (const uint32_t op : ops) out += samples_of_basis(table, table.ops[op]);
  return out;
}

/// What each op took in the first execution without what it encloses, by index in OpTable::ops.
std::vector<double> own_cold_times(const inspector::OpTable& table) {
  std::vector<double> out(table.ops.size(), 0);
  for (size_t i = 0; i < table.ops.size(); ++i) {
    const OpEntry& op = table.ops[i];
    if (!op.cold || !op.on_trace_clock()) continue;
    const auto time = static_cast<double>(*op.cold);
    out[i] += time;
    if (op.parent && table.ops[*op.parent].cold) out[*op.parent] -= time;
  }
  for (double& time : out) time = std::max(time, 0.0);
  return out;
}

/// "XnnpackBackend", or "Xnnpack, kernels".
std::string backends_of(const inspector::OpTable& table, const GroupRow& row) {
  std::map<std::string, double> times;
  for (const inspector::GroupPart& part : row.parts) {
    const OpEntry& op = table.ops[part.op];
    if (const std::string where = runs_in(op); !where.empty()) times[where] += part.weight * op.cost;
  }
  std::vector<std::pair<std::string, double>> sorted(times.begin(), times.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string out;
  constexpr std::string_view kBackend = "Backend";  // beside others the name alone is enough
  for (auto& [where, time] : sorted) {
    if (sorted.size() > 1 && where.size() > kBackend.size() && where.ends_with(kBackend))
      where.resize(where.size() - kBackend.size());
    out += (out.empty() ? "" : ", ") + where;
  }
  return out;
}

}  // namespace

void add_groups(const TraceData& data, const inspector::Filter& filter, const GroupTimes* times, OperatorsView* view) {
  const OperatorsQuery& query = view->query;
  inspector::GroupTable whole;
  view->groups = operators_groups(data, query, filter, *view->shapes, &whole);
  const std::vector<double> cold = own_cold_times(data.shown);
  for (OperatorsGroup& group : view->groups) {
    group.shown_samples = samples_of_group(data.shown, group);
    group.runs_in = backends_of(data.shown, group);
    double most = -1;
    for (const inspector::GroupPart& part : group.parts) {
      const OpEntry& op = data.shown.ops[part.op];
      if (part.weight * op.cost > most) most = part.weight * op.cost, group.costliest = data.index_of(op);
      if (op.cold && op.on_trace_clock()) group.cold = group.cold.value_or(0) + part.weight * cold[part.op];
    }
    if (group.detail.empty() && (query.group == GroupBy::Type || query.group == GroupBy::Op))
      group.detail = lines_of(data, group);
    if (times == nullptr || data.range || !times->answers(data, query)) continue;  // they are of the whole trace
    if (const auto at = times->of.find({group.none, group.id()}); at != times->of.end()) group.times = at->second;
  }
  view->total = whole.total;
  view->hidden = whole.hidden;
  view->hidden_ops = whole.hidden_ops;
  view->hides = whole.hides;
  if (query.method) restrict_to_method(data, &whole, view);
  for (OperatorsGroup& row : view->groups) {
    row.share = view->base > 0 ? row.self / view->base : 0;
    view->shown += row.self;
    view->largest_share = std::max(view->largest_share, row.share);
  }
  sort_groups(query, &view->groups);
}

}  // namespace et::gui
