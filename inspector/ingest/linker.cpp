// The linker's order of work, its checks, kernels and delegate calls. XNNPACK's events are in link_xnnpack.cpp.
#include "inspector/ingest/linker.h"

#include <algorithm>
#include <memory>

#include "inspector/ingest/linker_index.h"
#include "inspector/ingest/method_inference.h"
#include "inspector/match/operator_name.h"
#include "inspector/ingest/payloads/xnnpack/alignment.h"

namespace et::inspector {

// Fewer than this part of the comparable events may contradict a file that belongs to the trace: lowering renames a few
// kernels, a damaged dump has a few wrong numbers.
static bool belongs(const Agreement& a) { return a.possible(); }

void Linker::identify(Trace& trace, Block& block) {
  if (block.kind == "execute" && !block.method.empty()) {
    if (const MethodFacts* facts = program_.method(block.method); facts != nullptr) {
      const Agreement a = agree_with_program(trace, block, *facts);
      if (!belongs(a)) {
        program_mismatch_[block.ordinal] = true;
        context_.diagnostics.add("program-mismatch", context_.inputs.program + ": " + a.first);
      }
    } else if (program_.loaded()) {
      program_mismatch_[block.ordinal] = true;
      context_.diagnostics.add("program-mismatch", context_.inputs.program + ": has no method " + block.method);
    }
    if (record_.loaded()) {
      const Agreement a = agree_with_record(trace, block, record_, block.method);
      if (!belongs(a)) {
        record_mismatch_[block.ordinal] = true;
        context_.diagnostics.add("record-mismatch", context_.inputs.record + ": " + a.first);
      }
    }
  } else if (block.kind == "execute" && (record_.loaded() || program_.loaded())) {
    context_.diagnostics.add("method-unknown", context_.inputs.dump + ": block " + std::to_string(block.ordinal) +
                                                   " (" + block.name + ") fits none or several of the methods");
  }
  mismatch_ |= record_mismatch_[block.ordinal] || program_mismatch_[block.ordinal];
  for (const int32_t o : block.ops) {
    Op& op = trace.ops[static_cast<size_t>(o)];
    if (op.kind != OpKind::DelegateOp && op.kind != OpKind::DelegateCall && op.kind != OpKind::Backend) continue;
    if (op.key.chain < 0 || block.method.empty()) continue;
    const MethodFacts* facts = program_usable(block) ? program_.method(block.method) : nullptr;
    if (facts != nullptr && static_cast<size_t>(op.key.instruction) < facts->instructions.size()) {
      op.delegate = facts->instructions[static_cast<size_t>(op.key.instruction)].delegate;
      if (op.delegate >= 0) op.backend = facts->delegates[static_cast<size_t>(op.delegate)].backend;
    }
    if (!record_usable(block)) continue;
    if (const auto* entry = record_.delegate(block.method, op.key.instruction); entry != nullptr)
      op.backend = entry->name;
    op.outputs = record_.num_outputs(block.method, op.key.instruction);
  }
}

bool Linker::record_usable(const Block& block) const {
  const auto it = record_mismatch_.find(block.ordinal);
  return record_.loaded() && (it == record_mismatch_.end() || !it->second);
}

bool Linker::program_usable(const Block& block) const {
  const auto it = program_mismatch_.find(block.ordinal);
  return program_.loaded() && !program_foreign_ && (it == program_mismatch_.end() || !it->second);
}

const Linker::MethodIndex& Linker::index_of(const std::string& method) {
  auto& slot = indexes_[method];
  if (slot != nullptr) return *slot;
  slot = std::make_shared<MethodIndex>();
  MethodIndex& index = *slot;
  index.method = method;
  index.graph = record_.graph(method);
  index.record = &record_;
  const MethodFacts* facts = program_.method(method);
  for (size_t i = 0; facts != nullptr && i < facts->instructions.size(); ++i) {
    if (!facts->instructions[i].op.empty()) {
      index.kernel_of_instruction[static_cast<int64_t>(i)] = std::string(operator_base(facts->instructions[i].op));
    }
  }
  if (const auto m = record_.record().debug_handle_map().find(method); m != record_.record().debug_handle_map().end()) {
    for (const auto& [instruction, handles] : m->second) {
      index.mapped_handles.insert(handles.begin(), handles.end());
      if (record_.delegate(method, instruction) != nullptr) continue;
      for (const int64_t h : handles) index.instructions_of_handle[h].push_back(instruction);
    }
  }
  return index;
}

void Linker::link(Trace& trace) {
  for (Block& block : trace.blocks) link_block(trace, block);
  assign_weights(trace);
}

void Linker::link_block(Trace& trace, Block& block) {
  if (block.method.empty() || !record_usable(block)) {
    MethodIndex none;
    say_why_unlinked(trace, block, none);
    // Payload nodes are worth knowing even when no graph is.
    MethodFacts* facts = block.method.empty() || !program_usable(block) ? nullptr : program_.method(block.method);
    if (facts != nullptr) {
      link_xnnpack(trace, block, none, *facts);
      link_recorded(trace, block, none, facts);
    }
    return;
  }
  MethodIndex& index = const_cast<MethodIndex&>(index_of(block.method));
  // Without a program the kernels' names come from the events.
  for (const int32_t o : block.ops) {
    const Op& op = trace.ops[static_cast<size_t>(o)];
    if (op.kind == OpKind::Kernel && op.in_instruction()) {
      index.kernel_of_instruction.try_emplace(op.key.instruction, std::string(operator_base(op.name)));
    }
  }
  if (index.graph != nullptr) {
    link_kernels(trace, block, index);
    link_delegate_calls(trace, block, index);
    link_delegate_map(trace, block, index);
    MethodFacts* facts = program_usable(block) ? program_.method(block.method) : nullptr;
    if (facts != nullptr) {
      link_xnnpack(trace, block, index, *facts);
    } else {
      link_xnnpack_by_graph(trace, block, index);
    }
    link_recorded(trace, block, index, facts);
    link_control_flow(trace, block, index);
  }
  for (const int32_t o : block.ops) {
    Op& op = trace.ops[static_cast<size_t>(o)];
    std::stable_sort(op.links.begin(), op.links.end(),
                     [](const Link& a, const Link& b) { return a.confidence > b.confidence; });
  }
  say_why_unlinked(trace, block, index);
}

void Linker::link_kernels(Trace& trace, const Block& block, const MethodIndex& index) {
  for (const int32_t o : block.ops) {
    Op& op = trace.ops[static_cast<size_t>(o)];
    const bool of_kernel = op.kind == OpKind::Kernel || op.kind == OpKind::OperatorCall;
    const bool value = op.kind == OpKind::Value && !op.key.delegated();
    if ((!of_kernel && !value) || op.key.chain < 0) continue;
    const std::vector<int64_t>* handles = record_.handles(block.method, op.key.instruction);
    if (handles == nullptr) continue;
    op.handles = *handles;
    op.has_handles = true;
    const auto kernel = index.kernel_of_instruction.find(op.key.instruction);
    for (const int64_t h : *handles) {
      const std::vector<int32_t>& nodes = index.nodes(h);
      for (const int32_t n : nodes) op.op_types.push_back(index.graph->node(n).op);
      if (nodes.size() == 1) {
        add_link(op, nodes[0], Via::Instruction, 1.0);
        continue;
      }
      // Several nodes stem from one operator of the model. The kernel's name tells which one ran, and of several with
      // that name the order does: instructions are emitted in the graph's order.
      auto same = [&](int32_t n) {
        return kernel != index.kernel_of_instruction.end() &&
               same_operator(kernel->second, operator_base(index.graph->node(n).qualified_op));
      };
      std::vector<int32_t> alike;
      std::copy_if(nodes.begin(), nodes.end(), std::back_inserter(alike), same);
      std::vector<int64_t> rivals;
      if (const auto it = index.instructions_of_handle.find(h); it != index.instructions_of_handle.end()) {
        for (const int64_t i : it->second) {
          const auto k = index.kernel_of_instruction.find(i);
          if (k != index.kernel_of_instruction.end() && kernel != index.kernel_of_instruction.end() &&
              same_operator(k->second, kernel->second)) {
            rivals.push_back(i);
          }
        }
      }
      const auto rank =
          static_cast<size_t>(std::find(rivals.begin(), rivals.end(), op.key.instruction) - rivals.begin());
      const bool exact = alike.size() == 1 || (!alike.empty() && alike.size() == rivals.size());
      for (const int32_t n : nodes) {
        double confidence = alike.empty() ? 0.5 : 0.2;
        if (same(n)) {
          confidence = 0.5;
          if (exact) confidence = alike.size() == 1 || alike[rank] == n ? 1.0 : 0.2;
        }
        add_link(op, n, Via::Instruction, confidence);
      }
    }
  }
}

void Linker::link_delegate_calls(Trace& trace, const Block& block, const MethodIndex& index) {
  for (const int32_t o : block.ops) {
    Op& op = trace.ops[static_cast<size_t>(o)];
    const bool call = op.kind == OpKind::DelegateCall || (op.kind == OpKind::Backend && op.key.chain >= 0);
    if (!call) continue;
    const std::vector<int64_t>* handles = record_.handles(block.method, op.key.instruction);
    if (handles == nullptr) continue;
    op.handles = *handles;
    op.has_handles = true;
    for (const int64_t h : *handles) {
      const std::vector<int32_t>& nodes = index.nodes(h);
      const auto repeats = static_cast<size_t>(std::count(handles->begin(), handles->end(), h));
      // A handle stands once for each delegated node: fewer than there are nodes means that some ran elsewhere.
      const double confidence = repeats >= nodes.size() ? 1.0 : 0.5;
      for (const int32_t n : nodes) {
        op.op_types.push_back(index.graph->node(n).op);
        add_link(op, n, Via::Instruction, confidence);
      }
    }
  }
}

void Linker::link_delegate_map(Trace& trace, const Block& block, const MethodIndex& index) {
  for (const int32_t o : block.ops) {
    Op& op = trace.ops[static_cast<size_t>(o)];
    const bool delegated = op.kind == OpKind::DelegateOp || (op.kind == OpKind::Value && op.key.delegated());
    if (!delegated || op.key.chain < 0) continue;
    const etrecord::DelegateEntry* entry = record_.delegate(block.method, op.key.instruction);
    if (entry == nullptr) continue;
    const auto it =
        std::find_if(entry->map.begin(), entry->map.end(), [&](const auto& m) { return m.first == op.name; });
    if (it == entry->map.end()) continue;
    op.handles = it->second;
    op.has_handles = true;
    for (const int64_t h : it->second) {
      for (const int32_t n : index.nodes(h)) {
        op.op_types.push_back(index.graph->node(n).op);
        add_link(op, n, Via::DelegateMap, 1.0);
      }
    }
  }
}

// Bodies of control flow: the exporter throws away the handle maps of sub-emitters. Their kernels stand in the program
// in the order of the graph's bodies, so what is left on both sides is matched by name and order.
void Linker::link_control_flow(Trace& trace, const Block& block, const MethodIndex& index) {
  std::vector<int32_t> kernels;
  for (const int32_t o : block.ops) {
    const Op& op = trace.ops[static_cast<size_t>(o)];
    if (op.kind == OpKind::Kernel && op.key.chain >= 0 && op.links.empty() && !op.has_handles) kernels.push_back(o);
  }
  std::stable_sort(kernels.begin(), kernels.end(), [&](int32_t a, int32_t b) {
    return trace.ops[static_cast<size_t>(a)].key.instruction < trace.ops[static_cast<size_t>(b)].key.instruction;
  });
  std::vector<int32_t> nodes;
  for (size_t n = 0; n < index.graph->program->nodes.size(); ++n) {
    const etrecord::Node& node = index.graph->program->nodes[n];
    if (node.graph > 0 && !(node.debug_handle && index.mapped_handles.contains(*node.debug_handle))) {
      nodes.push_back(static_cast<int32_t>(n));
    }
  }
  if (kernels.empty() || nodes.empty()) return;
  const Alignment match = align(kernels.size(), nodes.size(), [&](size_t k, size_t n) {
    return same_operator(operator_base(trace.ops[static_cast<size_t>(kernels[k])].name),
                         operator_base(index.graph->node(nodes[n]).qualified_op));
  });
  for (size_t k = 0; k < kernels.size(); ++k) {
    if (match.of_a[k] < 0) continue;
    Op& op = trace.ops[static_cast<size_t>(kernels[k])];
    const double confidence = match.ambiguous[k] ? 0.5 : 0.8;
    add_link(op, nodes[static_cast<size_t>(match.of_a[k])], Via::Inferred, confidence);
    if (op.parent >= 0 && trace.ops[static_cast<size_t>(op.parent)].kind == OpKind::OperatorCall) {
      add_link(trace.ops[static_cast<size_t>(op.parent)], nodes[static_cast<size_t>(match.of_a[k])], Via::Inferred,
               confidence);
    }
  }
}

void Linker::say_why_unlinked(Trace& trace, const Block& block, const MethodIndex& index) {
  for (const int32_t o : block.ops) {
    Op& op = trace.ops[static_cast<size_t>(o)];
    if (op.kind == OpKind::Framework || op.kind == OpKind::Control || !op.links.empty() || op.key.chain < 0) continue;
    if (op.role == "layout") {
      op.unlinked_reason = "layout operator that the lowering inserted: it has no source";
    } else if (!record_.loaded()) {
      op.unlinked_reason = "no record was given";
    } else if (!record_usable(block)) {
      op.unlinked_reason = "the record is of another program";
    } else if (block.method.empty()) {
      op.unlinked_reason = "the method of the block is unknown";
    } else if (index.graph == nullptr) {
      op.unlinked_reason = "the record has no graph of method " + block.method;
    } else if (op.kind == OpKind::DelegateOp) {
      const etrecord::DelegateEntry* entry = record_.delegate(block.method, op.key.instruction);
      op.unlinked_reason = entry == nullptr     ? "the record has no delegate for this instruction"
                           : !entry->has_map    ? "the backend gave no delegate map"
                           : entry->map.empty() ? "the backend's delegate map is empty, and no payload node fits"
                                                : "the delegate map has no entry " + op.name;
    } else if (op.kind == OpKind::OperatorCall && !op.has_children) {
      op.unlinked_reason = "primitive operator: the record has no node for it";
    } else if (op.has_handles) {
      op.unlinked_reason = "the graph has no node with its debug handle";
    } else {
      op.unlinked_reason =
          "the record has no debug handle for this instruction (control flow body or write-back of a buffer)";
    }
  }
}

void assign_weights(Trace& trace) {
  for (Op& op : trace.ops) {
    if (op.links.empty()) continue;
    // An enclosing call's own time is overhead, not the work of its nodes; a kernel's frame belongs to the kernel.
    const bool overhead = op.kind == OpKind::DelegateCall && op.has_children;
    double best = 0;
    for (const Link& l : op.links) best = std::max(best, l.confidence);
    double count = 0;
    for (const Link& l : op.links) count += l.confidence == best ? 1 : 0;
    for (Link& l : op.links) l.weight = !overhead && l.confidence == best ? 1 / count : 0;
  }
}

}  // namespace et::inspector
