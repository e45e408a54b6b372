#include "gui/models/operators_model.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "gui/models/operators_rows.h"
#include "inspector/analysis/ops/called_kernel.h"
#include "inspector/analysis/ops/filter.h"
#include "inspector/analysis/ops/share_basis.h"

namespace et::gui {

using inspector::OpEntry;

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

OpsOfGroup only_selected(const TraceData& data, const Selection& selection, size_t least) {
  std::set<int64_t> rows;  // a kernel and its call are one, and so are those of blocks that are shown as one
  for (const int32_t op : selection.ops) rows.insert(inspector::called_kernel(data.shown, data.shown_op(op)).id);
  if (rows.size() < least) return {};
  return {selection.label, selection.ops};
}

std::string right_terms(const std::string& filter) {
  std::string out;
  for (size_t at = 0; at < filter.size();) {
    size_t end = at;
    for (bool quoted = false; end < filter.size() && (quoted || filter[end] != ' '); ++end)
      quoted = (filter[end] == '"') != quoted;
    const std::string term = filter.substr(at, end - at);
    inspector::Filter one;
    if (inspector::Filter::parse(term, &one).ok() && !one.empty()) out += (out.empty() ? "" : " ") + term;
    at = end + 1;
  }
  return out;
}

std::string OperatorsView::text_of(const TraceData& data, const OpEntry& op, OpColumn column) const {
  if (column == OpColumn::Shapes) return shapes == nullptr ? std::string() : shapes->of(data.shown, op);
  return op_column(column).text(data.shown, op);
}

OperatorsView make_operators_view(const TraceData& data, const OperatorsQuery& query, const GroupTimes* times,
                                  std::shared_ptr<const OpShapes> shapes) {
  OperatorsView view;
  view.query = query;
  view.shapes = shapes != nullptr ? std::move(shapes) : std::make_shared<const OpShapes>(data);
  view.delegates = std::any_of(data.shown.ops.begin(), data.shown.ops.end(),
                               [](const OpEntry& op) { return op.backend.has_value(); });
  view.units = op_units(data.shown);
  view.basis = query.method ? data.shown.basis.text() + ", " + *query.method : data.shown.basis_text();
  view.base = inspector::share_basis(data.shown, query.method.value_or(""));
  inspector::Filter filter;
  view.status = inspector::Filter::parse(query.whole_filter(), &filter);
  // A term that is wrong, or half typed, is said to be; the others hold.
  if (!view.status.ok() && !inspector::Filter::parse(right_terms(query.whole_filter()), &filter).ok()) return view;
  if (query.group) {
    add_groups(data, filter, times, &view);
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
  sort_ops(data, &view);
  return view;
}

/// The groups are there at once; their percentiles take as long as reading the samples.
void OperatorsModel::read_times(const Document& document, Jobs& jobs) {
  const bool asked = times_version_ == document.version() && times_asked_.group == query.group &&
                     times_asked_.by_shapes == query.by_shapes && times_asked_.repeats == query.repeats &&
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
    OperatorsView view;  // with the shapes, which are of the graph and stay as long as the trace
    std::vector<int32_t> rows;
  };
  const std::shared_ptr<const TraceData> data = document.shared_data();
  job_ = jobs.submit<Result>(
      [data, asked = query, times = times_, shapes = shapes_of_ == data.get() ? shapes_ : nullptr](const Cancel&) {
        Result result{make_operators_view(*data, asked, times.get(), shapes),
                      std::vector<int32_t>(data->table.ops.size(), -1)};
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
        view_ = std::move(result.view);
        rows_ = std::move(result.rows);
        shapes_ = view_.shapes;
        shapes_of_ = data.get();
        data_ = data;
        reading_ = false;
        ++version_;
      });
}

int32_t OperatorsModel::row_of(int32_t op) const {
  return op >= 0 && static_cast<size_t>(op) < rows_.size() ? rows_[static_cast<size_t>(op)] : -1;
}

}  // namespace et::gui
