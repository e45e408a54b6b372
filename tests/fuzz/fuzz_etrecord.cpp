// Any bytes as an ETRecord: zip, programs, maps, then every tensor in it.
#include <cstddef>
#include <cstdint>

#include "etrecord/graph_walk.h"
#include "etrecord/inline_delegates.h"
#include "etrecord/record.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace et::etrecord;
  RecordLimits limits;
  limits.zip.max_inflated_member = limits.zip.max_inflated_total = 8 << 20;
  Record record;
  if (!Record::open({data, size}, "fuzz", limits, &record).ok()) return 0;
  for (const Program& p : record.programs()) {
    if (const auto whole = inline_delegates(record.programs(), p)) (void)GraphWalk(*whole);
    const GraphWalk walk(p);
    for (size_t i = 0; i < p.nodes.size(); ++i) {
      (void)walk.producers_of(static_cast<int32_t>(i));
      (void)walk.consumers_of(static_cast<int32_t>(i));
      (void)getitem_users(p.nodes[i]);
      for (const Argument& a : p.nodes[i].inputs) (void)a.text();
    }
    if (record.exported_program() != nullptr) (void)propagate_handles(p, *record.exported_program(), 1);
  }
  for (const auto& method : record.methods()) (void)record.edge_program(method);
  for (const auto& m : record.zip().members()) {
    TorchArchive archive;
    (void)record.tensors(m.name, &archive);
  }
  return 0;
}
