// An arena whose peak is one tensor's.
#include <algorithm>

#include "inspector/analysis/advice/advice.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

constexpr int64_t kLeastPeak = 64 << 10;
constexpr double kOfPeak = 0.5;    // so much of it one tensor has
constexpr double kLeastWin = 0.1;  // so much lower the arena's need would be without it

/// The node inside a delegate that makes a tensor of this shape; nullptr where none or several do.
const GraphNode* made_inside(AdviceContext& c, const std::string& method, const PlanTensor& t) {
  const GraphNode* found = nullptr;
  for (size_t m = 0; m < c.maps().size(); ++m) {
    if (c.maps()[m].method != method) continue;
    const GraphModel& graph = c.graphs()[m];
    for (const GraphPart& part : graph.parts) {
      if (part.instruction != t.producer || part.nodes.empty()) continue;
      const int32_t scope = graph.nodes[static_cast<size_t>(part.nodes.front())].scope;
      for (const std::string& output : part.outputs) {
        const GraphValue* const v = graph.value(scope, output);
        if (v == nullptr || v->producer < 0 || v->shape != t.shape || v->dtype != t.dtype) continue;
        if (found != nullptr) return nullptr;
        found = &graph.nodes[static_cast<size_t>(v->producer)];
      }
    }
  }
  return found;
}

/// A delegate's call stands at its first node, its outputs are made by others.
AdvicePlace place_of(const PlanTensor& t, const PlanInstruction& by, const GraphNode* inside) {
  AdvicePlace place = {by.op_id.value_or(0), by.file, "", by.node, by.line};
  if (by.kind != "DelegateCall") return place;
  place = {by.op_id.value_or(0), "", "", "", 0, t.producer};
  if (inside != nullptr)
    place.file = inside->file, place.module = inside->module_path, place.node = inside->name, place.line = inside->line;
  return place;
}

/// `inside`: the node of a delegate that makes it; else all that the instruction computes counts.
bool made_of_constants(AdviceContext& c, const std::string& method, int64_t instruction, const GraphNode* inside) {
  for (size_t m = 0; m < c.maps().size(); ++m) {
    if (c.maps()[m].method != method) continue;
    for (const ConstantNode& constant : c.constant_nodes(m)) {
      const GraphNode& n = c.graphs()[m].nodes[constant.node];
      if (inside != nullptr ? &n == inside : n.part < 0 && n.instruction == instruction) return true;
    }
  }
  return false;
}

}  // namespace

void advise_peak_tensor(AdviceContext& c) {
  for (const PlanArena& arena : c.memory().arenas) {
    if (arena.peak < kLeastPeak) continue;
    const std::vector<int32_t> alive = arena.alive_at(arena.peak_at);
    if (alive.empty()) continue;
    const PlanTensor& t = arena.tensors[static_cast<size_t>(alive.front())];
    if (t.role != PlanTensor::Role::Intermediate || t.view_of >= 0 ||
        static_cast<double>(t.bytes) < kOfPeak * static_cast<double>(arena.peak))
      continue;
    // Two of about the same size, as a layer's input and output, are no one's.
    if (alive.size() > 1 && arena.tensors[static_cast<size_t>(alive[1])].bytes > t.bytes / 2) continue;
    int64_t without = 0;
    for (int64_t i = -1; i <= arena.instructions(); ++i)
      without = std::max(without, arena.used_at(i) - (i >= t.first && i <= t.last ? t.bytes : 0));
    const int64_t win = arena.peak - without;
    if (static_cast<double>(win) < kLeastWin * static_cast<double>(arena.peak)) continue;
    Advice a;
    a.id = "peak-tensor";
    a.method = arena.method;
    a.title = "One tensor makes the peak of arena " + std::to_string(arena.memory_id);
    a.facts.push_back({"peak of the arena", static_cast<double>(arena.peak), AdviceFact::Unit::Bytes});
    a.facts.push_back({"of which the tensor", static_cast<double>(t.bytes), AdviceFact::Unit::Bytes});
    a.facts.push_back({"peak without it", static_cast<double>(without), AdviceFact::Unit::Bytes});
    a.text = "the peak of arena " + std::to_string(arena.memory_id) +
             (c.memory().methods.size() > 1 ? " of " + arena.method : "") + " (" + format_bytes(arena.peak) +
             ") is one tensor's: " + t.dtype + " " + t.shape + ", " + format_bytes(t.bytes);
    const GraphNode* const inside = made_inside(c, arena.method, t);
    const std::vector<PlanInstruction>& instructions = c.memory().methods[arena.method_index].instructions;
    if (t.producer >= 0 && static_cast<size_t>(t.producer) < instructions.size()) {
      const PlanInstruction& by = instructions[static_cast<size_t>(t.producer)];
      a.text +=
          ", written by " + (by.what.empty() ? by.kind : by.what) + " (instruction " + std::to_string(t.producer) + ")";
      a.place = place_of(t, by, inside);
    }
    a.text += "; without it the arena would need " + format_bytes(without);
    a.what_to_do =
        made_of_constants(c, arena.method, t.producer, inside)
            ? std::string("It is made of constants alone: have the exporter compute it (") +
                  (inside != nullptr ? "constant_prop_pass(exported_program) before lowering)."
                                     : "to_executorch(ExecutorchBackendConfig(do_quant_fusion_and_const_prop=True))).")
            : "Compute it in parts (chunks of the batch, the sequence or the image), reduce it where it is "
              "made, or use a "
              "smaller dtype.";
    a.most_bytes = win;
    a.assumes = "nothing as large takes its place";
    c.add(std::move(a));
  }
}

}  // namespace et::inspector
