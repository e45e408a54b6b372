#include "inspector/ingest/payloads/demo/demo_kind.h"
#include "inspector/ingest/program_facts.h"
#include "runtime/format/demo_payload.h"

namespace et::inspector {
namespace {

FileError read_demo_payload(format::DemoPayload::Dialect dialect, Span<const uint8_t> bytes, DelegateFacts* out) {
  format::DemoPayload payload;
  if (const auto e = format::DemoPayload::open(dialect, bytes, &payload); !e.ok()) return e;
  for (const format::DemoOp& op : payload) {
    PayloadNode node;
    node.type = std::string(op.name);
    node.debug_handle = op.debug_handle;
    if (op.identifier >= 0) node.label = "identifier " + std::to_string(op.identifier);
    out->nodes.push_back(std::move(node));
  }
  return {};
}

}  // namespace

FileError read_demo_compiler(Span<const uint8_t> bytes, DelegateFacts* out) {
  return read_demo_payload(format::DemoPayload::Dialect::Compiler, bytes, out);
}

FileError read_demo_mapping(Span<const uint8_t> bytes, DelegateFacts* out) {
  return read_demo_payload(format::DemoPayload::Dialect::DelegateMapping, bytes, out);
}

}  // namespace et::inspector
