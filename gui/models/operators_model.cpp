#include "gui/models/operators_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <string>

#include "gui/models/overview_model.h"
#include "inspector/analysis/ops/called_kernel.h"
#include "inspector/analysis/ops/filter.h"
#include "inspector/analysis/ops/share_basis.h"
#include "inspector/text/words.h"

namespace et::gui {
namespace {

using inspector::GroupBy;
using inspector::GroupRow;
using inspector::OpEntry;

/// Sorts `items` by keys that were read once; equal ones keep their order, those without a value come last either way.
template <class T, class Key>
void sort_by(std::vector<T>* items, bool descending, Key key) {
  using Value = decltype(key(items->front()));
  struct Item {
    Value value;
    size_t at;
  };
  std::vector<Item> order;
  order.reserve(items->size());
  for (size_t i = 0; i < items->size(); ++i) order.push_back({key((*items)[i]), i});
  std::stable_sort(order.begin(), order.end(), [&](const Item& a, const Item& b) {
    if (a.value.has_value() != b.value.has_value()) return a.value.has_value();
    if (!a.value.has_value()) return false;
    return descending ? *b.value < *a.value : *a.value < *b.value;
  });
  std::vector<T> sorted;
  sorted.reserve(items->size());
  for (const Item& item : order) sorted.push_back(std::move((*items)[item.at]));
  *items = std::move(sorted);
}

void sort_ops(const TraceData& data, const OperatorsQuery& query, std::vector<int32_t>* ops) {
  const OpColumnSpec& spec = op_column(query.sort);
  const auto entry = [&](int32_t i) -> const OpEntry& { return data.shown_op(i); };
  if (spec.number == nullptr) {
    return sort_by(ops, query.descending, [&](int32_t i) {
      std::string text = spec.text(data.shown, entry(i));
      return text.empty() ? std::nullopt : std::optional<std::string>(std::move(text));
    });
  }
  sort_by(ops, query.descending, [&](int32_t i) -> std::optional<double> {
    // Times of other clocks do not compare with these.
    if (spec.kind == ColumnKind::Time && !entry(i).on_trace_clock()) return std::nullopt;
    return spec.number(data.shown, entry(i));
  });
}

void sort_groups(const OperatorsQuery& query, std::vector<OperatorsGroup>* rows) {
  const auto text = [](const std::string& s) { return s.empty() ? std::nullopt : std::optional<std::string>(s); };
  switch (query.group_sort) {
    case GroupColumn::Key:
      return sort_by(rows, query.descending, [&](const OperatorsGroup& r) { return text(r.key); });
    case GroupColumn::Detail:
      return sort_by(rows, query.descending, [&](const OperatorsGroup& r) { return text(r.detail); });
    default:
      break;
  }
  sort_by(rows, query.descending, [&](const OperatorsGroup& r) -> std::optional<double> {
    switch (query.group_sort) {
      case GroupColumn::Ops:
        return static_cast<double>(r.ops);
      case GroupColumn::Samples:
        return static_cast<double>(r.shown_samples);
      case GroupColumn::Inner:
        return r.inner;
      case GroupColumn::Mean:
        return r.times.mean;
      case GroupColumn::P50:
        return r.times.p50;
      case GroupColumn::P99:
        return r.times.p99;
      default:
        return r.self;
    }
  });
}

inspector::Column table_column(const OpColumnSpec& spec, const inspector::TimeUnit& ticks) {
  using inspector::CellKind;
  static constexpr std::array<CellKind, 4> kKinds = {CellKind::Text, CellKind::Integer, CellKind::Duration,
                                                     CellKind::Share};
  return {.title = spec.title, .kind = kKinds[static_cast<size_t>(spec.kind)], .key = spec.id, .unit = ticks};
}

}  // namespace

const char* group_column_title(GroupColumn column, GroupBy by) {
  static constexpr const char* kKeys[] = {"Name", "Type", "Module", "Line", "Delegate", "Method"};
  switch (column) {
    case GroupColumn::Key:
      return kKeys[static_cast<size_t>(by)];
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
    case GroupColumn::Inner:
      break;
  }
  return "With submodules";
}

const char* group_column_help(GroupColumn column) {
  switch (column) {
    case GroupColumn::Ops:
      return "Ops with a part of their time here: a kernel and its call are one. – where it is the time of no op.";
    case GroupColumn::Samples:
      return "How often they ran in the executions that times are of: on the warm median in the warm ones.";
    case GroupColumn::Self:
      return "Self time of its ops on the shown basis. Usual, on the warm median: of each op the mean of the middle "
             "half of "
             "its samples. P50 is the median of what they take together: the two differ a little.";
    case GroupColumn::Mean:
      return "Mean over warm executions of what its ops take together: exclusive time. Of ops of several methods: in "
             "one execution of each. In orange: far above the median, few slow executions make it.";
    case GroupColumn::P50:
      return "Median over warm executions of what its ops take together: exclusive time. None for ops of several "
             "methods, whose executions are not the same.";
    case GroupColumn::P99:
      return "99th percentile over warm executions of what its ops take together: exclusive time. Needs ten of them.";
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
  inspector::Filter filter;
  // What is wrong with a filter is said beside it.
  if (!query.group || !inspector::Filter::parse(out->filter, &filter).ok()) return {};
  const std::vector<GroupRow> rows = inspector::group_costs(data.shown, *query.group, filter).rows;
  std::vector<inspector::GroupStatistics> times;
  Status status = inspector::group_statistics(
      store, data.shown, rows, [&] { return cancel.cancelled(); }, &times);
  for (size_t i = 0; i < times.size(); ++i) out->of[{rows[i].none, rows[i].key}] = times[i];
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

}  // namespace

std::string OperatorsQuery::whole_filter() const { return method ? "method=\"" + *method + "\" " + filter : filter; }

std::vector<std::string> methods_that_ran(const inspector::OpTable& table) {
  std::vector<std::string> out;
  for (const inspector::OpBlock& block : table.blocks) {
    const std::string method = block.method.value_or("");
    // Of a name with a quotation mark no filter can speak.
    if (block.kind != "execute" || method.empty() || method.find('"') != std::string::npos) continue;
    if (std::find(out.begin(), out.end(), method) == out.end()) out.push_back(method);
  }
  return out;
}

std::optional<double> OperatorsView::share_of(const TraceData& data, const OpEntry& op) const {
  const std::optional<double> of_all = op_column(OpColumn::Share).number(data.shown, op);
  if (!query.method || !of_all) return of_all;
  return base > 0 ? std::optional(op.cost / base) : std::nullopt;
}

namespace {

/// What the filter hides, and the whole that shares are of, of the method that is asked for.
void restrict_to_method(const TraceData& data, inspector::GroupTable* groups, OperatorsView* view) {
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

void add_groups(const TraceData& data, const OperatorsQuery& query, const inspector::Filter& filter,
                const GroupTimes* times, OperatorsView* view) {
  inspector::GroupTable groups = inspector::group_costs(data.shown, *query.group, filter);
  for (GroupRow& row : groups.rows) {
    OperatorsGroup& group = view->groups.emplace_back(OperatorsGroup{std::move(row), {}});
    group.shown_samples = samples_of_group(data.shown, group);
    double most = -1;
    for (const inspector::GroupPart& part : group.parts) {
      const OpEntry& op = data.shown.ops[part.op];
      if (part.weight * op.cost > most) most = part.weight * op.cost, group.costliest = data.index_of(op);
    }
    if (group.detail.empty() && (query.group == GroupBy::Type || query.group == GroupBy::Op))
      group.detail = lines_of(data, group);
    if (times == nullptr || data.range || !times->answers(data, query)) continue;  // they are of the whole trace
    if (const auto at = times->of.find({group.none, group.key}); at != times->of.end()) group.times = at->second;
  }
  view->total = groups.total;
  view->hidden = groups.hidden;
  view->hidden_ops = groups.hidden_ops;
  view->hides = groups.hides;
  if (query.method) restrict_to_method(data, &groups, view);
  for (OperatorsGroup& row : view->groups) {
    row.share = view->base > 0 ? row.self / view->base : 0;
    view->shown += row.self;
    view->largest_share = std::max(view->largest_share, row.share);
  }
  sort_groups(query, &view->groups);
}

}  // namespace

OperatorsView make_operators_view(const TraceData& data, const OperatorsQuery& query, const GroupTimes* times) {
  OperatorsView view;
  view.query = query;
  view.units = op_units(data.shown);
  view.basis = query.method ? data.shown.basis.text() + ", " + *query.method : data.shown.basis_text();
  view.base = inspector::share_basis(data.shown, query.method.value_or(""));
  inspector::Filter filter;
  view.status = inspector::Filter::parse(query.whole_filter(), &filter);
  if (!view.status.ok()) return view;
  if (query.group) {
    add_groups(data, query, filter, times, &view);
    return view;
  }
  const auto& blocks = data.shown.blocks;
  const bool any_execution =
      std::any_of(blocks.begin(), blocks.end(), [](const inspector::OpBlock& b) { return b.kind == "execute"; });
  // Of a call and its kernel, the call is no second row unless it is found alone: its time is said with the total.
  const auto is_wanted = [&](const OpEntry& op) {
    const auto& only = query.only.ops;
    const auto is_there = [&](int32_t index) { return std::binary_search(only.begin(), only.end(), index); };
    if (!only.empty() && !is_there(data.index_of(op)) &&
        !is_there(data.index_of(inspector::called_kernel(data.shown, op))))
      return false;
    return filter.matches(data.shown, op);
  };
  const auto has_row_of_kernel = [&](const OpEntry& op) {
    const OpEntry& kernel = inspector::called_kernel(data.shown, op);
    return &kernel != &op && is_wanted(kernel);
  };
  std::vector<uint32_t> shown, hidden;
  const bool all = query.all_blocks || filter.names_block() || !any_execution;
  for (const inspector::OpBlock& block : blocks) {
    const bool counts = block.kind == "execute" || !any_execution;
    if (query.method && block.method.value_or("") != *query.method) continue;
    if (counts) view.total += block.cost;
    if (!counts && !all) continue;
    for (size_t i = block.first_op; i < block.first_op + block.ops; ++i) {
      const OpEntry& op = data.shown.ops[i];
      const bool fits = is_wanted(op);
      const bool in_row_of_kernel = fits && has_row_of_kernel(op);
      if (fits && !in_row_of_kernel && (!data.range || op.count > 0)) {
        view.ops.push_back(data.index_of(op));
        shown.push_back(static_cast<uint32_t>(i));
      }
      if (!counts || !op.on_trace_clock() || op.count == 0) continue;
      (fits ? view.shown : view.hidden) += op.cost;
      if (in_row_of_kernel) view.calling += op.cost;
      if (!fits) hidden.push_back(static_cast<uint32_t>(i));
    }
  }
  view.count = inspector::count_ops_and_calls(data.shown, shown);
  view.hidden_ops = inspector::count_ops(data.shown, hidden);
  view.hides = !hidden.empty();
  for (const int32_t op : view.ops)
    view.largest_share = std::max(view.largest_share, view.share_of(data, data.shown_op(op)).value_or(0));
  view.without_warm = std::none_of(view.ops.begin(), view.ops.end(), [&](int32_t i) {
    return data.shown_op(i).warm_mean || data.shown_op(i).warm_p50 || data.shown_op(i).warm_p99;
  });
  sort_ops(data, query, &view.ops);
  return view;
}

std::string operators_csv(const TraceData& data, const OperatorsView& view, const std::vector<OpColumn>& columns) {
  using inspector::Cell;
  using inspector::CellKind;
  inspector::Table out;
  inspector::TimeUnit ticks;
  (void)inspector::choose_unit(data.unit(), data.unit(), 0, &ticks);
  if (view.query.group) {
    out.columns = {{.title = inspector::group_by_name(*view.query.group)},
                   {.title = "detail"},
                   {.title = "ops", .kind = CellKind::Integer},
                   {.title = "samples", .kind = CellKind::Integer},
                   {.title = "self", .kind = CellKind::Duration, .key = "self", .unit = ticks},
                   {.title = "share", .kind = CellKind::Share},
                   {.title = "mean", .kind = CellKind::Duration, .key = "mean", .unit = ticks},
                   {.title = "p50", .kind = CellKind::Duration, .key = "p50", .unit = ticks},
                   {.title = "p99", .kind = CellKind::Duration, .key = "p99", .unit = ticks},
                   {.title = "inner", .kind = CellKind::Duration, .key = "inner", .unit = ticks}};
    for (const OperatorsGroup& row : view.groups) {
      out.add({row.key, row.detail, row.ops, row.shown_samples, row.self, row.share, inspector::cell(row.times.mean),
               inspector::cell(row.times.p50), inspector::cell(row.times.p99), row.inner});
    }
  } else {
    bool foreign = false;
    for (const int32_t i : view.ops) foreign = foreign || data.shown_op(i).unit != data.table.unit;
    for (const OpColumn c : columns) out.columns.push_back(table_column(op_column(c), ticks));
    if (foreign) out.columns.push_back({.title = "unit"});
    for (const int32_t i : view.ops) {
      const OpEntry& op = data.shown_op(i);
      std::vector<Cell> cells;
      for (const OpColumn c : columns) {
        const OpColumnSpec& spec = op_column(c);
        if (spec.text != nullptr) {
          cells.emplace_back(spec.text(data.shown, op));
        } else {
          const std::optional<double> v = c == OpColumn::Share ? view.share_of(data, op) : spec.number(data.shown, op);
          const bool whole = v && std::abs(*v) < 9e15 && std::floor(*v) == *v && spec.kind != ColumnKind::Share;
          cells.push_back(!v ? Cell() : (whole ? Cell(static_cast<int64_t>(*v)) : Cell(*v)));
        }
      }
      if (foreign) cells.emplace_back(op.unit);
      out.add(std::move(cells));
    }
  }
  std::string text;
  if (const Status status = out.write({.format = "csv"}, &text); !status.ok()) return {};
  return text;
}

/// The groups are there at once; their percentiles take as long as reading the samples.
void OperatorsModel::read_times(const Document& document, Jobs& jobs) {
  const bool asked = times_version_ == document.version() && times_asked_.group == query.group &&
                     times_asked_.whole_filter() == query.whole_filter();
  if (asked || !query.group) return;
  times_asked_ = query;
  times_version_ = document.version();
  reading_times_ = true;
  const std::shared_ptr<const TraceData> data = document.shared_data();
  times_job_ = jobs.query<GroupTimes>(
      document.store_path(),
      [data, asked_for = query](const inspector::Store& store, const Cancel& cancel, GroupTimes* out) {
        return load_group_times(store, *data, asked_for, cancel, out);
      },
      [this](const Status& status, GroupTimes made) {
        if (!status.ok()) made.of.clear();
        times_ = std::make_shared<const GroupTimes>(std::move(made));
        reading_times_ = false;
        asked_version_ = 0;  // the view is made again with them
      });
}

void OperatorsModel::refresh(const Document& document, Jobs& jobs) {
  if (document.data() == nullptr) {
    const OperatorsQuery kept = query;
    *this = OperatorsModel();
    query = kept;
    return;
  }
  read_times(document, jobs);
  const bool other =
      data_ != nullptr && (data_->path != document.data()->path || data_->trace_id() != document.data()->trace_id());
  if (other) query.only = {};  // ops of a trace that is no longer shown
  if (asked_version_ == document.version() && asked_ == query) return;
  asked_version_ = document.version();
  asked_ = query;
  reading_ = true;
  struct Result {
    OperatorsView view;
    std::vector<int32_t> rows;
  };
  const std::shared_ptr<const TraceData> data = document.shared_data();
  job_ = jobs.submit<Result>(
      [data, asked = query, times = times_](const Cancel&) {
        Result result{make_operators_view(*data, asked, times.get()), std::vector<int32_t>(data->table.ops.size(), -1)};
        for (size_t i = 0; i < result.view.ops.size(); ++i)
          result.rows[static_cast<size_t>(result.view.ops[i])] = static_cast<int32_t>(i);
        const inspector::OpTable& shown = data->shown;
        for (const OpEntry& op : shown.ops) {
          const int32_t call = op.is_wrapper() ? data->index_of(op) : -1;
          const int32_t kernel = call < 0 ? -1 : data->index_of(inspector::called_kernel(shown, op));
          if (kernel >= 0 && result.rows[static_cast<size_t>(call)] < 0)
            result.rows[static_cast<size_t>(call)] = result.rows[static_cast<size_t>(kernel)];
        }
        // What was merged into another is shown in its row.
        for (const auto& [id, head] : data->shown.merged_ids) {
          const int32_t op = data->table.find(id) ? static_cast<int32_t>(*data->table.find(id)) : -1;
          const int32_t into = data->index_of(data->shown.ops[head]);
          if (op >= 0 && into >= 0) result.rows[static_cast<size_t>(op)] = result.rows[static_cast<size_t>(into)];
        }
        return result;
      },
      [this, data](Result result) {
        // A filter that is half typed leaves the table as it is, with the error beside it.
        if (!result.view.status.ok() && data_ == data) {
          view_.status = result.view.status;
        } else {
          view_ = std::move(result.view);
          rows_ = std::move(result.rows);
          data_ = data;
        }
        reading_ = false;
        ++version_;
      });
}

int32_t OperatorsModel::row_of(int32_t op) const {
  return op >= 0 && static_cast<size_t>(op) < rows_.size() ? rows_[static_cast<size_t>(op)] : -1;
}

}  // namespace et::gui
