#include "runtime/kernels/common/convert.h"

#include <cstddef>
#include <cstring>
#include <limits>
#include <type_traits>

#include "runtime/kernels/common/dtype.h"
#if defined(__F16C__)
#include <immintrin.h>
#endif

namespace et::ET_KERNELS {
namespace {

template <class T>
inline constexpr bool kIsComplex = false;
template <class T>
inline constexpr bool kIsComplex<std::complex<T>> = true;
template <class T>
inline constexpr bool kIsReduced = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

// A bool of a file may be any byte, which C++ must not read as bool.
template <class T>
using Stored = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;

/// Truncates like cvttsd2si: the minimum for what does not fit.
template <class I, class F>
I truncate(F x) {
  constexpr F kEnd = static_cast<F>(sizeof(I) == 8 ? 9223372036854775808.0 : 2147483648.0);
  // For float and int32 the smallest valid number is -2^31 itself; numbers between it and -2^31 - 1 exist in double
  // only.
  const bool fits = x < kEnd && (std::is_same_v<F, double> && sizeof(I) == 4 ? x > -kEnd - 1 : x >= -kEnd);
  return fits ? static_cast<I>(x) : std::numeric_limits<I>::min();
}

template <class To, class From>
Stored<To> convert(From x) {
  if constexpr (std::is_same_v<From, ComplexHalf>) {
    return convert<To>(std::complex<float>(static_cast<float>(x.real), static_cast<float>(x.imag)));
  } else if constexpr (std::is_same_v<To, ComplexHalf>) {
    if constexpr (kIsComplex<From>) {
      return ComplexHalf(Half(static_cast<float>(x.real())), Half(static_cast<float>(x.imag())));
    } else {
      return ComplexHalf(convert<Half>(x));
    }
  } else if constexpr (kIsComplex<From>) {
    if constexpr (kIsComplex<To>) {
      using R = typename To::value_type;
      return To(static_cast<R>(x.real()), static_cast<R>(x.imag()));
    } else if constexpr (std::is_same_v<To, bool>) {
      return x.real() != 0 || x.imag() != 0;
    } else {
      return convert<To>(x.real());
    }
  } else if constexpr (kIsComplex<To>) {
    return To(convert<typename To::value_type>(x), 0);
  } else if constexpr (kIsReduced<From>) {
    return convert<To>(static_cast<float>(x));
  } else if constexpr (std::is_same_v<To, bool>) {
    return x != 0;
  } else if constexpr (kIsReduced<To>) {
    return To(static_cast<float>(x));
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    if constexpr (std::is_same_v<To, uint64_t>) {
      constexpr From kHalf = static_cast<From>(9223372036854775808.0);
      return x >= kHalf ? static_cast<uint64_t>(truncate<int64_t>(x - kHalf)) ^ 0x8000000000000000u
                        : static_cast<uint64_t>(truncate<int64_t>(x));
    } else if constexpr (std::is_same_v<To, int64_t> || std::is_same_v<To, uint32_t> ||
                         (std::is_same_v<To, uint8_t> && std::is_same_v<From, double>)) {
      return static_cast<To>(truncate<int64_t>(x));
    } else {
      // The low byte of a float32 beyond int32 is 0 in any case.
      return static_cast<To>(truncate<int32_t>(x));
    }
  } else {
    return static_cast<To>(x);
  }
}

using ConvertLoop = void (*)(void* out, const void* in, int64_t n);

template <class To, class From>
void convert_loop(void* out, const void* in, int64_t n) {
  auto* __restrict o = static_cast<Stored<To>*>(out);
  const auto* __restrict i = static_cast<const Stored<From>*>(in);
  for (int64_t k = 0; k < n; ++k) o[k] = convert<To>(i[k]);
}

#if defined(__F16C__)
// GCC 12 does not vectorise these two by itself.
template <>
void convert_loop<float, Half>(void* out, const void* in, int64_t n) {
  auto* o = static_cast<float*>(out);
  const auto* i = static_cast<const Half*>(in);
  int64_t k = 0;
  for (; k + 8 <= n; k += 8) {
    _mm256_storeu_ps(o + k, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(i + k))));
  }
  for (; k < n; ++k) o[k] = static_cast<float>(i[k]);
}
template <>
void convert_loop<Half, float>(void* out, const void* in, int64_t n) {
  auto* o = static_cast<Half*>(out);
  const auto* i = static_cast<const float*>(in);
  int64_t k = 0;
  for (; k + 8 <= n; k += 8) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(o + k),
                     _mm256_cvtps_ph(_mm256_loadu_ps(i + k), _MM_FROUND_TO_NEAREST_INT));
  }
  for (; k < n; ++k) o[k] = Half(i[k]);
}
#endif

struct Bytes16 {
  uint64_t low, high;
};
template <class T>
void move_loop(void* out, int64_t out_stride, const void* in, int64_t in_stride, int64_t n) {
  auto* __restrict o = static_cast<T*>(out);
  const auto* i = static_cast<const T*>(in);
  if (out_stride == 1 && in_stride == 1) {
    std::memmove(out, in, static_cast<size_t>(n) * sizeof(T));
  } else if (out_stride == 1 && in_stride == 0) {
    const T value = *i;
    for (int64_t k = 0; k < n; ++k) o[k] = value;
  } else {
    for (int64_t k = 0; k < n; ++k) o[k * out_stride] = i[k * in_stride];
  }
}

// The wide types and what stands for them in the tables.
enum Wide : uint8_t { kWideInt, kWideUnsigned, kWideDouble, kWideComplex, kWides };
constexpr ScalarType kWideType[kWides] = {ScalarType::Long, ScalarType::UInt64, ScalarType::Double,
                                          ScalarType::ComplexDouble};
constexpr int kTypes = 32;

Wide wide_of(ScalarType t) {
  if (is_complex(t)) return kWideComplex;
  if (is_floating(t)) return kWideDouble;
  return t == ScalarType::UInt64 ? kWideUnsigned : kWideInt;
}

struct Table {
  ConvertLoop widen[kTypes] = {};
  ConvertLoop narrow[kWides][kTypes] = {};
};
// Numbers come as int64 and double, so these two are always there.
constexpr bool selected(ScalarType t) {
  return in_set(t, kSelectedDtypes) || t == ScalarType::Long || t == ScalarType::Double;
}

constexpr Table make_table() {
  Table table;
#define ET_ROW(T, N)                                                                                                \
  if constexpr (selected(ScalarType::N)) {                                                                          \
    constexpr int t = static_cast<int>(ScalarType::N);                                                              \
    using W =                                                                                                       \
        std::conditional_t<kIsComplex<T> || std::is_same_v<T, ComplexHalf>, std::complex<double>,                   \
                           std::conditional_t<kIsReduced<T> || std::is_floating_point_v<T>, double,                 \
                                              std::conditional_t<std::is_same_v<T, uint64_t>, uint64_t, int64_t>>>; \
    table.widen[t] = convert_loop<W, T>;                                                                            \
    table.narrow[kWideInt][t] = convert_loop<T, int64_t>;                                                           \
    if constexpr (selected(ScalarType::UInt64)) table.narrow[kWideUnsigned][t] = convert_loop<T, uint64_t>;         \
    table.narrow[kWideDouble][t] = convert_loop<T, double>;                                                         \
    if constexpr (kComplex != 0) table.narrow[kWideComplex][t] = convert_loop<T, std::complex<double>>;             \
  }
  ET_DTYPES(ET_ROW)
  ET_ROW(ComplexHalf, ComplexHalf)
#undef ET_ROW
  return table;
}
constexpr Table kTable = make_table();

// Pairs that networks convert often: one step.
struct Pair {
  ScalarType from, to;
  ConvertLoop run;
};
template <class B, class A>
constexpr ConvertLoop pair_loop() {
  if constexpr (selected(kDtypeOf<A>) && selected(kDtypeOf<B>)) return convert_loop<B, A>;
  return nullptr;  // never asked for
}
#define ET_PAIR(A, B) \
  { DtypeOf<A>::value, DtypeOf<B>::value, pair_loop<B, A>() }
constexpr Pair kPairs[] = {
    ET_PAIR(Half, float),    ET_PAIR(BFloat16, float), ET_PAIR(bool, float),    ET_PAIR(uint8_t, float),
    ET_PAIR(int8_t, float),  ET_PAIR(int32_t, float),  ET_PAIR(float, Half),    ET_PAIR(float, BFloat16),
    ET_PAIR(float, bool),    ET_PAIR(float, uint8_t),  ET_PAIR(float, int8_t),  ET_PAIR(float, int32_t),
    ET_PAIR(float, int64_t), ET_PAIR(bool, bool),      ET_PAIR(int16_t, float), ET_PAIR(float, int16_t),
};
#undef ET_PAIR

}  // namespace

ConvertRun find_move(size_t element_size) {
  switch (element_size) {
    case 1:
      return move_loop<uint8_t>;
    case 2:
      return move_loop<uint16_t>;
    case 4:
      return move_loop<uint32_t>;
    case 8:
      return move_loop<uint64_t>;
    case 16:
      return move_loop<Bytes16>;
    default:
      return nullptr;
  }
}

Converter::Converter(ScalarType from, ScalarType to)
    : load_(find_move(element_size(from))),
      store_(find_move(element_size(to))),
      in_size_(static_cast<int64_t>(element_size(from))),
      out_size_(static_cast<int64_t>(element_size(to))) {
  if (from == to && from != ScalarType::Bool) {
    valid_ = load_ != nullptr;
    return;
  }
  const auto f = static_cast<unsigned>(from);
  const auto t = static_cast<unsigned>(to);
  if (f >= kTypes || t >= kTypes || kTable.widen[f] == nullptr || kTable.widen[t] == nullptr) return;
  valid_ = true;
  for (const Pair& p : kPairs) {
    if (p.from == from && p.to == to) {
      first_ = p.run;
      return;
    }
  }
  const Wide wide = wide_of(from);
  if (from == kWideType[wide]) {
    first_ = kTable.narrow[wide][t];
  } else if (to == kWideType[wide]) {
    first_ = kTable.widen[f];
  } else {
    first_ = kTable.widen[f];
    second_ = kTable.narrow[wide][t];
  }
}

void Converter::run_in_steps(void* out, int64_t out_stride, const void* in, int64_t in_stride, int64_t n) const {
  constexpr int64_t kChunk = 256;
  alignas(32) std::byte buffers[3][kChunk * 16];
  auto* o = static_cast<std::byte*>(out);
  const auto* i = static_cast<const std::byte*>(in);
  while (n > 0) {
    const int64_t m = n < kChunk ? n : kChunk;
    const void* from = i;
    if (in_stride != 1) {
      load_(buffers[0], 1, i, in_stride, m);
      from = buffers[0];
    }
    void* to = out_stride == 1 ? static_cast<void*>(o) : buffers[2];
    if (second_ != nullptr) {
      first_(buffers[1], from, m);
      second_(to, buffers[1], m);
    } else {
      first_(to, from, m);
    }
    if (out_stride != 1) store_(o, out_stride, to, 1, m);
    i += m * in_stride * in_size_;
    o += m * out_stride * out_size_;
    n -= m;
  }
}

}  // namespace et::ET_KERNELS
