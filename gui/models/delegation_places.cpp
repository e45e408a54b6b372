// The lists of the delegation map that are sorted by any of their columns: delegate calls, graph breaks, bounds of what
// delegating more would spare, types of nodes.
#include <algorithm>
#include <utility>

#include "gui/models/delegation_model.h"
#include "inspector/analysis/ops/op_title.h"

namespace et::gui {

using inspector::DelegationMap;
using inspector::MapBreak;
using inspector::MapItem;
using inspector::NonDelegatedOp;
using inspector::WhatIf;

namespace {

bool is_text(PlaceColumn column) {
  switch (column) {
    case PlaceColumn::Method:
    case PlaceColumn::Operators:
    case PlaceColumn::Module:
    case PlaceColumn::Part:
    case PlaceColumn::Reason:
      return true;
    default:
      return false;
  }
}

double delegate_number(const MapItem& item, PlaceColumn column) {
  switch (column) {
    case PlaceColumn::Instruction:
      return static_cast<double>(item.instruction);
    case PlaceColumn::Name:
      return static_cast<double>(item.number);
    case PlaceColumn::Nodes:
      return static_cast<double>(item.shown_nodes);
    case PlaceColumn::Payload:
      return static_cast<double>(item.payload_bytes);
    case PlaceColumn::Calls:
      return static_cast<double>(item.calls);
    case PlaceColumn::Inside:
      return item.inner_ns;
    case PlaceColumn::Overhead:
      return item.ns - item.inner_ns;
    case PlaceColumn::Reads:
      return static_cast<double>(item.bytes_in);
    case PlaceColumn::Produces:
      return static_cast<double>(item.bytes_out);
    default:
      return item.ns;
  }
}

double break_number(const MapBreak& x, PlaceColumn column) {
  switch (column) {
    case PlaceColumn::Instruction:
    case PlaceColumn::Name:
      return static_cast<double>(x.first);
    case PlaceColumn::Nodes:
      return static_cast<double>(x.last - x.first + 1);
    case PlaceColumn::Moves:
      return static_cast<double>(x.moves);
    case PlaceColumn::MoveTime:
      return x.move_ns;
    case PlaceColumn::Crossing:
      return static_cast<double>(x.bytes);
    default:
      return x.ns;
  }
}

double bound_number(const WhatIf& w, PlaceColumn column) {
  switch (column) {
    case PlaceColumn::Nodes:
      return static_cast<double>(w.ops);
    case PlaceColumn::Computing:
      return w.computing();
    case PlaceColumn::Breaks:
      return static_cast<double>(w.breaks);
    case PlaceColumn::Moving:
      return w.moving();
    case PlaceColumn::Crossing:
      return static_cast<double>(w.bytes);
    default:
      return w.most();
  }
}

double count_number(const inspector::NodeCount& count, PlaceColumn column) {
  switch (column) {
    case PlaceColumn::Delegated:
      return static_cast<double>(count.delegated);
    case PlaceColumn::DelegatedTime:
      return count.ns_delegated;
    case PlaceColumn::NonDelegated:
      return static_cast<double>(count.non_delegated);
    default:
      return count.ns_non_delegated;
  }
}

}  // namespace

const MapBreak& DelegationModel::break_at(const PlaceInMap& place) const {
  return map(place.map).breaks[static_cast<size_t>(place.index)];
}

const WhatIf& DelegationModel::bound(const PlaceInMap& place) const {
  const inspector::WhatIfDelegated& w = what_if(place.map);
  return (by_reason_ ? w.by_reason : w.by_operator)[static_cast<size_t>(place.index)];
}

std::string DelegationModel::bound_name(const PlaceInMap& place) const {
  const WhatIf& w = bound(place);
  return w.reason ? inspector::reason_name(*w.reason) : inspector::operator_title(w.op);
}

std::string DelegationModel::bound_reasons(const PlaceInMap& place) const {
  std::string out;
  for (const int32_t i : ops_of_bound(place)) {
    const NonDelegatedOp& op = map(place.map).non_delegated[static_cast<size_t>(i)];
    if (op.reasons.empty()) continue;
    const std::string name = inspector::reason_name(op.reasons.front().kind);
    if (out.find(name) == std::string::npos) out += (out.empty() ? "" : ", ") + name;
  }
  return out;
}

/// The dearest first, as of the rows of non-delegated operators.
std::vector<int32_t> DelegationModel::ops_of_bound(const PlaceInMap& place) const {
  const WhatIf& w = bound(place);
  const auto& ops = map(place.map).non_delegated;
  std::vector<int32_t> out;
  for (size_t i = 0; i < ops.size(); ++i) {
    if (!inspector::counts_in_what_if(ops[i])) continue;
    const bool fits =
        w.reason ? !ops[i].reasons.empty() && ops[i].reasons.front().kind == *w.reason : ops[i].op == w.op;
    if (fits) out.push_back(static_cast<int32_t>(i));
  }
  std::stable_sort(out.begin(), out.end(), [&](int32_t a, int32_t b) {
    return ops[static_cast<size_t>(a)].ns > ops[static_cast<size_t>(b)].ns;
  });
  return out;
}

void DelegationModel::bounds_by_reason(bool yes) {
  if (by_reason_ == yes) return;
  by_reason_ = yes;
  find_places();
}

void DelegationModel::find_places() {
  for (auto& list : places_) list.clear();
  for (size_t m = 0; m < maps_.size(); ++m) {
    const auto index = static_cast<int32_t>(m);
    if (!shows_map(index)) continue;
    const auto add = [&](PlaceList list, size_t i) {
      places_[static_cast<size_t>(list)].push_back({index, static_cast<int32_t>(i)});
    };
    for (size_t i = 0; i < maps_[m].items.size(); ++i) {
      if (maps_[m].items[i].kind == MapItem::Kind::Delegate) add(PlaceList::Delegates, i);
    }
    const inspector::WhatIfDelegated& w = what_if_[m];
    for (size_t i = 0; i < maps_[m].breaks.size(); ++i) add(PlaceList::Breaks, i);
    for (size_t i = 0; i < (by_reason_ ? w.by_reason : w.by_operator).size(); ++i) add(PlaceList::WhatIf, i);
    for (size_t i = 0; i < maps_[m].nodes.types.size(); ++i) add(PlaceList::Counts, i);
  }
  for (size_t list = 0; list < kPlaceLists; ++list) sort_list(list);
}

void DelegationModel::sort_places(PlaceList list, PlaceOrder order) {
  PlaceOrder& of = orders_[static_cast<size_t>(list)];
  if (of == order) return;
  of = order;
  find_places();
}

double DelegationModel::number_of(PlaceList list, PlaceColumn column, const PlaceInMap& place) const {
  const DelegationMap& m = map(place.map);
  const auto index = static_cast<size_t>(place.index);
  switch (list) {
    case PlaceList::Delegates:
      return delegate_number(m.items[index], column);
    case PlaceList::Breaks:
      return break_number(m.breaks[index], column);
    case PlaceList::WhatIf:
      return bound_number(bound(place), column);
    case PlaceList::Counts:
      return count_number(m.nodes.types[index], column);
  }
  return 0;
}

std::string DelegationModel::text_of(PlaceList list, PlaceColumn column, const PlaceInMap& place) const {
  const DelegationMap& m = map(place.map);
  const auto index = static_cast<size_t>(place.index);
  if (column == PlaceColumn::Method) return m.method;
  switch (list) {
    case PlaceList::Delegates: {
      const MapItem& item = m.items[index];
      return column == PlaceColumn::Operators ? item.operators
             : column == PlaceColumn::Module  ? item.module
                                              : item.part;
    }
    case PlaceList::Breaks:
      return column == PlaceColumn::Module ? inspector::break_module(m, m.breaks[index])
                                           : inspector::break_operators(m, m.breaks[index], 6);
    case PlaceList::WhatIf:
      return column == PlaceColumn::Reason ? bound_reasons(place) : bound_name(place);
    case PlaceList::Counts:
      return inspector::operator_title(m.nodes.types[index].op);
  }
  return {};
}

/// Of those that are alike the most expensive come first.
void DelegationModel::sort_list(size_t list) {
  const auto which = static_cast<PlaceList>(list);
  const PlaceOrder order = orders_[list];
  struct Key {
    std::string text;
    double number = 0, cost = 0;
    PlaceInMap place;
  };
  std::vector<Key> keys;
  for (const PlaceInMap& place : places_[list]) {
    Key& key = keys.emplace_back();
    key.place = place;
    key.cost = number_of(which, PlaceColumn::Time, place);
    if (is_text(order.column)) {
      key.text = text_of(which, order.column, place);
    } else {
      key.number = number_of(which, order.column, place);
    }
  }
  std::stable_sort(keys.begin(), keys.end(), [&](const Key& a, const Key& b) {
    const auto less = [](const Key& x, const Key& y) {
      return std::pair(x.number, x.text) < std::pair(y.number, y.text);
    };
    if (less(a, b) || less(b, a)) return order.descending ? less(b, a) : less(a, b);
    return a.cost > b.cost;
  });
  for (size_t i = 0; i < keys.size(); ++i) places_[list][i] = keys[i].place;
}

}  // namespace et::gui
