// Operators of one operand that look at each element alone. 16-bit floats are computed in float and rounded once.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "runtime/backends/tosa/loops.h"
#include "runtime/backends/tosa/operators.h"

namespace et::tosa {
namespace {

bool elementwise(Site& site) {
  return site.same_type(site.in(0), site.out()) && site.same_shape(site.in(0), site.out()) &&
         site.work(site.out().count);
}

template <class T, class F>
Kernel unary_loop(Site& site, F f) {
  return [in = site.in_id(0), out = site.out_id(), n = site.out().count, f](Frame& frame) {
    const T* from = frame.at<T>(in);
    T* to = frame.at<T>(out);
    parallel_for(0, n, 8192, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) to[i] = static_cast<T>(f(static_cast<Compute<T>>(from[i])));
    });
    return true;
  };
}

template <class F>
Kernel float_function(Site& site, F f) {
  if (!elementwise(site)) return {};
  return dispatch<float, Half, BFloat16>(site, site.in(0),
                                         [&](auto t) { return unary_loop<typename decltype(t)::type>(site, f); });
}

}  // namespace

Kernel prepare_abs(Site& site) {
  if (!elementwise(site)) return {};
  return dispatch<int32_t, float, Half, BFloat16>(site, site.in(0), [&](auto t) {
    return unary_loop<typename decltype(t)::type>(site, [](auto x) {
      if constexpr (std::is_floating_point_v<decltype(x)>) {
        return std::fabs(x);
      } else {
        return x < 0 ? wrap_sub(decltype(x){0}, x) : x;
      }
    });
  });
}

Kernel prepare_negate(Site& site) {
  int64_t in_zp = 0, out_zp = 0;
  const bool zp = site.in(0).type == Type::Int8;
  if (!elementwise(site)) return {};
  if (site.in_count() == 3 &&
      (!site.zero_point(1, site.in(0).type, zp, &in_zp) || !site.zero_point(2, site.in(0).type, zp, &out_zp))) {
    return {};
  }
  return dispatch<int8_t, int16_t, int32_t, float, Half, BFloat16>(site, site.in(0), [&](auto t) {
    using T = typename decltype(t)::type;
    if constexpr (kIsFloat<T>) {
      return unary_loop<T>(site, [](float x) { return -x; });
    } else {
      return unary_loop<T>(site, [in_zp, out_zp](int64_t x) {
        const int64_t y = out_zp - (x - in_zp);
        if (sizeof(T) == 4) return y;  // 32 bits wrap as their accumulator does
        return std::clamp<int64_t>(y, std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
      });
    }
  });
}

Kernel prepare_clamp(Site& site) {
  if (!elementwise(site)) return {};
  const std::span<const uint8_t> low = site.bytes("min_val"), high = site.bytes("max_val");
  const size_t width = element_size(site.in(0).type);
  if (low.size() < width || high.size() < width) {
    site.fail("its limits have %zu and %zu bytes instead of %zu", low.size(), high.size(), width);
    return {};
  }
  const bool ignore = is_float(site.in(0).type) && site.ignores_nan();
  return dispatch<int8_t, int16_t, int32_t, float, Half, BFloat16>(site, site.in(0), [&](auto t) -> Kernel {
    using T = typename decltype(t)::type;
    T a, b;
    std::memcpy(&a, low.data(), sizeof(T));
    std::memcpy(&b, high.data(), sizeof(T));
    const auto least = static_cast<Compute<T>>(a), most = static_cast<Compute<T>>(b);
    if (!(least <= most)) {
      site.fail("its limits are not in order");
      return {};
    }
    return unary_loop<T>(site, [least, most, ignore](auto x) {
      if (ignore && x != x) return least;  // the number wins: max(NaN, least)
      return x < least ? least : x > most ? most : x;
    });
  });
}

Kernel prepare_ceil(Site& site) {
  return float_function(site, [](float x) { return std::ceil(x); });
}
Kernel prepare_floor(Site& site) {
  return float_function(site, [](float x) { return std::floor(x); });
}
Kernel prepare_cos(Site& site) {
  return float_function(site, [](float x) { return std::cos(x); });
}
Kernel prepare_sin(Site& site) {
  return float_function(site, [](float x) { return std::sin(x); });
}
Kernel prepare_exp(Site& site) {
  return float_function(site, [](float x) { return std::exp(x); });
}
Kernel prepare_log(Site& site) {
  return float_function(site, [](float x) { return std::log(x); });
}
Kernel prepare_erf(Site& site) {
  return float_function(site, [](float x) { return std::erf(x); });
}
Kernel prepare_sigmoid(Site& site) {
  return float_function(site, [](float x) { return 1.0f / (1.0f + std::exp(-x)); });
}
Kernel prepare_tanh(Site& site) {
  return float_function(site, [](float x) { return std::tanh(x); });
}
Kernel prepare_reciprocal(Site& site) {
  return float_function(site, [](float x) { return 1.0f / x; });
}
Kernel prepare_rsqrt(Site& site) {
  return float_function(site, [](float x) { return 1.0f / std::sqrt(x); });
}

}  // namespace et::tosa
