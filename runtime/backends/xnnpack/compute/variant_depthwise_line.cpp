// Depthwise convolutions of floats, a whole row of the output at a time: several pixels of all channels together, so
// that pixels and weights that they share are read once, and memory in its order, which the processor reads ahead.
#include <algorithm>
#include <utility>

#include "runtime/backends/xnnpack/compute/variant_matrix.h"
#include "runtime/kernels/matrix/tile.h"

namespace et::xnn::ET_XNN_VARIANT {
namespace {

constexpr int kLanes = et::ET_KERNELS::VectorOf<float>::kLanes;
// Sizes of images are mostly multiples of seven, and additions take some four steps, of which two begin at a time.
constexpr int kMany = 7, kSome = 4;

/// Count output pixels from `x` on. Border: some of what they read is padding, which is left out.
template <int Kernel, int Stride, int Count, bool Border>
[[gnu::noinline]] void line_pixels(const PackedDepthwiseF32& weights, const DepthwiseLine& line, int64_t x,
                                   Clamp clamp) {
  using V = LanesOf<float, kLanes>;
  constexpr int kRead = (Count - 1) * Stride + Kernel;
  const int64_t padded = weights.padded_channels(), step = line.in_pixel;
  const int64_t left = x * Stride - line.pad_left, first = -left, last = line.in_w - left;
  float* const out = line.out + x * line.out_pixel;
  each_lanes<kLanes>(0, weights.channels(), [&](int64_t c) {
    const typename V::Type bias = V::load(weights.bias() + c);
    typename V::Type sum[Count];
    ET_UNROLL
    for (int o = 0; o < Count; ++o) sum[o] = bias;
    const float* weight = weights.weights() + c;
    for (int64_t r = 0; r < line.kernel_h; ++r, weight += Kernel * padded) {
      if (line.rows[r] == nullptr) continue;
      typename V::Type w[Kernel];
      ET_UNROLL
      for (int t = 0; t < Kernel; ++t) w[t] = V::load(weight + t * padded);
      const float* at = line.rows[r] + (left * step + c);
      const auto read = [&]<int I>() __attribute__((always_inline)) {
        if (!Border || (I >= first && I < last)) {
          const typename V::Type pixel = V::load(at);
          ET_UNROLL
          for (int o = 0; o < Count; ++o) {
            const int t = I - o * Stride;
            if (t >= 0 && t < Kernel) sum[o] += pixel * w[t];
          }
        }
        at += step;
      };
      [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
        (read.template operator()<I>(), ...);
      }
      (std::make_integer_sequence<int, kRead>());
    }
    ET_UNROLL
    for (int o = 0; o < Count; ++o) V::store(out + o * line.out_pixel + c, bounded(sum[o], clamp));
  });
}

template <int Kernel, int Stride, int Count>
void line_pixels(const PackedDepthwiseF32& weights, const DepthwiseLine& line, int64_t x, Clamp clamp) {
  const int64_t left = x * Stride - line.pad_left;
  const bool inside = left >= 0 && left + (Count - 1) * Stride + Kernel <= line.in_w;
  inside ? line_pixels<Kernel, Stride, Count, false>(weights, line, x, clamp)
         : line_pixels<Kernel, Stride, Count, true>(weights, line, x, clamp);
}

/// The last pixels are computed together with some of those in front of them.
template <int Kernel, int Stride>
void whole_line(const PackedDepthwiseF32& weights, const DepthwiseLine& line, Clamp clamp) {
  int64_t x = 0;
  for (; x + kMany <= line.out_w; x += kMany) line_pixels<Kernel, Stride, kMany>(weights, line, x, clamp);
  if (x == line.out_w) return;
  if (line.out_w - x > kSome && line.out_w >= kMany)
    return line_pixels<Kernel, Stride, kMany>(weights, line, line.out_w - kMany, clamp);
  for (; x + kSome < line.out_w; x += kSome) line_pixels<Kernel, Stride, kSome>(weights, line, x, clamp);
  line_pixels<Kernel, Stride, kSome>(weights, line, line.out_w - kSome, clamp);
}

}  // namespace

bool depthwise_line_f32(const PackedDepthwiseF32& weights, const DepthwiseLine& line, Clamp clamp) {
  if (line.out_w < kSome || weights.channels() < kLanes) return false;
  const auto with_stride = [&]<int Kernel>() {
    line.stride == 1 ? whole_line<Kernel, 1>(weights, line, clamp) : whole_line<Kernel, 2>(weights, line, clamp);
    return true;
  };
  if (line.stride > 2) return false;
  switch (line.kernel_w) {
    case 5:
      return with_stride.template operator()<5>();
    case 7:
      return with_stride.template operator()<7>();
    default:
      return false;
  }
}

}  // namespace et::xnn::ET_XNN_VARIANT
