// A program as the payload of another (ExecutorBackend): its instructions are the nodes.
#pragma once

#include <cstdint>
#include <span>

#include "base/file_error.h"

namespace et::inspector {

struct DelegateFacts;

FileError read_nested_program(std::span<const uint8_t> bytes, DelegateFacts* out);

}  // namespace et::inspector
