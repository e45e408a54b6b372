// What only copies data or changes its layout, shape or dtype, outside of the delegates.
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "inspector/analysis/advice/advice.h"
#include "inspector/analysis/advice/data_movement.h"
#include "inspector/text/words.h"

namespace et::inspector {

std::string what_spares_copies(const std::string& op) {
  std::string_view base = op;  // also of titles: "aten.expand_copy", "squeeze_copy.dims"
  for (const std::string_view prefix : {"aten.", "dim_order_ops."}) {
    if (base.starts_with(prefix)) base.remove_prefix(prefix.size());
  }
  base = base.substr(0, base.find('.'));
  const auto has = [&](std::string_view word) { return base.find(word) != std::string_view::npos; };
  if (has("_to_")) return "Compute in one dtype and one memory format from the input on: each change of it is a copy.";
  if (base == "cat" || base == "stack")
    return "It copies all that it joins: return the parts, or split the layer behind it into one for each part and add "
           "what they give; a delegate that takes it together with its neighbours needs no copy either.";
  if (has("expand") || has("repeat"))
    return "Element-wise operators broadcast by themselves. Products (@, matmul) of three dimensions and more are "
           "exported "
           "with an expand_copy of each operand: torch.bmm on three-dimensional tensors has none.";
  if (has("split") || has("chunk") || has("slice") || has("select") || has("narrow") || has("unbind"))
    return "Parts of a tensor are views in PyTorch and copies here: take whole tensors, or compute the parts apart (as "
           "q, "
           "k and v by a linear layer each instead of one that is split). Inside torch.nn.LSTM and GRU it is their "
           "gates "
           "that are split: there only a backend that takes the copies along spares them.";
  if (has("permute") || has("transpose") || base == "t_copy" || base == "clone")
    return "Keep one layout through the model: permute once at the beginning or fold the permutation into weights, "
           "instead of going back and forth between layers. Those that split attention into heads stay, unless a "
           "delegate "
           "takes them along.";
  return "Keep one layout and shape through the model: views instead of copies (memory planning makes view_copy free "
         "where it can), permute once at the beginning, concatenate once at the end.";
}

namespace {

/// These compute, and a rule of their own speaks of them.
bool requantises(std::string_view op) { return op.find("quantize_per_") != std::string_view::npos; }

}  // namespace

void advise_data_movement(AdviceContext& c) {
  for (size_t m = 0; m < c.maps().size(); ++m) {
    const DelegationMap& map = c.maps()[m];
    // Without a graph it is not known what is computed from constants, and which rows a loop takes.
    if (map.total_ns <= 0 || c.graphs()[m].nodes.empty()) continue;
    std::set<int64_t> others = c.constant_instructions(m);  // other rules'
    others.merge(c.safe_softmax_instructions(m));
    std::map<std::string, double> by_operator;
    double sum = 0, crossing = 0;
    int64_t count = 0;
    std::vector<AdviceItem> items;
    const MapItem* costliest = nullptr;
    for (const MapItem& item : map.items) {
      // What a loop itself copies, a row for each trip, is no choice of the model's.
      if (item.kind != MapItem::Kind::Kernel || !item.moves || item.ns <= 0 || !item.control.empty() ||
          others.contains(item.instruction) || requantises(item.title.empty() ? item.label : item.title))
        continue;
      sum += item.ns;
      crossing += item.crossing ? item.ns : 0;
      ++count;
      items.push_back({item.title, item.ns, AdviceContext::place_in(map, item.instruction)});
      by_operator[item.title.empty() ? item.label : item.title] += item.ns;
      if (costliest == nullptr || item.ns > costliest->ns) costliest = &item;
    }
    if (sum < 2 * kLeastShare * c.usual(map.method)) continue;
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
             (count == 1 ? "takes " : "take ") + c.time(sum) + ", " + c.share(sum, map.method) + " of the execution" +
             c.largest_part(worst, most, sum, by_operator.size());
    if (map.delegates() > 0 && crossing > 0.5 * sum)
      a.text += "; " + format_share(crossing / sum) + " of that lies between two calls of delegates";
    // XNNPACK takes no expand.
    if (map.delegates() > 0 && crossing > 0.5 * sum && worst.find("expand") == std::string::npos) {
      a.what_to_do =
          "Have the partitioner take the copies together with their neighbours, or the operator between the delegates: "
          "then they "
          "are gone with the break.";
    } else {
      a.what_to_do = what_spares_copies(worst);
    }
    a.items = std::move(items);
    a.most_ns = sum;
    a.assumes = "the copies go away and nothing takes their place";
    a.place = AdviceContext::place_in(map, costliest->instruction);
    c.add(std::move(a));
  }
}

}  // namespace et::inspector
