// What only copies data or changes its layout, shape or dtype, outside of the delegates.
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "inspector/analysis/advice/advice.h"
#include "inspector/text/words.h"

namespace et::inspector {

void advise_data_movement(AdviceContext& c) {
  for (size_t m = 0; m < c.maps().size(); ++m) {
    const DelegationMap& map = c.maps()[m];
    if (map.total_ns <= 0) continue;
    std::set<int64_t> constant;  // another rule's
    for (const size_t n : c.constant_nodes(m)) {
      if (const auto& instruction = c.graphs()[m].nodes[n].instruction) constant.insert(*instruction);
    }
    std::map<std::string, double> by_operator;
    double sum = 0, crossing = 0;
    int64_t count = 0;
    std::vector<AdviceItem> items;
    const MapItem* costliest = nullptr;
    for (const MapItem& item : map.items) {
      if (item.kind != MapItem::Kind::Kernel || !item.moves || item.ns <= 0 || constant.contains(item.instruction))
        continue;
      sum += item.ns;
      crossing += item.crossing ? item.ns : 0;
      ++count;
      items.push_back({item.title, item.ns, AdviceContext::place_in(map, item.instruction)});
      by_operator[item.title.empty() ? item.label : item.title] += item.ns;
      if (costliest == nullptr || item.ns > costliest->ns) costliest = &item;
    }
    if (sum < 2 * kLeastShare * map.total_ns) continue;
    std::string worst;
    double most = 0;
    for (const auto& [name, ns] : by_operator) {
      if (ns > most) most = ns, worst = name;
    }
    Advice a;
    a.id = "data-movement";
    a.method = map.method;
    a.title = "Kernels that only move data, most of all " + worst;
    c.add_time(&a, "time of copies and changes of layout or dtype", sum);
    a.facts.push_back({"of which " + worst, most, AdviceFact::Unit::Time});
    if (crossing > 0) a.facts.push_back({"of which between two delegate calls", crossing, AdviceFact::Unit::Time});
    a.facts.push_back({"kernels", static_cast<double>(count), AdviceFact::Unit::Count});
    a.text = plural(count, "kernel") + " that only " + (count == 1 ? "moves" : "move") + " data " +
             (count == 1 ? "takes " : "take ") + c.time(sum) + ", " + c.share(sum, map.method) + " of the execution, " +
             (most > 0.5 * sum ? "most of it " : "the largest part ") + worst + " (" + c.time(most) + ")";
    if (map.delegates() > 0 && crossing > 0.5 * sum)
      a.text += "; " + format_share(crossing / sum) + " of that lies between two calls of delegates";
    if (map.delegates() > 0 && crossing > 0.5 * sum) {
      a.what_to_do =
          "Have the partitioner take the copies together with their neighbours, or the operator between the delegates: "
          "then they "
          "are gone with the break.";
    } else if (worst.find("_to_") != std::string::npos) {
      a.what_to_do = "Compute in one dtype and one memory format from the input on: each change of it is a copy.";
    } else {
      a.what_to_do =
          "Keep one layout through the model: views instead of copies (memory planning makes view_copy free where it "
          "can), permute "
          "once at the beginning, concatenate once at the end.";
    }
    a.items = std::move(items);
    a.most_ns = sum;
    a.assumes = "the copies go away and nothing takes their place";
    a.place = AdviceContext::place_in(map, costliest->instruction);
    c.add(std::move(a));
  }
}

}  // namespace et::inspector
