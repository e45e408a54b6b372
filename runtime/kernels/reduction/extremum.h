// Maximum and minimum as torch has them: NaN wins, among equals the first.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "runtime/kernels/common/variant.h"

namespace et::ET_KERNELS {

template <class T, bool kMax>
struct Extremum {
  /// What loses to everything.
  static constexpr T worst() {
    if constexpr (std::is_floating_point_v<T>) {
      return kMax ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::infinity();
    } else {
      return kMax ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
    }
  }
  static bool is_nan(T x) {
    if constexpr (std::is_floating_point_v<T>) {
      return x != x;
    } else {
      return false;
    }
  }
  /// x is greater (less) than a, or NaN.
  static bool beats_or_nan(T x, T a) { return (kMax ? x > a : x < a) | is_nan(x); }
  /// x takes the place of a, which came before it.
  static bool beats(T x, T a) { return (kMax ? x > a : x < a) | (is_nan(x) & !is_nan(a)); }
  static T pick(T a, T x) { return beats_or_nan(x, a) ? x : a; }
};

}  // namespace et::ET_KERNELS
