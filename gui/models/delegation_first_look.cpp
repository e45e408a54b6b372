// What is worth a look first in a method: the operators outside of delegates, or where they are cheap, a delegate call.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "gui/models/delegation_model.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/text/format.h"

namespace et::gui {

using inspector::DelegationMap;
using inspector::MapItem;
using inspector::NonDelegatedOp;
using inspector::StayReason;

namespace {

struct OperatorTime {
  double ns = 0, most = -1;
  int64_t count = 0;
  const NonDelegatedOp* costliest = nullptr;
};

std::string why_of(const NonDelegatedOp& op, const DelegationMap& map, bool any_delegate) {
  if (!any_delegate) return "nothing in this program is delegated; a partitioner at export would give it to a backend";
  if (!map.has_graph) return "likely reasons need the ETRecord";
  return op.reasons.empty() ? "" : op.reasons.front().text;
}

/// Of the operators that a finding is not about: what of them takes the most.
std::pair<std::string, double> costliest_without(const DelegationMap& map, const inspector::Advice& advice) {
  std::set<std::string> nodes;
  for (const inspector::AdviceItem& item : advice.items) nodes.insert(item.place.node);
  std::map<std::string, double> operators;
  for (const NonDelegatedOp& op : map.non_delegated) {
    if (op.instruction >= 0 && !nodes.contains(op.node)) operators[op.op] += op.ns;
  }
  std::pair<std::string, double> out;
  for (const auto& [name, ns] : operators) {
    if (ns > out.second) out = {name, ns};
  }
  return out;
}

}  // namespace

FirstLook DelegationModel::first_look(int32_t index) const {
  const DelegationMap& m = map(index);
  FirstLook out;
  if (!(m.total_ns > 0)) return out;
  std::map<std::string, OperatorTime> operators;
  for (const NonDelegatedOp& op : m.non_delegated) {
    if (op.instruction < 0) continue;
    OperatorTime& t = operators[op.op];
    t.ns += op.ns;
    ++t.count;
    if (op.ns > t.most) t.costliest = &op, t.most = op.ns;
  }
  const auto costliest = std::max_element(operators.begin(), operators.end(),
                                          [](const auto& a, const auto& b) { return a.second.ns < b.second.ns; });
  const auto cost = [&](double ns) {
    return inspector::format_duration_with_unit(ns, m.unit) + ", " + inspector::format_share(ns / m.total_ns);
  };
  constexpr double kLittle = 0.05;  // of the method: then the time is inside of delegates
  if (m.delegated_ns() > 0 && m.non_delegated_ns() < kLittle * m.total_ns) {
    const MapItem* most = nullptr;
    for (const MapItem& i : m.items) {
      if (i.kind == MapItem::Kind::Delegate && (most == nullptr || i.ns > most->ns)) most = &i;
    }
    out.what = inspector::call_name(*most) + ", " + cost(most->ns);
    out.why = "what is not delegated takes " + inspector::format_share(m.non_delegated_ns() / m.total_ns) +
              " only; the flame graph and the operators show the inside of delegates";
    out.item = static_cast<int32_t>(most - m.items.data());
    return out;
  }
  if (costliest == operators.end() || !(costliest->second.ns > 0)) return out;
  const OperatorTime& t = costliest->second;
  out.what = inspector::operator_title(costliest->first) +
             (t.count > 1 ? " (" + inspector::format_count(t.count) + " operators), " : ", ") + cost(t.ns);
  out.why = why_of(*t.costliest, m, !backends_.empty());
  out.item = t.costliest->item;
  // As the findings have it, which come by what they would win.
  for (const inspector::Advice& a : advice_) {
    if (a.id != "safe-softmax" || a.method != m.method) continue;
    double together = 0;
    for (const inspector::AdviceItem& item : a.items) together += item.ns;
    const auto place = std::find_if(m.non_delegated.begin(), m.non_delegated.end(),
                                    [&](const NonDelegatedOp& op) { return op.node == a.place.node; });
    if (together <= t.ns || place == m.non_delegated.end()) continue;
    out.what = "what scaled_dot_product_attention becomes outside of the delegates (" +
               inspector::format_count(std::ssize(a.items)) + " operators), " + cost(together);
    out.why = "the findings say what to do";
    if (const auto [name, ns] = costliest_without(m, a); ns > 0)
      out.why += "; then " + inspector::operator_title(name) + ", " + cost(ns);
    out.item = place->item;
  }
  return out;
}

}  // namespace et::gui
