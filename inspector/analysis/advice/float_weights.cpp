// Weights that the program stores as float32 and quantises whenever it runs.
#include "inspector/analysis/advice/advice.h"
#include "inspector/analysis/work/operator_work.h"
#include "inspector/text/words.h"

namespace et::inspector {

void advise_float_weights(AdviceContext& c) {
  for (size_t m = 0; m < c.graphs().size(); ++m) {
    const GraphModel& graph = c.graphs()[m];
    double bytes = 0, ns = 0;
    int64_t count = 0;
    const GraphNode* first = nullptr;
    const GraphValue* weight = nullptr;
    for (const GraphNode& n : graph.nodes) {
      if (n.part >= 0 || !n.instruction || n.op.find("quantize_") == std::string::npos ||
          n.op.find("dequantize_") != std::string::npos)
        continue;
      for (const GraphArgument& a : n.arguments) {
        const GraphValue* const v = a.name == "input" ? graph.value(n.scope, a.text) : nullptr;
        const auto shape = v == nullptr ? std::nullopt : parse_shape(v->shape);
        if (!shape || !v->is_constant() || v->dtype != "float32") continue;
        bytes += 4 * elements_of(*shape);
        ns += n.ns;
        ++count;
        if (first == nullptr) first = &n, weight = v;
      }
    }
    if (count == 0) continue;
    Advice a;
    a.id = "float-weights";
    a.method = c.maps()[m].method;
    a.title = "float32 weights that are quantised at run time";
    a.facts.push_back({"bytes of the weights", bytes, AdviceFact::Unit::Bytes});
    a.facts.push_back({"weights", static_cast<double>(count), AdviceFact::Unit::Count});
    if (ns > 0) c.add_time(&a, "time of quantising them", ns);
    a.text = plural(count, "weight") + (count == 1 ? " is" : " are") + " stored as float32 (" +
             format_bytes(static_cast<int64_t>(bytes)) +
             ") and quantised at run time: " + (weight->target.empty() ? weight->name : weight->target) +
             (count > 1 ? " …" : "");
    if (ns > 0) a.text += ", " + c.time(ns) + " an execution";
    a.what_to_do = "Fold the quantisation at export: convert_pt2e(model, fold_quantize=True).";
    a.most_ns = ns;
    a.most_bytes = static_cast<int64_t>(0.75 * bytes);
    a.place = {0, first->file, first->module_path, first->name, first->line};
    c.add(std::move(a));
  }
}

}  // namespace et::inspector
