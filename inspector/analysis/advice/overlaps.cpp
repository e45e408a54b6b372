#include "inspector/analysis/advice/overlaps.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "inspector/analysis/advice/advice.h"
#include "inspector/text/format.h"

namespace et::inspector {
namespace {

constexpr double kNotable = 0.1;  // of what a finding could save

/// By method and node, or by op where no node is known.
using ItemTimes = std::map<std::tuple<std::string, std::string, int64_t>, double>;

ItemTimes times_of(const Advice& a) {
  ItemTimes out;
  for (const std::vector<AdviceItem>* const items : {&a.items, &a.along}) {
    for (const AdviceItem& item : *items) {
      const bool node = !item.place.node.empty();
      if (!node && item.place.op_id == 0) continue;
      out.emplace(std::tuple(a.method, item.place.node, node ? 0 : item.place.op_id), item.ns);
    }
  }
  return out;
}

double shared(const ItemTimes& a, const ItemTimes& b) {
  double out = 0;
  for (const auto& [item, ns] : a) out += b.contains(item) ? ns : 0;
  return out;
}

}  // namespace

void name_overlaps(const AdviceContext& context, std::vector<Advice>* advice) {
  std::vector<ItemTimes> times;
  for (const Advice& a : *advice) times.push_back(times_of(a));
  for (size_t i = 0; i < advice->size(); ++i) {
    Advice& a = (*advice)[i];
    if (!(a.most_ns > 0)) continue;
    size_t with = i;
    double most = kNotable * a.most_ns;
    for (size_t before = 0; before < i; ++before) {
      const double both = (*advice)[before].most_ns > 0 ? std::min(shared(times[i], times[before]), a.most_ns) : 0;
      if (both > most) most = both, with = before;
    }
    if (with == i) continue;
    a.overlap = (most > (1 - kNotable) * a.most_ns ? "nearly all of it" : context.time(most) + " of it") +
                " is in finding " + format_count(static_cast<int64_t>(with) + 1) + " (" + (*advice)[with].title +
                ") as well: the two do not add up";
  }
}

}  // namespace et::inspector
