// Payloads of the two demonstration backends: text, one operator after the other.
#pragma once

#include <cstdint>
#include <span>

#include "base/file_error.h"
#include "base/span.h"

namespace et::inspector {

struct DelegateFacts;

FileError read_demo_compiler(Span<const uint8_t> bytes, DelegateFacts* out);
FileError read_demo_mapping(Span<const uint8_t> bytes, DelegateFacts* out);

}  // namespace et::inspector
