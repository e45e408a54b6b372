// Copying between dtypes: a few elements at a time go through the widest type of their kind (int64, uint64, double,
// complex double), so that there is one loader and one writer for each dtype instead of one loop for each pair.
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "runtime/kernels/common/dtype.h"
#include "runtime/kernels/movement/view.h"

namespace et::kernels {
namespace {

constexpr int64_t kChunk = 128;
constexpr DtypeSet kConvertible = kRealHB | kUnsigned | kComplex;
template <class T>
inline constexpr bool kIsComplex = std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

// The wide type of T.
template <class T>
using Wide = std::conditional_t<
    kIsComplex<T>, std::complex<double>,
    std::conditional_t<std::is_same_v<T, uint64_t>, uint64_t,
                       std::conditional_t<std::is_integral_v<T>, int64_t, double>>>;

template <class T, class W>
T narrow(W w) {
  if constexpr (std::is_same_v<W, std::complex<double>>) {
    if constexpr (kIsComplex<T>) {
      using R = typename T::value_type;
      return T(static_cast<R>(w.real()), static_cast<R>(w.imag()));
    } else if constexpr (std::is_same_v<T, bool>) {
      return w.real() != 0 || w.imag() != 0;
    } else {
      return narrow<T, double>(w.real());
    }
  } else if constexpr (kIsComplex<T>) {
    return T(static_cast<typename T::value_type>(w), 0);
  } else if constexpr (std::is_same_v<T, bool>) {
    return w != 0;
  } else if constexpr (std::is_integral_v<T> && std::is_same_v<W, double>) {
    // Outside of int64 the result is its least value, as the processors' conversion gives it.
    const bool inside = w >= -9223372036854775808.0 && w < 9223372036854775808.0;
    if constexpr (std::is_same_v<T, uint64_t>) {
      if (w >= 9223372036854775808.0 && w < 18446744073709551616.0) return static_cast<uint64_t>(w);
    }
    return static_cast<T>(inside ? static_cast<int64_t>(w) : std::numeric_limits<int64_t>::min());
  } else if constexpr (std::is_integral_v<T> || std::is_same_v<T, double>) {
    return static_cast<T>(w);
  } else {
    return static_cast<T>(static_cast<float>(w));  // float32, float16 and bfloat16
  }
}

template <class T>
void load(const uint8_t* src, int64_t step, int64_t n, void* wide) {
  using W = Wide<T>;
  W* to = static_cast<W*>(wide);
  for (int64_t i = 0; i < n; ++i) {
    const T v = *reinterpret_cast<const T*>(src + i * step);
    if constexpr (kIsComplex<T>) {
      to[i] = W(v.real(), v.imag());
    } else if constexpr (std::is_same_v<W, double>) {
      to[i] = static_cast<double>(static_cast<opmath_t<T>>(v));
    } else {
      to[i] = static_cast<W>(v);
    }
  }
}

template <class T, class W>
void store(const void* wide, uint8_t* dst, int64_t step, int64_t n) {
  const W* from = static_cast<const W*>(wide);
  for (int64_t i = 0; i < n; ++i) *reinterpret_cast<T*>(dst + i * step) = narrow<T, W>(from[i]);
}

using Loader = void (*)(const uint8_t*, int64_t, int64_t, void*);
using Writer = void (*)(const void*, uint8_t*, int64_t, int64_t);

struct FindLoader {
  Loader result = nullptr;
  template <class T>
  void operator()() {
    result = &load<T>;
  }
};
struct FindWriter {
  ScalarType from;
  Writer result = nullptr;
  template <class T>
  void operator()() {
    if (is_complex(from)) {
      result = &store<T, std::complex<double>>;
    } else if (is_floating(from)) {
      result = &store<T, double>;
    } else if (from == ScalarType::UInt64) {
      result = &store<T, uint64_t>;
    } else {
      result = &store<T, int64_t>;
    }
  }
};

}  // namespace

bool convert_view(const View& dst, ScalarType dst_type, const View& src, ScalarType src_type) {
  if (dst_type == src_type) {
    copy_view(dst, src);
    return true;
  }
  FindLoader loader;
  FindWriter writer{src_type};
  if (!dispatch<kConvertible>(src_type, loader) || !dispatch<kConvertible>(dst_type, writer)) return false;
  int64_t rows = 1;
  for (size_t d = 0; d < dst.rank; ++d) rows *= d + 1 < dst.rank ? dst.sizes[d] : 1;
  const int64_t n = dst.rank == 0 ? 1 : dst.sizes[dst.rank - 1];
  if (n == 0) return true;
  const int64_t to_step = dst.rank == 0 ? 0 : dst.steps[dst.rank - 1];
  const int64_t from_step = src.rank == 0 ? 0 : src.steps[src.rank - 1];
  alignas(16) uint8_t wide[kChunk * sizeof(std::complex<double>)];
  for (int64_t row = 0; row < rows; ++row) {
    uint8_t* to = dst.data;
    const uint8_t* from = src.data;
    int64_t rest = row;
    for (size_t d = dst.rank; d-- > 0;) {
      if (d + 1 == dst.rank) continue;
      to += rest % dst.sizes[d] * dst.steps[d];
      from += rest % dst.sizes[d] * src.steps[d];
      rest /= dst.sizes[d];
    }
    for (int64_t i = 0; i < n; i += kChunk) {
      const int64_t count = n - i < kChunk ? n - i : kChunk;
      loader.result(from + i * from_step, from_step, count, wide);
      writer.result(wide, to + i * to_step, to_step, count);
    }
  }
  return true;
}

namespace {

struct StoreScalar {
  const Scalar& value;
  void* element;
  bool ok = true;

  template <class T>
  void operator()() {
    T v{};
    if constexpr (std::is_same_v<T, bool>) {
      v = value.isFloatingPoint() ? value.to<double>() != 0 : value.to<int64_t>() != 0;
    } else if constexpr (kIsComplex<T>) {
      v = T(static_cast<typename T::value_type>(value.to<double>()), 0);
    } else if constexpr (std::is_integral_v<T>) {
      using L = std::numeric_limits<T>;
      if (value.isFloatingPoint()) {
        const double d = value.to<double>();
        // max() + 1 is a power of two and exact.
        const double end = 2.0 * static_cast<double>(L::max() / 2 + 1);
        const double least = L::is_signed ? static_cast<double>(L::min()) : -end;
        ok = d > least - 1 && d < end && !(L::is_signed && d < static_cast<double>(L::min()));
        if (!ok) return;
        v = d < 0 ? static_cast<T>(static_cast<int64_t>(d < -9.2e18 ? -9.2e18 : d))
                  : static_cast<T>(static_cast<uint64_t>(d));
      } else {
        const int64_t i = value.to<int64_t>();
        if constexpr (sizeof(T) < 8) {
          // Negative numbers wrap in unsigned types.
          const int64_t least = L::is_signed ? static_cast<int64_t>(L::min()) : -static_cast<int64_t>(L::max());
          ok = i >= least && i <= static_cast<int64_t>(L::max());
        }
        v = static_cast<T>(i);
      }
    } else {
      const double d = value.to<double>();
      if constexpr (std::is_same_v<T, double>) {
        v = d;
      } else {
        const double most = std::is_same_v<T, Half> ? 65504.0
                            : std::is_same_v<T, BFloat16> ? 3.3895313892515355e38
                                                          : static_cast<double>(std::numeric_limits<float>::max());
        ok = !(std::fabs(d) > most) || std::isinf(d);
        v = static_cast<T>(static_cast<float>(d));
      }
    }
    std::memcpy(element, &v, sizeof(T));
  }
};

}  // namespace

bool scalar_to_element(const Scalar& value, ScalarType type, void* element) {
  StoreScalar store{value, element};
  return dispatch<kConvertible>(type, store) && store.ok;
}

}  // namespace et::kernels
