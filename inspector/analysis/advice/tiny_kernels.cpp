// A loop of the model that export unrolled: the same few operators again and again, each so small that calling it is
// its time. No operator is to blame, and none of them is slow: their number is the cost.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "inspector/analysis/advice/advice.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/match/type_family.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

constexpr int64_t kManyKernels = 40;  // of one module
constexpr int64_t kSteps = 3;         // as often an operator comes again
constexpr double kMuchOfIt = 0.2;     // of the execution
constexpr double kTinyKernel = kCallNs / 2;
constexpr size_t kTinyTypesNamed = 3;

struct OfModule {
  double ns = 0, products_ns = 0;
  int64_t kernels = 0, again = 0;
  std::map<std::string, int64_t> operators;
  std::vector<AdviceItem> items;
};

bool is_unrolled(OfModule* found) {
  for (const auto& [op, count] : found->operators) found->again += count >= kSteps ? count : 0;
  return found->kernels >= kManyKernels && 5 * found->again >= 4 * found->kernels;
}

/// "aten.add.Tensor ×73, aten.mul.Tensor ×72, aten.sigmoid ×48 and 3 other operators".
std::string operators_text(const OfModule& found) {
  std::vector<std::pair<int64_t, std::string>> order;
  for (const auto& [op, count] : found.operators) order.emplace_back(-count, operator_title(op));
  std::sort(order.begin(), order.end());
  std::string out;
  for (size_t i = 0; i < std::min(order.size(), kTinyTypesNamed); ++i)
    out += (i == 0 ? "" : ", ") + order[i].second + " ×" + format_count(-order[i].first);
  const auto more = static_cast<int64_t>(order.size()) - static_cast<int64_t>(kTinyTypesNamed);
  return more > 0 ? out + " and " + plural(more, "other operator") : out;
}

}  // namespace

void advise_tiny_kernels(AdviceContext& c) {
  if (c.shown().unit != "ns") return;
  for (size_t m = 0; m < c.maps().size(); ++m) {
    const DelegationMap& map = c.maps()[m];
    const GraphModel& graph = c.graphs()[m];
    std::map<std::string, OfModule> modules;
    std::map<int64_t, const MapItem*> kernels;
    for (const MapItem& item : map.items) {
      // The turns of a loop that the runtime runs are one kernel.
      if (item.kind == MapItem::Kind::Kernel && item.ns > 0 && item.control.empty()) kernels[item.instruction] = &item;
    }
    for (const GraphNode& n : graph.nodes) {
      const auto at = n.instruction && n.part < 0 ? kernels.find(*n.instruction) : kernels.end();
      if (at == kernels.end() || at->second->ns > kTinyKernel) continue;
      OfModule& found = modules[n.module_path];
      const double ns = at->second->ns;
      const TypeFamily family = type_family(n.op);
      const bool is_product = family == TypeFamily::Matmul || family == TypeFamily::Convolution;
      found.ns += ns;
      found.products_ns += is_product ? ns : 0;
      ++found.kernels;
      ++found.operators[n.op];
      found.items.push_back({operator_title(n.op), ns, {0, n.file, n.module_path, n.name, n.line}});
      kernels.erase(at);
    }
    for (auto& [module, found] : modules) {
      if (!is_unrolled(&found) || found.ns < kMuchOfIt * c.usual(map.method)) continue;
      const double each = found.ns / static_cast<double>(found.kernels);
      Advice a;
      a.id = "tiny-kernels";
      a.method = map.method;
      a.title = plural(found.kernels, "tiny kernel") + " of " +
                (module.empty() ? "an unrolled loop" : "the unrolled " + module);
      c.add_time(&a, "time of them", found.ns);
      a.facts.push_back({"of which matrix products and convolutions", found.products_ns, AdviceFact::Unit::Time});
      a.facts.push_back({"kernels", static_cast<double>(found.kernels), AdviceFact::Unit::Count});
      a.facts.push_back({"time of each", each, AdviceFact::Unit::Time});
      a.text = plural(found.kernels, "kernel") + " of " + (module.empty() ? "the model's own code" : module) +
               " take " + c.time(found.ns) + ", " + c.share(found.ns, map.method) + " of the execution, " +
               c.time(each) + " each: the same operators again and again (" + operators_text(found) +
               "), as of a recurrence or a loop that export unrolled. Not their work is the time, but their number";
      a.what_to_do =
          "Have fewer steps or do more in each: several sequences at once (a batch takes the same kernels), several "
          "samples a step (stacked frames, a stride before it), convolutions or attention in place of the recurrence. "
          "A "
          "custom operator that runs the whole recurrence needs one call; a delegate takes the element-wise operators "
          "of "
          "a step together, but the chain of steps stays.";
      a.items = std::move(found.items);
      a.most_ns = found.ns - found.products_ns;
      a.assumes = "one kernel does all of it, and only its products take time";
      a.place = std::max_element(a.items.begin(), a.items.end(), [](const AdviceItem& x, const AdviceItem& y) {
                  return x.ns < y.ns;
                })->place;
      c.add(std::move(a));
    }
  }
}

}  // namespace et::inspector
