// Figures of a comparison against values worked out by hand.
#include "bundled_program/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

#include "runtime/core/half.h"
#include "runtime/module/host_tensor.h"

namespace et::bundled {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

/// `got` and `want` as one row of the dtype.
template <class T>
Comparison compare_rows(ScalarType type, const std::vector<double>& got, const std::vector<double>& want, Tolerance t) {
  const int32_t size = static_cast<int32_t>(got.size());
  HostTensor a(type, std::vector<int32_t>{size});
  std::vector<T> b;
  for (size_t i = 0; i < got.size(); ++i) {
    const T x = static_cast<T>(static_cast<float>(got[i]));
    std::memcpy(a.data() + i * sizeof(T), &x, sizeof(T));
    b.push_back(static_cast<T>(static_cast<float>(want[i])));
  }
  const uint8_t dim_order = 0;
  return compare(
      a.tensor(),
      {type, {&size, 1}, {&dim_order, 1}, {reinterpret_cast<const uint8_t*>(b.data()), b.size() * sizeof(T)}}, t);
}

TEST(Compare, FiguresOfFloats) {
  const Comparison c = compare_rows<float>(ScalarType::Float, {1, 2.5, 3, -4}, {1, 2, 4, -4}, {0, 0.6});
  EXPECT_EQ(c.elements, 4u);
  EXPECT_EQ(c.outside, 1u);
  EXPECT_EQ(c.max_abs_error, 1);
  EXPECT_EQ(c.worst_index, 2);
  EXPECT_EQ(c.got, 3);
  EXPECT_EQ(c.want, 4);
  EXPECT_EQ(c.max_rel_error, 0.25);
  EXPECT_EQ(c.worst_rel_index, 1) << "the first of equal ones";
  EXPECT_DOUBLE_EQ(c.mean_abs_error, 1.5 / 4);
  EXPECT_DOUBLE_EQ(c.snr_db(), 10 * std::log10(37 / 1.25));
  EXPECT_DOUBLE_EQ(c.cosine_similarity(), (1 + 5 + 12 + 16) / (std::sqrt(1 + 6.25 + 9 + 16) * std::sqrt(37.0)));
}

TEST(Compare, EqualAndEmptyTensorsHaveNoWorstPlace) {
  Comparison c = compare_rows<float>(ScalarType::Float, {1, -2}, {1, -2}, {});
  EXPECT_TRUE(c.passed());
  EXPECT_EQ(c.worst_index, -1);
  EXPECT_EQ(c.snr_db(), kInf);
  EXPECT_DOUBLE_EQ(c.cosine_similarity(), 1);
  c = compare_rows<float>(ScalarType::Float, {}, {}, {});
  EXPECT_TRUE(c.passed());
  EXPECT_EQ(c.elements, 0u);
  EXPECT_TRUE(std::isnan(c.snr_db()));
  c = compare_rows<float>(ScalarType::Float, {0, 0}, {0, 0}, {});
  EXPECT_TRUE(std::isnan(c.snr_db())) << "nothing was expected, nothing can be said";
  EXPECT_TRUE(std::isnan(c.cosine_similarity()));
}

TEST(Compare, NanAndInfinitiesAreCountedApart) {
  const Comparison c = compare_rows<float>(ScalarType::Float, {kNan, kNan, kInf, -kInf, kInf, 1, 3},
                                           {kNan, 1, kInf, kInf, 2, kNan, 2}, {0, 5});
  EXPECT_EQ(c.nan_mismatch, 2u);
  EXPECT_EQ(c.inf_mismatch, 2u);
  EXPECT_EQ(c.outside, 4u);
  EXPECT_EQ(c.worst_index, 1) << "what cannot be measured is worse than any error";
  EXPECT_EQ(c.max_abs_error, 1) << "of finite pairs only";
  EXPECT_FALSE(c.passed());
}

TEST(Compare, HalfAndBfloat16AreNumbersNotBits) {
  EXPECT_TRUE(
      (compare_rows<Half>(ScalarType::Half, {1, 2}, {1.0009765625, 2}, default_tolerance(ScalarType::Half)).passed()));
  EXPECT_FALSE((compare_rows<Half>(ScalarType::Half, {1, 2}, {1.5, 2}, default_tolerance(ScalarType::Half)).passed()));
  EXPECT_TRUE(
      (compare_rows<BFloat16>(ScalarType::BFloat16, {1, 2}, {1.0078125, 2}, default_tolerance(ScalarType::BFloat16))
           .passed()));
  EXPECT_FALSE(
      (compare_rows<BFloat16>(ScalarType::BFloat16, {1, 2}, {1.0625, 2}, default_tolerance(ScalarType::BFloat16))
           .passed()));
}

TEST(Compare, IntegersAreExactUnlessAToleranceIsGiven) {
  Comparison c = compare_rows<int32_t>(ScalarType::Int, {1, 2, 3}, {1, 2, 4}, {});
  EXPECT_EQ(c.outside, 1u);
  EXPECT_EQ(c.worst_index, 2);
  c = compare_rows<int32_t>(ScalarType::Int, {1, 2, 3}, {1, 2, 4}, {0, 1});
  EXPECT_TRUE(c.passed());
  EXPECT_EQ(c.max_abs_error, 1);
}

TEST(Compare, LongsThatNoDoubleTellsApart) {
  const int64_t got = (int64_t{1} << 53) + 1;
  const int64_t want = int64_t{1} << 53;
  const int32_t size = 1;
  const uint8_t dim_order = 0;
  HostTensor a(ScalarType::Long, std::vector<int32_t>{1});
  std::memcpy(a.data(), &got, sizeof(got));
  const Comparison c = compare(
      a.tensor(), {ScalarType::Long, {&size, 1}, {&dim_order, 1}, {reinterpret_cast<const uint8_t*>(&want), 8}}, {});
  EXPECT_EQ(c.outside, 1u);
  EXPECT_EQ(c.worst_index, 0);
  EXPECT_FALSE(compare_numbers(9007199254740992.0, 9007199254740992.0, false, {}).passed());
  EXPECT_TRUE(compare_numbers(2, 2.5, false, {0, 1}).passed());
}

TEST(Compare, ChannelsLastOutputsAreReadByTheirStrides) {
  const std::vector<int32_t> sizes = {1, 2, 2, 2};
  const std::vector<uint8_t> last = {0, 2, 3, 1};
  const std::vector<uint8_t> plain = {0, 1, 2, 3};
  std::vector<float> want(8);
  std::iota(want.begin(), want.end(), 0.f);
  HostTensor rows(ScalarType::Float, sizes);
  std::memcpy(rows.data(), want.data(), 32);
  const auto got = rows.with_dim_order(last);
  const TensorValue expected{ScalarType::Float, sizes, plain, {reinterpret_cast<const uint8_t*>(want.data()), 32}};
  EXPECT_TRUE(compare(got->tensor(), expected, {}).passed());
  const TensorValue wrong{ScalarType::Float, sizes, last, {reinterpret_cast<const uint8_t*>(want.data()), 32}};
  EXPECT_EQ(compare(rows.tensor(), wrong, {}).mismatch, Mismatch::DimOrder);
}

}  // namespace
}  // namespace et::bundled
