// ScalarType, and the C++ type of each.
#pragma once

#include "base/scalar_type.h"
#include "executorch/runtime/core/portable_type/bfloat16.h"
#include "executorch/runtime/core/portable_type/bits_types.h"
#include "executorch/runtime/core/portable_type/complex.h"
#include "executorch/runtime/core/portable_type/half.h"
#include "executorch/runtime/core/portable_type/qint_types.h"

namespace executorch::runtime::etensor {

using ::et::ScalarType;

/// Eight-bit floats: stored, never computed with here.
namespace unused_dtype {
#define ET_FLOAT8_TYPE(name)                   \
  struct alignas(1) name {                     \
    using underlying = uint8_t;                \
    uint8_t x;                                 \
    name() = default;                          \
    explicit name(uint8_t value) : x(value) {} \
  };
ET_FLOAT8_TYPE(Float8_e5m2)
ET_FLOAT8_TYPE(Float8_e4m3fn)
ET_FLOAT8_TYPE(Float8_e5m2fnuz)
ET_FLOAT8_TYPE(Float8_e4m3fnuz)
#undef ET_FLOAT8_TYPE
}  // namespace unused_dtype

}  // namespace executorch::runtime::etensor

/// X(C++ type, name), in the order of their numbers.
#define ET_FORALL_SCALAR_TYPES(X)                                                               \
  X(uint8_t, Byte)                                                                              \
  X(int8_t, Char)                                                                               \
  X(int16_t, Short)                                                                             \
  X(int32_t, Int)                                                                               \
  X(int64_t, Long)                                                                              \
  X(::executorch::runtime::etensor::Half, Half)                                                 \
  X(float, Float)                                                                               \
  X(double, Double)                                                                             \
  X(::executorch::runtime::etensor::complex<::executorch::runtime::etensor::Half>, ComplexHalf) \
  X(::executorch::runtime::etensor::complex<float>, ComplexFloat)                               \
  X(::executorch::runtime::etensor::complex<double>, ComplexDouble)                             \
  X(bool, Bool)                                                                                 \
  X(::executorch::runtime::etensor::qint8, QInt8)                                               \
  X(::executorch::runtime::etensor::quint8, QUInt8)                                             \
  X(::executorch::runtime::etensor::qint32, QInt32)                                             \
  X(::executorch::runtime::etensor::BFloat16, BFloat16)                                         \
  X(::executorch::runtime::etensor::quint4x2, QUInt4x2)                                         \
  X(::executorch::runtime::etensor::quint2x4, QUInt2x4)                                         \
  X(::executorch::runtime::etensor::bits1x8, Bits1x8)                                           \
  X(::executorch::runtime::etensor::bits2x4, Bits2x4)                                           \
  X(::executorch::runtime::etensor::bits4x2, Bits4x2)                                           \
  X(::executorch::runtime::etensor::bits8, Bits8)                                               \
  X(::executorch::runtime::etensor::bits16, Bits16)                                             \
  X(::executorch::runtime::etensor::unused_dtype::Float8_e5m2, Float8_e5m2)                     \
  X(::executorch::runtime::etensor::unused_dtype::Float8_e4m3fn, Float8_e4m3fn)                 \
  X(::executorch::runtime::etensor::unused_dtype::Float8_e5m2fnuz, Float8_e5m2fnuz)             \
  X(::executorch::runtime::etensor::unused_dtype::Float8_e4m3fnuz, Float8_e4m3fnuz)             \
  X(uint16_t, UInt16)                                                                           \
  X(uint32_t, UInt32)                                                                           \
  X(uint64_t, UInt64)

namespace torch::executor {
using ::executorch::runtime::etensor::ScalarType;
}
