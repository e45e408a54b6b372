// How the values of a tensor and of its reference are spread.
#include "inspector/analysis/gap/distribution.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace et::inspector {
namespace {

template <class T>
GapSide side_of(const char* dtype, const std::vector<T>& elements) {
  LoggedValue v;
  v.dtype = dtype;
  v.shape = {static_cast<int32_t>(elements.size())};
  v.data.assign(reinterpret_cast<const char*>(elements.data()), elements.size() * sizeof(T));
  GapSide out;
  out.values.push_back(std::move(v));
  return out;
}

Distributions spread(const GapSide& run, const GapSide& reference, size_t bins = 4) {
  Distributions out;
  const Status status = distributions_of(run, reference, GapRow(), bins, &out);
  EXPECT_TRUE(status.ok()) << status.message();
  return out;
}

TEST(GapDistribution, BothSidesShareTheirBins) {
  const Distributions d = spread(side_of<float>("float32", {0, 1, 2, 3.5F}), side_of<float>("float32", {0, 0, 4, 4}));
  EXPECT_EQ(d.low, 0);
  EXPECT_EQ(d.high, 4);
  EXPECT_EQ(d.got.bins, (std::vector<uint64_t>{1, 1, 1, 1}));
  EXPECT_EQ(d.want.bins, (std::vector<uint64_t>{2, 0, 0, 2}));
  EXPECT_EQ(d.want.zeros, 2U);
  EXPECT_DOUBLE_EQ(d.want.mean, 2);
  EXPECT_DOUBLE_EQ(d.want.deviation, 2);
}

TEST(GapDistribution, WhatIsNoNumberIsCountedAndInNoBin) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();
  const Distributions d = spread(side_of<float>("float32", {kNan, kInf, 1, -kInf}), side_of<float>("float32", {kNan}));
  EXPECT_EQ(d.got.nan, 1U);
  EXPECT_EQ(d.got.inf, 2U);
  EXPECT_EQ(d.got.finite, 1U);
  EXPECT_EQ(d.got.least, 1);
  EXPECT_TRUE(std::isnan(d.want.mean));
  EXPECT_LT(d.low, d.high) << "around the only number";
  EXPECT_TRUE(spread(side_of<float>("float32", {kNan}), side_of<float>("float32", {kInf})).got.bins.empty());
  EXPECT_TRUE(spread(side_of<float>("float32", {}), side_of<float>("float32", {})).got.bins.empty());
}

TEST(GapDistribution, NumbersOfAnySizeHaveABin) {
  constexpr double kMost = std::numeric_limits<double>::max();
  const Distributions d = spread(side_of<double>("float64", {-kMost, 0, kMost}), side_of<int8_t>("int8", {-128, 127}));
  EXPECT_EQ(d.got.bins, (std::vector<uint64_t>{1, 0, 1, 1}));
  EXPECT_EQ(d.want.bins, (std::vector<uint64_t>{0, 0, 2, 0})) << "beside those they are 0";
  const Distributions tiny = spread(side_of<double>("float64", {5e-324}), side_of<double>("float64", {0}));
  EXPECT_EQ(tiny.got.bins.size(), 4U);
}

// An arange is flat: a bin that takes two values beside bins of one looks like a peak.
TEST(GapDistribution, BinsOfWholeNumbersHaveAsManyValuesEach) {
  for (const size_t count : {2, 5, 63, 64, 65, 96, 127, 128, 130, 1000, 4096}) {
    std::vector<int64_t> numbers;
    for (size_t i = 0; i < count; ++i) numbers.push_back(static_cast<int64_t>(i) - 3);
    const GapSide side = side_of<int64_t>("int64", numbers);
    const Distributions d = spread(side, side, 64);
    EXPECT_LE(d.got.bins.size(), 128U) << count;
    EXPECT_GE(d.got.bins.size(), std::min<size_t>(count, 33)) << count;
    for (const uint64_t n : d.got.bins) EXPECT_EQ(n, d.got.bins.front()) << count;
    EXPECT_LT(d.low, -3) << "the first value is inside of its bin";
    EXPECT_GT(d.high, static_cast<double>(count) - 4);
  }
  // A prime number of values fills no bins but those of one: the last one lacks as few as can be.
  std::vector<int32_t> prime;
  for (int32_t i = 0; i < 1009; ++i) prime.push_back(i);
  const GapSide side = side_of<int32_t>("int32", prime);
  const Distributions d = spread(side, side, 64);
  for (size_t b = 0; b + 1 < d.got.bins.size(); ++b) EXPECT_EQ(d.got.bins[b], d.got.bins.front());
  EXPECT_GE(d.got.bins.back() + 1, d.got.bins.front());
}

TEST(GapDistribution, WholeNumbersOfAnyRangeHaveABin) {
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min(), kMost = std::numeric_limits<int64_t>::max();
  for (const std::vector<int64_t>& numbers :
       {std::vector<int64_t>{kLeast, 0, kMost}, {7}, {kMost}, {-1'000'000'000'000'000, 1'000'000'000'000'000}}) {
    const GapSide side = side_of<int64_t>("int64", numbers);
    const Distributions d = spread(side, side, 64);
    uint64_t all = 0;
    for (const uint64_t n : d.got.bins) all += n;
    EXPECT_EQ(all, numbers.size());
    EXPECT_LE(d.got.bins.size(), 128U);
    EXPECT_LT(d.low, d.high);
  }
}

TEST(GapDistribution, OnlyRealNumbersHaveOne) {
  Distributions out;
  const GapSide side = side_of<float>("complex64", {1, 2});
  EXPECT_EQ(distributions_of(side, side, GapRow(), 4, &out).code(), Error::InvalidArgument);
}

}  // namespace
}  // namespace et::inspector
