// Products and convolutions of static int8: bit for bit by the formula of matrix_qs8.h.
#include "runtime/backends/xnnpack/compute/matrix_qs8.h"
#include "tests/runtime/backends/xnnpack_compute/compute_test.h"

namespace et::xnn::test {
namespace {

class Int8Test : public ComputeTest {
 protected:
  /// `padded_runs`: packed for loops that read lines in place, where the loops can.
  void check_convolutions(bool padded_runs, int32_t zero_point);
};

struct Size {
  int64_t m, n, k;
};
constexpr Size kSizes[] = {{1, 1, 1},     {1, 16, 2},    {2, 17, 3},   {3, 33, 8},   {5, 48, 31},
                           {6, 15, 64},   {7, 31, 33},   {12, 64, 5},  {49, 40, 96}, {70, 96, 20},
                           {1, 100, 999}, {30, 24, 700}, {4, 16, 0},   {0, 4, 4},    {30, 1, 300},
                           {41, 2, 203},  {23, 3, 130},  {12, 4, 601}, {35, 20, 400}};

TEST_P(Int8Test, Linear) {
  for (const Size& s : kSizes) {
    for (const bool transposed : {false, true}) {
      for (const bool per_channel : {false, true}) {
        SCOPED_TRACE(testing::Message() << s.m << "x" << s.n << "x" << s.k << " transposed " << transposed);
        const int64_t a_stride = s.k + 1, out_stride = s.n + 2;
        const auto a = ints(s.m * a_stride), w = ints(s.n * s.k);
        const auto bias = ints<int32_t>(s.n, -100000, 100000);
        const auto scales = floats(s.n, 0.0005f, 0.01f);
        WeightsQs8 weights;
        weights.data = w.data();
        weights.transposed = transposed;
        weights.n = s.n;
        weights.k = s.k;
        weights.bias = per_channel ? bias.data() : nullptr;
        weights.scales = scales.data();
        weights.per_channel = per_channel;
        weights.input = {0.03f, 11};
        weights.output = {{0.07f, -3}, -120, 127};
        const PackedQs8 packed(weights);
        ASSERT_TRUE(packed.valid());
        std::vector<int8_t> out(static_cast<size_t>(s.m * out_stride), 77);
        linear_qs8(packed, s.m, a.data(), a_stride, out.data(), out_stride);
        for (int64_t i = 0; i < s.m; ++i) {
          for (int64_t j = 0; j < out_stride; ++j) {
            const int8_t got = out[static_cast<size_t>(i * out_stride + j)];
            if (j >= s.n) {
              ASSERT_EQ(got, 77);
              continue;
            }
            int64_t sum = per_channel ? bias[static_cast<size_t>(j)] : 0;
            for (int64_t p = 0; p < s.k; ++p) {
              sum += (a[static_cast<size_t>(i * a_stride + p)] - 11) *
                     w[static_cast<size_t>(transposed ? p * s.n + j : j * s.k + p)];
            }
            const float scale = 0.03f * scales[static_cast<size_t>(per_channel ? j : 0)] / 0.07f;
            ASSERT_EQ(got, requantised(sum, scale, -3, -120, 127)) << i << "," << j;
          }
        }
      }
    }
  }
}

void Int8Test::check_convolutions(bool padded_runs, int32_t zero_point) {
  for (const ConvCase& c : conv_cases()) {
    SCOPED_TRACE(c.name);
    ConvShape s = c.shape;
    s.in_stride = s.in_channels + (s.groups == 1 ? 2 : 0);
    s.out_stride = s.out_channels + 3;
    const int64_t k = s.kernel_size() * s.in_group();
    const auto in = ints(s.batch * s.in_h * s.in_w * s.in_pixel()), w = ints(s.out_channels * k);
    const auto bias = ints<int32_t>(s.out_channels, -20000, 20000);
    const auto scales = floats(s.out_channels, 0.0005f, 0.01f);
    WeightsQs8 weights;
    weights.data = w.data();
    weights.groups = s.groups;
    weights.n = s.out_group();
    weights.k = k;
    weights.depth = s.in_group();
    weights.bias = bias.data();
    weights.scales = scales.data();
    weights.input = {0.02f, zero_point};
    weights.output = {{0.09f, 4}, -128, 100};
    if (padded_runs && !s.transposed) {
      weights.taps = s.kernel_size();
      weights.row_taps = s.dilation_w == 1 ? s.kernel_w : 1;
    }
    const PackedQs8 packed(weights);
    std::vector<int8_t> out(static_cast<size_t>(s.out_pixels() * s.out_pixel()), 77);
    conv_qs8(packed, s, in.data(), out.data());
    std::vector<int64_t> want(static_cast<size_t>(s.out_pixels() * s.out_channels));
    each_product(s, [&](int64_t pixel, int64_t channel, int64_t at, int64_t weight) {
      if (at < 0) return;
      want[static_cast<size_t>(pixel * s.out_channels + channel)] +=
          (in[static_cast<size_t>(at)] - zero_point) * w[static_cast<size_t>(weight)];
    });
    for (int64_t i = 0; i < s.out_pixels(); ++i) {
      for (int64_t j = 0; j < s.out_channels; ++j) {
        const int64_t sum = want[static_cast<size_t>(i * s.out_channels + j)] + bias[static_cast<size_t>(j)];
        const float scale = 0.02f * scales[static_cast<size_t>(j)] / 0.09f;
        ASSERT_EQ(out[static_cast<size_t>(i * s.out_pixel() + j)], requantised(sum, scale, 4, -128, 100))
            << i << "," << j;
      }
      for (int64_t j = s.out_channels; j < s.out_pixel(); ++j)
        ASSERT_EQ(out[static_cast<size_t>(i * s.out_pixel() + j)], 77);
    }
  }
}

TEST_P(Int8Test, Convolution) { check_convolutions(false, -128); }
TEST_P(Int8Test, ConvolutionWithPaddedRuns) { check_convolutions(true, -128); }
TEST_P(Int8Test, ConvolutionWithAnotherZeroPoint) { check_convolutions(true, 5); }

TEST_P(Int8Test, BoundsOfTheOutput) {
  const OutputQs8 relu6 = output_qs8({0.05f, -128}, {0.0f, 6.0f});
  EXPECT_EQ(relu6.min, -128);
  EXPECT_EQ(relu6.max, -8);
  const OutputQs8 none = output_qs8({0.05f, 3}, {});
  EXPECT_EQ(none.min, -128);
  EXPECT_EQ(none.max, 127);
  const OutputQs8 outside = output_qs8({0.001f, 0}, {-1.0f, 0.05f});
  EXPECT_EQ(outside.min, -128);
  EXPECT_EQ(outside.max, 50);
}

INSTANTIATE_TEST_SUITE_P(Ways, Int8Test, testing::ValuesIn(ways()), way_name);

}  // namespace
}  // namespace et::xnn::test
