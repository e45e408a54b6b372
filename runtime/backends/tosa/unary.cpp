// Operators of one operand that look at each element alone. 16-bit floats are computed in float and rounded once.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "runtime/backends/tosa/loops.h"
#include "runtime/backends/tosa/operators.h"
#include "runtime/platform/parallel.h"

namespace et::tosa {
namespace {

bool elementwise(OpBuilder& builder) {
  return builder.same_type(builder.in(0), builder.out()) && builder.same_shape(builder.in(0), builder.out()) &&
         builder.work(builder.out().count);
}

template <class T, class F>
Kernel unary_loop(OpBuilder& builder, F f) {
  return [in = builder.in_id(0), out = builder.out_id(), n = builder.out().count, f](Frame& frame) {
    const T* from = frame.at<T>(in);
    T* to = frame.at<T>(out);
    parallel_for(0, n, 8192, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) to[i] = static_cast<T>(f(static_cast<Compute<T>>(from[i])));
    });
    return true;
  };
}

template <class F>
Kernel float_function(OpBuilder& builder, F f) {
  if (!elementwise(builder)) return {};
  return dispatch<float, Half, BFloat16>(builder, builder.in(0),
                                         [&](auto t) { return unary_loop<typename decltype(t)::type>(builder, f); });
}

}  // namespace

Kernel prepare_abs(OpBuilder& builder) {
  if (!elementwise(builder)) return {};
  return dispatch<int32_t, float, Half, BFloat16>(builder, builder.in(0), [&](auto t) {
    return unary_loop<typename decltype(t)::type>(builder, [](auto x) {
      if constexpr (std::is_floating_point_v<decltype(x)>) {
        return std::fabs(x);
      } else {
        return x < 0 ? wrap_sub(decltype(x){0}, x) : x;
      }
    });
  });
}

Kernel prepare_negate(OpBuilder& builder) {
  int64_t in_zp = 0, out_zp = 0;
  const bool zp = builder.in(0).type == Type::Int8;
  if (!elementwise(builder)) return {};
  if (builder.in_count() == 3 && (!builder.zero_point(1, builder.in(0).type, zp, &in_zp) ||
                                  !builder.zero_point(2, builder.in(0).type, zp, &out_zp))) {
    return {};
  }
  return dispatch<int8_t, int16_t, int32_t, float, Half, BFloat16>(builder, builder.in(0), [&](auto t) {
    using T = typename decltype(t)::type;
    if constexpr (kIsFloat<T>) {
      return unary_loop<T>(builder, [](float x) { return -x; });
    } else {
      return unary_loop<T>(builder, [in_zp, out_zp](int64_t x) {
        const int64_t y = out_zp - (x - in_zp);
        if (sizeof(T) == 4) return y;  // 32 bits wrap as their accumulator does
        return std::clamp<int64_t>(y, std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
      });
    }
  });
}

Kernel prepare_clamp(OpBuilder& builder) {
  if (!elementwise(builder)) return {};
  const std::span<const uint8_t> low = builder.bytes("min_val"), high = builder.bytes("max_val");
  const size_t width = element_size(builder.in(0).type);
  if (low.size() < width || high.size() < width) {
    builder.fail("min_val and max_val: expected %zu bytes, got %zu and %zu", width, low.size(), high.size());
    return {};
  }
  const bool ignore = is_float(builder.in(0).type) && builder.ignores_nan();
  return dispatch<int8_t, int16_t, int32_t, float, Half, BFloat16>(builder, builder.in(0), [&](auto t) -> Kernel {
    using T = typename decltype(t)::type;
    T a, b;
    std::memcpy(&a, low.data(), sizeof(T));
    std::memcpy(&b, high.data(), sizeof(T));
    const auto min = static_cast<Compute<T>>(a), max = static_cast<Compute<T>>(b);
    if (!(min <= max)) {
      builder.fail("expected min_val <= max_val");
      return {};
    }
    return unary_loop<T>(builder, [min, max, ignore](auto x) {
      if (ignore && x != x) return min;  // the number wins: max(NaN, min)
      return x < min ? min : x > max ? max : x;
    });
  });
}

Kernel prepare_ceil(OpBuilder& builder) {
  return float_function(builder, [](float x) { return std::ceil(x); });
}
Kernel prepare_floor(OpBuilder& builder) {
  return float_function(builder, [](float x) { return std::floor(x); });
}
Kernel prepare_cos(OpBuilder& builder) {
  return float_function(builder, [](float x) { return std::cos(x); });
}
Kernel prepare_sin(OpBuilder& builder) {
  return float_function(builder, [](float x) { return std::sin(x); });
}
Kernel prepare_exp(OpBuilder& builder) {
  return float_function(builder, [](float x) { return std::exp(x); });
}
Kernel prepare_log(OpBuilder& builder) {
  return float_function(builder, [](float x) { return std::log(x); });
}
Kernel prepare_erf(OpBuilder& builder) {
  return float_function(builder, [](float x) { return std::erf(x); });
}
Kernel prepare_sigmoid(OpBuilder& builder) {
  return float_function(builder, [](float x) { return 1.0f / (1.0f + std::exp(-x)); });
}
Kernel prepare_tanh(OpBuilder& builder) {
  return float_function(builder, [](float x) { return std::tanh(x); });
}
Kernel prepare_reciprocal(OpBuilder& builder) {
  return float_function(builder, [](float x) { return 1.0f / x; });
}
Kernel prepare_rsqrt(OpBuilder& builder) {
  return float_function(builder, [](float x) { return 1.0f / std::sqrt(x); });
}

}  // namespace et::tosa
