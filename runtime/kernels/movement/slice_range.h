// start:end:step of a dimension, as Python clamps it.
#pragma once

#include <cstdint>

#include "runtime/core/span.h"
#include "runtime/kernels/common/variant.h"

namespace et::ET_KERNELS {

struct SliceRange {
  int64_t start, length, step;
};

/// `step` > 0; None means from the first or to the last element, negative numbers count from the end.
inline SliceRange slice_range(int64_t size, optional<int64_t> start, optional<int64_t> end, int64_t step) {
  const auto clamp = [size](int64_t at) {
    if (at < 0) at += size;
    return at < 0 ? 0 : at > size ? size : at;
  };
  const int64_t first = clamp(start.value_or(0));
  const int64_t last = clamp(end.value_or(INT64_MAX));
  const int64_t length = last > first ? (last - first - 1) / step + 1 : 0;
  // A step beyond the size is never taken, and must not overflow as an address.
  return {first, length, step > size ? size : step};
}

}  // namespace et::ET_KERNELS
