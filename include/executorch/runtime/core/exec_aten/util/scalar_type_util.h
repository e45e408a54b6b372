// Facts of dtypes: their C++ types, groups, casts and promotion.
#pragma once

#include <cinttypes>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "executorch/runtime/core/exec_aten/exec_aten.h"
#include "executorch/runtime/core/exec_aten/util/scalar_type_lists.h"
#include "executorch/runtime/core/exec_aten/util/scalar_type_switch.h"
#include "executorch/runtime/platform/assert.h"

namespace executorch::runtime {

using ::executorch::aten::ScalarType;

template <class T>
struct is_reduced_floating_point
    : std::bool_constant<std::is_same_v<T, ::et::Half> || std::is_same_v<T, ::et::BFloat16>> {};
template <class T>
inline constexpr bool is_reduced_floating_point_v = is_reduced_floating_point<T>::value;
template <class T>
struct is_floating_point : std::bool_constant<std::is_floating_point_v<T> || is_reduced_floating_point_v<T>> {};

template <ScalarType kType>
struct ScalarTypeToCppType;
template <class T>
struct CppTypeToScalarType;
#define ET_TYPE_PAIR(ctype, name)                \
  template <>                                    \
  struct ScalarTypeToCppType<ScalarType::name> { \
    using type = ctype;                          \
  };                                             \
  template <>                                    \
  struct CppTypeToScalarType<ctype> : std::integral_constant<ScalarType, ScalarType::name> {};
ET_FORALL_SCALAR_TYPES(ET_TYPE_PAIR)
#undef ET_TYPE_PAIR

inline bool isValid(ScalarType t) { return static_cast<int8_t>(t) >= 0 && t < ScalarType::Undefined; }

inline const char* toString(ScalarType t) {
#define ET_TYPE_NAME(ctype, name) \
  case ScalarType::name:          \
    return #name;
  switch (t) {
    ET_FORALL_SCALAR_TYPES(ET_TYPE_NAME)
    case ScalarType::Undefined:
      return "Undefined";
    default:
      return "UNKNOWN_SCALAR";
  }
#undef ET_TYPE_NAME
}

/// A number that is no dtype ends the process.
inline size_t elementSize(ScalarType t) {
  const size_t size = ::et::element_size(t);
  ET_CHECK_MSG(size != 0, "Unknown ScalarType %d", static_cast<int>(t));
  return size;
}

constexpr bool isIntegralType(ScalarType t, bool includeBool) {
  return t == ScalarType::Byte || t == ScalarType::Char || t == ScalarType::Short || t == ScalarType::Int ||
         t == ScalarType::Long || (includeBool && t == ScalarType::Bool);
}
constexpr bool isFloatingType(ScalarType t) {
  return t == ScalarType::Half || t == ScalarType::Float || t == ScalarType::Double || t == ScalarType::BFloat16;
}
constexpr bool isReducedFloatingType(ScalarType t) { return t == ScalarType::Half || t == ScalarType::BFloat16; }
constexpr bool isRealType(ScalarType t) {
  return isIntegralType(t, false) || t == ScalarType::Float || t == ScalarType::Double;
}
constexpr bool isRealHType(ScalarType t) { return isRealType(t) || t == ScalarType::Half; }
constexpr bool isRealHBType(ScalarType t) { return isRealHType(t) || t == ScalarType::Bool; }
constexpr bool isRealHBF16Type(ScalarType t) { return isRealHType(t) || t == ScalarType::BFloat16; }
constexpr bool isRealHBBF16Type(ScalarType t) { return isRealHBType(t) || t == ScalarType::BFloat16; }
constexpr bool isComplexType(ScalarType t) {
  return t == ScalarType::ComplexHalf || t == ScalarType::ComplexFloat || t == ScalarType::ComplexDouble;
}
constexpr bool isBitsType(ScalarType t) { return t >= ScalarType::Bits1x8 && t <= ScalarType::Bits16; }
constexpr bool isQIntType(ScalarType t) {
  return t == ScalarType::QInt8 || t == ScalarType::QUInt8 || t == ScalarType::QInt32 || t == ScalarType::QUInt4x2 ||
         t == ScalarType::QUInt2x4;
}
constexpr bool isFloat8Type(ScalarType t) { return t >= ScalarType::Float8_e5m2 && t <= ScalarType::Float8_e4m3fnuz; }
constexpr bool isBarebonesUnsignedType(ScalarType t) {
  return t == ScalarType::UInt16 || t == ScalarType::UInt32 || t == ScalarType::UInt64;
}
template <class T, bool kIncludeBool>
struct is_integral_type : std::bool_constant<isIntegralType(CppTypeToScalarType<T>::value, kIncludeBool)> {};
template <class T>
struct is_complex_type : std::bool_constant<isComplexType(CppTypeToScalarType<T>::value)> {};
template <class T>
struct is_bits_type : std::bool_constant<isBitsType(CppTypeToScalarType<T>::value)> {};
template <class T>
struct is_qint_type : std::bool_constant<isQIntType(CppTypeToScalarType<T>::value)> {};
template <class T>
struct is_float8_type : std::bool_constant<isFloat8Type(CppTypeToScalarType<T>::value)> {};
template <class T>
struct is_barebones_unsigned_type : std::bool_constant<isBarebonesUnsignedType(CppTypeToScalarType<T>::value)> {};

constexpr ScalarType toQIntType(ScalarType t) {
  return t == ScalarType::Byte   ? ScalarType::QUInt8
         : t == ScalarType::Char ? ScalarType::QInt8
         : t == ScalarType::Int  ? ScalarType::QInt32
                                 : t;
}
constexpr ScalarType toUnderlying(ScalarType t) {
  return t == ScalarType::QInt8    ? ScalarType::Char
         : t == ScalarType::QInt32 ? ScalarType::Int
         : isQIntType(t)           ? ScalarType::Byte
                                   : t;
}
constexpr bool isUnderlying(ScalarType type, ScalarType qtype) { return type == toUnderlying(qtype); }
inline bool isSignedType(ScalarType t) {
  ET_CHECK_MSG(isRealHBBF16Type(t) || isComplexType(t), "dtype %d has no sign", static_cast<int>(t));
  return t != ScalarType::Byte && t != ScalarType::Bool;
}
constexpr ScalarType toRealValueType(ScalarType t) {
  return t == ScalarType::ComplexHalf     ? ScalarType::Half
         : t == ScalarType::ComplexFloat  ? ScalarType::Float
         : t == ScalarType::ComplexDouble ? ScalarType::Double
                                          : t;
}
namespace internal {
[[noreturn]] inline void no_complex_form(ScalarType t) {
  ET_CHECK_MSG(false, "dtype %d has no complex form", static_cast<int>(t));
}
}  // namespace internal
constexpr ScalarType toComplexType(ScalarType t) {
  switch (t) {
    case ScalarType::Half:
    case ScalarType::ComplexHalf:
      return ScalarType::ComplexHalf;
    case ScalarType::BFloat16:
    case ScalarType::Float:
    case ScalarType::ComplexFloat:
      return ScalarType::ComplexFloat;
    case ScalarType::Double:
    case ScalarType::ComplexDouble:
      return ScalarType::ComplexDouble;
    default:
      internal::no_complex_form(t);
  }
}

/// Whether a result of dtype `from` may be written as `to`: never to a lower kind (complex, float, integer, bool).
constexpr bool canCast(ScalarType from, ScalarType to) {
  return !(isComplexType(from) && !isComplexType(to)) && !(isFloatingType(from) && isIntegralType(to, false)) &&
         !(from != ScalarType::Bool && to == ScalarType::Bool);
}
template <class A, class B>
struct can_cast : std::bool_constant<canCast(CppTypeToScalarType<A>::value, CppTypeToScalarType<B>::value)> {};

/// A float becomes an integer by way of int64, so that a negative one wraps in an unsigned type on every processor.
template <class To, class From>
To convert(From value) {
  if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return static_cast<To>(static_cast<int64_t>(value));
  } else {
    return static_cast<To>(value);
  }
}

namespace internal {

/// bool < integers < floats < complex.
constexpr int kind_of(ScalarType t) {
  return t == ScalarType::Bool ? 0 : isIntegralType(t, false) ? 1 : isFloatingType(t) ? 2 : isComplexType(t) ? 3 : -1;
}
constexpr ScalarType wider_float(ScalarType a, ScalarType b) {
  if (a == b) return a;
  if (a == ScalarType::Double || b == ScalarType::Double) return ScalarType::Double;
  return ScalarType::Float;  // also for one of each of the 16-bit floats
}
constexpr ScalarType wider_integer(ScalarType a, ScalarType b) {
  // uint8 and int8 hold what the other does not.
  if (a == ScalarType::Byte && b == ScalarType::Char) return ScalarType::Short;
  if (a == ScalarType::Char && b == ScalarType::Byte) return ScalarType::Short;
  return a > b ? a : b;
}
constexpr ScalarType complex_of(ScalarType t) {
  return t == ScalarType::Half     ? ScalarType::ComplexHalf
         : t == ScalarType::Double ? ScalarType::ComplexDouble
                                   : ScalarType::ComplexFloat;
}

}  // namespace internal

/// The dtype that two operands are computed in; floats are at least 32 bits wide with `half_to_float`.
constexpr ScalarType promoteTypes(ScalarType a, ScalarType b, bool half_to_float = false) {
  ScalarType t = a;
  if (a != b || internal::kind_of(a) >= 0) {
    const int kind_a = internal::kind_of(a);
    const int kind_b = internal::kind_of(b);
    if (kind_a < 0 || kind_b < 0) {
      ET_CHECK_MSG(false, "dtypes %d and %d have none in common", static_cast<int>(a), static_cast<int>(b));
    }
    if (kind_a == kind_b) {
      t = kind_a == 0   ? a
          : kind_a == 1 ? internal::wider_integer(a, b)
          : kind_a == 2 ? internal::wider_float(a, b)
                        : internal::complex_of(internal::wider_float(toRealValueType(a), toRealValueType(b)));
    } else {
      const ScalarType high = kind_a > kind_b ? a : b;
      const ScalarType low = kind_a > kind_b ? b : a;
      t = internal::kind_of(high) == 3 && internal::kind_of(low) == 2
              ? internal::complex_of(internal::wider_float(toRealValueType(high), low))
              : high;
    }
  }
  if (half_to_float && isReducedFloatingType(t)) t = ScalarType::Float;
  return t;
}
template <class A, class B, bool kHalfToFloat = false>
struct promote_types {
  using type = typename ScalarTypeToCppType<promoteTypes(CppTypeToScalarType<A>::value, CppTypeToScalarType<B>::value,
                                                         kHalfToFloat)>::type;
};

}  // namespace executorch::runtime

namespace executorch::aten {
using ::executorch::runtime::elementSize;
}

namespace torch::executor {
using ::executorch::runtime::can_cast;
using ::executorch::runtime::canCast;
using ::executorch::runtime::convert;
using ::executorch::runtime::CppTypeToScalarType;
using ::executorch::runtime::elementSize;
using ::executorch::runtime::is_barebones_unsigned_type;
using ::executorch::runtime::is_bits_type;
using ::executorch::runtime::is_complex_type;
using ::executorch::runtime::is_float8_type;
using ::executorch::runtime::is_floating_point;
using ::executorch::runtime::is_integral_type;
using ::executorch::runtime::is_qint_type;
using ::executorch::runtime::is_reduced_floating_point;
using ::executorch::runtime::isBarebonesUnsignedType;
using ::executorch::runtime::isBitsType;
using ::executorch::runtime::isComplexType;
using ::executorch::runtime::isFloat8Type;
using ::executorch::runtime::isFloatingType;
using ::executorch::runtime::isIntegralType;
using ::executorch::runtime::isQIntType;
using ::executorch::runtime::isRealHBBF16Type;
using ::executorch::runtime::isRealHBF16Type;
using ::executorch::runtime::isRealHBType;
using ::executorch::runtime::isRealHType;
using ::executorch::runtime::isRealType;
using ::executorch::runtime::isSignedType;
using ::executorch::runtime::isUnderlying;
using ::executorch::runtime::isValid;
using ::executorch::runtime::promote_types;
using ::executorch::runtime::promoteTypes;
using ::executorch::runtime::ScalarTypeToCppType;
using ::executorch::runtime::toComplexType;
using ::executorch::runtime::toQIntType;
using ::executorch::runtime::toRealValueType;
using ::executorch::runtime::toString;
using ::executorch::runtime::toUnderlying;
}  // namespace torch::executor
