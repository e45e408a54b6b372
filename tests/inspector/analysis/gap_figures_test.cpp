// The figures of two tensors, against sums that are worked out one element at a time.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "inspector/analysis/gap/figures.h"
#include "runtime/core/half.h"

namespace et::inspector {
namespace {

template <class T>
std::span<const uint8_t> bytes_of_values(const std::vector<T>& v) {
  return {reinterpret_cast<const uint8_t*>(v.data()), v.size() * sizeof(T)};
}

template <class T>
GapFigures gap_of(ScalarType type, const std::vector<T>& got, const std::vector<T>& want) {
  GapFigures f;
  EXPECT_TRUE(measure_gap(type, bytes_of_values(got), type, bytes_of_values(want), &f));
  return f;
}

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

TEST(GapFigures, AgreeWithPlainSums) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  // Lengths around the lanes and the blocks.
  for (const size_t n : {1, 7, 8, 9, 2047, 2048, 2049, 6001}) {
    std::vector<float> got(n), want(n);
    double noise = 0, signal = 0, product = 0, got_signal = 0, sum = 0, most = 0, largest = 0;
    size_t at = 0;
    for (size_t i = 0; i < n; ++i) {
      want[i] = normal(random);
      got[i] = i % 3 == 0 ? want[i] : want[i] + 0.01F * normal(random);
      const double off = double{got[i]} - double{want[i]};
      noise += off * off;
      signal += double{want[i]} * want[i];
      got_signal += double{got[i]} * got[i];
      product += double{got[i]} * want[i];
      sum += std::abs(off);
      largest = std::max(largest, double{std::abs(want[i])});
      if (std::abs(off) > most) {
        most = std::abs(off);
        at = i;
      }
    }
    const GapFigures f = gap_of(ScalarType::Float, got, want);
    const auto count = static_cast<double>(n);
    EXPECT_EQ(f.elements, n);
    EXPECT_NEAR(f.mse(), noise / count, 1e-12 * noise);
    EXPECT_NEAR(f.mean_abs(), sum / count, 1e-12);
    EXPECT_NEAR(f.sum_abs, sum, 1e-10);
    EXPECT_DOUBLE_EQ(f.max_abs, most);
    EXPECT_DOUBLE_EQ(f.relative(), most / largest);
    if (n == 1) continue;  // equal
    EXPECT_EQ(f.worst, static_cast<int64_t>(at)) << n;
    EXPECT_NEAR(f.snr_db(), 10 * std::log10(signal / noise), 1e-9);
    EXPECT_NEAR(f.cosine(), product / std::sqrt(signal * got_signal), 1e-12);
    uint64_t counted = f.equal;
    for (const uint64_t c : f.decades) counted += c;
    EXPECT_EQ(counted, n);
  }
}

TEST(GapFigures, EachErrorIsInItsDecade) {
  // Powers of ten are the least of their decade, the number below is in the one before.
  for (int decade = GapFigures::kLeastDecade; decade <= GapFigures::kMostDecade; ++decade) {
    const double bound = std::pow(10.0, decade);
    const GapFigures at = gap_of<double>(ScalarType::Double, {bound}, {0});
    const GapFigures below = gap_of<double>(ScalarType::Double, {std::nextafter(bound, 0)}, {0});
    const auto index = static_cast<size_t>(decade - GapFigures::kLeastDecade) + 1;
    EXPECT_EQ(at.decades[index], 1U) << bound;
    EXPECT_EQ(below.decades[index - 1], 1U) << bound;
    EXPECT_DOUBLE_EQ(at.least_of_decade(index), bound);
  }
  EXPECT_EQ(gap_of<double>(ScalarType::Double, {1e300}, {0}).decades.back(), 1U);
  EXPECT_EQ(gap_of<double>(ScalarType::Double, {1e-310}, {0}).decades.front(), 1U);
  EXPECT_EQ(gap_of<double>(ScalarType::Double, {1e308}, {-1e308}).decades.back(), 1U);  // the difference is infinite
}

TEST(GapFigures, NaNEqualsNaNAndInfinitiesAgreeInSign) {
  const GapFigures same = gap_of<float>(ScalarType::Float, {kNaN, kInf, -kInf, 2}, {kNaN, kInf, -kInf, 2});
  EXPECT_TRUE(same.exact());
  EXPECT_EQ(same.nan_got, 1U);
  EXPECT_EQ(same.inf_want, 2U);
  EXPECT_EQ(same.relative(), 0);
  EXPECT_EQ(same.finite, 1U);

  const GapFigures off = gap_of<float>(ScalarType::Float, {1, kNaN, 3, kInf, kInf}, {5, 2, kNaN, -kInf, 1});
  EXPECT_EQ(off.nan_mismatch, 2U);
  EXPECT_EQ(off.inf_mismatch, 2U);
  EXPECT_EQ(off.max_abs, 4);
  EXPECT_TRUE(std::isinf(off.relative()));
  EXPECT_EQ(off.worst, 1);  // no number is worse than any error
  EXPECT_FALSE(off.exact());
}

TEST(GapFigures, WideIntegersAreNotTakenForDoubles) {
  const int64_t big = (int64_t{1} << 60) + 1;
  const GapFigures f = gap_of<int64_t>(ScalarType::Long, {big, 5}, {big - 1, 5});
  EXPECT_EQ(f.equal, 1U);
  EXPECT_GT(f.max_abs, 0);
  EXPECT_TRUE(gap_of<int64_t>(ScalarType::Long, {big}, {big}).exact());
  const uint64_t most = std::numeric_limits<uint64_t>::max();
  EXPECT_FALSE(gap_of<uint64_t>(ScalarType::UInt64, {most}, {most - 1}).exact());
  const int64_t least = std::numeric_limits<int64_t>::min();
  EXPECT_NEAR(gap_of<int64_t>(ScalarType::Long, {least}, {-(least + 1)}).max_abs, 0x1p64, 0x1p12);
}

TEST(GapFigures, DtypesThatRoundAreComparedAsNumbers) {
  const std::vector<Half> half = {Half(1.5F), Half(-2.25F)};
  const std::vector<BFloat16> brain = {BFloat16(1.5F), BFloat16(-2.25F)};
  const std::vector<float> wide = {1.5F, -2.25F};
  GapFigures f;
  ASSERT_TRUE(measure_gap(ScalarType::Half, bytes_of_values(half), ScalarType::Float, bytes_of_values(wide), &f));
  EXPECT_TRUE(f.exact());
  ASSERT_TRUE(measure_gap(ScalarType::BFloat16, bytes_of_values(brain), ScalarType::Float, bytes_of_values(wide), &f));
  EXPECT_TRUE(f.exact());
  EXPECT_EQ(gap_of<uint8_t>(ScalarType::Bool, {1, 0, 1}, {1, 1, 1}).max_abs, 1);
  EXPECT_EQ(gap_of<int8_t>(ScalarType::Char, {-128}, {127}).max_abs, 255);
}

TEST(GapFigures, NothingToCompare) {
  const GapFigures none = gap_of<float>(ScalarType::Float, {}, {});
  EXPECT_TRUE(none.exact());
  EXPECT_TRUE(std::isnan(none.mse()));
  EXPECT_EQ(none.relative(), 0);
  const GapFigures zeros = gap_of<float>(ScalarType::Float, {0, 0}, {0, 0});
  EXPECT_TRUE(std::isnan(zeros.snr_db()));
  EXPECT_TRUE(std::isinf(gap_of<float>(ScalarType::Float, {1}, {0}).relative()));
  GapFigures f;
  const std::vector<float> pair = {1, 2};
  EXPECT_FALSE(measure_gap(ScalarType::ComplexFloat, bytes_of_values(pair), ScalarType::ComplexFloat,
                           bytes_of_values(pair), &f));
}

}  // namespace
}  // namespace et::inspector
