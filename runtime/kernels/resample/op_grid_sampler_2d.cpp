// grid_sampler_2d: each result pixel is read at a position of the input that the grid names, from -1 to 1 over the
// image. Positions become taps (offsets and weights) for a few pixels at a time, which then serve all channels.
#include <cmath>

#include "runtime/kernels/common/kernel.h"
#include "runtime/kernels/movement/view.h"

namespace et::ET_KERNELS {
namespace {

enum class Interpolation : uint8_t { Bilinear = 0, Nearest = 1, Bicubic = 2 };
enum class Padding : uint8_t { Zeros = 0, Border = 1, Reflection = 2 };

constexpr int kPixels = 32;  // result pixels at a time

// One dimension of the input. Positions are computed in the tensor's own precision, as torch does: in 16-bit floats
// another rounding would choose other pixels.
template <class T>
struct Axis {
  using M = opmath_t<T>;
  int64_t size;
  bool align_corners;
  Padding padding;

  static M rounded(M v) { return static_cast<M>(static_cast<T>(v)); }
  M unnormalized(M at) const {
    const M scale = rounded(rounded(static_cast<M>(align_corners ? size - 1 : size)) / M(2));
    const M scaled = rounded(rounded(at + M(1)) * scale);
    return align_corners ? scaled : rounded(scaled - M(0.5));
  }
  M clipped(M at) const {
    const M last = rounded(static_cast<M>(size - 1));
    return !(at > 0) ? M(0) : at > last ? last : at;  // NaN to 0
  }
  // Mirrored at the centres of the corner pixels, or at their outer edges, as often as needed.
  M reflected(M at) const {
    const M low = align_corners ? M(0) : M(-0.5);
    const M span = rounded(M(2) * rounded(static_cast<M>(align_corners ? size - 1 : size)));
    if (span == 0) return 0;
    const M distance = std::fabs(rounded(at - low));
    const M extra = rounded(distance - rounded(std::trunc(rounded(distance / span)) * span));
    const M back = rounded(span - extra);
    return rounded((extra < back ? extra : back) + low);
  }
  M padded(M at) const {
    if (padding == Padding::Zeros) return at;
    return clipped(padding == Padding::Reflection ? reflected(at) : at);
  }
  // −1: outside.
  int64_t index(M at) const { return at >= 0 && at <= static_cast<M>(size - 1) ? static_cast<int64_t>(at) : -1; }
};

// Weights of four neighbours at distance t from the second: Keys' cubic convolution with a = −0.75.
template <class M>
void cubic_weights(M t, M* w) {
  constexpr M a = M(-0.75);
  const auto near = [](M x) { return ((a + 2) * x - (a + 3)) * x * x + 1; };
  const auto far = [](M x) { return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a; };
  w[0] = far(t + 1);
  w[1] = near(t);
  w[2] = near(1 - t);
  w[3] = far(2 - t);
}

// SampleTaps for some pixels: along each axis up to four indices and weights.
template <class M>
struct SampleTaps {
  int count = 0;          // along each axis
  int64_t x[4][kPixels];  // offsets in bytes, −1 outside
  int64_t y[4][kPixels];
  M wx[4][kPixels];
  M wy[4][kPixels];
};

template <class T, class M = opmath_t<T>>
void axis_taps(const Axis<T>& axis, Interpolation mode, M grid, int64_t step, int64_t (*offsets)[kPixels],
               M (*weights)[kPixels], int i) {
  const auto put = [&](int k, M at, M weight) {
    const int64_t index = axis.index(at);
    offsets[k][i] = index < 0 ? -1 : index * step;
    weights[k][i] = weight;
  };
  const M at = axis.unnormalized(grid);
  if (mode == Interpolation::Nearest) {
    put(0, std::nearbyint(axis.padded(at)), M(1));
  } else if (mode == Interpolation::Bilinear) {
    const M inside = axis.padded(at);
    const M first = std::floor(inside);
    put(0, first, (first + M(1)) - inside);
    put(1, first + M(1), inside - first);
  } else {
    const M first = std::floor(at);
    M w[4];
    cubic_weights(at - first, w);
    for (int k = 0; k < 4; ++k) put(k, axis.padded(first + static_cast<M>(k - 1)), w[k]);
  }
}

// The taps of both axes together, for interpolations that need few: places that are always inside, whether they count,
// and their weights.
template <class M>
struct Pairs {
  int64_t offset[4][kPixels];
  M weight[4][kPixels];
  int32_t counts[4][kPixels];

  void join(const SampleTaps<M>& t, int along, int n) {
    for (int k = 0; k < along * along; ++k) {
      const int row = k / along, column = k % along;
      for (int i = 0; i < n; ++i) {
        const bool inside = t.y[row][i] >= 0 && t.x[column][i] >= 0;
        offset[k][i] = inside ? t.y[row][i] + t.x[column][i] : 0;
        weight[k][i] = t.wy[row][i] * t.wx[column][i];
        counts[k][i] = inside ? 1 : 0;
      }
    }
  }
  template <class T>
  M value(const uint8_t* from, int k, int i) const {
    const M v = static_cast<M>(*reinterpret_cast<const T*>(from + offset[k][i]));
    return counts[k][i] != 0 ? v : M(0);
  }
};

template <class T>
void sample_nearest(const Pairs<opmath_t<T>>& p, const uint8_t* from, uint8_t* to, int64_t step, int n) {
  for (int i = 0; i < n; ++i) *reinterpret_cast<T*>(to + i * step) = static_cast<T>(p.template value<T>(from, 0, i));
}

template <class T>
void sample_bilinear(const Pairs<opmath_t<T>>& p, const uint8_t* from, uint8_t* to, int64_t step, int n) {
  using M = opmath_t<T>;
  M sum[kPixels];
  for (int i = 0; i < n; ++i) {
    sum[i] = p.template value<T>(from, 0, i) * p.weight[0][i] + p.template value<T>(from, 1, i) * p.weight[1][i] +
             p.template value<T>(from, 2, i) * p.weight[2][i] + p.template value<T>(from, 3, i) * p.weight[3][i];
  }
  for (int i = 0; i < n; ++i) *reinterpret_cast<T*>(to + i * step) = static_cast<T>(sum[i]);
}

template <class T>
void sample_bicubic(const SampleTaps<opmath_t<T>>& t, const uint8_t* from, uint8_t* to, int64_t step, int n) {
  using M = opmath_t<T>;
  for (int i = 0; i < n; ++i) {
    M value = 0;
    for (int k = 0; k < 4; ++k) {
      M row = 0;
      for (int j = 0; j < 4; ++j) {
        const bool inside = t.y[k][i] >= 0 && t.x[j][i] >= 0;
        const M v = inside ? static_cast<M>(*reinterpret_cast<const T*>(from + t.y[k][i] + t.x[j][i])) : M(0);
        row += v * t.wx[j][i];
      }
      value += row * t.wy[k][i];
    }
    *reinterpret_cast<T*>(to + i * step) = static_cast<T>(value);
  }
}

struct Sample {
  const View& in;
  const View& grid;
  const View& out;
  Interpolation mode;
  Padding padding;
  bool align_corners;

  template <class T>
  void operator()() {
    using M = opmath_t<T>;
    const Axis<T> vertical{in.sizes[2], align_corners, padding}, horizontal{in.sizes[3], align_corners, padding};
    const int64_t height = out.sizes[2], width = out.sizes[3];
    parallel_for(0, out.sizes[0] * height, 8, [&](int64_t begin, int64_t end) {
      SampleTaps<M> taps;
      Pairs<M> pairs;
      for (int64_t row = begin; row < end; ++row) {
        const int64_t image = row / height, y = row % height;
        const uint8_t* place = grid.data + image * grid.steps[0] + y * grid.steps[1];
        uint8_t* line = out.data + image * out.steps[0] + y * out.steps[2];
        for (int64_t x = 0; x < width; x += kPixels) {
          const int n = static_cast<int>(width - x < kPixels ? width - x : kPixels);
          for (int i = 0; i < n; ++i) {
            const uint8_t* pair = place + (x + i) * grid.steps[2];
            const M gx = static_cast<M>(*reinterpret_cast<const T*>(pair));
            const M gy = static_cast<M>(*reinterpret_cast<const T*>(pair + grid.steps[3]));
            axis_taps<T>(horizontal, mode, gx, in.steps[3], taps.x, taps.wx, i);
            axis_taps<T>(vertical, mode, gy, in.steps[2], taps.y, taps.wy, i);
          }
          if (mode != Interpolation::Bicubic) pairs.join(taps, mode == Interpolation::Nearest ? 1 : 2, n);
          for (int64_t c = 0; c < in.sizes[1]; ++c) {
            const uint8_t* from = in.data + image * in.steps[0] + c * in.steps[1];
            uint8_t* to = line + c * out.steps[1] + x * out.steps[3];
            if (mode == Interpolation::Nearest) {
              sample_nearest<T>(pairs, from, to, out.steps[3], n);
            } else if (mode == Interpolation::Bilinear) {
              sample_bilinear<T>(pairs, from, to, out.steps[3], n);
            } else {
              sample_bicubic<T>(taps, from, to, out.steps[3], n);
            }
          }
        }
      }
    });
  }
};

Tensor& grid_sampler_2d_out(KernelRuntimeContext& ctx, const Tensor& input, const Tensor& grid,
                            int64_t interpolation_mode, int64_t padding_mode, bool align_corners, Tensor& out) {
  const char* name = "aten::grid_sampler_2d";
  ET_KERNEL_CHECK_MSG(ctx, input.dim() == 4 && grid.dim() == 4, InvalidArgument, out,
                      "%s: expected input and grid of rank 4, got %zd and %zd", name, input.dim(), grid.dim());
  ET_KERNEL_CHECK_MSG(ctx, grid.size(3) == 2 && grid.size(0) == input.size(0), InvalidArgument, out,
                      "%s: grid has sizes %zd,…,%zd, not %zd,…,2", name, grid.size(0), grid.size(3), input.size(0));
  ET_KERNEL_CHECK_MSG(ctx, input.size(2) > 0 && input.size(3) > 0, InvalidArgument, out,
                      "%s: input has an empty dimension", name);
  ET_KERNEL_CHECK_MSG(ctx, interpolation_mode >= 0 && interpolation_mode <= 2, InvalidArgument, out,
                      "%s: interpolation_mode %lld", name, static_cast<long long>(interpolation_mode));
  ET_KERNEL_CHECK_MSG(ctx, padding_mode >= 0 && padding_mode <= 2, InvalidArgument, out, "%s: padding_mode %lld", name,
                      static_cast<long long>(padding_mode));
  Sizes sizes;
  for (const int64_t n : {input.size(0), input.size(1), grid.size(1), grid.size(2)}) sizes.push(n);
  if (!resize_result(ctx, out, sizes, name) || !check_source(ctx, input, out, name) ||
      !check_source(ctx, grid, out, name) || out.numel() == 0) {
    return out;
  }
  const View from = view_of(input), places = view_of(grid), to = view_of(out);
  Sample sample{
      from,         places, to, static_cast<Interpolation>(interpolation_mode), static_cast<Padding>(padding_mode),
      align_corners};
  ET_KERNEL_CHECK_MSG(ctx, dispatch<kFloatsH>(input.scalar_type(), sample), InvalidArgument, out,
                      "%s: expected floating input, got %s", name, scalar_type_name(input.scalar_type()));
  return out;
}

}  // namespace

ET_KERNEL(grid_sampler_2d_out)

}  // namespace et::ET_KERNELS
