// Where a pixel of a resized image comes from. Conventions of torch: a pixel is an area of one unit; with align_corners
// the centres of the corner pixels stay where they are.
#pragma once

#include <cmath>
#include <cstdint>

#include "runtime/core/boxing.h"
#include "runtime/core/kernel_context.h"
#include "runtime/core/tensor.h"
#include "runtime/kernels/common/variant.h"

namespace et::ET_KERNELS {

/// Source pixels per result pixel. `factor` is the factor that the caller gave for the size, ≤ 0 or None for none.
template <class T>
T pixel_scale(int64_t in, int64_t out, bool align_corners, optional<double> factor) {
  if (align_corners) return out > 1 ? static_cast<T>(in - 1) / static_cast<T>(out - 1) : T{0};
  if (factor.has_value() && *factor > 0) return static_cast<T>(1.0 / *factor);
  return static_cast<T>(in) / static_cast<T>(out);
}

/// The two pixels around result pixel `i`, and the weight of the second.
template <class T>
struct LinearTap {
  int32_t first, second;
  T weight;
};
template <class T>
LinearTap<T> linear_tap(int64_t i, T scale, int64_t in, int64_t out, bool align_corners) {
  if (in == out) return {static_cast<int32_t>(i), static_cast<int32_t>(i), T{0}};
  T at = align_corners ? scale * static_cast<T>(i) : scale * (static_cast<T>(i) + T(0.5)) - T(0.5);
  if (!(at > 0)) at = 0;
  const T last = static_cast<T>(in - 1);
  int64_t first = at >= last ? in - 1 : static_cast<int64_t>(at);
  T weight = at - static_cast<T>(first);
  if (weight > 1) weight = 1;
  return {static_cast<int32_t>(first), static_cast<int32_t>(first < in - 1 ? first + 1 : first), weight};
}

/// Sizes of the result from exactly one of output_size and scale_factors. Resizes `out`; fails with a message.
bool resize_image(KernelRuntimeContext& context, const Tensor& in, optional<ArrayRef<int64_t>> output_size,
                  optional<ArrayRef<double>> scale_factors, const Tensor& out, const char* operator_name);

}  // namespace et::ET_KERNELS
