#include "inspector/analysis/memory/delegate_outputs.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "inspector/analysis/delegation/delegation_map.h"
#include "inspector/analysis/graph/graph_model.h"

namespace et::inspector {
namespace {

using Kind = std::pair<std::string, std::string>;  // dtype and shape

/// `line`: the node whose line is the tensor's.
void place(const GraphNode& node, const GraphNode& line, bool only_line, PlanTensor* t) {
  if (!only_line) t->node = node.name;
  t->file = line.file;
  t->line = line.line;
  t->module = line.module_path;
}

/// What a call writes into the arenas, by kind.
using Written = std::map<Kind, std::vector<PlanTensor*>>;

Written written_by(int64_t instruction, std::vector<PlanArena>* arenas, size_t method_index) {
  Written out;
  for (PlanArena& arena : *arenas) {
    if (arena.method_index != method_index) continue;
    for (PlanTensor& t : arena.tensors)
      if (t.producer == instruction && t.view_of < 0) out[{t.dtype, t.shape}].push_back(&t);
  }
  for (auto& [kind, tensors] : out)
    std::sort(tensors.begin(), tensors.end(), [](const auto* a, const auto* b) { return a->value < b->value; });
  return out;
}

class Placing {
 public:
  Placing(const GraphModel& graph, const GraphPart& part) : graph_(graph), part_(part) {
    const int32_t scope = node(part.nodes.front()).scope;
    for (const std::string& output : part.outputs) {
      const GraphValue* const v = graph.value(scope, output);
      if (v != nullptr && v->producer >= 0) made_[{v->dtype, v->shape}].push_back(v->producer);
    }
    for (auto& [kind, nodes] : made_) std::sort(nodes.begin(), nodes.end());
  }

  void run(const Written& written) const {
    const bool known = !part_.guessed || has_what_is(written);
    for (const auto& [kind, tensors] : written) {
      const auto nodes = made_.find(kind);
      if (known && nodes != made_.end() && place_these(nodes->second, tensors)) continue;
      // Any node of the call's handles may have made it: where they all stand at one line, that is known.
      if (const std::vector<int32_t> any = candidates(kind); one_line(any))
        for (PlanTensor* const t : tensors) place(node(any.front()), with_line(any.front()), true, t);
    }
  }

 private:
  const GraphNode& node(int32_t n) const { return graph_.nodes[static_cast<size_t>(n)]; }

  /// What quantisation adds has no line: that of what it quantises.
  const GraphNode& with_line(int32_t n) const {
    constexpr int kSteps = 8;
    for (int i = 0; i < kSteps && node(n).file.empty() && !node(n).producers.empty(); ++i)
      n = node(n).producers.front();
    return node(n);
  }

  bool one_line(const std::vector<int32_t>& nodes) const {
    return !nodes.empty() && std::all_of(nodes.begin(), nodes.end(), [&](int32_t n) {
      return node(n).file == node(nodes.front()).file && node(n).line == node(nodes.front()).line;
    });
  }

  // Which of several nodes with one handle are inside was inferred: what they make must be what the call writes.
  bool has_what_is(const Written& written) const {
    return made_.size() == written.size() && std::all_of(written.begin(), written.end(), [&](const auto& w) {
             const auto at = made_.find(w.first);
             return at != made_.end() && at->second.size() == w.second.size();
           });
  }

  // A call writes its outputs in the order of the graph. Where some are no planned tensors, it is open which.
  bool place_these(const std::vector<int32_t>& nodes, const std::vector<PlanTensor*>& tensors) const {
    const bool each = nodes.size() == tensors.size();
    if (!each && !one_line(nodes)) return false;
    for (size_t i = 0; i < tensors.size(); ++i) {
      const int32_t n = nodes[each ? i : 0];
      place(node(n), with_line(n), !each, tensors[i]);
    }
    return true;
  }

  std::vector<int32_t> candidates(const Kind& kind) const {
    std::set<int64_t> handles;
    for (const int32_t n : part_.nodes) handles.insert(node(n).debug_handle.value_or(-1));
    std::vector<int32_t> out;
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      const GraphNode& x = graph_.nodes[n];
      if (x.debug_handle && handles.contains(*x.debug_handle) && Kind(x.dtype, x.shape) == kind)
        out.push_back(static_cast<int32_t>(n));
    }
    return out;
  }

  const GraphModel& graph_;
  const GraphPart& part_;
  std::map<Kind, std::vector<int32_t>> made_;  // nodes, in the order of the graph
};

/// "attention.py:119–124"; of several files "norm_act.py:136 and 2 more files".
std::string lines_of(const GraphModel& graph, const GraphPart& part) {
  std::string first;
  std::set<std::string> files;
  int64_t from = 0, to = 0, line = 0;
  for (const int32_t n : part.nodes) {
    const GraphNode& x = graph.nodes[static_cast<size_t>(n)];
    if (x.file.empty()) continue;
    if (files.empty()) first = x.file, from = to = line = x.line;
    files.insert(x.file);
    from = std::min(from, x.line);
    to = std::max(to, x.line);
  }
  if (files.empty()) return {};
  const std::string name = first.substr(first.find_last_of('/') + 1);
  if (line <= 0) return name;
  if (files.size() > 1)
    return name + ":" + std::to_string(line) + " and " + std::to_string(files.size() - 1) +
           (files.size() == 2 ? " more file" : " more files");
  return name + ":" + std::to_string(from) + (from == to ? "" : "–" + std::to_string(to));
}

/// The innermost module that all of its nodes lie in.
std::string module_of(const GraphModel& graph, const GraphPart& part) {
  std::string out;
  bool any = false;
  for (const int32_t n : part.nodes) {
    const std::string& path = graph.nodes[static_cast<size_t>(n)].module_path;
    if (path.empty()) continue;
    out = any ? module_of_both(out, path) : path;
    any = true;
  }
  return out;
}

void place_outputs(const GraphModel& graph, const GraphPart& part, PlanMethod* method, std::vector<PlanArena>* arenas,
                   size_t method_index) {
  if (part.nodes.empty() || part.instruction < 0 ||
      static_cast<size_t>(part.instruction) >= method->instructions.size())
    return;
  PlanInstruction& call = method->instructions[static_cast<size_t>(part.instruction)];
  if (call.kind != "DelegateCall") return;
  call.lines = lines_of(graph, part);
  call.common_module = module_of(graph, part);
  Placing(graph, part).run(written_by(part.instruction, arenas, method_index));
}

}  // namespace

void place_delegate_outputs(const Store& store, int64_t trace_id, MemoryPlan* plan) {
  OpTable no_times;
  no_times.trace_id = trace_id;
  for (size_t m = 0; m < plan->methods.size(); ++m) {
    GraphModel graph;
    if (!load_graph(store, no_times, plan->methods[m].name, "edge", &graph).ok()) continue;  // then nothing is known
    for (const GraphPart& part : graph.parts) place_outputs(graph, part, &plan->methods[m], &plan->arenas, m);
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
