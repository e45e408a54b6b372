// Element types of TOSA and how their values lie in memory here: INT4 in bytes, INT48 in 64 bits, BOOL in bytes of 0
// and 1, the rest as the file has them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "runtime/core/half.h"

namespace et::tosa {

/// Numbers as in the file.
enum class Type : uint8_t { Unknown, Bool, Int4, Int8, Int16, Int32, Int48, Fp32, Fp16, Bf16, Shape };

/// Bytes of an element in memory; 0 for a type that the interpreter does not know.
constexpr size_t element_size(Type t) {
  constexpr size_t kSizes[] = {0, 1, 1, 1, 2, 4, 8, 4, 2, 2, 8};
  return kSizes[static_cast<size_t>(t)];
}

constexpr bool is_float(Type t) { return t == Type::Fp32 || t == Type::Fp16 || t == Type::Bf16; }

/// The type that is stored as T.
template <class T>
constexpr Type type_of() {
  if constexpr (std::is_same_v<T, uint8_t>) return Type::Bool;
  if constexpr (std::is_same_v<T, int8_t>) return Type::Int8;
  if constexpr (std::is_same_v<T, int16_t>) return Type::Int16;
  if constexpr (std::is_same_v<T, int32_t>) return Type::Int32;
  if constexpr (std::is_same_v<T, int64_t>) return Type::Int48;
  if constexpr (std::is_same_v<T, float>) return Type::Fp32;
  if constexpr (std::is_same_v<T, Half>) return Type::Fp16;
  if constexpr (std::is_same_v<T, BFloat16>) return Type::Bf16;
  return Type::Unknown;
}

template <class T>
inline constexpr bool kIsFloat = std::is_same_v<T, float> || std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

/// What one computes with: 16-bit floats in float, small integers in 32 bits.
template <class T>
using Compute =
    std::conditional_t<kIsFloat<T>, float, std::conditional_t<std::is_same_v<T, int64_t>, int64_t, int32_t>>;

/// Addition, subtraction and multiplication that wrap, as two's complement does; the specification leaves overflow
/// open, C++ does not.
template <class T>
T wrap_add(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a + b;
  } else {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
  }
}
template <class T>
T wrap_sub(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a - b;
  } else {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(a) - static_cast<U>(b));
  }
}
template <class T>
T wrap_mul(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a * b;
  } else {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
  }
}

}  // namespace et::tosa
