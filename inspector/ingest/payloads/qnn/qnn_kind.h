// Context binaries of Qualcomm's QNN behind the header of the delegate. The binary itself has no public schema.
#pragma once

#include <cstdint>
#include <span>

#include "base/file_error.h"
#include "base/span.h"

namespace et::inspector {

struct DelegateFacts;

bool is_qnn_payload(Span<const uint8_t> bytes);
FileError read_qnn(Span<const uint8_t> bytes, DelegateFacts* out);

}  // namespace et::inspector
