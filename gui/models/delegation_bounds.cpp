// What the columns of the delegation map add up to, and what delegating would spare in a program without delegates.
#include <algorithm>
#include <map>
#include <utility>

#include "gui/models/delegation_model.h"
#include "inspector/match/type_family.h"
#include "inspector/text/format.h"
#include "inspector/text/words.h"

namespace et::gui {

using inspector::DelegationMap;
using inspector::format_bytes;
using inspector::MapBreak;
using inspector::NonDelegatedOp;
using inspector::StayReason;

CrossingSum crossing_sum(const DelegationMap& map, bool with_free) {
  CrossingSum out;
  std::vector<bool> inside(map.items.size(), false);
  for (const MapBreak& b : map.breaks) {
    for (size_t i = b.first; i <= b.last; ++i) inside[i] = true;
    if (b.bytes < 0) return {.listed = -1};
    out.breaks += b.bytes;
  }
  for (const NonDelegatedOp& op : map.non_delegated) {
    if (op.instruction < 0 && !with_free) continue;
    if (op.crossing_bytes < 0) return {.listed = -1};
    out.listed += op.crossing_bytes;
    if (op.item < 0 || !inside[static_cast<size_t>(op.item)]) out.outside += op.crossing_bytes;
  }
  out.again = out.listed - out.outside - out.breaks;
  return out;
}

std::string DelegationModel::crossing_note() const {
  CrossingSum sum;
  for (size_t m = 0; m < maps_.size(); ++m) {
    if (!shows_map(static_cast<int32_t>(m))) continue;
    const CrossingSum x = crossing_sum(maps_[m], show_free_);
    if (x.listed < 0) return {};
    sum.listed += x.listed, sum.breaks += x.breaks, sum.outside += x.outside, sum.again += x.again;
  }
  if (sum.listed == sum.breaks || backends_.empty()) return {};
  std::string out = "Crossing adds up to " + format_bytes(sum.listed) + ": " + format_bytes(sum.breaks) +
                    " in graph breaks, each tensor once in each";
  if (sum.outside > 0)
    out += "; " + format_bytes(sum.outside) + " before the first or after the last delegate call" +
           (show_free_ ? ", or in views" : "");
  if (sum.again > 0) out += "; " + format_bytes(sum.again) + " again, at every further operator that takes the tensor";
  return out;
}

std::vector<TypeBound> type_bounds(const DelegationMap& map) {
  std::map<std::string, TypeBound> types;
  for (const NonDelegatedOp& op : map.non_delegated) {
    const bool control = std::any_of(op.reasons.begin(), op.reasons.end(),
                                     [](const StayReason& r) { return r.kind == StayReason::Kind::ControlFlow; });
    if (op.item < 0 || op.instruction < 0 || control) continue;
    TypeBound& bound = types[op.op];
    bound.op = op.op;
    bound.product = inspector::type_family(op.op) == inspector::TypeFamily::Matmul ||
                    inspector::type_family(op.op) == inspector::TypeFamily::Convolution;
    ++bound.ops;
    bound.ns += op.ns;
  }
  std::vector<TypeBound> out;
  for (auto& [name, bound] : types) out.push_back(std::move(bound));
  std::stable_sort(out.begin(), out.end(), [](const TypeBound& x, const TypeBound& y) { return x.ns > y.ns; });
  double sum = 0;
  for (TypeBound& bound : out) bound.with_above = sum += bound.ns;
  return out;
}

}  // namespace et::gui
