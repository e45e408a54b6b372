// Values that are dequantised, worked on as floats, and quantised again, by kernels outside of the delegates.
#include <string_view>
#include <utility>
#include <vector>

#include "inspector/analysis/advice/advice.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

bool named(const MapItem& item, std::string_view what) {
  return (item.title + " " + item.label).find(what) != std::string::npos;
}

}  // namespace

void advise_quantize_round_trips(AdviceContext& c) {
  for (const DelegationMap& map : c.maps()) {
    double sum = 0;
    int64_t to_float = 0, to_integer = 0;
    std::vector<AdviceItem> items;
    int32_t first = -1;
    for (size_t i = 0; i < map.items.size(); ++i) {
      const MapItem& item = map.items[i];
      if (item.kind != MapItem::Kind::Kernel || item.ns <= 0 || !named(item, "quantize_")) continue;
      const bool back = named(item, "dequantize_");
      ++(back ? to_float : to_integer);
      sum += item.ns;
      items.push_back({item.title, item.ns, AdviceContext::place_in(map, item.instruction)});
      if (back && first < 0) first = static_cast<int32_t>(i);
    }
    // One of a kind alone is the border of a quantised model.
    if (to_float < 2 || to_integer < 2 || sum < kLeastShare * c.usual(map.method)) continue;
    Advice a;
    a.id = "quantize-round-trip";
    a.method = map.method;
    a.title = "Dequantised and quantised again outside of the delegates";
    c.add_time(&a, "time of these kernels", sum);
    a.facts.push_back({"dequantize kernels", static_cast<double>(to_float), AdviceFact::Unit::Count});
    a.facts.push_back({"quantize kernels", static_cast<double>(to_integer), AdviceFact::Unit::Count});
    a.text = plural(to_float, "dequantize kernel") + " and " + plural(to_integer, "quantize kernel") +
             " outside of the delegates take " + c.time(sum) + ", " + c.share(sum, map.method) +
             " of the execution: between them the program computes in float";
    a.what_to_do = map.delegates() > 0 ? "Quantise the operators between them as well, or annotate none of this part: "
                                         "the quantiser's configuration names the "
                                         "modules. Have the partitioner take what is quantised."
                                       : "Lower with a partitioner that takes quantised operators: it folds these "
                                         "pairs into them.";
    a.items = std::move(items);
    a.most_ns = sum;
    a.assumes = "the pairs are folded into the operators beside them";
    if (first >= 0) a.place = AdviceContext::place_in(map, map.items[static_cast<size_t>(first)].instruction);
    c.add(std::move(a));
  }
}

}  // namespace et::inspector
