// Kernels whose results no one reads: neither another node nor the caller.
#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "inspector/analysis/advice/advice.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

/// Does it do something besides its results: write a buffer, check, hold control flow?
bool has_effect(const GraphNode& n) {
  const size_t overload = n.op.rfind('.');
  const std::string name = n.op.substr(0, overload);
  constexpr std::string_view kEffects[] = {"assert", "constrain", "cond", "while_loop",   "map",
                                           "scan",   "copy_",     "put_", "update_cache", "print"};
  return !n.bodies.empty() || name.ends_with('_') ||
         std::any_of(std::begin(kEffects), std::end(kEffects),
                     [&](std::string_view e) { return name.find(e) != std::string::npos; });
}

}  // namespace

void advise_unused_work(AdviceContext& c) {
  for (size_t m = 0; m < c.graphs().size(); ++m) {
    const GraphModel& graph = c.graphs()[m];
    std::vector<bool> read(graph.nodes.size(), false);
    for (const GraphNode& n : graph.nodes) {
      for (const int32_t p : n.producers) read[static_cast<size_t>(p)] = true;
    }
    double sum = 0;
    int64_t count = 0;
    std::vector<AdviceItem> items;
    const GraphNode* worst = nullptr;
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      const GraphNode& n = graph.nodes[i];
      if (read[i] || n.part >= 0 || !n.instruction || n.ns <= 0 || has_effect(n)) continue;
      const std::vector<std::string>& outputs = graph.scopes[static_cast<size_t>(n.scope)].outputs;
      if (std::any_of(n.results.begin(), n.results.end(), [&](const std::string& r) {
            return std::find(outputs.begin(), outputs.end(), r) != outputs.end();
          }))
        continue;
      sum += n.ns;
      ++count;
      items.push_back({operator_title(n.op), n.ns, {0, n.file, n.module_path, n.name, n.line}});
      if (worst == nullptr || n.ns > worst->ns) worst = &n;
    }
    if (count == 0) continue;
    Advice a;
    a.id = "unused-work";
    a.method = c.maps()[m].method;
    a.title = "Results that no one reads";
    c.add_time(&a, "time of these nodes", sum);
    a.facts.push_back({"nodes", static_cast<double>(count), AdviceFact::Unit::Count});
    a.text = plural(count, "node") + (count == 1 ? " computes" : " compute") +
             " what no node reads and no output returns: " + worst->name + " (" + operator_title(worst->op) + ")" +
             (count > 1 ? " …" : "") + ", " + c.time(sum) + ", " + c.share(sum, a.method) + " of the execution";
    a.what_to_do =
        count == 1 ? "Remove it from forward(), or return it." : "Remove them from forward(), or return them.";
    a.items = std::move(items);
    a.most_ns = sum;
    a.place = {0, worst->file, worst->module_path, worst->name, worst->line};
    c.add(std::move(a));
  }
}

}  // namespace et::inspector
