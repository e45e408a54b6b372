// Scalar types as the ETRecord's JSON numbers them → those of programs. ExecuTorch's serializer (schema 5) and
// PyTorch's own (schema 8) agree up to 13 and do not overlap above.
#pragma once

#include <cstdint>
#include <optional>

#include "base/scalar_type.h"

namespace et::etrecord {

constexpr std::optional<ScalarType> scalar_type_of_json(int64_t number) {
  switch (number) {
    case 1:
      return ScalarType::Byte;
    case 2:
      return ScalarType::Char;
    case 3:
      return ScalarType::Short;
    case 4:
      return ScalarType::Int;
    case 5:
      return ScalarType::Long;
    case 6:
      return ScalarType::Half;
    case 7:
      return ScalarType::Float;
    case 8:
      return ScalarType::Double;
    case 9:
      return ScalarType::ComplexHalf;
    case 10:
      return ScalarType::ComplexFloat;
    case 11:
      return ScalarType::ComplexDouble;
    case 12:
      return ScalarType::Bool;
    case 13:
      return ScalarType::BFloat16;
    case 14:
    case 28:
      return ScalarType::UInt16;
    case 15:
    case 30:
      return ScalarType::Float8_e5m2;
    case 16:
    case 29:
      return ScalarType::Float8_e4m3fn;
    case 31:
      return ScalarType::Float8_e4m3fnuz;
    case 32:
      return ScalarType::Float8_e5m2fnuz;
    case 34:
      return ScalarType::UInt32;
    case 35:
      return ScalarType::UInt64;
    default:
      return std::nullopt;
  }
}

}  // namespace et::etrecord
