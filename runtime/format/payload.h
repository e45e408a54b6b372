// What a delegate's payload is, told by the backend's id and checked against the first bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace et::format {

enum class PayloadKind : uint8_t {
  Empty,
  Unknown,              // a backend without a reader here, or bytes that are not what the backend writes
  Xnnpack,              // xnnpack_payload.h
  Tosa,                 // tosa_payload.h
  Vela,                 // vela_payload.h
  DemoCompiler,         // demo_payload.h
  DemoDelegateMapping,  // demo_payload.h
  Program,              // program.h: a program inside the program
};
const char* payload_kind_name(PayloadKind kind);

/// By the backend's id where it is known; for other ids by content alone (magic numbers of XNNPACK, TOSA, Vela and
/// programs). Looks at the first bytes only: the reader of the kind checks the rest.
PayloadKind payload_kind(std::string_view backend_id, std::span<const uint8_t> payload);

}  // namespace et::format
