// Matchers of tensors for googletest: EXPECT_TENSOR_EQ and its kin. Strides, dtypes and shapes must be equal.
#pragma once

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <optional>
#include <ostream>

#include "executorch/runtime/core/exec_aten/exec_aten.h"
#include "executorch/runtime/core/exec_aten/util/scalar_type_util.h"
#include "executorch/runtime/core/exec_aten/util/tensor_util.h"

// Beside the types, so that googletest finds them.
namespace et {
inline std::ostream& operator<<(std::ostream& out, ScalarType t) {
  if (t == ScalarType::Undefined || ::et::element_size(t) != 0) return out << ::executorch::runtime::toString(t);
  return out << "Unknown(" << static_cast<int>(t) << ')';
}
std::ostream& operator<<(std::ostream& out, const Tensor& t);
}  // namespace et

namespace executorch::runtime::testing {
namespace internal {

inline constexpr double kDefaultRtol = 1e-5;
inline constexpr double kDefaultAtol = 1e-8;
inline constexpr double kDefaultHalfAtol = 1e-3;
inline constexpr double kDefaultBFloat16Atol = 1e-2;

inline double atol_of(ScalarType t) {
  return t == ScalarType::Half ? kDefaultHalfAtol : t == ScalarType::BFloat16 ? kDefaultBFloat16Atol : kDefaultAtol;
}
/// NaN is close to NaN, infinity to infinity of its sign.
inline bool number_is_close(double a, double b, double rtol, double atol) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b)) return a == b;
  return a == b || std::abs(a - b) <= atol + rtol * std::abs(b);
}
inline bool values_are_close(const Tensor& a, const Tensor& b, double rtol, double atol) {
  const void* x = a.const_data_ptr();
  const void* y = b.const_data_ptr();
  const size_t count = static_cast<size_t>(a.numel());
  if (count == 0) return true;
  ET_CHECK_MSG(x != nullptr && y != nullptr, "a tensor with elements has no memory");
  if (x == y) return true;
#define ET_COMPARE(ctype, name)                                                               \
  case ScalarType::name:                                                                      \
    for (size_t i = 0; i < count; ++i) {                                                      \
      if (!number_is_close(static_cast<double>(static_cast<const ctype*>(x)[i]),              \
                           static_cast<double>(static_cast<const ctype*>(y)[i]), rtol, atol)) \
        return false;                                                                         \
    }                                                                                         \
    return true;
  switch (a.scalar_type()) {
    ET_FORALL_FLOATHBF16_TYPES(ET_COMPARE)
    default:
      return std::memcmp(x, y, a.nbytes()) == 0;
  }
#undef ET_COMPARE
}

}  // namespace internal

/// Tensors of the same dtype and shape with other strides are a mistake of the test, which ends the process.
inline bool tensors_are_close(const Tensor& a, const Tensor& b, double rtol = internal::kDefaultRtol,
                              std::optional<double> atol = std::nullopt) {
  if (a.scalar_type() != b.scalar_type() || a.sizes() != b.sizes()) return false;
  ET_CHECK_MSG(a.strides() == b.strides(), "tensors of other strides cannot be compared");
  return internal::values_are_close(a, b, rtol, atol.value_or(internal::atol_of(a.scalar_type())));
}
/// Shapes may differ.
inline bool tensor_data_is_close(const Tensor& a, const Tensor& b, double rtol = internal::kDefaultRtol,
                                 std::optional<double> atol = std::nullopt) {
  if (a.scalar_type() != b.scalar_type() || a.numel() != b.numel()) return false;
  return internal::values_are_close(a, b, rtol, atol.value_or(internal::atol_of(a.scalar_type())));
}
inline bool tensor_lists_are_close(const Tensor* a, size_t count_a, const Tensor* b, size_t count_b,
                                   double rtol = internal::kDefaultRtol, std::optional<double> atol = std::nullopt) {
  if (count_a != count_b) return false;
  for (size_t i = 0; i < count_a; ++i) {
    if (!tensors_are_close(a[i], b[i], rtol, atol)) return false;
  }
  return true;
}

MATCHER_P(IsCloseTo, other, "") { return tensors_are_close(arg, other); }
MATCHER_P3(IsCloseToWithTol, other, rtol, atol, "") { return tensors_are_close(arg, other, rtol, atol); }
MATCHER_P(IsEqualTo, other, "") { return tensors_are_close(arg, other, 0, 0); }
MATCHER_P(IsDataCloseTo, other, "") { return tensor_data_is_close(arg, other); }
MATCHER_P3(IsDataCloseToWithTol, other, rtol, atol, "") { return tensor_data_is_close(arg, other, rtol, atol); }
MATCHER_P(IsDataEqualTo, other, "") { return tensor_data_is_close(arg, other, 0, 0); }
MATCHER_P(IsListCloseTo, other, "") {
  return tensor_lists_are_close(arg.data(), arg.size(), other.data(), other.size());
}
MATCHER_P(IsListEqualTo, other, "") {
  return tensor_lists_are_close(arg.data(), arg.size(), other.data(), other.size(), 0, 0);
}

}  // namespace executorch::runtime::testing

namespace torch::executor::testing {
using ::executorch::runtime::testing::IsCloseTo;
using ::executorch::runtime::testing::IsCloseToWithTol;
using ::executorch::runtime::testing::IsDataCloseTo;
using ::executorch::runtime::testing::IsDataCloseToWithTol;
using ::executorch::runtime::testing::IsDataEqualTo;
using ::executorch::runtime::testing::IsEqualTo;
using ::executorch::runtime::testing::IsListCloseTo;
using ::executorch::runtime::testing::IsListEqualTo;
using ::executorch::runtime::testing::tensor_data_is_close;
using ::executorch::runtime::testing::tensor_lists_are_close;
using ::executorch::runtime::testing::tensors_are_close;
}  // namespace torch::executor::testing

#define EXPECT_TENSOR_EQ(a, b) EXPECT_THAT(a, ::executorch::runtime::testing::IsEqualTo(b))
#define EXPECT_TENSOR_NE(a, b) EXPECT_THAT(a, ::testing::Not(::executorch::runtime::testing::IsEqualTo(b)))
#define EXPECT_TENSOR_CLOSE(a, b) EXPECT_THAT(a, ::executorch::runtime::testing::IsCloseTo(b))
#define EXPECT_TENSOR_NOT_CLOSE(a, b) EXPECT_THAT(a, ::testing::Not(::executorch::runtime::testing::IsCloseTo(b)))
#define EXPECT_TENSOR_CLOSE_WITH_TOL(a, b, rtol, atol) \
  EXPECT_THAT(a, ::executorch::runtime::testing::IsCloseToWithTol(b, rtol, atol))
#define EXPECT_TENSOR_NOT_CLOSE_WITH_TOL(a, b, rtol, atol) \
  EXPECT_THAT(a, ::testing::Not(::executorch::runtime::testing::IsCloseToWithTol(b, rtol, atol)))
#define ASSERT_TENSOR_EQ(a, b) ASSERT_THAT(a, ::executorch::runtime::testing::IsEqualTo(b))
#define ASSERT_TENSOR_NE(a, b) ASSERT_THAT(a, ::testing::Not(::executorch::runtime::testing::IsEqualTo(b)))
#define ASSERT_TENSOR_CLOSE(a, b) ASSERT_THAT(a, ::executorch::runtime::testing::IsCloseTo(b))
#define ASSERT_TENSOR_NOT_CLOSE(a, b) ASSERT_THAT(a, ::testing::Not(::executorch::runtime::testing::IsCloseTo(b)))
#define ASSERT_TENSOR_CLOSE_WITH_TOL(a, b, rtol, atol) \
  ASSERT_THAT(a, ::executorch::runtime::testing::IsCloseToWithTol(b, rtol, atol))
#define ASSERT_TENSOR_NOT_CLOSE_WITH_TOL(a, b, rtol, atol) \
  ASSERT_THAT(a, ::testing::Not(::executorch::runtime::testing::IsCloseToWithTol(b, rtol, atol)))
#define EXPECT_TENSOR_DATA_EQ(a, b) EXPECT_THAT(a, ::executorch::runtime::testing::IsDataEqualTo(b))
#define EXPECT_TENSOR_DATA_NE(a, b) EXPECT_THAT(a, ::testing::Not(::executorch::runtime::testing::IsDataEqualTo(b)))
#define EXPECT_TENSOR_DATA_CLOSE(a, b) EXPECT_THAT(a, ::executorch::runtime::testing::IsDataCloseTo(b))
#define EXPECT_TENSOR_DATA_NOT_CLOSE(a, b) \
  EXPECT_THAT(a, ::testing::Not(::executorch::runtime::testing::IsDataCloseTo(b)))
#define EXPECT_TENSOR_DATA_CLOSE_WITH_TOL(a, b, rtol, atol) \
  EXPECT_THAT(a, ::executorch::runtime::testing::IsDataCloseToWithTol(b, rtol, atol))
#define EXPECT_TENSOR_DATA_NOT_CLOSE_WITH_TOL(a, b, rtol, atol) \
  EXPECT_THAT(a, ::testing::Not(::executorch::runtime::testing::IsDataCloseToWithTol(b, rtol, atol)))
#define ASSERT_TENSOR_DATA_EQ(a, b) ASSERT_THAT(a, ::executorch::runtime::testing::IsDataEqualTo(b))
#define ASSERT_TENSOR_DATA_NE(a, b) ASSERT_THAT(a, ::testing::Not(::executorch::runtime::testing::IsDataEqualTo(b)))
#define ASSERT_TENSOR_DATA_CLOSE(a, b) ASSERT_THAT(a, ::executorch::runtime::testing::IsDataCloseTo(b))
#define ASSERT_TENSOR_DATA_NOT_CLOSE(a, b) \
  ASSERT_THAT(a, ::testing::Not(::executorch::runtime::testing::IsDataCloseTo(b)))
#define ASSERT_TENSOR_DATA_CLOSE_WITH_TOL(a, b, rtol, atol) \
  ASSERT_THAT(a, ::executorch::runtime::testing::IsDataCloseToWithTol(b, rtol, atol))
#define ASSERT_TENSOR_DATA_NOT_CLOSE_WITH_TOL(a, b, rtol, atol) \
  ASSERT_THAT(a, ::testing::Not(::executorch::runtime::testing::IsDataCloseToWithTol(b, rtol, atol)))
#define EXPECT_TENSOR_LISTS_EQ(a, b) EXPECT_THAT(a, ::executorch::runtime::testing::IsListEqualTo(b))
#define EXPECT_TENSOR_LISTS_NE(a, b) EXPECT_THAT(a, ::testing::Not(::executorch::runtime::testing::IsListEqualTo(b)))
#define EXPECT_TENSOR_LISTS_CLOSE(a, b) EXPECT_THAT(a, ::executorch::runtime::testing::IsListCloseTo(b))
#define EXPECT_TENSOR_LISTS_NOT_CLOSE(a, b) \
  EXPECT_THAT(a, ::testing::Not(::executorch::runtime::testing::IsListCloseTo(b)))
#define ASSERT_TENSOR_LISTS_EQ(a, b) ASSERT_THAT(a, ::executorch::runtime::testing::IsListEqualTo(b))
#define ASSERT_TENSOR_LISTS_NE(a, b) ASSERT_THAT(a, ::testing::Not(::executorch::runtime::testing::IsListEqualTo(b)))
#define ASSERT_TENSOR_LISTS_CLOSE(a, b) ASSERT_THAT(a, ::executorch::runtime::testing::IsListCloseTo(b))
#define ASSERT_TENSOR_LISTS_NOT_CLOSE(a, b) \
  ASSERT_THAT(a, ::testing::Not(::executorch::runtime::testing::IsListCloseTo(b)))
