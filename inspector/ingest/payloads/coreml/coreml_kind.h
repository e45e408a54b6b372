// Core ML models as a folder of files in one buffer: the files, then their index as JSON with its bytes reversed.
#pragma once

#include <cstdint>
#include <span>

#include "base/file_error.h"
#include "base/span.h"

namespace et::inspector {

struct DelegateFacts;

bool is_coreml_payload(Span<const uint8_t> bytes);
FileError read_coreml(Span<const uint8_t> bytes, DelegateFacts* out);

}  // namespace et::inspector
