// Do ETRecord and program belong to a block, and which backend does each of its delegate events come from?
#include "inspector/ingest/links/linker.h"
#include "inspector/ingest/method_inference.h"

namespace et::inspector {
namespace {

void check_files(LinkContext& context, const Trace& trace, const Block& block) {
  if (block.kind == "execute" && !block.method.empty()) {
    if (const MethodFacts* facts = context.program.method(block.method); facts != nullptr) {
      const Agreement a = agree_with_program(trace, block, *facts);
      if (!a.possible()) {
        context.program_mismatch.insert(block.ordinal);
        context.import.diagnostics.add("program-mismatch", context.import.inputs.program + ": " + a.first);
      }
    } else if (context.program.loaded()) {
      context.program_mismatch.insert(block.ordinal);
      context.import.diagnostics.add("program-mismatch",
                                     context.import.inputs.program + ": has no method " + block.method);
    }
    if (context.record.loaded()) {
      const Agreement a = agree_with_record(trace, block, context.record, block.method);
      if (!a.possible()) {
        context.record_mismatch.insert(block.ordinal);
        context.import.diagnostics.add("record-mismatch", context.import.inputs.record + ": " + a.first);
      }
    }
  } else if (block.kind == "execute" && (context.record.loaded() || context.program.loaded())) {
    context.import.diagnostics.add("method-unknown", context.import.inputs.dump + ": block " +
                                                         std::to_string(block.ordinal) + " (" + block.name +
                                                         ") fits none or several of the methods");
  }
  context.mismatch |=
      context.record_mismatch.contains(block.ordinal) || context.program_mismatch.contains(block.ordinal);
}

}  // namespace

void identify(LinkContext& context, Trace& trace, const Block& block) {
  check_files(context, trace, block);
  for (const int32_t o : block.ops) {
    Op& op = trace.ops[static_cast<size_t>(o)];
    if (op.kind != OpKind::DelegateOp && op.kind != OpKind::DelegateCall && op.kind != OpKind::Backend) continue;
    if (op.key.chain < 0 || block.method.empty()) continue;
    const MethodFacts* facts = context.program_usable(block) ? context.program.method(block.method) : nullptr;
    if (facts != nullptr && static_cast<size_t>(op.key.instruction) < facts->instructions.size()) {
      op.delegate = facts->instructions[static_cast<size_t>(op.key.instruction)].delegate;
      if (op.delegate >= 0) op.backend = facts->delegates[static_cast<size_t>(op.delegate)].backend;
    }
    if (!context.record_usable(block)) continue;
    if (const auto* entry = context.record.delegate(block.method, op.key.instruction); entry != nullptr)
      op.backend = entry->name;
    op.outputs = context.record.num_outputs(block.method, op.key.instruction);
  }
}

}  // namespace et::inspector
