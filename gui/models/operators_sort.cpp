// The order of rows, of single ops and of groups.
#include <algorithm>
#include <utility>

#include "gui/models/operators_rows.h"

namespace et::gui {
namespace {

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

}  // namespace

void sort_ops(const TraceData& data, OperatorsView* view) {
  const OperatorsQuery& query = view->query;
  std::vector<int32_t>* const ops = &view->ops;
  const OpColumnSpec& spec = op_column(query.sort);
  const auto entry = [&](int32_t i) -> const OpEntry& { return data.shown_op(i); };
  if (spec.number == nullptr) {
    return sort_by(ops, query.descending, [&](int32_t i) {
      std::string text = view->text_of(data, entry(i), spec.column);
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
    case GroupColumn::Backend:
      return sort_by(rows, query.descending, [&](const OperatorsGroup& r) { return text(r.runs_in); });
    case GroupColumn::Shapes:
      return sort_by(rows, query.descending, [&](const OperatorsGroup& r) { return text(r.shapes.value_or("")); });
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
      case GroupColumn::Max:
        return r.times.max;
      case GroupColumn::Cold:
        return r.cold;
      default:
        return r.self;
    }
  });
}

}  // namespace et::gui
