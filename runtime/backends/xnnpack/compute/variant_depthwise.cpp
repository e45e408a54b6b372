// Depthwise convolutions along the channels.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "runtime/backends/xnnpack/compute/variant_matrix.h"
#include "runtime/backends/xnnpack/compute/variant_requantise.h"
#include "runtime/kernels/matrix/tile.h"

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace et::xnn::ET_XNN_VARIANT {
namespace {

constexpr int kLanes = et::ET_KERNELS::VectorOf<float>::kLanes;

#if defined(__aarch64__)
/// Four output pixels at a time, which share input pixels. Returns how many were computed; `from` moves on.
template <class V>
[[gnu::always_inline]] inline int64_t depthwise_fours(const DepthwiseRow<float>& row, const typename V::Type (&w)[9],
                                                      typename V::Type bias, Clamp clamp, const float* (&from)[3],
                                                      float* out) {
  const int64_t step = row.step[0], out_pixel = row.out_pixel;
  if (row.stride != 1 || row.dilation != 1 || row.step[1] != step || row.step[2] != step) return 0;
  int64_t x = 0;
  for (; x + 4 <= row.count; x += 4, out += 4 * out_pixel) {
    typename V::Type sum[4] = {bias, bias, bias, bias};
    ET_UNROLL
    for (int r = 0; r < 3; ++r) {
      ET_UNROLL
      for (int i = 0; i < 6; ++i) {
        const typename V::Type pixel = V::load(from[r] + i * step);
        ET_UNROLL
        for (int t = 0; t < 3; ++t) {
          if (i - t >= 0 && i - t < 4) sum[i - t] += pixel * w[3 * r + t];
        }
      }
      from[r] += 4 * step;
    }
    ET_UNROLL
    for (int i = 0; i < 4; ++i) V::store(out + i * out_pixel, bounded(sum[i], clamp));
  }
  return x;
}
#elif defined(__AVX2__)
/// Count output pixels from x on, all channels: pixels that they share are read once, and memory in its order, which
/// the processor reads ahead; a channel's pixels one after the other would be half of a line each.
template <int Stride, int Count>
[[gnu::noinline]] void depthwise_pixels(const PackedDepthwiseF32& weights, const DepthwiseRow<float>& row, int64_t x,
                                        Clamp clamp) {
  constexpr int kRead = (Count - 1) * Stride + 3;
  const int64_t padded = weights.padded_channels();
  const float* from[3];
  for (int r = 0; r < 3; ++r) from[r] = row.rows[r] + x * Stride * row.step[r];
  float* const out = row.out + x * row.out_pixel;
  with_lanes<kLanes>(weights.channels(), [&]<int64_t Lanes>() {
    using V = LanesOf<float, Lanes>;
    each_lanes<Lanes>(0, weights.channels(), [&](int64_t c) {
      const typename V::Type bias = V::load(weights.bias() + c);
      typename V::Type sum[Count];
      ET_UNROLL
      for (int o = 0; o < Count; ++o) sum[o] = bias;
      const float* weight = weights.weights() + c;
      ET_UNROLL
      for (int r = 0; r < 3; ++r, weight += 3 * padded) {
        const typename V::Type w[3] = {V::load(weight), V::load(weight + padded), V::load(weight + 2 * padded)};
        const float* at = from[r] + c;
        ET_UNROLL
        for (int i = 0; i < kRead; ++i, at += row.step[r]) {
          const typename V::Type pixel = V::load(at);
          ET_UNROLL
          for (int o = 0; o < Count; ++o) {
            const int t = i - o * Stride;
            if (t >= 0 && t < 3) sum[o] += pixel * w[t];
          }
        }
      }
      ET_UNROLL
      for (int o = 0; o < Count; ++o) V::store(out + o * row.out_pixel + c, bounded(sum[o], clamp));
    });
  });
}

template <int Stride>
void depthwise_in_order(const PackedDepthwiseF32& weights, const DepthwiseRow<float>& row, Clamp clamp) {
  int64_t x = 0;
  for (; x + 4 <= row.count; x += 4) depthwise_pixels<Stride, 4>(weights, row, x, clamp);
  if (row.count - x == 3) return depthwise_pixels<Stride, 3>(weights, row, x, clamp);
  if (row.count - x == 2) return depthwise_pixels<Stride, 2>(weights, row, x, clamp);
  if (row.count - x == 1) return depthwise_pixels<Stride, 1>(weights, row, x, clamp);
}
#endif

/// A 1 x 1 kernel: Vectors vectors of channels at `at`, of all pixels.
template <int64_t Lanes, int Vectors>
[[gnu::always_inline]] inline void depthwise_points(const PackedDepthwiseF32& weights, const DepthwiseRow<float>& row,
                                                    int64_t at, Clamp clamp) {
  using V = LanesOf<float, Lanes>;
  typename V::Type w[Vectors], bias[Vectors];
  ET_UNROLL
  for (int v = 0; v < Vectors; ++v) {
    w[v] = V::load(weights.weights() + at + v * Lanes);
    bias[v] = V::load(weights.bias() + at + v * Lanes);
  }
  const float* from = row.rows[0] + at;
  float* out = row.out + at;
  for (int64_t x = 0; x < row.count; ++x, from += row.stride * row.step[0], out += row.out_pixel) {
    ET_UNROLL
    for (int v = 0; v < Vectors; ++v) {
      typename V::Type sum = bias[v];
      sum += V::load(from + v * Lanes) * w[v];
      V::store(out + v * Lanes, bounded(sum, clamp));
    }
  }
}

void depthwise_points(const PackedDepthwiseF32& weights, const DepthwiseRow<float>& row, Clamp clamp) {
  const int64_t channels = weights.channels();
  int64_t first = 0;
  for (; first + 4 * kLanes <= channels; first += 4 * kLanes) depthwise_points<kLanes, 4>(weights, row, first, clamp);
  if (first == channels) return;
  with_lanes<kLanes>(channels, [&]<int64_t Lanes>() {
    each_lanes<Lanes>(first, channels, [&](int64_t c) { depthwise_points<Lanes, 1>(weights, row, c, clamp); });
  });
}

}  // namespace

void depthwise_row_f32(const PackedDepthwiseF32& weights, const DepthwiseRow<float>& row, Clamp clamp) {
  if (weights.kernel_size() == 1) return depthwise_points(weights, row, clamp);
#if defined(__AVX2__)
  if (row.dilation == 1 && row.stride == 1) return depthwise_in_order<1>(weights, row, clamp);
  if (row.dilation == 1 && row.stride == 2) return depthwise_in_order<2>(weights, row, clamp);
#endif
  const int64_t padded = weights.padded_channels();
  with_lanes<kLanes>(weights.channels(), [&]<int64_t Lanes>() {
    using V = LanesOf<float, Lanes>;
    each_lanes<Lanes>(0, weights.channels(), [&](int64_t c) {
      typename V::Type w[9];
      ET_UNROLL
      for (int t = 0; t < 9; ++t) w[t] = V::load(weights.weights() + t * padded + c);
      const typename V::Type bias = V::load(weights.bias() + c);
      const float* from[3];
      int64_t pixel[3], next[3];
      for (int r = 0; r < 3; ++r) {
        from[r] = row.rows[r] + c;
        pixel[r] = row.step[r] * row.dilation;
        next[r] = row.step[r] * row.stride;
      }
      float* out = row.out + c;
      int64_t x = 0;
#if defined(__aarch64__)
      if constexpr (Lanes == kLanes) {
        x = depthwise_fours<V>(row, w, bias, clamp, from, out);
        out += x * row.out_pixel;
      }
#endif
      for (; x < row.count; ++x) {
        typename V::Type sum = bias;
        ET_UNROLL
        for (int r = 0; r < 3; ++r) {
          sum += V::load(from[r]) * w[3 * r];
          sum += V::load(from[r] + pixel[r]) * w[3 * r + 1];
          sum += V::load(from[r] + 2 * pixel[r]) * w[3 * r + 2];
          from[r] += next[r];
        }
        V::store(out, bounded(sum, clamp));
        out += row.out_pixel;
      }
    });
  });
}

namespace {

/// One pixel's channels from `first` on, Vectors vectors of them; the last one overlaps where they are not that many.
template <int64_t Lanes, int Vectors>
[[gnu::always_inline]] inline void pixel_channels(const PackedDepthwiseF32& weights, const float* const* pixels,
                                                  int64_t first, float* out, Clamp clamp) {
  using W = LanesOf<float, Lanes>;
  const int64_t padded = weights.padded_channels(), count = weights.kernel_size();
  int64_t at[Vectors];
  ET_UNROLL
  for (int v = 0; v < Vectors; ++v) at[v] = std::min(first + v * Lanes, weights.channels() - Lanes);
  typename W::Type sum[Vectors];
  ET_UNROLL
  for (int v = 0; v < Vectors; ++v) sum[v] = W::load(weights.bias() + at[v]);
  const float* w = weights.weights();
  int64_t t = 0;
  // A few sums side by side, or the latency of the additions would count. Not of the nine elements of a 3 x 3 kernel:
  // depthwise_row_f32 adds those in their order, and a padding must not change a bit.
  constexpr int64_t kFew = 9;
  if constexpr (Vectors <= 2) {
    if (count > kFew) {
      typename W::Type more[3][Vectors] = {};
      for (; t + 4 <= count; t += 4, w += 4 * padded) {
        ET_UNROLL
        for (int v = 0; v < Vectors; ++v) {
          sum[v] += W::load(pixels[t] + at[v]) * W::load(w + at[v]);
          ET_UNROLL
          for (int i = 0; i < 3; ++i) {
            more[i][v] += W::load(pixels[t + 1 + i] + at[v]) * W::load(w + (1 + i) * padded + at[v]);
          }
        }
      }
      ET_UNROLL
      for (int v = 0; v < Vectors; ++v) sum[v] += more[0][v] + (more[1][v] + more[2][v]);
    }
  }
  for (; t < count; ++t, w += padded) {
    ET_UNROLL
    for (int v = 0; v < Vectors; ++v) sum[v] += W::load(pixels[t] + at[v]) * W::load(w + at[v]);
  }
  ET_UNROLL
  for (int v = 0; v < Vectors; ++v) W::store(out + at[v], bounded(sum[v], clamp));
}

}  // namespace

void depthwise_pixel_f32(const PackedDepthwiseF32& weights, const float* const* pixels, float* out, Clamp clamp) {
  const int64_t channels = weights.channels();
  int64_t first = 0;
  for (; first + 4 * kLanes <= channels; first += 4 * kLanes) {
    pixel_channels<kLanes, 4>(weights, pixels, first, out, clamp);
  }
  if (first == channels) return;
  with_lanes<kLanes>(channels, [&]<int64_t Lanes>() {
    switch ((channels - first + Lanes - 1) / Lanes) {
      case 1:
        return pixel_channels<Lanes, 1>(weights, pixels, first, out, clamp);
      case 2:
        return pixel_channels<Lanes, 2>(weights, pixels, first, out, clamp);
      case 3:
        return pixel_channels<Lanes, 3>(weights, pixels, first, out, clamp);
      default:
        return pixel_channels<Lanes, 4>(weights, pixels, first, out, clamp);
    }
  });
}

#if !defined(__aarch64__)  // variant_neon_depthwise.cpp
namespace {

#if defined(__AVX2__)

/// f(c) for groups of eight channels, as each_lanes; for fewer once, with what lies behind them.
template <class F>
[[gnu::always_inline]] inline void each_eight(int64_t channels, const F& f) {
  if (channels < kBytesRead) return f(0);
  each_lanes<kBytesRead>(0, channels, f);
}

#else

int8_t one_channel(const PackedDepthwiseQs8& w, const int8_t* const* pixels, int64_t c, const Requantise& requantise) {
  auto sum = static_cast<uint32_t>(w.bias()[c]);
  for (int64_t t = 0; t < w.kernel_size(); ++t) {
    sum += static_cast<uint32_t>(pixels[t][c] * w.weights()[(t / 2 * w.padded_channels() + c) * 2 + t % 2]);
  }
  return requantise.one(sum, w.scale()[c]);
}

#endif

}  // namespace

void depthwise_row_qs8(const PackedDepthwiseQs8& weights, const DepthwiseRow<int8_t>& row, const OutputQs8& output) {
  const Requantise requantise(output);
#if defined(__AVX2__)
  const int64_t padded = weights.padded_channels();
  each_eight(weights.channels(), [&](int64_t c) {
    const int16_t* at = weights.weights() + 2 * c;
    const __m256i w0 = load(at), w1 = load(at + 2 * padded), w2 = load(at + 4 * padded), w3 = load(at + 6 * padded),
                  w4 = load(at + 8 * padded);
    const __m256i bias = load(weights.bias() + c);
    const __m256 scale = _mm256_loadu_ps(weights.scale() + c);
    const int8_t *a = row.rows[0] + c, *b = row.rows[1] + c, *d = row.rows[2] + c;
    const int64_t pa = row.step[0] * row.dilation, pb = row.step[1] * row.dilation, pd = row.step[2] * row.dilation;
    int8_t* out = row.out + c;
    for (int64_t x = 0; x < row.count; ++x) {
      const __m256i s0 = add_pairs(bias, pair(a, a + pa), w0);
      const __m256i s1 = _mm256_madd_epi16(pair(a + 2 * pa, b), w1);
      const __m256i s2 = add_pairs(s0, pair(b + pb, b + 2 * pb), w2);
      const __m256i s3 = add_pairs(s1, pair(d, d + pd), w3);
      const __m256i s4 = add_pairs(s2, single(d + 2 * pd), w4);
      store8(_mm256_add_epi32(s3, s4), scale, requantise, out, weights.channels());
      a += row.step[0] * row.stride;
      b += row.step[1] * row.stride;
      d += row.step[2] * row.stride;
      out += row.out_pixel;
    }
  });
#else
  for (int64_t x = 0; x < row.count; ++x) {
    const int8_t* pixels[9];
    for (int64_t t = 0; t < 9; ++t) {
      pixels[t] = row.rows[t / 3] + (x * row.stride + t % 3 * row.dilation) * row.step[t / 3];
    }
    for (int64_t c = 0; c < weights.channels(); ++c) {
      row.out[x * row.out_pixel + c] = one_channel(weights, pixels, c, requantise);
    }
  }
#endif
}

void depthwise_pixel_qs8(const PackedDepthwiseQs8& weights, const int8_t* const* pixels, int8_t* out,
                         const OutputQs8& output) {
  const Requantise requantise(output);
#if defined(__AVX2__)
  const int64_t padded = weights.padded_channels(), count = weights.kernel_size();
  each_eight(weights.channels(), [&](int64_t c) {
    const int16_t* w = weights.weights() + 2 * c;
    __m256i sum = load(weights.bias() + c), more = _mm256_setzero_si256();
    int64_t t = 0;
    for (; t + 4 <= count; t += 4, w += 4 * padded) {  // two sums, as their latency would count
      sum = add_pairs(sum, pair(pixels[t] + c, pixels[t + 1] + c), load(w));
      more = add_pairs(more, pair(pixels[t + 2] + c, pixels[t + 3] + c), load(w + 2 * padded));
    }
    if (t + 2 <= count) {
      sum = add_pairs(sum, pair(pixels[t] + c, pixels[t + 1] + c), load(w));
      t += 2;
      w += 2 * padded;
    }
    sum = _mm256_add_epi32(sum, more);
    if (t < count) sum = add_pairs(sum, single(pixels[t] + c), load(w));
    store8(sum, _mm256_loadu_ps(weights.scale() + c), requantise, out + c, weights.channels());
  });
#else
  for (int64_t c = 0; c < weights.channels(); ++c) out[c] = one_channel(weights, pixels, c, requantise);
#endif
}

#endif

}  // namespace et::xnn::ET_XNN_VARIANT
