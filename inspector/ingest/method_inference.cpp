#include "inspector/ingest/method_inference.h"

#include <algorithm>
#include <optional>
#include <set>
#include <span>

#include "inspector/ingest/links/link_context.h"
#include "inspector/ingest/payloads/payload_kinds.h"
#include "inspector/match/operator_name.h"
#include "inspector/match/word_list.h"

namespace et::inspector {
namespace {

using format::InstructionKind;

struct ControlName {
  std::string_view name;
  InstructionKind kind;
};
constexpr ControlName kControls[] = {{"JF_CALL", InstructionKind::JumpFalseCall},
                                     {"MOVE_CALL", InstructionKind::MoveCall},
                                     {"FREE_CALL", InstructionKind::FreeCall}};

InstructionKind expected_kind(const Op& op) {
  switch (op.kind) {
    case OpKind::OperatorCall:
    case OpKind::Kernel:
      return InstructionKind::KernelCall;
    case OpKind::DelegateCall:
    case OpKind::DelegateOp:
    case OpKind::Backend:
      return InstructionKind::DelegateCall;
    case OpKind::Control:
      for (const ControlName& c : kControls) {
        if (op.name == c.name) return c.kind;
      }
      return InstructionKind::None;
    case OpKind::Framework:
    case OpKind::Value:
      return InstructionKind::None;
  }
  return InstructionKind::None;
}

/// Operators that write into an argument stand in the graph inside of a node that makes them functional; the kernel
/// that is emitted for one has no handle.
bool is_made_functional(const Op& op, const MethodGraph& graph) {
  const std::string_view base = operator_base(op.name);
  for (const etrecord::Node& node : graph.program->nodes) {
    if (!node.op.starts_with("auto_functionalized")) continue;
    for (const etrecord::Argument& a : node.inputs) {
      if (a.kind != etrecord::ArgumentKind::Operator || a.strings.empty()) continue;
      std::string_view called = a.strings[0];
      if (called.starts_with("torch.ops.")) called.remove_prefix(std::string_view("torch.ops.").size());
      if (same_operator(base, operator_base(called))) return true;
    }
  }
  return false;
}

/// State that a graph changes: for each piece the exporter adds a copy, which is in no graph.
int64_t writes_into_state(const MethodGraph& graph) {
  using etrecord::OutputKind;
  const auto& outputs = graph.program->signature.outputs;
  return std::count_if(outputs.begin(), outputs.end(), [](const etrecord::OutputSpec& o) {
    return o.kind == OutputKind::BufferMutation || o.kind == OutputKind::ParameterMutation ||
           o.kind == OutputKind::UserInputMutation;
  });
}

void contradict(Agreement& a, const Op& op, const std::string& what) {
  ++a.contradictions;
  if (a.first.empty())
    a.first = "event " + op.name + " of instruction " + std::to_string(op.key.instruction) + ", where " + what;
}

bool is_kernel_name(const Op& op) { return op.kind == OpKind::Kernel && is_kernel_event(op.name); }

// Bodies of control flow have no handles: only whether they have such an operator can be told.
void compare_with_bodies(Agreement& a, const Op& op, const MethodGraph& graph) {
  const std::string_view base = operator_base(op.name);
  // What the emitter adds to loops, and writes into mutable buffers, is in no graph.
  if (in_word_list("select_copy|et_copy_index", base) || base.ends_with('_') || !op.name.ends_with("out")) return;
  bool bodies = false;
  for (const etrecord::Node& node : graph.program->nodes) {
    bodies = bodies || node.graph > 0;
    if (same_operator(base, operator_base(node.qualified_op))) {
      ++a.in_bodies;
      return;
    }
  }
  if (!bodies) return;
  ++a.in_bodies;
  ++a.foreign_bodies;
  if (a.first.empty())
    a.first = "event " + op.name + " of instruction " + std::to_string(op.key.instruction) +
              ", where no operator of the ETRecord, control flow included, is that";
}

}  // namespace

Agreement agree_with_program(const Trace& trace, const Block& block, const MethodFacts& method) {
  Agreement a;
  std::set<int32_t> seen;
  bool calls = false;
  for (const int32_t o : block.ops) {
    const Op& op = trace.ops[static_cast<size_t>(o)];
    const InstructionKind expected = expected_kind(op);
    if (!op.in_instruction() || expected == InstructionKind::None) continue;
    ++a.checked;
    calls |= op.kind != OpKind::DelegateOp;
    if (op.key.instruction < 0 || static_cast<size_t>(op.key.instruction) >= method.instructions.size()) {
      contradict(a, op, "the program has " + std::to_string(method.instructions.size()) + " instructions");
      continue;
    }
    seen.insert(op.key.instruction);
    const InstructionFacts& in = method.instructions[static_cast<size_t>(op.key.instruction)];
    if (in.kind != expected) {
      contradict(a, op, std::string("the program has a ") + format::instruction_kind_name(in.kind));
    } else if (is_kernel_name(op) && !same_operator(operator_base(op.name), operator_base(in.op))) {
      contradict(a, op, "the program calls " + in.op);
    }
  }
  if (block.complete && calls && !method.jumps)
    a.missing = static_cast<int64_t>(method.instructions.size() - seen.size());
  return a;
}

Agreement agree_with_record(const Trace& trace, const Block& block, const RecordImport& record,
                            const std::string& method) {
  Agreement a;
  const MethodGraph* graph = record.graph(method);
  std::set<int64_t> seen;
  bool jumps = false, calls = false;
  int64_t kernels = 0, kernel_calls = 0, writes = graph == nullptr ? 0 : writes_into_state(*graph);
  const auto& map = record.record().debug_handle_map();
  const auto mapped = map.find(method);
  const bool straight = std::none_of(block.ops.begin(), block.ops.end(), [&](int32_t o) {
    return trace.ops[static_cast<size_t>(o)].kind == OpKind::Control;
  });
  for (const int32_t o : block.ops) {
    const Op& op = trace.ops[static_cast<size_t>(o)];
    if (!op.in_instruction()) continue;
    seen.insert(op.key.instruction);
    jumps |= op.kind == OpKind::Control && op.name == "JF_CALL";
    calls |= op.kind == OpKind::OperatorCall || op.kind == OpKind::DelegateCall;
    const bool delegated = record.delegate(method, op.key.instruction) != nullptr;
    if (op.kind == OpKind::DelegateCall) {
      ++a.checked;
      if (!delegated && record.record().has_delegate_map()) contradict(a, op, "the ETRecord has no delegate");
    } else if (op.kind == OpKind::OperatorCall) {
      ++kernel_calls;
      if (delegated) ++a.checked, contradict(a, op, "the ETRecord has a delegate");
    } else if (is_kernel_name(op) && graph != nullptr) {
      const std::vector<int64_t>* handles = record.handles(method, op.key.instruction);
      const bool in_place = operator_base(op.name).ends_with('_');
      if (handles == nullptr && (is_made_functional(op, *graph) || (in_place && writes-- > 0))) {
        ++a.checked;
        continue;
      }
      if (handles == nullptr) {
        ++a.unknown;
        compare_with_bodies(a, op, *graph);
        // Bodies of control flow have no handles, nor have copies into mutable buffers.
        if (!straight || in_place || mapped == map.end() || mapped->second.empty()) continue;
        ++a.checked;
        contradict(a, op, "the ETRecord has nothing");
        continue;
      }
      ++a.checked;
      ++kernels;
      bool found = false, any = false;
      std::string first;
      for (const int64_t h : *handles) {
        for (const int32_t n : graph->walk->nodes_of_handle(h)) {
          if (!any) first = graph->node(n).op;
          any = true;
          found |= same_operator(operator_base(op.name), operator_base(graph->node(n).qualified_op));
        }
      }
      if (any && !found) contradict(a, op, "the ETRecord has " + first);
    }
  }
  if (block.complete && calls && !jumps) {
    if (mapped != map.end()) {
      for (const auto& [instruction, handles] : mapped->second) a.missing += seen.contains(instruction) ? 0 : 1;
      if (a.missing * 2 > static_cast<int64_t>(mapped->second.size())) {
        a.checked += a.missing;
        a.contradictions += a.missing;
        if (a.first.empty())
          a.first = std::to_string(a.missing) + " of its " + std::to_string(mapped->second.size()) +
                    " instructions did not run";
      }
    }
  }
  // That a kernel is called where a record has no delegate says little: only where names say nothing.
  if (kernels == 0) a.checked += kernel_calls;
  return a;
}

namespace {

/// Events that say themselves which nodes they ran, by number and handle: those that this payload does not have.
/// Nothing when not all events say it.
std::optional<int64_t> misfits_of_recorded(const Trace& trace, const DelegateFacts& delegate,
                                           const std::vector<int32_t>& events) {
  int64_t misfits = 0;
  for (const int32_t o : events) {
    const Op& op = trace.ops[static_cast<size_t>(o)];
    if (!op.recorded) return std::nullopt;
    const bool fits = std::all_of(op.recorded_nodes.begin(), op.recorded_nodes.end(), [&](const auto& n) {
      const int64_t handle = n.debug_handle == format::kNoDebugHandle ? -1 : int64_t{n.debug_handle};
      return n.index < delegate.nodes.size() && delegate.nodes[n.index].debug_handle == handle;
    });
    misfits += fits ? 0 : 1;
  }
  return misfits;
}

}  // namespace

int64_t unmatched_payload_events(const Trace& trace, const Block& block, const MethodFacts& method) {
  int64_t rest = 0;
  for (const auto& [instruction, events] : delegate_events(trace, block)) {
    if (static_cast<size_t>(instruction) >= method.instructions.size()) {
      rest += static_cast<int64_t>(events.size());
      continue;
    }
    const int32_t d = method.instructions[static_cast<size_t>(instruction)].delegate;
    if (d < 0) continue;
    const DelegateFacts& delegate = method.delegates[static_cast<size_t>(d)];
    if (delegate.kind == nullptr || delegate.kind->unmatched_events == nullptr) continue;
    const std::optional<int64_t> recorded = misfits_of_recorded(trace, delegate, events);
    rest += recorded ? *recorded : delegate.kind->unmatched_events(delegate, event_names(trace, events));
  }
  return rest;
}

namespace {

/// The same of the handles of a call: events that name a handle that it does not have.
std::optional<int64_t> strangers_of_recorded(const std::vector<int64_t>& handles,
                                             const std::vector<const Op*>& events) {
  int64_t strangers = 0;
  for (const Op* op : events) {
    if (!op->recorded) return std::nullopt;
    const bool known = std::all_of(op->recorded_nodes.begin(), op->recorded_nodes.end(), [&](const auto& n) {
      return n.debug_handle == format::kNoDebugHandle ||
             std::find(handles.begin(), handles.end(), int64_t{n.debug_handle}) != handles.end();
    });
    strangers += known ? 0 : 1;
  }
  return strangers;
}

}  // namespace

int64_t unmatched_graph_events(const Trace& trace, const Block& block, const RecordImport& record,
                               const std::string& method, std::span<const PayloadKind> kinds) {
  const MethodGraph* graph = record.graph(method);
  int64_t rest = 0;
  for (const auto& [instruction, ops] : delegate_events(trace, block)) {
    const etrecord::DelegateEntry* entry = record.delegate(method, instruction);
    const std::vector<int64_t>* handles = record.handles(method, instruction);
    if (graph == nullptr || entry == nullptr || handles == nullptr) {
      rest += static_cast<int64_t>(ops.size());
      continue;
    }
    std::vector<const Op*> events;
    for (const int32_t o : ops) events.push_back(&trace.ops[static_cast<size_t>(o)]);
    for (const PayloadKind& kind : kinds) {
      if (entry->name != kind.backend || kind.unmatched_by_graph == nullptr) continue;
      const std::optional<int64_t> strangers = strangers_of_recorded(*handles, events);
      rest += strangers ? *strangers : kind.unmatched_by_graph(*graph, *handles, events);
    }
  }
  return rest;
}

void infer_method(const Trace& trace, Block& block, const RecordImport& record, const ProgramImport& program,
                  const std::string& given) {
  if (!block.trailer_method.empty()) {
    block.method = block.trailer_method;
    block.method_via = "trailer";
    block.method_confidence = 1;
    return;
  }
  std::vector<std::string> candidates;
  if (program.loaded()) {
    for (const MethodFacts& m : program.methods()) candidates.push_back(m.name);
  } else {
    candidates = record.methods();
  }
  auto settle = [&](const std::string& method, const char* via, double confidence) {
    block.method = method;
    block.method_via = via;
    block.method_confidence = confidence;
  };
  if (std::find(candidates.begin(), candidates.end(), given) != candidates.end()) return settle(given, "given", 1);
  if (candidates.size() == 1) {
    settle(candidates[0], "only_method", 1);
    return;
  }
  if (block.kind != "execute") return;  // loading looks the same for every method
  auto fits = [&](const Agreement& a) { return a.possible() && a.contradictions == 0 && a.missing == 0; };
  std::vector<std::string> left;
  for (const std::string& name : candidates) {
    const MethodFacts* facts = program.method(name);
    if (facts != nullptr && facts->instructions.empty()) continue;  // constant methods execute nothing
    if (facts != nullptr && !fits(agree_with_program(trace, block, *facts))) continue;
    left.push_back(name);
  }
  if (left.size() == 1) return settle(left[0], program.loaded() ? "program" : "record", 0.95);
  if (record.loaded()) {
    std::vector<std::string> by_record;
    for (const std::string& name : left) {
      if (fits(agree_with_record(trace, block, record, name))) by_record.push_back(name);
    }
    if (by_record.size() == 1) return settle(by_record[0], "record", 0.9);
    if (!by_record.empty()) left = by_record;
  }
  std::vector<std::string> by_payload;
  for (const std::string& name : left) {
    const MethodFacts* facts = program.method(name);
    if (facts != nullptr && unmatched_payload_events(trace, block, *facts) == 0) by_payload.push_back(name);
  }
  if (by_payload.size() == 1) return settle(by_payload[0], "payload", 0.9);
  if (program.loaded()) return;
  std::vector<std::string> by_graph;
  for (const std::string& name : left) {
    if (unmatched_graph_events(trace, block, record, name, payload_kinds()) == 0) by_graph.push_back(name);
  }
  if (by_graph.size() == 1) settle(by_graph[0], "graph", 0.9);
}

}  // namespace et::inspector
