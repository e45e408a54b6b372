// Graphs of the MPS delegate (Metal Performance Shaders).
#pragma once

#include <cstdint>
#include <span>

#include "base/file_error.h"
#include "base/span.h"

namespace et::inspector {

struct DelegateFacts;

FileError read_mps(Span<const uint8_t> bytes, DelegateFacts* out);

}  // namespace et::inspector
