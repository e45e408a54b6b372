// How many bytes a tensor has, for readers of shapes that nobody has checked.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/scalar_type.h"

namespace et {

/// Ranks that files may have.
inline constexpr size_t kMaxDimensions = 16;

/// Bytes of a tensor of that shape: 0 with a size of 0. Nothing for a negative size, or 2^64 bytes and more.
inline std::optional<uint64_t> tensor_bytes(ScalarType type, std::span<const int32_t> sizes) {
  uint64_t bytes = element_size(type);
  bool empty = false;
  for (const int32_t n : sizes) {
    if (n < 0) return std::nullopt;
    empty = empty || n == 0;
  }
  if (empty) return 0;
  for (const int32_t n : sizes) {
    if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(n), &bytes)) return std::nullopt;
  }
  return bytes;
}

}  // namespace et
