// ET_FORALL_...(X): X(C++ type, name) for each dtype of a group; ..._WITH passes arguments on, ..._AND adds dtypes.
#pragma once

#include "executorch/runtime/core/exec_aten/exec_aten.h"

#define ET_FORALL_INT_TYPES(X) \
  X(uint8_t, Byte)             \
  X(int8_t, Char)              \
  X(int16_t, Short)            \
  X(int32_t, Int)              \
  X(int64_t, Long)

#define ET_FORALL_INT_TYPES_WITH(ANOTHER_INPUT, X) \
  X(ANOTHER_INPUT, uint8_t, Byte)                  \
  X(ANOTHER_INPUT, int8_t, Char)                   \
  X(ANOTHER_INPUT, int16_t, Short)                 \
  X(ANOTHER_INPUT, int32_t, Int)                   \
  X(ANOTHER_INPUT, int64_t, Long)

#define ET_FORALL_INT_TYPES_WITH2(ANOTHER_INPUT1, ANOTHER_INPUT2, X) \
  X(ANOTHER_INPUT1, ANOTHER_INPUT2, uint8_t, Byte)                   \
  X(ANOTHER_INPUT1, ANOTHER_INPUT2, int8_t, Char)                    \
  X(ANOTHER_INPUT1, ANOTHER_INPUT2, int16_t, Short)                  \
  X(ANOTHER_INPUT1, ANOTHER_INPUT2, int32_t, Int)                    \
  X(ANOTHER_INPUT1, ANOTHER_INPUT2, int64_t, Long)

#define ET_FORALL_INT_TYPES_AND(SCALARTYPE, X) \
  X(uint8_t, Byte)                             \
  X(int8_t, Char)                              \
  X(int16_t, Short)                            \
  X(int32_t, Int)                              \
  X(int64_t, Long)                             \
  X(::executorch::runtime::ScalarTypeToCppType<::executorch::aten::ScalarType::SCALARTYPE>::type, SCALARTYPE)

#define ET_FORALL_FLOAT_TYPES(X) \
  X(float, Float)                \
  X(double, Double)

#define ET_FORALL_FLOAT_TYPES_AND(SCALARTYPE, X) \
  X(float, Float)                                \
  X(double, Double)                              \
  X(::executorch::runtime::ScalarTypeToCppType<::executorch::aten::ScalarType::SCALARTYPE>::type, SCALARTYPE)

#define ET_FORALL_FLOAT_TYPES_AND2(SCALARTYPE1, SCALARTYPE2, X)                                                 \
  X(float, Float)                                                                                               \
  X(double, Double)                                                                                             \
  X(::executorch::runtime::ScalarTypeToCppType<::executorch::aten::ScalarType::SCALARTYPE1>::type, SCALARTYPE1) \
  X(::executorch::runtime::ScalarTypeToCppType<::executorch::aten::ScalarType::SCALARTYPE2>::type, SCALARTYPE2)

#define ET_FORALL_FLOATH_TYPES(X) \
  X(float, Float)                 \
  X(double, Double)               \
  X(::executorch::aten::Half, Half)

#define ET_FORALL_FLOATHBF16_TYPES(X) \
  X(float, Float)                     \
  X(double, Double)                   \
  X(::executorch::aten::Half, Half)   \
  X(::executorch::aten::BFloat16, BFloat16)

#define ET_FORALL_FLOAT_TYPES_WITH(ANOTHER_INPUT, X) \
  X(ANOTHER_INPUT, float, Float)                     \
  X(ANOTHER_INPUT, double, Double)

#define ET_FORALL_FLOATH_TYPES_WITH(ANOTHER_INPUT, X) \
  X(ANOTHER_INPUT, float, Float)                      \
  X(ANOTHER_INPUT, double, Double)                    \
  X(ANOTHER_INPUT, ::executorch::aten::Half, Half)

#define ET_FORALL_FLOAT_TYPES_WITH2(ANOTHER_INPUT1, ANOTHER_INPUT2, X) \
  X(ANOTHER_INPUT1, ANOTHER_INPUT2, float, Float)                      \
  X(ANOTHER_INPUT1, ANOTHER_INPUT2, double, Double)

#define ET_FORALL_FLOATHBF16_TYPES_WITH2(ANOTHER_INPUT1, ANOTHER_INPUT2, X) \
  X(ANOTHER_INPUT1, ANOTHER_INPUT2, float, Float)                           \
  X(ANOTHER_INPUT1, ANOTHER_INPUT2, double, Double)                         \
  X(ANOTHER_INPUT1, ANOTHER_INPUT2, ::executorch::aten::Half, Half)         \
  X(ANOTHER_INPUT1, ANOTHER_INPUT2, ::executorch::aten::BFloat16, BFloat16)

#define ET_FORALL_REAL_TYPES(X) \
  X(uint8_t, Byte)              \
  X(int8_t, Char)               \
  X(int16_t, Short)             \
  X(int32_t, Int)               \
  X(int64_t, Long)              \
  X(float, Float)               \
  X(double, Double)

#define ET_FORALL_REAL_TYPES_WITH(ANOTHER_INPUT, X) \
  X(ANOTHER_INPUT, uint8_t, Byte)                   \
  X(ANOTHER_INPUT, int8_t, Char)                    \
  X(ANOTHER_INPUT, int16_t, Short)                  \
  X(ANOTHER_INPUT, int32_t, Int)                    \
  X(ANOTHER_INPUT, int64_t, Long)                   \
  X(ANOTHER_INPUT, float, Float)                    \
  X(ANOTHER_INPUT, double, Double)

#define ET_FORALL_REAL_TYPES_WITH2(ANOTHER_INPUT1, ANOTHER_INPUT2, X) \
  X(ANOTHER_INPUT1, ANOTHER_INPUT2, uint8_t, Byte)                    \
  X(ANOTHER_INPUT1, ANOTHER_INPUT2, int8_t, Char)                     \
  X(ANOTHER_INPUT1, ANOTHER_INPUT2, int16_t, Short)                   \
  X(ANOTHER_INPUT1, ANOTHER_INPUT2, int32_t, Int)                     \
  X(ANOTHER_INPUT1, ANOTHER_INPUT2, int64_t, Long)                    \
  X(ANOTHER_INPUT1, ANOTHER_INPUT2, float, Float)                     \
  X(ANOTHER_INPUT1, ANOTHER_INPUT2, double, Double)

#define ET_FORALL_REALHBF16_TYPES_WITH2(ANOTHER_INPUT1, ANOTHER_INPUT2, X) \
  X(ANOTHER_INPUT1, ANOTHER_INPUT2, uint8_t, Byte)                         \
  X(ANOTHER_INPUT1, ANOTHER_INPUT2, int8_t, Char)                          \
  X(ANOTHER_INPUT1, ANOTHER_INPUT2, int16_t, Short)                        \
  X(ANOTHER_INPUT1, ANOTHER_INPUT2, int32_t, Int)                          \
  X(ANOTHER_INPUT1, ANOTHER_INPUT2, int64_t, Long)                         \
  X(ANOTHER_INPUT1, ANOTHER_INPUT2, float, Float)                          \
  X(ANOTHER_INPUT1, ANOTHER_INPUT2, double, Double)                        \
  X(ANOTHER_INPUT1, ANOTHER_INPUT2, ::executorch::aten::Half, Half)        \
  X(ANOTHER_INPUT1, ANOTHER_INPUT2, ::executorch::aten::BFloat16, BFloat16)

#define ET_FORALL_REALHBBF16_TYPES_WITH2(ANOTHER_INPUT1, ANOTHER_INPUT2, X) \
  X(ANOTHER_INPUT1, ANOTHER_INPUT2, uint8_t, Byte)                          \
  X(ANOTHER_INPUT1, ANOTHER_INPUT2, int8_t, Char)                           \
  X(ANOTHER_INPUT1, ANOTHER_INPUT2, int16_t, Short)                         \
  X(ANOTHER_INPUT1, ANOTHER_INPUT2, int32_t, Int)                           \
  X(ANOTHER_INPUT1, ANOTHER_INPUT2, int64_t, Long)                          \
  X(ANOTHER_INPUT1, ANOTHER_INPUT2, float, Float)                           \
  X(ANOTHER_INPUT1, ANOTHER_INPUT2, double, Double)                         \
  X(ANOTHER_INPUT1, ANOTHER_INPUT2, ::executorch::aten::Half, Half)         \
  X(ANOTHER_INPUT1, ANOTHER_INPUT2, ::executorch::aten::BFloat16, BFloat16) \
  X(ANOTHER_INPUT1, ANOTHER_INPUT2, bool, Bool)

#define ET_FORALL_REAL_TYPES_AND(SCALARTYPE, X) \
  X(uint8_t, Byte)                              \
  X(int8_t, Char)                               \
  X(int16_t, Short)                             \
  X(int32_t, Int)                               \
  X(int64_t, Long)                              \
  X(float, Float)                               \
  X(double, Double)                             \
  X(::executorch::runtime::ScalarTypeToCppType<::executorch::aten::ScalarType::SCALARTYPE>::type, SCALARTYPE)

#define ET_FORALL_REAL_TYPES_AND_WITH(SCALARTYPE, ANOTHER_INPUT, X)                                              \
  X(ANOTHER_INPUT, uint8_t, Byte)                                                                                \
  X(ANOTHER_INPUT, int8_t, Char)                                                                                 \
  X(ANOTHER_INPUT, int16_t, Short)                                                                               \
  X(ANOTHER_INPUT, int32_t, Int)                                                                                 \
  X(ANOTHER_INPUT, int64_t, Long)                                                                                \
  X(ANOTHER_INPUT, float, Float)                                                                                 \
  X(ANOTHER_INPUT, double, Double)                                                                               \
  X(ANOTHER_INPUT, ::executorch::runtime::ScalarTypeToCppType<::executorch::aten::ScalarType::SCALARTYPE>::type, \
    SCALARTYPE)

#define ET_FORALL_REAL_TYPES_AND2(SCALARTYPE1, SCALARTYPE2, X)                                                  \
  X(uint8_t, Byte)                                                                                              \
  X(int8_t, Char)                                                                                               \
  X(int16_t, Short)                                                                                             \
  X(int32_t, Int)                                                                                               \
  X(int64_t, Long)                                                                                              \
  X(float, Float)                                                                                               \
  X(double, Double)                                                                                             \
  X(::executorch::runtime::ScalarTypeToCppType<::executorch::aten::ScalarType::SCALARTYPE1>::type, SCALARTYPE1) \
  X(::executorch::runtime::ScalarTypeToCppType<::executorch::aten::ScalarType::SCALARTYPE2>::type, SCALARTYPE2)

#define ET_FORALL_REAL_TYPES_AND3(SCALARTYPE1, SCALARTYPE2, SCALARTYPE3, X)                                     \
  X(uint8_t, Byte)                                                                                              \
  X(int8_t, Char)                                                                                               \
  X(int16_t, Short)                                                                                             \
  X(int32_t, Int)                                                                                               \
  X(int64_t, Long)                                                                                              \
  X(float, Float)                                                                                               \
  X(double, Double)                                                                                             \
  X(::executorch::runtime::ScalarTypeToCppType<::executorch::aten::ScalarType::SCALARTYPE1>::type, SCALARTYPE1) \
  X(::executorch::runtime::ScalarTypeToCppType<::executorch::aten::ScalarType::SCALARTYPE2>::type, SCALARTYPE2) \
  X(::executorch::runtime::ScalarTypeToCppType<::executorch::aten::ScalarType::SCALARTYPE3>::type, SCALARTYPE3)

#define ET_FORALL_REALH_TYPES(X) \
  X(uint8_t, Byte)               \
  X(int8_t, Char)                \
  X(int16_t, Short)              \
  X(int32_t, Int)                \
  X(int64_t, Long)               \
  X(float, Float)                \
  X(double, Double)              \
  X(::executorch::aten::Half, Half)

#define ET_FORALL_REALHBF16_TYPES(X) \
  X(uint8_t, Byte)                   \
  X(int8_t, Char)                    \
  X(int16_t, Short)                  \
  X(int32_t, Int)                    \
  X(int64_t, Long)                   \
  X(float, Float)                    \
  X(double, Double)                  \
  X(::executorch::aten::Half, Half)  \
  X(::executorch::aten::BFloat16, BFloat16)

#define ET_FORALL_REALHBBF16_TYPES(X) \
  X(uint8_t, Byte)                    \
  X(int8_t, Char)                     \
  X(int16_t, Short)                   \
  X(int32_t, Int)                     \
  X(int64_t, Long)                    \
  X(float, Float)                     \
  X(double, Double)                   \
  X(bool, Bool)                       \
  X(::executorch::aten::Half, Half)   \
  X(::executorch::aten::BFloat16, BFloat16)

#define ET_FORALL_QINT_TYPES(X)                         \
  X(::executorch::runtime::etensor::qint8, QInt8)       \
  X(::executorch::runtime::etensor::quint8, QUInt8)     \
  X(::executorch::runtime::etensor::qint32, QInt32)     \
  X(::executorch::runtime::etensor::quint4x2, QUInt4x2) \
  X(::executorch::runtime::etensor::quint2x4, QUInt2x4)

#define ET_FORALL_COMPLEX_TYPES(X)                    \
  X(::executorch::aten::complex<float>, ComplexFloat) \
  X(::executorch::aten::complex<double>, ComplexDouble)

#define ET_FORALL_COMPLEXH_TYPES(X)                                     \
  X(::executorch::aten::complex<::executorch::aten::Half>, ComplexHalf) \
  X(::executorch::aten::complex<float>, ComplexFloat)                   \
  X(::executorch::aten::complex<double>, ComplexDouble)
