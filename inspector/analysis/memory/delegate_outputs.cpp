#include "inspector/analysis/memory/delegate_outputs.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "inspector/analysis/graph/graph_model.h"

namespace et::inspector {
namespace {

using Kind = std::pair<std::string, std::string>;  // dtype and shape

void place(const GraphNode& node, bool only_line, PlanTensor* t) {
  if (!only_line) t->node = node.name;
  t->file = node.file;
  t->line = node.line;
  t->module = node.module_path;
}

void place_outputs(const GraphModel& graph, const GraphPart& part, PlanMethod* method, std::vector<PlanArena>* arenas,
                   size_t method_index) {
  if (part.nodes.empty() || part.instruction < 0 ||
      static_cast<size_t>(part.instruction) >= method->instructions.size() ||
      method->instructions[static_cast<size_t>(part.instruction)].kind != "DelegateCall")
    return;
  const int32_t scope = graph.nodes[static_cast<size_t>(part.nodes.front())].scope;
  std::map<Kind, std::vector<int32_t>> made;  // nodes, in the order of the graph
  for (const std::string& output : part.outputs) {
    const GraphValue* const v = graph.value(scope, output);
    if (v != nullptr && v->producer >= 0) made[{v->dtype, v->shape}].push_back(v->producer);
  }
  std::map<Kind, std::vector<PlanTensor*>> written;
  for (PlanArena& arena : *arenas) {
    if (arena.method_index != method_index) continue;
    for (PlanTensor& t : arena.tensors)
      if (t.producer == part.instruction && t.view_of < 0) written[{t.dtype, t.shape}].push_back(&t);
  }
  for (auto& [kind, tensors] : written) {
    const auto nodes = made.find(kind);
    if (nodes == made.end()) continue;
    std::vector<int32_t>& of = nodes->second;
    std::sort(of.begin(), of.end());
    std::sort(tensors.begin(), tensors.end(), [](const auto* a, const auto* b) { return a->value < b->value; });
    // A call writes its outputs in the order of the graph. Where some are no planned tensors, it is open which.
    const GraphNode& first = graph.nodes[static_cast<size_t>(of.front())];
    const bool one_line = std::all_of(of.begin(), of.end(), [&](int32_t n) {
      const GraphNode& node = graph.nodes[static_cast<size_t>(n)];
      return node.file == first.file && node.line == first.line;
    });
    const bool each = of.size() == tensors.size();
    for (size_t i = 0; i < tensors.size() && (each || one_line); ++i)
      place(graph.nodes[static_cast<size_t>(of[each ? i : 0])], !each, tensors[i]);
  }
}

}  // namespace

void place_delegate_outputs(const Store& store, int64_t trace_id, MemoryPlan* plan) {
  OpTable no_times;
  no_times.trace_id = trace_id;
  for (size_t m = 0; m < plan->methods.size(); ++m) {
    GraphModel graph;
    if (!load_graph(store, no_times, plan->methods[m].name, "edge", &graph).ok()) continue;  // then nothing is known
    for (const GraphPart& part : graph.parts) {
      if (!part.guessed) place_outputs(graph, part, &plan->methods[m], &plan->arenas, m);
    }
  }
  // What shows the bytes of another under its own shape was made where that was.
  for (PlanArena& arena : plan->arenas) {
    std::map<int64_t, const PlanTensor*> by_value;
    for (const PlanTensor& t : arena.tensors) by_value.emplace(t.value, &t);
    for (PlanTensor& t : arena.tensors) {
      const auto source = t.view_of < 0 ? by_value.end() : by_value.find(t.view_of);
      if (source == by_value.end() || source->second->file.empty()) continue;
      t.node = source->second->node;
      t.file = source->second->file;
      t.line = source->second->line;
      t.module = source->second->module;
    }
  }
}

}  // namespace et::inspector
