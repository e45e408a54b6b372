// Every scalar type as a double: the bit layouts of the small floating-point types.
#include <cmath>
#include <cstring>
#include <limits>

#include "etdump/debug_buffer.h"

namespace et::etdump {

namespace {

template <class T>
T load(const uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// A binary float of `exponent` and `mantissa` bits below a sign bit, IEEE 754 rules.
double ieee(uint32_t bits, int exponent, int mantissa) {
  const bool negative = (bits >> (exponent + mantissa) & 1) != 0;
  const int e = static_cast<int>(bits >> mantissa & ((1u << exponent) - 1));
  const uint32_t m = bits & ((1u << mantissa) - 1);
  const int bias = (1 << (exponent - 1)) - 1;
  double value = 0;
  if (e == (1 << exponent) - 1) {
    value = m == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  } else if (e == 0) {
    value = std::ldexp(m, 1 - bias - mantissa);
  } else {
    value = std::ldexp(m + (1u << mantissa), e - bias - mantissa);
  }
  return negative ? -value : value;
}

// The "fn" kinds have no infinities. e4m3fn: NaN is all ones below the sign. "uz": no negative zero either, whose
// pattern is the only NaN; the bias is one more.
double finite8(uint8_t bits, int exponent, int mantissa, bool unsigned_zero) {
  if (unsigned_zero ? bits == 0x80 : (bits & 0x7f) == 0x7f) return std::numeric_limits<double>::quiet_NaN();
  const int bias = (1 << (exponent - 1)) - 1 + (unsigned_zero ? 1 : 0);
  const int e = bits >> mantissa & ((1 << exponent) - 1);
  const int m = bits & ((1 << mantissa) - 1);
  const double value =
      e == 0 ? std::ldexp(m, 1 - bias - mantissa) : std::ldexp(m + (1 << mantissa), e - bias - mantissa);
  return (bits & 0x80) != 0 ? -value : value;
}

double half(const uint8_t* at) { return ieee(load<uint16_t>(at), 5, 10); }

}  // namespace

double element_as_double(ScalarType dtype, const uint8_t* at) {
  switch (dtype) {
    case ScalarType::Byte:
    case ScalarType::QUInt8:
    case ScalarType::QUInt4x2:
    case ScalarType::QUInt2x4:
    case ScalarType::Bits1x8:
    case ScalarType::Bits2x4:
    case ScalarType::Bits4x2:
    case ScalarType::Bits8:
      return *at;
    case ScalarType::Bool:
      return *at != 0 ? 1.0 : 0.0;
    case ScalarType::Char:
    case ScalarType::QInt8:
      return load<int8_t>(at);
    case ScalarType::Short:
      return load<int16_t>(at);
    case ScalarType::Bits16:
    case ScalarType::UInt16:
      return load<uint16_t>(at);
    case ScalarType::Int:
    case ScalarType::QInt32:
      return load<int32_t>(at);
    case ScalarType::UInt32:
      return load<uint32_t>(at);
    case ScalarType::Long:
      return static_cast<double>(load<int64_t>(at));
    case ScalarType::UInt64:
      return static_cast<double>(load<uint64_t>(at));
    case ScalarType::Half:
      return half(at);
    case ScalarType::BFloat16: {
      const uint32_t bits = static_cast<uint32_t>(load<uint16_t>(at)) << 16;
      float value;
      std::memcpy(&value, &bits, sizeof value);
      return value;
    }
    case ScalarType::Float:
      return load<float>(at);
    case ScalarType::Double:
      return load<double>(at);
    case ScalarType::ComplexHalf:
      return std::hypot(half(at), half(at + 2));
    case ScalarType::ComplexFloat:
      return std::hypot(static_cast<double>(load<float>(at)), static_cast<double>(load<float>(at + 4)));
    case ScalarType::ComplexDouble:
      return std::hypot(load<double>(at), load<double>(at + 8));
    case ScalarType::Float8_e5m2:
      return ieee(*at, 5, 2);
    case ScalarType::Float8_e4m3fn:
      return finite8(*at, 4, 3, false);
    case ScalarType::Float8_e5m2fnuz:
      return finite8(*at, 5, 2, true);
    case ScalarType::Float8_e4m3fnuz:
      return finite8(*at, 4, 3, true);
    case ScalarType::Undefined:
    case ScalarType::NumOptions:
      break;
  }
  return 0;
}

}  // namespace et::etdump
