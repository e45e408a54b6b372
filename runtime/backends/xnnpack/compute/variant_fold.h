// Folding runs of floats into one number. Included by variant_*.cpp only.
#pragma once

#include <cstdint>
#include <utility>

#include "runtime/kernels/matrix/tile.h"

namespace et::xnn::ET_XNN_VARIANT {
namespace {

using V = et::ET_KERNELS::VectorOf<float>;
constexpr int64_t kLanes = V::kLanes;

/// The elements of a vector into one number, halves upon each other: `f` takes vectors.
template <int kHalf, class F, int... I>
[[gnu::always_inline]] inline V::Type fold_halves(V::Type x, const F& f, std::integer_sequence<int, I...> lanes) {
  x = f(x, __builtin_shufflevector(x, x, (I ^ kHalf)...));
  if constexpr (kHalf > 1) {
    return fold_halves<kHalf / 2>(x, f, lanes);
  } else {
    return x;
  }
}
template <class F>
[[gnu::always_inline]] inline float fold_lanes(V::Type x, const F& f) {
  return fold_halves<kLanes / 2>(x, f, std::make_integer_sequence<int, kLanes>{})[0];
}

/// Folds the values into several vectors side by side, these into one number. A value may be taken twice: for `f` such
/// as the larger of two.
template <class F>
float fold(int64_t n, const float* in, float start, const F& f) {
  constexpr int64_t kVectors = 4;
  V::Type part[kVectors];
  for (V::Type& x : part) x = V::fill(start);
  int64_t i = 0;
  for (; i + kVectors * kLanes <= n; i += kVectors * kLanes) {
    ET_UNROLL
    for (int v = 0; v < kVectors; ++v) part[v] = f(V::load(in + i + v * kLanes), part[v]);
  }
  for (; i + kLanes <= n; i += kLanes) part[0] = f(V::load(in + i), part[0]);
  if (i < n && n >= kLanes) {
    part[1] = f(V::load(in + n - kLanes), part[1]);
  } else if (i < n) {
    float rest[kLanes];
    for (float& x : rest) x = start;
    for (int64_t k = 0; k < n; ++k) rest[k] = in[k];
    part[1] = f(V::load(rest), part[1]);
  }
  return fold_lanes(f(f(part[0], part[1]), f(part[2], part[3])), f);
}
// A NaN among the values leaves the result as it was before.
inline float max_of(int64_t n, const float* in, float start) {
  return fold(n, in, start, [](V::Type x, V::Type y) { return x > y ? x : y; });
}

inline float min_of(int64_t n, const float* in, float start) {
  return fold(n, in, start, [](V::Type x, V::Type y) { return x < y ? x : y; });
}

}  // namespace
}  // namespace et::xnn::ET_XNN_VARIANT
