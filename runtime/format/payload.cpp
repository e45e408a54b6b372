// Recognises payloads. A new reader adds its kind to payload.h and a line to the table below.
#include "runtime/format/payload.h"

#include <cstring>

namespace et::format {

namespace {

bool has(std::span<const uint8_t> bytes, size_t at, std::string_view magic) {
  return bytes.size() >= at + magic.size() && std::memcmp(bytes.data() + at, magic.data(), magic.size()) == 0;
}

bool is_xnnpack(std::span<const uint8_t> b) { return has(b, 4, "XH00") || has(b, 4, "XN01") || has(b, 4, "XN00"); }
bool is_tosa(std::span<const uint8_t> b) { return has(b, 4, "TOSA"); }
bool is_vela(std::span<const uint8_t> b) { return has(b, 0, "vela_bin_stream"); }
bool is_program(std::span<const uint8_t> b) { return has(b, 4, "ET12"); }
bool is_text(std::span<const uint8_t> b) { return b[0] >= '0' && b[0] <= '9'; }

struct Known {
  const char* backend;
  PayloadKind kind;
  bool (*matches)(std::span<const uint8_t>);  // called with at least one byte
  bool by_content;                            // the content alone tells the kind
};

constexpr Known kKnown[] = {
    {"XnnpackBackend", PayloadKind::Xnnpack, is_xnnpack, true},
    {"TOSABackend", PayloadKind::Tosa, is_tosa, true},
    {"EthosUBackend", PayloadKind::Vela, is_vela, true},
    {"ExecutorBackend", PayloadKind::Program, is_program, true},
    {"BackendWithCompilerDemo", PayloadKind::DemoCompiler, is_text, false},
    {"BackendWithDelegateMappingDemo", PayloadKind::DemoDelegateMapping, is_text, false},
};

}  // namespace

const char* payload_kind_name(PayloadKind kind) {
  switch (kind) {
    case PayloadKind::Empty:
      return "empty";
    case PayloadKind::Unknown:
      return "unknown";
    case PayloadKind::Xnnpack:
      return "xnnpack";
    case PayloadKind::Tosa:
      return "tosa";
    case PayloadKind::Vela:
      return "vela";
    case PayloadKind::DemoCompiler:
      return "demo_compiler";
    case PayloadKind::DemoDelegateMapping:
      return "demo_delegate_mapping";
    case PayloadKind::Program:
      return "program";
  }
  return "unknown";
}

PayloadKind payload_kind(std::string_view backend_id, std::span<const uint8_t> payload) {
  if (payload.empty()) return PayloadKind::Empty;
  for (const Known& k : kKnown) {
    if (backend_id == k.backend) return k.matches(payload) ? k.kind : PayloadKind::Unknown;
  }
  for (const Known& k : kKnown) {
    if (k.by_content && k.matches(payload)) return k.kind;
  }
  return PayloadKind::Unknown;
}

}  // namespace et::format
