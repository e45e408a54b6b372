// Compute graphs of the Vulkan delegate.
#pragma once

#include <cstdint>
#include <span>

#include "base/file_error.h"
#include "base/span.h"

namespace et::inspector {

struct DelegateFacts;

FileError read_vulkan(Span<const uint8_t> bytes, DelegateFacts* out);

}  // namespace et::inspector
