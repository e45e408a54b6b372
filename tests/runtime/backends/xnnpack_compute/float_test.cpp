// float32 GEMMs, convolutions and depthwise convolutions against sums in double.
#include <algorithm>
#include <cmath>

#include "runtime/backends/xnnpack/compute/elementwise.h"
#include "runtime/backends/xnnpack/compute/float_types.h"
#include "runtime/backends/xnnpack/compute/matrix_f32.h"
#include "runtime/platform/float_mode.h"
#include "tests/runtime/backends/xnnpack_compute/compute_test.h"

namespace et::xnn::test {
namespace {

class FloatTest : public ComputeTest {
 protected:
  void check_convolution(ConvShape shape);
};

struct Size {
  int64_t m, n, k;
};
constexpr Size kSizes[] = {
    {1, 1, 1},   {1, 16, 4},     {1, 17, 5},   {2, 33, 7},   {3, 15, 16},   {4, 48, 3},    {5, 16, 64},   {6, 31, 33},
    {7, 64, 20}, {13, 40, 50},   {49, 96, 30}, {64, 65, 66}, {128, 96, 24}, {1, 300, 700}, {3, 5, 0},     {0, 16, 8},
    {9, 0, 4},   {100, 80, 900}, {50, 1, 300}, {9, 2, 129},  {25, 3, 260},  {7, 4, 128},   {12, 5, 400},  {11, 6, 177},
    {3, 7, 512}, {20, 8, 640},   {30, 20, 40}, {23, 24, 17}, {12, 17, 9},   {25, 40, 33},  {40, 200, 30}, {11, 72, 64}};

TEST_P(FloatTest, Linear) {
  for (const Size& s : kSizes) {
    for (const bool transposed : {false, true}) {
      for (const bool with_bias : {false, true}) {
        SCOPED_TRACE(testing::Message() << s.m << "x" << s.n << "x" << s.k << " transposed " << transposed);
        const int64_t a_stride = s.k + 3, out_stride = s.n + 2;
        const auto a = floats(s.m * a_stride), w = floats(s.n * s.k), bias = floats(s.n);
        std::vector<float> out(static_cast<size_t>(s.m * out_stride), 77.0f);
        const PackedF32 packed({w.data(), FloatType::F32, transposed, 1, s.n, s.k, with_bias ? bias.data() : nullptr});
        ASSERT_TRUE(packed.valid());
        const Clamp clamp{-1.5f, 2.5f};
        linear_f32(packed, s.m, a.data(), a_stride, out.data(), out_stride, clamp);
        for (int64_t i = 0; i < s.m; ++i) {
          for (int64_t j = 0; j < out_stride; ++j) {
            double sum = j < s.n && with_bias ? bias[static_cast<size_t>(j)] : 0, size = 1;
            for (int64_t p = 0; j < s.n && p < s.k; ++p) {
              const double x = a[static_cast<size_t>(i * a_stride + p)];
              const double product = x * w[static_cast<size_t>(transposed ? p * s.n + j : j * s.k + p)];
              sum += product;
              size += std::fabs(product);
            }
            const double want = j >= s.n ? 77.0 : std::clamp(sum, -1.5, 2.5);
            ASSERT_NEAR(out[static_cast<size_t>(i * out_stride + j)], want, size * 1e-6) << i << "," << j;
          }
        }
      }
    }
  }
}

TEST_P(FloatTest, LinearKeepsNan) {
  const std::vector<float> a = {NAN, 1.0f}, w = {1.0f, 0.5f, 2.0f, 1.0f};
  std::vector<float> out(2);
  const PackedF32 packed({w.data(), FloatType::F32, false, 1, 2, 2, nullptr});
  linear_f32(packed, 1, a.data(), 2, out.data(), 2, {-1.0f, 1.0f});
  EXPECT_TRUE(std::isnan(out[0]) && std::isnan(out[1]));
}

TEST(FloatTypes, HalvesAreExactWhereDenormalNumbersAreZero) {
  const FlushDenormals flush;
  for (uint32_t bits = 0; bits < 0x7c00u; ++bits) {
    const int exponent = static_cast<int>(bits >> 10), fraction = static_cast<int>(bits & 0x3ffu);
    const double want = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
    ASSERT_EQ(f16_to_f32(static_cast<uint16_t>(bits)), static_cast<float>(want)) << bits;
    ASSERT_EQ(f16_to_f32(static_cast<uint16_t>(bits | 0x8000u)), -static_cast<float>(want)) << bits;
    ASSERT_EQ(f32_to_f16(static_cast<float>(want)), bits);
  }
}

TEST_P(FloatTest, WeightsOf16Bits) {
  const int64_t n = 21, k = 18, m = 4;
  const auto a = floats(m * k), w = floats(n * k), bias = floats(n);
  for (const FloatType type : {FloatType::F16, FloatType::BF16}) {
    std::vector<uint16_t> bits(w.size()), bias_bits(bias.size());
    convert_from_f32(n * k, w.data(), type, bits.data());
    convert_from_f32(n, bias.data(), type, bias_bits.data());
    const PackedF32 packed({bits.data(), type, false, 1, n, k, bias_bits.data(), type});
    std::vector<float> out(static_cast<size_t>(m * n));
    linear_f32(packed, m, a.data(), k, out.data(), n);
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        double sum = load_float(bias_bits.data(), type, j);
        for (int64_t p = 0; p < k; ++p) {
          sum += static_cast<double>(a[static_cast<size_t>(i * k + p)]) * load_float(bits.data(), type, j * k + p);
        }
        ASSERT_NEAR(out[static_cast<size_t>(i * n + j)], sum, 1e-4);
      }
    }
  }
}

void FloatTest::check_convolution(ConvShape s) {
  s.out_stride = s.out_channels + 3;
  const int64_t k = s.kernel_size() * s.in_group();
  const auto in = floats(s.batch * s.in_h * s.in_w * s.in_pixel()), w = floats(s.out_channels * k),
             bias = floats(s.out_channels);
  const PackedF32 packed(
      {w.data(), FloatType::F32, false, s.groups, s.out_group(), k, bias.data(), FloatType::F32, s.in_group()});
  std::vector<float> out(static_cast<size_t>(s.out_pixels() * s.out_pixel()), 77.0f);
  conv_f32(packed, s, in.data(), out.data(), {-6.0f, 6.0f});
  std::vector<double> want(static_cast<size_t>(s.out_pixels() * s.out_channels));
  each_product(s, [&](int64_t pixel, int64_t channel, int64_t at, int64_t weight) {
    if (at < 0) return;
    want[static_cast<size_t>(pixel * s.out_channels + channel)] +=
        static_cast<double>(in[static_cast<size_t>(at)]) * w[static_cast<size_t>(weight)];
  });
  for (int64_t i = 0; i < s.out_pixels(); ++i) {
    for (int64_t j = 0; j < s.out_channels; ++j) {
      const double x = want[static_cast<size_t>(i * s.out_channels + j)] + bias[static_cast<size_t>(j)];
      ASSERT_NEAR(out[static_cast<size_t>(i * s.out_pixel() + j)], std::clamp(x, -6.0, 6.0), 1e-3) << i << "," << j;
    }
    for (int64_t j = s.out_channels; j < s.out_pixel(); ++j)
      ASSERT_EQ(out[static_cast<size_t>(i * s.out_pixel() + j)], 77.0f);
  }
}

TEST_P(FloatTest, WhatIsNoNumberStaysInItsGroup) {
  ConvShape s;
  s.in_w = s.out_w = 9;
  s.in_channels = s.out_channels = 24;
  s.groups = 6;
  s.kernel_w = 3;
  s.pad_left = 1;
  auto in = floats(s.in_w * s.in_channels);
  const auto w = floats(s.out_channels * 12);
  in[5] = std::numeric_limits<float>::quiet_NaN();  // of the second group
  in[8 * 24 + 23] = std::numeric_limits<float>::infinity();
  const PackedF32 packed({w.data(), FloatType::F32, false, 6, 4, 12, nullptr, FloatType::F32, 4});
  EXPECT_TRUE(packed.paired());
  std::vector<float> out(static_cast<size_t>(s.out_w * 24));
  conv_f32(packed, s, in.data(), out.data());
  for (int64_t x = 0; x < s.out_w; ++x) {
    for (int64_t c = 0; c < 24; ++c) {
      const bool reached = (c / 4 == 1 && x <= 1) || (c / 4 == 5 && x >= 7);
      EXPECT_EQ(std::isfinite(out[static_cast<size_t>(x * 24 + c)]), !reached) << x << " " << c;
    }
  }
}

TEST_P(FloatTest, Convolution) {
  for (const ConvCase& c : conv_cases()) {
    SCOPED_TRACE(c.name);
    check_convolution(c.shape);
    if (c.shape.groups != 1) continue;
    ConvShape apart = c.shape;
    apart.in_stride = apart.in_channels + 2;
    check_convolution(apart);
  }
}

TEST_P(FloatTest, ConvolutionToFewChannels) {
  struct Few {
    int64_t groups, in_group, out_group, kernel, stride, dilation;
  };
  for (const Few& c : {Few{1, 70, 3, 3, 1, 1},
                       {1, 130, 7, 2, 3, 1},
                       {16, 10, 1, 3, 1, 1},
                       {5, 33, 2, 3, 2, 2},
                       {1, 96, 6, 4, 3, 1},
                       {2, 64, 4, 3, 1, 2},
                       {1, 40, 1, 5, 1, 1}}) {
    SCOPED_TRACE(testing::Message() << c.groups << " groups of " << c.in_group << " to " << c.out_group);
    ConvShape s;
    s.batch = 2, s.in_h = 9, s.in_w = 14, s.in_channels = c.groups * c.in_group, s.groups = c.groups;
    s.out_channels = c.groups * c.out_group, s.kernel_h = s.kernel_w = c.kernel, s.stride_h = s.stride_w = c.stride;
    s.dilation_h = s.dilation_w = c.dilation, s.pad_top = s.pad_left = 1;
    s.out_h = conv_out_size(s.in_h, 2, c.kernel, c.dilation, c.stride);
    s.out_w = conv_out_size(s.in_w, 2, c.kernel, c.dilation, c.stride);
    check_convolution(s);
  }
}

TEST_P(FloatTest, BatchMatmul) {
  struct Case {
    int64_t batch, m, n, k;
    bool transposed, one_a, one_b;
  };
  constexpr Case kCases[] = {
      {1, 5, 7, 9, false, false, false},   {3, 20, 33, 16, true, false, false},    {4, 1, 40, 12, false, false, false},
      {5, 2, 70, 19, true, false, false},  {2, 64, 48, 64, false, false, true},    {2, 17, 16, 5, true, true, false},
      {1, 1, 130, 64, true, false, false}, {1, 128, 100, 32, false, false, false}, {6, 3, 65, 1, false, false, false}};
  for (const Case& c : kCases) {
    SCOPED_TRACE(testing::Message() << c.batch << ":" << c.m << "x" << c.n << "x" << c.k);
    const auto a = floats(c.batch * c.m * c.k), b = floats(c.batch * c.n * c.k);
    std::vector<float> out(static_cast<size_t>(c.batch * c.m * c.n));
    BatchMatrix params{
        c.batch,   c.m, c.n, c.k, c.transposed, a.data(), c.one_a ? 0 : c.m * c.k, b.data(), c.one_b ? 0 : c.n * c.k,
        out.data()};
    batch_matmul_f32(params);
    for (int64_t i = 0; i < c.batch; ++i) {
      for (int64_t row = 0; row < c.m; ++row) {
        for (int64_t j = 0; j < c.n; ++j) {
          double sum = 0;
          for (int64_t p = 0; p < c.k; ++p) {
            const float y = b[static_cast<size_t>(i * params.b_batch + (c.transposed ? j * c.k + p : p * c.n + j))];
            sum += static_cast<double>(a[static_cast<size_t>(i * params.a_batch + row * c.k + p)]) * y;
          }
          ASSERT_NEAR(out[static_cast<size_t>((i * c.m + row) * c.n + j)], sum, 1e-4);
        }
      }
    }
  }
}

struct DepthwiseCase {
  int64_t h, w, channels, multiplier, kernel, stride, dilation, pad, batch;
};
constexpr DepthwiseCase kDepthwise[] = {
    {9, 11, 16, 1, 3, 1, 1, 1, 2},   {10, 12, 24, 1, 3, 2, 1, 1, 1}, {7, 7, 13, 1, 3, 1, 1, 1, 1},
    {8, 6, 5, 1, 3, 2, 1, 1, 1},     {9, 9, 40, 1, 5, 1, 1, 2, 1},   {9, 9, 17, 1, 5, 2, 1, 2, 1},
    {12, 12, 8, 1, 3, 1, 3, 3, 1},   {5, 5, 6, 2, 3, 1, 1, 1, 1},    {2, 2, 16, 1, 3, 1, 1, 1, 1},
    {1, 1, 3, 3, 3, 1, 1, 1, 2},     {6, 5, 36, 1, 2, 1, 1, 0, 1},   {14, 14, 48, 1, 3, 1, 1, 0, 1},
    {3, 3, 9, 1, 1, 1, 1, 0, 1},     {20, 3, 64, 1, 3, 1, 1, 1, 1},  {9, 8, 12, 3, 5, 2, 1, 2, 2},
    {24, 200, 16, 4, 3, 2, 2, 2, 1}, {13, 12, 7, 7, 4, 3, 1, 1, 1},  {3, 3, 8, 1, 7, 1, 1, 3, 1},
    {9, 11, 3, 1, 3, 1, 1, 1, 2},    {9, 12, 5, 1, 5, 2, 1, 2, 1},   {8, 7, 2, 3, 3, 2, 2, 2, 1},
    {40, 90, 6, 1, 3, 1, 1, 1, 1},   {9, 33, 3, 1, 5, 1, 2, 4, 2},   {6, 17, 1, 5, 3, 1, 1, 1, 1},
    {5, 31, 12, 1, 4, 1, 1, 3, 1},   {70, 190, 3, 2, 7, 1, 1, 3, 1}, {4, 9, 15, 1, 3, 1, 1, 2, 1},
    {3, 16, 5, 1, 1, 1, 1, 0, 1},    {5, 6, 2, 1, 3, 1, 4, 6, 1},    {9, 61, 3, 1, 3, 2, 1, 1, 2},
    {40, 40, 5, 2, 4, 5, 1, 2, 1},   {9, 70, 6, 1, 2, 3, 1, 0, 1},   {11, 90, 1, 6, 5, 2, 3, 5, 1},
    {7, 64, 7, 1, 3, 4, 2, 7, 1},    {9, 14, 3, 16, 3, 1, 1, 1, 2},  {8, 29, 2, 40, 4, 1, 2, 3, 1},
    {9, 9, 5, 17, 5, 2, 1, 2, 1},    {7, 30, 1, 31, 1, 3, 1, 0, 2},  {3, 4, 4, 33, 6, 1, 1, 4, 1},
    {30, 8, 3, 19, 2, 4, 3, 0, 1},   {2, 60, 9, 16, 3, 2, 3, 5, 1},  {7, 11, 45, 1, 1, 3, 1, 0, 2},
    {5, 9, 20, 3, 1, 2, 1, 0, 2},    {4, 5, 70, 1, 1, 2, 1, 1, 1},   {10, 21, 24, 1, 7, 1, 1, 3, 1},
    {16, 19, 40, 1, 7, 2, 1, 3, 2},  {5, 8, 16, 1, 5, 1, 1, 2, 1},   {6, 30, 33, 2, 5, 1, 1, 2, 1},
    {7, 4, 16, 1, 5, 1, 1, 2, 1},    {12, 18, 16, 1, 5, 2, 1, 4, 1}, {9, 6, 19, 1, 7, 1, 1, 3, 1},
    {5, 23, 16, 1, 5, 2, 1, 0, 1}};

ConvShape depthwise_shape(const DepthwiseCase& c) {
  ConvShape s;
  s.batch = c.batch, s.in_h = c.h, s.in_w = c.w, s.in_channels = c.channels, s.out_channels = c.channels * c.multiplier;
  s.groups = c.channels, s.kernel_h = s.kernel_w = c.kernel, s.stride_h = s.stride_w = c.stride;
  s.dilation_h = s.dilation_w = c.dilation, s.pad_top = s.pad_left = c.pad;
  s.out_h = conv_out_size(c.h, 2 * c.pad, c.kernel, c.dilation, c.stride);
  s.out_w = conv_out_size(c.w, 2 * c.pad, c.kernel, c.dilation, c.stride);
  return s;
}

TEST_P(FloatTest, Depthwise) {
  for (const DepthwiseCase& c : kDepthwise) {
    SCOPED_TRACE(testing::Message() << c.h << "x" << c.w << "x" << c.channels << " kernel " << c.kernel);
    ConvShape s = depthwise_shape(c);
    s.in_stride = s.in_channels + 1;
    s.out_stride = s.out_channels + 2;
    const auto in = floats(s.batch * s.in_h * s.in_w * s.in_pixel()), w = floats(s.kernel_size() * s.out_channels),
               bias = floats(s.out_channels);
    const PackedDepthwiseF32 packed(w.data(), FloatType::F32, s.kernel_size(), s.out_channels, bias.data(),
                                    FloatType::F32);
    std::vector<float> out(static_cast<size_t>(s.out_pixels() * s.out_pixel()), 77.0f);
    depthwise_f32(packed, s, in.data(), out.data(), {-2.0f, 3.0f});
    std::vector<double> want(static_cast<size_t>(s.out_pixels() * s.out_channels));
    each_product(s, [&](int64_t pixel, int64_t channel, int64_t at, int64_t weight) {
      if (at < 0) return;
      // `weight` counts [channel][kernel element].
      const int64_t element = weight % s.kernel_size();
      want[static_cast<size_t>(pixel * s.out_channels + channel)] +=
          static_cast<double>(in[static_cast<size_t>(at)]) * w[static_cast<size_t>(element * s.out_channels + channel)];
    });
    for (int64_t i = 0; i < s.out_pixels(); ++i) {
      for (int64_t j = 0; j < s.out_channels; ++j) {
        const double x = want[static_cast<size_t>(i * s.out_channels + j)] + bias[static_cast<size_t>(j)];
        ASSERT_NEAR(out[static_cast<size_t>(i * s.out_pixel() + j)], std::clamp(x, -2.0, 3.0), 1e-4) << i << "," << j;
      }
      for (int64_t j = s.out_channels; j < s.out_pixel(); ++j)
        ASSERT_EQ(out[static_cast<size_t>(i * s.out_pixel() + j)], 77.0f);
    }
  }
}

// Groups of several channels along the channels: weights [kernel elements][in channels of a group][out channels].
TEST_P(FloatTest, GroupsAlongTheChannels) {
  struct Groups {
    int64_t group, channels, kernel, stride, dilation;
  };
  for (const Groups& c :
       {Groups{4, 16, 3, 1, 1}, {4, 48, 3, 2, 1}, {8, 32, 3, 1, 2}, {8, 16, 5, 1, 1}, {4, 32, 1, 1, 1}}) {
    const int64_t group = c.group, channels = c.channels;
    ConvShape s = depthwise_shape({9, 12, channels, 1, c.kernel, c.stride, c.dilation, 1, 2});
    s.groups = channels / group;
    if (!suits_groups(s)) continue;  // groups wider than a vector
    const int64_t k = s.kernel_size() * group;
    const auto in = floats(s.batch * s.in_h * s.in_w * channels), w = floats(k * channels), bias = floats(channels);
    const PackedDepthwiseF32 packed(w.data(), FloatType::F32, k, channels, bias.data(), FloatType::F32, true);
    std::vector<float> out(static_cast<size_t>(s.out_pixels() * channels));
    depthwise_f32(packed, s, in.data(), out.data(), {-2.0f, 3.0f});
    std::vector<double> want(out.size());
    each_product(s, [&](int64_t pixel, int64_t channel, int64_t at, int64_t weight) {
      if (at < 0) return;
      want[static_cast<size_t>(pixel * channels + channel)] +=
          static_cast<double>(in[static_cast<size_t>(at)]) * w[static_cast<size_t>(weight % k * channels + channel)];
    });
    for (size_t i = 0; i < out.size(); ++i) {
      const double x = want[i] + bias[i % static_cast<size_t>(channels)];
      ASSERT_NEAR(out[i], std::clamp(x, -2.0, 3.0), 1e-4) << i << " of groups of " << group;
    }
  }
}

TEST_P(FloatTest, DepthwiseInt8) {
  for (const DepthwiseCase& c : kDepthwise) {
    SCOPED_TRACE(testing::Message() << c.h << "x" << c.w << "x" << c.channels << " kernel " << c.kernel);
    ConvShape s = depthwise_shape(c);
    s.in_stride = s.in_channels + 1;
    s.out_stride = s.out_channels + 2;
    const auto in = ints(s.batch * s.in_h * s.in_w * s.in_pixel()), w = ints(s.kernel_size() * s.out_channels);
    const auto bias = ints<int32_t>(s.out_channels, -5000, 5000);
    const auto scales = floats(s.out_channels, 0.001f, 0.02f);
    DepthwiseWeightsQs8 weights;
    weights.data = w.data();
    weights.kernel_size = s.kernel_size();
    weights.channels = s.out_channels;
    weights.row_taps = s.out_w % 2 == 0 ? s.kernel_w : 1;
    weights.multiplier = c.multiplier;
    weights.bias = bias.data();
    weights.scales = scales.data();
    weights.input = {0.05f, -7};
    weights.output = {{0.11f, 5}, -100, 90};
    const PackedDepthwiseQs8 packed(weights);
    std::vector<int8_t> out(static_cast<size_t>(s.out_pixels() * s.out_pixel()), 77);
    depthwise_qs8(packed, s, in.data(), out.data());
    std::vector<int64_t> want(static_cast<size_t>(s.out_pixels() * s.out_channels));
    each_product(s, [&](int64_t pixel, int64_t channel, int64_t at, int64_t weight) {
      if (at < 0) return;
      want[static_cast<size_t>(pixel * s.out_channels + channel)] +=
          (in[static_cast<size_t>(at)] + 7) *
          w[static_cast<size_t>(weight % s.kernel_size() * s.out_channels + channel)];
    });
    for (int64_t i = 0; i < s.out_pixels(); ++i) {
      for (int64_t j = 0; j < s.out_channels; ++j) {
        const int64_t sum = want[static_cast<size_t>(i * s.out_channels + j)] + bias[static_cast<size_t>(j)];
        const float scale = 0.05f * scales[static_cast<size_t>(j)] / 0.11f;
        ASSERT_EQ(out[static_cast<size_t>(i * s.out_pixel() + j)], requantised(sum, scale, 5, -100, 90))
            << i << "," << j;
      }
      for (int64_t j = s.out_channels; j < s.out_pixel(); ++j)
        ASSERT_EQ(out[static_cast<size_t>(i * s.out_pixel() + j)], 77);
    }
  }
}

TEST(Provided, WhatWasPackedForIt) {
  const std::vector<float> a = {1, 2, 3, 4}, w = {1, 0, 0, 1};
  std::vector<float> out(4);
  const PackedF32 before({w.data(), FloatType::F32, false, 1, 2, 2, nullptr});
  const WayScope scope({loop_tables().back(), 1, &kPlainProvider});
  const PackedF32 packed({w.data(), FloatType::F32, false, 1, 2, 2, nullptr});
  EXPECT_EQ(before.dense(), nullptr);
  g_provided = 0;
  linear_f32(before, 2, a.data(), 2, out.data(), 2);
  EXPECT_EQ(g_provided, 0);
  linear_f32(packed, 2, a.data(), 2, out.data(), 2, {1.5f, 3.5f});
  EXPECT_EQ(g_provided, 1);
  EXPECT_EQ(out, (std::vector<float>{1.5f, 2, 3, 3.5f}));
  linear_f32(packed, 1, a.data(), 2, out.data(), 2);  // declined
  EXPECT_EQ(g_provided, 1);
  EXPECT_EQ(out[0], 1);
  // A pointwise convolution is a GEMM; a larger kernel is one call of the provider.
  ConvShape s;
  s.in_h = s.out_h = 3;
  s.in_w = s.out_w = 2;
  s.in_channels = s.out_channels = 2;
  const std::vector<float> image(12, 1.0f);
  std::vector<float> result(12);
  conv_f32(packed, s, image.data(), result.data());
  EXPECT_EQ(g_provided, 2);
  const std::vector<float> kernels(2 * 9 * 2, 1.0f);
  s.kernel_h = s.kernel_w = 3;
  s.pad_top = s.pad_left = 1;
  conv_f32(PackedF32({kernels.data(), FloatType::F32, false, 1, 2, 18, nullptr}), s, image.data(), result.data());
  EXPECT_EQ(g_provided, 3);
  EXPECT_EQ(result[0], 8);
}

INSTANTIATE_TEST_SUITE_P(Ways, FloatTest, testing::ValuesIn(ways()), way_name);

}  // namespace
}  // namespace et::xnn::test
