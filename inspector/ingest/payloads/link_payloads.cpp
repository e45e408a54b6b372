#include "inspector/ingest/payloads/link_payloads.h"

#include "inspector/ingest/payloads/payload_kinds.h"

namespace et::inspector {

void link_payloads(ProgramImport& program, const RecordImport& record) {
  if (!record.loaded()) return;
  for (MethodFacts& method : program.methods()) {
    const MethodGraph* graph = record.graph(method.name);
    if (graph == nullptr) continue;
    for (size_t i = 0; i < method.instructions.size(); ++i) {
      const int32_t d = method.instructions[i].delegate;
      if (d < 0) continue;
      DelegateFacts& delegate = method.delegates[static_cast<size_t>(d)];
      if (delegate.kind == nullptr || delegate.kind->link_nodes == nullptr || !delegate.readable) continue;
      const auto instruction = static_cast<int64_t>(i);
      const std::vector<int64_t>* handles = record.handles(method.name, instruction);
      const etrecord::DelegateEntry* entry = record.delegate(method.name, instruction);
      const bool same = entry != nullptr && entry->name == delegate.backend;  // else an ETRecord of another program
      if (handles != nullptr && same) delegate.kind->link_nodes(*graph, *handles, &delegate);
    }
  }
}

}  // namespace et::inspector
