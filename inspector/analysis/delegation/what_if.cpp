#include "inspector/analysis/delegation/what_if.h"

#include <algorithm>
#include <functional>
#include <set>

namespace et::inspector {
namespace {

using OpTest = std::function<bool(const NonDelegatedOp&)>;

/// Which items would be inside: those of which each operator is chosen.
std::vector<bool> items_inside(const DelegationMap& map, const OpTest& chosen) {
  std::vector<bool> any(map.items.size(), false), other(map.items.size(), false);
  for (const NonDelegatedOp& op : map.non_delegated) {
    if (op.item < 0) continue;
    (counts_in_what_if(op) && chosen(op) ? any : other)[static_cast<size_t>(op.item)] = true;
  }
  for (size_t i = 0; i < any.size(); ++i) any[i] = any[i] && !other[i];
  return any;
}

WhatIf spared(const DelegationMap& map, const OpTest& chosen) {
  WhatIf out;
  for (const NonDelegatedOp& op : map.non_delegated) {
    if (!counts_in_what_if(op) || !chosen(op)) continue;
    ++out.ops;
    out.ns += op.ns;
    if (map.items[static_cast<size_t>(op.item)].moves) out.copy_ns += op.ns;
  }
  if (out.ops == 0) return out;
  const std::vector<bool> inside = items_inside(map, chosen);
  // What stays in a break keeps it, a copy as well: no delegate takes what nobody chose.
  for (const MapBreak& b : map.breaks) {
    bool gone = true;
    for (size_t i = b.first; i <= b.last; ++i) gone = gone && inside[i];
    if (!gone) continue;
    ++out.breaks;
    out.break_ns += b.layout_ns;
    out.bytes = out.bytes < 0 || b.bytes < 0 ? -1 : out.bytes + b.bytes;
  }
  return out;
}

void most_first(std::vector<WhatIf>* rows) {
  std::stable_sort(rows->begin(), rows->end(), [](const WhatIf& a, const WhatIf& b) { return a.most() > b.most(); });
}

}  // namespace

bool counts_in_what_if(const NonDelegatedOp& op) {
  return op.instruction >= 0 && op.item >= 0 &&
         std::none_of(op.reasons.begin(), op.reasons.end(),
                      [](const StayReason& r) { return r.kind == StayReason::Kind::ControlFlow; });
}

bool is_supported_elsewhere(const NonDelegatedOp& op) {
  return std::any_of(op.reasons.begin(), op.reasons.end(),
                     [](const StayReason& r) { return r.kind == StayReason::Kind::SameElsewhere; });
}

WhatIfDelegated what_if_delegated(const DelegationMap& map) {
  WhatIfDelegated out;
  std::vector<StayReason::Kind> kinds;
  for (const NonDelegatedOp& op : map.non_delegated) {
    if (!counts_in_what_if(op) || op.reasons.empty()) continue;
    if (std::find(kinds.begin(), kinds.end(), op.reasons.front().kind) == kinds.end())
      kinds.push_back(op.reasons.front().kind);
  }
  for (const StayReason::Kind kind : kinds) {
    WhatIf row =
        spared(map, [&](const NonDelegatedOp& op) { return !op.reasons.empty() && op.reasons.front().kind == kind; });
    row.reason = kind;
    out.by_reason.push_back(row);
  }
  std::set<std::string> types;
  for (const NonDelegatedOp& op : map.non_delegated) {
    if (!counts_in_what_if(op) || !types.insert(op.op).second) continue;
    WhatIf row = spared(map, [&](const NonDelegatedOp& other) { return other.op == op.op; });
    row.op = op.op;
    out.by_operator.push_back(row);
  }
  most_first(&out.by_reason);
  most_first(&out.by_operator);
  out.supported = spared(map, is_supported_elsewhere);
  out.all = spared(map, [](const NonDelegatedOp&) { return true; });
  return out;
}

const char* what_if_text() {
  return "Upper bound: the time of the operators, as if a delegate did their work in no time, and of the transposes at "
         "the edges of delegates beside graph breaks that would be gone: those that hold none but these operators.";
}

}  // namespace et::inspector
