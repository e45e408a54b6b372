// Windows of pixels to one, and sums of rows.
#include <algorithm>

#include "tests/runtime/backends/xnnpack_compute/compute_test.h"

namespace et::xnn::test {
namespace {

class PoolTest : public ComputeTest {};

struct PoolCase {
  int64_t kernel, stride, channels, windows;
};
// More channels than a block of registers, with a rest; windows apart, side by side and overlapping.
constexpr PoolCase kPools[] = {{3, 4, 258, 5}, {3, 3, 70, 4},  {3, 2, 129, 6}, {3, 5, 300, 1},
                               {2, 3, 133, 4}, {5, 7, 90, 3},  {3, 4, 32, 5},  {3, 4, 7, 5},
                               {4, 4, 67, 3},  {1, 3, 150, 7}, {1, 1, 1, 9},   {3, 9, 1030, 2}};

/// A line of windows over `kernel` lines of an image.
template <class T>
struct Line {
  int64_t channels, width;
  std::vector<const T*> pixels;
  std::vector<T> out;
  PoolWindow<T> window;

  Line(const PoolCase& c, const std::vector<T>& in) : channels(c.channels), width(wide(c)) {
    for (int64_t y = 0; y < c.kernel; ++y) {
      for (int64_t x = 0; x < c.kernel; ++x) pixels.push_back(in.data() + (y * width + x) * channels);
    }
    out.assign(static_cast<size_t>(c.windows * channels), T(77));
    window = {c.kernel * c.kernel, pixels.data(), channels, out.data(), c.windows, c.stride * channels};
  }
  static int64_t wide(const PoolCase& c) { return (c.windows - 1) * c.stride + c.kernel; }
  static int64_t values(const PoolCase& c) { return c.kernel * wide(c) * c.channels; }

  /// f(output, its input values) for all of them.
  template <class F>
  void each(const F& f) const {
    for (int64_t i = 0; i < static_cast<int64_t>(out.size()); ++i) {
      std::vector<T> from;
      for (const T* pixel : pixels) from.push_back(pixel[i / channels * window.step + i % channels]);
      f(out[static_cast<size_t>(i)], from);
    }
  }
};

TEST_P(PoolTest, Mean) {
  for (const PoolCase& c : kPools) {
    SCOPED_TRACE(testing::Message() << c.kernel << " step " << c.stride << " channels " << c.channels);
    const auto in = floats(Line<float>::values(c));
    Line<float> line(c, in);
    const float part = 1.0f / static_cast<float>(line.window.count);
    matrix_loops().mean_pool_f32(line.window, part, {-0.5f, 0.6f});
    line.each([&](float out, const std::vector<float>& from) {
      double sum = 0;
      for (const float x : from) sum += x;
      ASSERT_NEAR(out, std::clamp(sum * part, -0.5, static_cast<double>(0.6f)), 1e-5);
    });
  }
}

TEST_P(PoolTest, Largest) {
  for (const PoolCase& c : kPools) {
    SCOPED_TRACE(testing::Message() << c.kernel << " step " << c.stride << " channels " << c.channels);
    const auto in = floats(Line<float>::values(c));
    Line<float> line(c, in);
    matrix_loops().max_pool_f32(line.window, 0.0f, 1.5f);
    line.each([&](float out, const std::vector<float>& from) {
      ASSERT_EQ(out, std::clamp(*std::max_element(from.begin(), from.end()), 0.0f, 1.5f));
    });
    const auto bytes = ints(Line<int8_t>::values(c));
    Line<int8_t> narrow(c, bytes);
    matrix_loops().max_pool_s8(narrow.window, -100, 120);
    narrow.each([&](int8_t out, const std::vector<int8_t>& from) {
      ASSERT_EQ(out, std::clamp(*std::max_element(from.begin(), from.end()), int8_t{-100}, int8_t{120}));
    });
  }
}

TEST_P(PoolTest, SumsOfRows) {
  for (const int64_t channels : {1, 3, 8, 17, 32, 48, 71, 144, 258}) {
    for (const int64_t rows : {1, 2, 3, 49}) {
      const auto in = floats(rows * channels);
      std::vector<float> sums(static_cast<size_t>(channels) + 1, 77.0f);
      matrix_loops().sum_rows_f32(rows, channels, in.data(), sums.data());
      for (int64_t c = 0; c < channels; ++c) {
        double want = 0;
        for (int64_t r = 0; r < rows; ++r) want += in[static_cast<size_t>(r * channels + c)];
        ASSERT_NEAR(sums[static_cast<size_t>(c)], want, 1e-4) << rows << "x" << channels << ": " << c;
      }
      ASSERT_EQ(sums.back(), 77.0f);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, PoolTest, testing::ValuesIn(ways()), way_name);

}  // namespace
}  // namespace et::xnn::test
