// 3x3 convolutions by Winograd's algorithm against sums in double, and against conv_f32 where values are not finite.
#include "runtime/backends/xnnpack/compute/winograd_f32.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/backends/xnnpack/compute/elementwise.h"
#include "tests/runtime/backends/xnnpack_compute/compute_test.h"

namespace et::xnn::test {
namespace {

ConvShape shape_of(int64_t batch, int64_t h, int64_t w, int64_t in, int64_t out, int64_t pad_top = 1,
                   int64_t pad_left = 1, int64_t pad_bottom = 1, int64_t pad_right = 1) {
  ConvShape s;
  s.batch = batch, s.in_h = h, s.in_w = w, s.in_channels = in, s.out_channels = out;
  s.kernel_h = s.kernel_w = 3, s.pad_top = pad_top, s.pad_left = pad_left;
  s.out_h = conv_out_size(h, pad_top + pad_bottom, 3, 1, 1);
  s.out_w = conv_out_size(w, pad_left + pad_right, 3, 1, 1);
  return s;
}

WeightsF32 weights_of(const ConvShape& s, const void* data, const void* bias, FloatType type = FloatType::F32) {
  WeightsF32 w;
  w.data = data;
  w.type = type;
  w.n = s.out_channels;
  w.k = 9 * s.in_channels;
  w.bias = bias;
  w.depth = s.in_channels;
  return w;
}

const std::vector<ConvShape>& shapes() {
  static const std::vector<ConvShape> all = [] {
    std::vector<ConvShape> out = {
        shape_of(1, 14, 14, 32, 32),
        shape_of(2, 13, 17, 16, 16),
        shape_of(1, 12, 12, 20, 37, 0, 0, 0, 0),
        shape_of(3, 9, 11, 33, 16, 2, 2, 2, 2),
        shape_of(1, 40, 7, 17, 50, 1, 0, 0, 1),
        shape_of(1, 8, 60, 64, 24, 0, 2, 1, 5),
        shape_of(1, 5, 5, 24, 24, 6, 7, 3, 4),
        shape_of(1, 30, 30, 100, 70),
        shape_of(1, 4, 200, 19, 31),
    };
    std::mt19937 random(33);
    const auto draw = [&](int64_t low, int64_t high) {
      return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
    };
    while (out.size() < 30) {
      const int64_t h = draw(3, 21), w = draw(3, 33);
      ConvShape s =
          shape_of(draw(1, 2), h, w, draw(16, 40), draw(16, 40), draw(0, 3), draw(0, 3), draw(0, 3), draw(0, 3));
      s.in_stride = s.in_channels + draw(0, 1) * draw(1, 9);
      if (suits_winograd(s)) out.push_back(s);
    }
    return out;
  }();
  return all;
}

class WinogradTest : public ComputeTest {};

TEST_P(WinogradTest, Convolution) {
  for (ConvShape s : shapes()) {
    SCOPED_TRACE(testing::Message() << s.batch << " x " << s.in_h << "x" << s.in_w << " " << s.in_channels << "->"
                                    << s.out_channels << ", padding " << s.pad_top << ", " << s.pad_left);
    EXPECT_TRUE(suits_winograd(s));
    s.out_stride = s.out_channels + 3;
    const auto in = floats(s.batch * s.in_h * s.in_w * s.in_pixel()), w = floats(s.out_channels * 9 * s.in_channels),
               bias = floats(s.out_channels);
    const PackedWinogradF32 packed(weights_of(s, w.data(), bias.data()));
    ASSERT_TRUE(packed.valid());
    std::vector<float> out(static_cast<size_t>(s.out_pixels() * s.out_pixel()), 77.0f);
    winograd_f32(packed, s, in.data(), out.data(), {-20.0f, 30.0f});
    std::vector<double> want(static_cast<size_t>(s.out_pixels() * s.out_channels));
    each_product(s, [&](int64_t pixel, int64_t channel, int64_t at, int64_t weight) {
      if (at < 0) return;
      want[static_cast<size_t>(pixel * s.out_channels + channel)] +=
          static_cast<double>(in[static_cast<size_t>(at)]) * w[static_cast<size_t>(weight)];
    });
    // Products are below 4, of which 9 a channel are added.
    const double tolerance = 1e-6 * 4 * 9 * static_cast<double>(s.in_channels);
    for (int64_t i = 0; i < s.out_pixels(); ++i) {
      for (int64_t j = 0; j < s.out_pixel(); ++j) {
        const float got = out[static_cast<size_t>(i * s.out_pixel() + j)];
        if (j >= s.out_channels) {
          ASSERT_EQ(got, 77.0f) << i << "," << j;
          continue;
        }
        const double x = want[static_cast<size_t>(i * s.out_channels + j)] + bias[static_cast<size_t>(j)];
        ASSERT_NEAR(got, std::clamp(x, -20.0, 30.0), tolerance) << i << "," << j;
      }
    }
    EXPECT_EQ(packed.direct()->k(), 9 * s.in_channels);
  }
}

/// What winograd_f32 and conv_f32 make of the same numbers.
struct Both {
  std::vector<float> winograd, direct;
};
Both both(const ConvShape& s, const std::vector<float>& in, const std::vector<float>& w, Clamp clamp = {}) {
  const auto size = static_cast<size_t>(s.out_pixels() * s.out_channels);
  Both out{std::vector<float>(size), std::vector<float>(size)};
  winograd_f32(PackedWinogradF32(weights_of(s, w.data(), nullptr)), s, in.data(), out.winograd.data(), clamp);
  conv_f32(PackedF32(weights_of(s, w.data(), nullptr)), s, in.data(), out.direct.data(), clamp);
  return out;
}

TEST_P(WinogradTest, WhatIsNotFiniteStaysInItsWindow) {
  const ConvShape s = shape_of(1, 16, 19, 24, 20);
  const auto w = floats(s.out_channels * 9 * s.in_channels);
  for (const float odd : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    auto in = floats(s.in_h * s.in_w * s.in_channels);
    in[static_cast<size_t>((7 * s.in_w + 9) * s.in_channels + 3)] = odd;
    for (const Clamp clamp : {Clamp{}, Clamp{-1.0f, 1.0f}}) {
      const Both out = both(s, in, w, clamp);
      for (size_t i = 0; i < out.direct.size(); ++i) {
        if (std::isfinite(out.direct[i]))
          ASSERT_NEAR(out.winograd[i], out.direct[i], 1e-3) << i;
        else
          ASSERT_FALSE(std::isfinite(out.winograd[i])) << i;
      }
    }
  }
}

TEST_P(WinogradTest, LargeNumbersDoNotOverflowOnTheWay) {
  const ConvShape s = shape_of(1, 16, 16, 16, 16);
  std::vector<float> in(static_cast<size_t>(s.in_h * s.in_w * s.in_channels)), w(16 * 9 * 16);
  for (size_t i = 0; i < in.size(); ++i) in[i] = (i / 16) % 2 == 0 ? 3e38f : -3e38f;
  for (size_t j = 0; j < 16; ++j) w[(j * 9 + 4) * 16 + j] = 1.0f;  // each pixel as it is
  const Both out = both(s, in, w);
  EXPECT_EQ(out.winograd, in);
}

TEST_P(WinogradTest, WeightsOf16BitsAndAnotherSizeThanStated) {
  const ConvShape s = shape_of(1, 12, 18, 18, 21);
  const auto w = floats(s.out_channels * 9 * s.in_channels), bias = floats(s.out_channels);
  for (const FloatType type : {FloatType::F16, FloatType::BF16}) {
    std::vector<uint16_t> bits(w.size()), bias_bits(bias.size());
    convert_from_f32(static_cast<int64_t>(w.size()), w.data(), type, bits.data());
    convert_from_f32(s.out_channels, bias.data(), type, bias_bits.data());
    WeightsF32 weights = weights_of(s, bits.data(), bias_bits.data(), type);
    weights.bias_type = type;
    const PackedWinogradF32 packed(weights);
    const PackedF32 direct(weights);
    for (const ConvShape& size : {s, shape_of(1, 1, 1, 18, 21), shape_of(2, 3, 2, 18, 21), shape_of(0, 3, 2, 18, 21)}) {
      const auto in = floats(size.batch * size.in_h * size.in_w * size.in_channels);
      std::vector<float> got(static_cast<size_t>(size.out_pixels() * size.out_channels)), want(got.size());
      winograd_f32(packed, size, in.data(), got.data());
      conv_f32(direct, size, in.data(), want.data());
      for (size_t i = 0; i < want.size(); ++i) ASSERT_NEAR(got[i], want[i], 1e-3) << i;
    }
  }
}

TEST(Winograd, IsForConvolutionsThatItMakesFaster) {
  EXPECT_TRUE(suits_winograd(shape_of(1, 56, 56, 64, 64)));
  EXPECT_FALSE(suits_winograd(shape_of(1, 56, 56, 3, 64)));   // no vector of channels
  EXPECT_FALSE(suits_winograd(shape_of(1, 7, 7, 512, 512)));  // weights that are read once
  EXPECT_FALSE(suits_winograd(shape_of(1, 1, 300, 64, 64)));  // of each tile half would be thrown away
  EXPECT_FALSE(suits_winograd(shape_of(1, 3, 3, 64, 64, 0, 0, 0, 0)));
  const auto with = [](const auto& change) {
    ConvShape s = shape_of(1, 30, 30, 32, 32);
    change(s);
    return suits_winograd(s);
  };
  EXPECT_TRUE(with([](ConvShape&) {}));
  EXPECT_FALSE(with([](ConvShape& s) { s.stride_w = 2; }));
  EXPECT_FALSE(with([](ConvShape& s) { s.dilation_h = 2; }));
  EXPECT_FALSE(with([](ConvShape& s) { s.groups = 2; }));
  EXPECT_FALSE(with([](ConvShape& s) { s.kernel_w = 5; }));
  EXPECT_FALSE(with([](ConvShape& s) { s.transposed = true; }));
}

INSTANTIATE_TEST_SUITE_P(Ways, WinogradTest, testing::ValuesIn(ways()), way_name);

}  // namespace
}  // namespace et::xnn::test
