// FreeableBuffer: bytes with the way to give them back.
#pragma once

#include "runtime/core/freeable_buffer.h"

namespace executorch::runtime {
using ::et::FreeableBuffer;
}  // namespace executorch::runtime
namespace torch::executor {
using ::executorch::runtime::FreeableBuffer;
}  // namespace torch::executor
