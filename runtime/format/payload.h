// What a delegate's payload is, by its first bytes. The reader of the format checks the rest.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/span.h"

namespace et::format {

inline bool has_magic(Span<const uint8_t> bytes, size_t at, std::string_view magic) {
  return bytes.size() >= at + magic.size() && std::memcmp(bytes.data() + at, magic.data(), magic.size()) == 0;
}

inline bool is_xnnpack_payload(Span<const uint8_t> b) {
  return has_magic(b, 4, "XH00") || has_magic(b, 4, "XN01") || has_magic(b, 4, "XN00");
}
inline bool is_tosa_payload(Span<const uint8_t> b) { return has_magic(b, 4, "TOSA"); }
inline bool is_vela_payload(Span<const uint8_t> b) { return has_magic(b, 0, "vela_bin_stream"); }
inline bool is_vulkan_payload(Span<const uint8_t> b) { return has_magic(b, 4, "VH00") || has_magic(b, 4, "VK00"); }
inline bool is_mps_payload(Span<const uint8_t> b) { return has_magic(b, 4, "MP00"); }
/// A program inside the program.
inline bool is_program_payload(Span<const uint8_t> b) { return has_magic(b, 4, "ET12"); }
/// Both demonstration backends write text that begins with a count.
inline bool is_demo_payload(Span<const uint8_t> b) { return !b.empty() && b[0] >= '0' && b[0] <= '9'; }

}  // namespace et::format
