// dtypes of kernels: C++ type of each, families, promotion and the switch from a run-time dtype to a C++ type.
// Promotion and casting rules: torch's type promotion (torch.result_type, torch.can_cast).
#pragma once

#include <complex>
#include <cstdint>

#include "base/scalar_type.h"
#include "runtime/core/half.h"
#include "runtime/core/scalar.h"
#include "runtime/kernels/common/variant.h"

// A selective build narrows this to the dtypes that its programs use: bit n stands for ScalarType n.
// (et_select_kernels in cmake/EtSelect.cmake)
#ifndef ET_SELECTED_DTYPES
#define ET_SELECTED_DTYPES 0xffffffffu
#endif

namespace et::ET_KERNELS {

using DtypeSet = uint32_t;
constexpr DtypeSet dtype_bit(ScalarType t) { return 1u << static_cast<unsigned>(t); }

/// All dtypes of a kind, whatever is selected.
namespace kinds {
inline constexpr DtypeSet kInts = dtype_bit(ScalarType::Byte) | dtype_bit(ScalarType::Char) |
                                  dtype_bit(ScalarType::Short) | dtype_bit(ScalarType::Int) |
                                  dtype_bit(ScalarType::Long);
inline constexpr DtypeSet kBool = dtype_bit(ScalarType::Bool);
inline constexpr DtypeSet kHalfs = dtype_bit(ScalarType::Half) | dtype_bit(ScalarType::BFloat16);
inline constexpr DtypeSet kFloats = dtype_bit(ScalarType::Float) | dtype_bit(ScalarType::Double);
inline constexpr DtypeSet kUnsigned =
    dtype_bit(ScalarType::UInt16) | dtype_bit(ScalarType::UInt32) | dtype_bit(ScalarType::UInt64);
inline constexpr DtypeSet kComplex = dtype_bit(ScalarType::ComplexFloat) | dtype_bit(ScalarType::ComplexDouble);
constexpr DtypeSet with(DtypeSet given, DtypeSet any_of, ScalarType also) {
  return (given & any_of) != 0 ? given | dtype_bit(also) : given;
}
}  // namespace kinds

/// What this build selects, and the dtypes that the selected ones are computed in.
inline constexpr DtypeSet kSelectedDtypes = kinds::with(
    kinds::with(kinds::with(kinds::with(static_cast<DtypeSet>(ET_SELECTED_DTYPES), kinds::kHalfs, ScalarType::Float),
                            kinds::kInts | kinds::kBool | kinds::kUnsigned, ScalarType::Long),
                kinds::kComplex, ScalarType::ComplexDouble),
    dtype_bit(ScalarType::Bits16), ScalarType::UInt16);

// What kernels check and dispatch on: of each kind, what is selected.
inline constexpr DtypeSet kInts = kinds::kInts & kSelectedDtypes;
inline constexpr DtypeSet kBool = kinds::kBool & kSelectedDtypes;
inline constexpr DtypeSet kHalfs = kinds::kHalfs & kSelectedDtypes;
inline constexpr DtypeSet kFloats = kinds::kFloats & kSelectedDtypes;
inline constexpr DtypeSet kFloatsH = kFloats | kHalfs;
inline constexpr DtypeSet kReal = kInts | kFloats;
inline constexpr DtypeSet kRealH = kReal | kHalfs;   // with float16 and bfloat16
inline constexpr DtypeSet kRealHB = kRealH | kBool;  // and bool
inline constexpr DtypeSet kUnsigned = kinds::kUnsigned & kSelectedDtypes;
inline constexpr DtypeSet kComplex = kinds::kComplex & kSelectedDtypes;

constexpr bool in_set(ScalarType t, DtypeSet set) {
  return static_cast<unsigned>(t) < 32u && (set >> static_cast<unsigned>(t) & 1u) != 0;
}
constexpr bool is_integral(ScalarType t, bool include_bool = false) {
  return in_set(t, kinds::kInts | kinds::kUnsigned | (include_bool ? kinds::kBool : 0u));
}
constexpr bool is_floating(ScalarType t) { return in_set(t, kinds::kFloats | kinds::kHalfs); }
constexpr bool is_complex(ScalarType t) { return in_set(t, kinds::kComplex | dtype_bit(ScalarType::ComplexHalf)); }
constexpr bool is_reduced_float(ScalarType t) { return in_set(t, kinds::kHalfs); }

template <class T>
struct DtypeOf;
// clang-format never comes to rest on this one.
// clang-format off
#define ET_DTYPES(X) \
  X(uint8_t, Byte) X(int8_t, Char) X(int16_t, Short) X(int32_t, Int) X(int64_t, Long) \
  X(Half, Half) X(float, Float) X(double, Double) X(bool, Bool) X(BFloat16, BFloat16) \
  X(uint16_t, UInt16) X(uint32_t, UInt32) X(uint64_t, UInt64) \
  X(std::complex<float>, ComplexFloat) X(std::complex<double>, ComplexDouble)
// clang-format on
#define ET_DTYPE_OF(T, N)                              \
  template <>                                          \
  struct DtypeOf<T> {                                  \
    static constexpr ScalarType value = ScalarType::N; \
  };
ET_DTYPES(ET_DTYPE_OF)
#undef ET_DTYPE_OF
template <class T>
inline constexpr ScalarType kDtypeOf = DtypeOf<T>::value;

/// complex32 as it is stored. No kernel computes in it, so it is in no set of dtypes.
struct ComplexHalf {
  ComplexHalf() = default;
  explicit ComplexHalf(Half r, Half i = Half()) : real(r), imag(i) {}
  Half real, imag;
};

/// float16 and bfloat16 are computed in float; others in themselves.
template <class T>
struct OpMath {
  using type = T;
};
template <>
struct OpMath<Half> {
  using type = float;
};
template <>
struct OpMath<BFloat16> {
  using type = float;
};
template <class T>
using opmath_t = typename OpMath<T>::type;

/// Calls f.template operator()<T>() for the C++ type of `t` when `t` is in `Set` (and selected); false otherwise.
template <DtypeSet Set, class F>
bool dispatch(ScalarType t, F&& f) {
  switch (t) {
#define ET_DISPATCH_CASE(T, N)                                    \
  case ScalarType::N:                                             \
    if constexpr (in_set(ScalarType::N, Set & kSelectedDtypes)) { \
      f.template operator()<T>();                                 \
      return true;                                                \
    }                                                             \
    return false;
    ET_DTYPES(ET_DISPATCH_CASE)
#undef ET_DISPATCH_CASE
    default:
      return false;
  }
}

/// torch.promote_types.
constexpr ScalarType promote_types(ScalarType a, ScalarType b) {
  if (a == b) return a;
  if (is_complex(a) || is_complex(b)) {
    const bool wide = a == ScalarType::ComplexDouble || b == ScalarType::ComplexDouble || a == ScalarType::Double ||
                      b == ScalarType::Double;
    return wide ? ScalarType::ComplexDouble : ScalarType::ComplexFloat;
  }
  if (is_floating(a) || is_floating(b)) {
    if (!is_floating(a)) return b;
    if (!is_floating(b)) return a;
    if (a == ScalarType::Double || b == ScalarType::Double) return ScalarType::Double;
    return ScalarType::Float;  // two different ones of float16, bfloat16, float32
  }
  if (a == ScalarType::Bool) return b;
  if (b == ScalarType::Bool) return a;
  // Integers: the wider one; uint8 with int8 needs int16.
  if ((a == ScalarType::Byte && b == ScalarType::Char) || (a == ScalarType::Char && b == ScalarType::Byte)) {
    return ScalarType::Short;
  }
  return element_size(a) >= element_size(b) ? a : b;
}

/// dtype of tensor-with-number: the number counts only when it is of a higher category.
inline ScalarType promote_with_scalar(ScalarType t, const Scalar& s) {
  if (s.isFloatingPoint() && is_integral(t, true)) return ScalarType::Float;
  if (s.isIntegral() && t == ScalarType::Bool) return ScalarType::Long;
  return t;
}

/// torch.can_cast: nothing falls to a lower category (complex, float, integer, bool).
constexpr bool can_cast(ScalarType from, ScalarType to) {
  if (is_complex(from) && !is_complex(to)) return false;
  if (is_floating(from) && is_integral(to, true)) return false;
  return !(from != ScalarType::Bool && to == ScalarType::Bool);
}

}  // namespace et::ET_KERNELS
