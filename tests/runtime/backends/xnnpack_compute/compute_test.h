// What the tests of the compute functions share: random values, the plain formula of a convolution's source, and a run
// of the same checks by every kind of loops and split.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

#include "runtime/backends/xnnpack/compute/loops.h"
#include "runtime/backends/xnnpack/compute/matrix_loops.h"
#include "runtime/backends/xnnpack/compute/types.h"
#include "runtime/kernels/matrix/provider.h"
#include "runtime/platform/parallel.h"
#include "tests/runtime/backends/xnnpack_compute/plain_provider.h"
#ifdef ET_TEST_ONEDNN
#include "runtime/kernels/matrix/onednn_provider.h"
#endif

#ifdef ET_TEST_EMULATED
namespace et::xnn::emulated {
extern const Loops kLoops;
extern const MatrixLoops kMatrixLoops;
}  // namespace et::xnn::emulated
#endif

namespace et::xnn::test {

/// Which loops; one part or three, which run one after the other from the last on; who computes GEMMs of floats
/// (null: the loops).
struct Way {
  LoopTables tables;
  int64_t threads;
  const matrix::Provider* provider = nullptr;
};

/// All that this processor and this build can do.
inline std::vector<Way> ways() {
  std::vector<Way> out;
  for (const LoopTables& tables : loop_tables()) {
    for (const int64_t threads : {1, 3}) out.push_back({tables, threads});
  }
#ifdef ET_TEST_EMULATED
  out.push_back({{"v4_emulated", &emulated::kLoops, &emulated::kMatrixLoops}, 1});
#endif
  const LoopTables best = loop_tables().back();
  out.push_back({best, 1, &kPlainProvider});
#ifdef ET_TEST_ONEDNN
  out.push_back({best, 1, matrix::onednn_provider()});
#endif
  return out;
}

class WayScope {
 public:
  explicit WayScope(const Way& way) : tables_(way.tables) {
    select_loops(&tables_);
    matrix::select_provider(way.provider);
    attach_parallel(
        [](int64_t count, void (*task)(void*, int64_t), void* context) {
          for (int64_t i = count; i-- > 0;) task(context, i);
        },
        way.threads);
  }
  ~WayScope() {
    select_loops(nullptr);
    matrix::select_provider(nullptr);
    attach_parallel(nullptr, 1);
  }

 private:
  LoopTables tables_;
};

class ComputeTest : public testing::TestWithParam<Way> {
 protected:
  ComputeTest() : scope_(GetParam()) {}
  std::mt19937 random_{7};

  std::vector<float> floats(int64_t n, float low = -2, float high = 2) {
    std::uniform_real_distribution<float> values(low, high);
    std::vector<float> out(static_cast<size_t>(n));
    for (float& x : out) x = values(random_);
    return out;
  }
  /// All of [low, high], the ends often.
  template <class T = int8_t>
  std::vector<T> ints(int64_t n, int low = -128, int high = 127) {
    std::uniform_int_distribution<int> values(low, high), choice(0, 9);
    std::vector<T> out(static_cast<size_t>(n));
    for (T& x : out) {
      const int which = choice(random_);
      x = static_cast<T>(which == 0 ? low : which == 1 ? high : values(random_));
    }
    return out;
  }

 private:
  WayScope scope_;
};

inline std::string way_name(const testing::TestParamInfo<Way>& info) {
  if (info.param.provider != nullptr) return info.param.provider->name;
  return std::string(info.param.tables.name) + "_" + std::to_string(info.param.threads);
}

struct ConvCase {
  std::string name;
  ConvShape shape;
};

/// Shapes that nobody chose: kernels that may reach beyond both sides of the image, paddings of several kernels'
/// widths.
inline void draw_conv_cases(int count, std::vector<ConvCase>* out) {
  std::mt19937 random(20);
  const auto one_of = [&random](std::initializer_list<int> values) { return values.begin()[random() % values.size()]; };
  while (count > 0) {
    ConvShape s;
    s.groups = one_of({1, 1, 1, 1, 2, 3});
    s.batch = one_of({1, 1, 2});
    s.in_channels = s.groups * one_of({1, 2, 3, 4, 5, 8, 12, 17, 24});
    s.out_channels = s.groups * one_of({1, 3, 7, 16, 17, 31, 33, 48});
    s.kernel_h = one_of({1, 1, 2, 3, 3, 5}), s.kernel_w = one_of({1, 2, 3, 3, 4, 5, 9});
    s.stride_h = one_of({1, 1, 2, 3}), s.stride_w = one_of({1, 1, 2, 5});
    s.dilation_h = one_of({1, 1, 2}), s.dilation_w = one_of({1, 1, 2, 4});
    s.in_h = one_of({1, 1, 3, 6, 9}), s.in_w = one_of({1, 4, 7, 16, 29, 40});
    s.pad_top = one_of({0, 0, 1, 4}), s.pad_left = one_of({0, 0, 1, 3, 7});
    const int behind_h = one_of({0, 1, 4}), behind_w = one_of({0, 1, 2, 9});
    s.out_h = conv_out_size(s.in_h, s.pad_top + behind_h, s.kernel_h, s.dilation_h, s.stride_h);
    s.out_w = conv_out_size(s.in_w, s.pad_left + behind_w, s.kernel_w, s.dilation_w, s.stride_w);
    if (s.out_h < 1 || s.out_w < 1) continue;
    --count;
    out->push_back({"drawn " + std::to_string(count), s});
  }
}
/// Kernels, strides, dilations, paddings, groups; the output's size follows from `out_h` and `out_w` as given.
inline const std::vector<ConvCase>& conv_cases() {
  static const std::vector<ConvCase> cases = [] {
    // batch, in h w c, out c, groups, kernel h w, stride, dilation, pad, transposed
    struct Row {
      const char* name;
      int batch, h, w, c, out, groups, kh, kw, sh, sw, dh, dw, pt, pl, pb, pr;
      bool transposed;
    };
    static constexpr Row kRows[] = {
        {"pointwise", 2, 5, 4, 7, 19, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, false},
        {"three", 1, 9, 8, 3, 16, 1, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, false},
        {"stem", 1, 13, 15, 3, 33, 1, 3, 3, 2, 2, 1, 1, 0, 1, 1, 0, false},
        {"wide", 2, 6, 7, 24, 20, 1, 3, 5, 1, 2, 1, 1, 1, 2, 1, 2, false},
        {"dilated", 1, 11, 12, 5, 8, 1, 3, 3, 1, 1, 2, 3, 2, 3, 2, 3, false},
        {"grouped", 1, 7, 7, 12, 18, 3, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, false},
        {"strided_pointwise", 1, 8, 9, 6, 10, 1, 1, 1, 2, 2, 1, 1, 0, 0, 0, 0, false},
        {"large_kernel", 1, 4, 3, 4, 5, 1, 7, 7, 1, 1, 1, 1, 3, 3, 3, 3, false},
        {"time", 2, 1, 70, 3, 20, 1, 1, 9, 1, 2, 1, 1, 0, 4, 0, 4, false},
        {"time_1_channel", 1, 1, 90, 1, 33, 1, 1, 16, 1, 1, 1, 1, 0, 8, 0, 8, false},
        {"time_dilated", 1, 1, 60, 4, 7, 1, 1, 3, 1, 1, 1, 4, 0, 4, 0, 4, false},
        {"long_line", 1, 1, 30000, 2, 3, 1, 1, 5, 1, 1, 1, 1, 0, 2, 0, 2, false},
        {"long_lines", 1, 2, 25000, 2, 1, 1, 2, 3, 1, 1, 1, 1, 1, 1, 0, 1, false},
        {"lines", 2, 7, 60, 6, 10, 1, 1, 1, 2, 2, 1, 1, 0, 0, 0, 0, false},
        {"lines_padded", 1, 5, 40, 2, 5, 1, 1, 3, 1, 1, 1, 1, 0, 1, 2, 0, false},
        {"grey", 1, 9, 8, 1, 12, 1, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, false},
        {"narrow_groups", 1, 9, 8, 32, 32, 4, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, false},
        {"narrow_groups_of_4", 2, 6, 7, 48, 24, 6, 3, 3, 2, 1, 1, 1, 1, 1, 1, 1, false},
        {"groups_to_1", 1, 5, 9, 20, 10, 10, 1, 3, 1, 1, 1, 2, 0, 2, 0, 2, false},
        {"odd_groups", 1, 6, 5, 15, 20, 5, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, false},
        {"pointwise_groups", 1, 5, 4, 24, 24, 8, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, false},
        {"channels_to_many", 1, 6, 7, 3, 30, 3, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, false},
        {"to_3", 1, 7, 9, 9, 3, 1, 3, 7, 1, 1, 1, 1, 1, 3, 1, 3, false},
        {"to_1_dilated", 2, 8, 9, 35, 1, 1, 3, 3, 1, 2, 1, 2, 1, 2, 1, 2, false},
        {"groups_to_2", 1, 9, 11, 40, 4, 2, 5, 3, 2, 1, 1, 1, 2, 1, 2, 1, false},
        {"deconvolution", 1, 5, 6, 4, 9, 1, 3, 3, 2, 2, 1, 1, 1, 1, 1, 1, true},
        {"deconvolution_grouped", 2, 4, 4, 6, 8, 2, 2, 3, 2, 3, 1, 2, 0, 1, 0, 1, true},
        {"deconvolution_2x2", 2, 5, 9, 20, 33, 1, 2, 2, 2, 2, 1, 1, 0, 0, 0, 0, true},
        {"deconvolution_steps_beyond", 1, 4, 5, 3, 17, 1, 2, 1, 3, 4, 1, 1, 0, 0, 0, 0, true},
        {"deconvolution_of_5", 1, 6, 11, 8, 24, 2, 5, 5, 2, 3, 1, 1, 2, 2, 1, 0, true},
        {"deconvolution_dilated", 2, 4, 7, 5, 40, 1, 3, 4, 2, 1, 3, 2, 1, 3, 2, 1, true},
        {"deconvolution_of_lines", 2, 9, 15, 12, 21, 1, 3, 4, 2, 2, 1, 1, 1, 2, 0, 1, true},
        {"deconvolution_of_lines_beyond", 1, 12, 13, 8, 6, 2, 2, 1, 3, 2, 2, 1, 0, 0, 0, 0, true},
        {"deconvolution_step_1", 1, 11, 14, 6, 18, 1, 3, 5, 1, 1, 1, 2, 1, 3, 1, 3, true},
        {"deconvolution_to_few", 1, 3, 2, 6, 7, 1, 4, 4, 4, 4, 1, 1, 1, 3, 2, 2, true},
    };
    std::vector<ConvCase> out;
    for (const Row& r : kRows) {
      ConvShape s;
      s.batch = r.batch, s.in_h = r.h, s.in_w = r.w, s.in_channels = r.c, s.out_channels = r.out, s.groups = r.groups;
      s.kernel_h = r.kh, s.kernel_w = r.kw, s.stride_h = r.sh, s.stride_w = r.sw;
      s.dilation_h = r.dh, s.dilation_w = r.dw, s.pad_top = r.pt, s.pad_left = r.pl, s.transposed = r.transposed;
      if (r.transposed) {
        s.out_h = deconv_out_size(r.h, r.pt + r.pb, r.kh, r.dh, r.sh, 0);
        s.out_w = deconv_out_size(r.w, r.pl + r.pr, r.kw, r.dw, r.sw, 0);
      } else {
        s.out_h = conv_out_size(r.h, r.pt + r.pb, r.kh, r.dh, r.sh);
        s.out_w = conv_out_size(r.w, r.pl + r.pr, r.kw, r.dw, r.sw);
      }
      out.push_back({r.name, s});
    }
    draw_conv_cases(60, &out);
    return out;
  }();
  return cases;
}

/// f(output pixel, output channel, input index or -1, weight index) for all products of a convolution, by scattering
/// for deconvolutions: another formula than the code's.
template <class F>
void each_product(const ConvShape& s, const F& f) {
  const int64_t depth = s.in_group(), width = s.out_group();
  for (int64_t b = 0; b < s.batch; ++b) {
    const int64_t from_h = s.transposed ? s.in_h : s.out_h, from_w = s.transposed ? s.in_w : s.out_w;
    for (int64_t y = 0; y < from_h; ++y) {
      for (int64_t x = 0; x < from_w; ++x) {
        for (int64_t ky = 0; ky < s.kernel_h; ++ky) {
          for (int64_t kx = 0; kx < s.kernel_w; ++kx) {
            const int64_t other_y = y * s.stride_h - s.pad_top + ky * s.dilation_h;
            const int64_t other_x = x * s.stride_w - s.pad_left + kx * s.dilation_w;
            const int64_t out_y = s.transposed ? other_y : y, out_x = s.transposed ? other_x : x;
            const int64_t in_y = s.transposed ? y : other_y, in_x = s.transposed ? x : other_x;
            const bool inside = in_y >= 0 && in_x >= 0 && in_y < s.in_h && in_x < s.in_w;
            if (s.transposed && (out_y < 0 || out_x < 0 || out_y >= s.out_h || out_x >= s.out_w)) continue;
            const int64_t out_pixel = (b * s.out_h + out_y) * s.out_w + out_x;
            const int64_t in_pixel = (b * s.in_h + in_y) * s.in_w + in_x;
            for (int64_t c = 0; c < s.out_channels; ++c) {
              for (int64_t d = 0; d < depth; ++d) {
                const int64_t weight = ((c * s.kernel_h + ky) * s.kernel_w + kx) * depth + d;
                f(out_pixel, c, inside ? in_pixel * s.in_pixel() + c / width * depth + d : -1, weight);
              }
            }
          }
        }
      }
    }
  }
}

inline int8_t requantised(int64_t sum, float scale, int zero_point, int low, int high) {
  const float rounded = std::nearbyint(static_cast<float>(static_cast<int32_t>(sum)) * scale);
  const double x = static_cast<double>(rounded) + zero_point;
  return static_cast<int8_t>(x < low ? low : x > high ? high : x);
}

}  // namespace et::xnn::test
