// Tag: what an EValue holds.
#pragma once

#include <cstddef>

#include "runtime/core/tag.h"

namespace executorch::runtime {
using ::et::Tag;
}  // namespace executorch::runtime
namespace torch::executor {
using ::executorch::runtime::Tag;
}  // namespace torch::executor
namespace executorch::runtime {

inline constexpr size_t kTagNameBufferSize = 19;

/// The name into `buffer`, cut to its size; returns the length of the whole name.
size_t tag_to_string(Tag tag, char* buffer, size_t buffer_size);
/// Null for a number that is no tag.
const char* tag_to_string(Tag tag);

}  // namespace executorch::runtime
