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

TEST(GapDistribution, OnlyRealNumbersHaveOne) {
  Distributions out;
  const GapSide side = side_of<float>("complex64", {1, 2});
  EXPECT_EQ(distributions_of(side, side, GapRow(), 4, &out).code(), Error::InvalidArgument);
}

}  // namespace
}  // namespace et::inspector
