#include "inspector/ingest/payloads/payload_kinds.h"

#include "inspector/ingest/payloads/coreml/coreml_kind.h"
#include "inspector/ingest/payloads/demo/demo_kind.h"
#include "inspector/ingest/payloads/mps/mps_kind.h"
#include "inspector/ingest/payloads/program/program_kind.h"
#include "inspector/ingest/payloads/qnn/qnn_kind.h"
#include "inspector/ingest/payloads/tosa/tosa_kind.h"
#include "inspector/ingest/payloads/vela/vela_kind.h"
#include "inspector/ingest/payloads/vulkan/vulkan_kind.h"
#include "inspector/ingest/payloads/xnnpack/xnnpack_kind.h"
#include "runtime/format/payload.h"

namespace et::inspector {
namespace {

constexpr PayloadKind kPayloadKinds[] = {
    {.name = "xnnpack",
     .backend = "XnnpackBackend",
     .magic = format::is_xnnpack_payload,
     .read = read_xnnpack,
     .link_events = link_xnnpack_events,
     .link_by_graph = link_xnnpack_by_graph,
     .keep_nodes_of_event = keep_nodes_of_xnnpack_event,
     .unmatched_events = unmatched_xnnpack_events,
     .unmatched_by_graph = unmatched_xnnpack_by_graph},
    {.name = "tosa",
     .backend = "TOSABackend",
     .magic = format::is_tosa_payload,
     .read = read_tosa,
     .link_nodes = link_tosa_nodes},
    {.name = "vela", .backend = "EthosUBackend", .magic = format::is_vela_payload, .read = read_vela},
    {.name = "vulkan", .backend = "VulkanBackend", .magic = format::is_vulkan_payload, .read = read_vulkan},
    {.name = "mps", .backend = "MPSBackend", .magic = format::is_mps_payload, .read = read_mps},
    {.name = "coreml",
     .backend = "CoreMLBackend",
     .magic = is_coreml_payload,
     .by_content = false,
     .read = read_coreml},
    {.name = "qnn", .backend = "QnnBackend", .magic = is_qnn_payload, .read = read_qnn},
    {.name = "program",
     .backend = "ExecutorBackend",
     .magic = format::is_program_payload,
     .read = read_nested_program,
     .link_events = link_nested_program,
     .link_by_graph = link_nested_program},
    {.name = "demo_compiler",
     .backend = "BackendWithCompilerDemo",
     .magic = format::is_demo_payload,
     .by_content = false,
     .read = read_demo_compiler},
    {.name = "demo_delegate_mapping",
     .backend = "BackendWithDelegateMappingDemo",
     .magic = format::is_demo_payload,
     .by_content = false,
     .read = read_demo_mapping},
};

}  // namespace

std::span<const PayloadKind> payload_kinds() { return kPayloadKinds; }

const PayloadKind* find_payload_kind(std::span<const PayloadKind> kinds, std::string_view backend,
                                     std::span<const uint8_t> bytes) {
  if (bytes.empty()) return nullptr;
  for (const PayloadKind& k : kinds) {
    if (backend == k.backend) return k.magic(bytes) ? &k : nullptr;
  }
  for (const PayloadKind& k : kinds) {
    if (k.by_content && k.magic(bytes)) return &k;
  }
  return nullptr;
}

}  // namespace et::inspector
