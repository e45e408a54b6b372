// A method without any delegate, whose time is what delegates are made for.
#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "inspector/analysis/advice/advice.h"
#include "inspector/analysis/delegation/limit_check.h"
#include "inspector/analysis/work/operator_work.h"
#include "inspector/match/partitioner_limits.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

constexpr double kProductsShare = 0.2;  // of what the operators take, without the runtime's own time and the noise

// A word of "aten.linear.default", "aten.linear", "native_call_bmm.out", "aten::addmm.out".
bool is_product(std::string_view op) {
  constexpr std::string_view kNames[] = {"linear", "mm",     "bmm",         "addmm", "baddbmm",
                                         "matmul", "conv1d", "convolution", "conv2d"};
  while (!op.empty()) {
    const size_t end = std::min(op.find_first_of(".:"), op.size());
    std::string_view word = op.substr(0, end);
    if (word.starts_with("native_call_")) word.remove_prefix(12);
    if (std::find(std::begin(kNames), std::end(kNames), word) != std::end(kNames)) return true;
    op.remove_prefix(std::min(end + 1, op.size()));
  }
  return false;
}

/// XnnpackPartitioner leaves alone what reads or makes anything else.
bool is_float(const GraphModel& graph, const GraphNode& node) {
  const auto fits = [](const std::string& dtype) { return dtype.empty() || dtype == "float32" || dtype == "float16"; };
  if (!fits(node.dtype)) return false;
  for (const GraphArgument& argument : node.arguments) {
    for (const std::string_view name : identifiers(argument.text)) {
      const GraphValue* const value = graph.value(node.scope, std::string(name));
      if (value != nullptr && !fits(value->dtype)) return false;
    }
  }
  return true;
}

/// What else the partitioner that is advised takes of the kernels, whatever it does with the products.
std::vector<AdviceItem> taken_along(const DelegationMap& map, const GraphModel& graph) {
  std::vector<AdviceItem> out;
  std::map<int64_t, const GraphNode*> nodes;
  for (const GraphNode& n : graph.nodes) {
    if (n.instruction && n.part < 0) nodes.emplace(*n.instruction, &n);
  }
  for (const MapItem& item : map.items) {
    const auto node = nodes.find(item.instruction);
    if (item.kind != MapItem::Kind::Kernel || item.ns <= 0 || !item.control.empty() || node == nodes.end()) continue;
    if (is_product(item.title.empty() ? item.label : item.title) || !is_float(graph, *node->second)) continue;
    const Taken taken = partitioner_limit("XnnpackBackend", node->second->op).taken;
    if (taken == Taken::Always || (taken == Taken::Within && check_limit(graph, *node->second).kept))
      out.push_back({item.title, item.ns, AdviceContext::place_in(map, item.instruction)});
  }
  return out;
}

}  // namespace

void advise_no_delegate(AdviceContext& c) {
  for (size_t m = 0; m < c.maps().size(); ++m) {
    const DelegationMap& map = c.maps()[m];
    if (map.delegates() > 0 || map.total_ns <= 0) continue;
    double products = 0, kernels = 0;
    std::set<std::string> names;
    const MapItem* costliest = nullptr;
    int64_t count = 0, convolutions = 0, bfloat = 0;
    std::vector<AdviceItem> items;
    const auto is_bfloat = [&](int64_t instruction) {
      return std::any_of(map.non_delegated.begin(), map.non_delegated.end(), [&](const NonDelegatedOp& op) {
        return op.instruction == instruction && op.dtype.find("bfloat16") != std::string::npos;
      });
    };
    for (const MapItem& item : map.items) {
      if (item.kind != MapItem::Kind::Kernel) continue;
      kernels += item.ns;
      if (!is_product(item.title.empty() ? item.label : item.title)) continue;
      products += item.ns;
      ++count;
      convolutions += (item.title.empty() ? item.label : item.title).find("conv") != std::string::npos ? 1 : 0;
      bfloat += is_bfloat(item.instruction) ? 1 : 0;
      items.push_back({item.title, item.ns, AdviceContext::place_in(map, item.instruction)});
      names.insert(item.title.empty() ? item.label : item.title);
      if (costliest == nullptr || item.ns > costliest->ns) costliest = &item;
    }
    if (products < kProductsShare * kernels || products < kLeastShare * c.usual(map.method)) continue;
    Advice a;
    a.id = "no-delegate";
    a.method = map.method;
    a.title = "Nothing of " + (map.method.empty() ? "the method" : map.method) + " is delegated";
    c.add_time(&a, "time of matrix products and convolutions", products);
    a.facts.push_back({"how many of them", static_cast<double>(count), AdviceFact::Unit::Count});
    a.text = "no operator of " + (map.method.empty() ? "the method" : map.method) + " is delegated; " +
             (convolutions == 0       ? plural(count, "matrix product")
              : convolutions == count ? plural(count, "convolution")
                                      : format_count(count) + " matrix products and convolutions") +
             " (" + joined(names, ", ") + (count == 1 ? ") takes " : ") take ") + c.time(products) + ", " +
             c.share(products, map.method) + " of the execution";
    a.what_to_do =
        "Lower with a partitioner for the target: to_edge_transform_and_lower(program, "
        "partitioner=[XnnpackPartitioner()]) for CPUs, the vendor's for accelerators.";
    if (2 * bfloat > count) {
      a.text += ". They compute in bfloat16, which XnnpackPartitioner leaves alone";
      a.what_to_do =
          "For CPUs export in float32 or float16 (model.to(torch.float16)), which XnnpackPartitioner takes; another "
          "backend may take bfloat16.";
    }
    if (2 * bfloat <= count) a.along = taken_along(map, c.graphs()[m]);
    double along = 0;
    for (const AdviceItem& item : a.along) along += item.ns;
    if (along > 0) {
      a.facts.push_back({"time of what XnnpackPartitioner takes along", along, AdviceFact::Unit::Time});
      a.text +=
          "; XnnpackPartitioner takes " + plural(std::ssize(a.along), "other kernel") + " along, " + c.time(along);
    }
    a.items = std::move(items);
    a.most_ns = products + along;
    a.work_ns = a.most_ns;  // a delegate has to do what it takes along, too
    a.assumes =
        along > 0 ? "the delegate takes no time for them and for what it takes along" : "the delegate takes no time";
    a.place = AdviceContext::place_in(map, costliest->instruction);
    c.add(std::move(a));
  }
}

}  // namespace et::inspector
