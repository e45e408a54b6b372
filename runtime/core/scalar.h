// Scalar: a number argument of an operator (int, float or bool), tagged with what it is.
#pragma once

#include <cstdint>
#include <type_traits>

#include "runtime/core/half.h"

namespace et {

class Scalar {
 public:
  Scalar() : Scalar(int64_t{0}) {}
  Scalar(Half v) : Scalar(static_cast<double>(static_cast<float>(v))) {}      // NOLINT: conversions are the point
  Scalar(BFloat16 v) : Scalar(static_cast<double>(static_cast<float>(v))) {}  // NOLINT
  template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  Scalar(T v) {  // NOLINT
    if constexpr (std::is_same_v<T, bool>) {
      tag_ = Tag::Bool;
      v_.as_bool = v;
    } else if constexpr (std::is_floating_point_v<T>) {
      tag_ = Tag::Double;
      v_.as_double = static_cast<double>(v);
    } else {
      tag_ = Tag::Int;
      v_.as_int = static_cast<int64_t>(v);
    }
  }

  bool isBoolean() const { return tag_ == Tag::Bool; }
  bool isFloatingPoint() const { return tag_ == Tag::Double; }
  /// Integers, without bool.
  bool isIntegral() const { return tag_ == Tag::Int; }
  bool isIntegral(bool include_bool) const { return tag_ == Tag::Int || (include_bool && tag_ == Tag::Bool); }

  /// The value as T, by C conversion; a double outside of an integer T saturates, NaN gives 0.
  template <class T>
  T to() const {
    switch (tag_) {
      case Tag::Bool:
        return static_cast<T>(v_.as_bool);
      case Tag::Int:
        if constexpr (std::is_integral_v<T> || std::is_same_v<T, double>) return static_cast<T>(v_.as_int);
        return static_cast<T>(static_cast<float>(v_.as_int));
      case Tag::Double:
        if constexpr (std::is_same_v<T, bool>) {
          return v_.as_double != 0;
        } else if constexpr (std::is_integral_v<T>) {
          if (!(v_.as_double > -9223372036854775808.0)) {
            return static_cast<T>(v_.as_double != v_.as_double ? int64_t{0} : INT64_MIN);
          }
          if (v_.as_double >= 9223372036854775808.0) return static_cast<T>(INT64_MAX);
          return static_cast<T>(static_cast<int64_t>(v_.as_double));
        } else if constexpr (std::is_same_v<T, double>) {
          return v_.as_double;
        } else {
          return static_cast<T>(static_cast<float>(v_.as_double));
        }
    }
    return T{};
  }

 private:
  enum class Tag : uint8_t { Bool, Int, Double };
  Tag tag_ = Tag::Int;
  union {
    bool as_bool;
    int64_t as_int;
    double as_double;
  } v_;
};

}  // namespace et
