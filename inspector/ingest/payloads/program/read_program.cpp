#include <string>

#include "inspector/ingest/payloads/program/program_kind.h"
#include "inspector/ingest/program_facts.h"
#include "runtime/format/program.h"

namespace et::inspector {

FileError read_nested_program(Span<const uint8_t> bytes, DelegateFacts* out) {
  format::Program program;
  if (const auto e = format::Program::open(bytes, &program); !e.ok()) return e;
  for (uint32_t m = 0; m < program.method_count(); ++m) {
    const format::Method method = program.method(m);
    for (uint32_t i = 0; i < method.instruction_count(); ++i) {
      const format::Instruction in = method.instruction(i);
      PayloadNode node;
      node.type = format::instruction_kind_name(in.kind());
      if (in.kind() == format::InstructionKind::KernelCall) {
        const format::OperatorName op = method.operator_name(static_cast<uint32_t>(in.op_index()));
        node.type = std::string(op.name) + (op.overload.empty() ? "" : "." + std::string(op.overload));
      } else if (in.kind() == format::InstructionKind::DelegateCall) {
        node.label = std::string(method.delegate(static_cast<uint32_t>(in.delegate_index())).id());
      }
      out->nodes.push_back(std::move(node));
    }
  }
  return {};
}

}  // namespace et::inspector
