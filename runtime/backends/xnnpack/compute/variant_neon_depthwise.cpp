// Depthwise int8 convolutions along the channels for 64-bit ARM: sixteen or eight channels at a time, products of two
// kernel elements in int16, sums in int32.
#include "runtime/backends/xnnpack/compute/variant_neon.h"

namespace et::xnn::ET_XNN_VARIANT {
namespace {

/// `Halves` groups of eight channels.
template <int Halves>
struct Channels {
  using Bytes = std::conditional_t<Halves == 2, int8x16_t, int8x8_t>;
  static constexpr int64_t kCount = 8 * Halves;

  [[gnu::always_inline]] static Bytes load(const int8_t* p) {
    if constexpr (Halves == 2)
      return vld1q_s8(p);
    else
      return vld1_s8(p);
  }
  [[gnu::always_inline]] static int16x8_t product(Bytes a, Bytes b, int half) {
    if constexpr (Halves == 2)
      return half == 0 ? vmull_s8(vget_low_s8(a), vget_low_s8(b)) : vmull_high_s8(a, b);
    else
      return vmull_s8(a, b);
  }
  [[gnu::always_inline]] static int16x8_t add_product(int16x8_t sum, Bytes a, Bytes b, int half) {
    if constexpr (Halves == 2)
      return half == 0 ? vmlal_s8(sum, vget_low_s8(a), vget_low_s8(b)) : vmlal_high_s8(sum, a, b);
    else
      return vmlal_s8(sum, a, b);
  }
};

/// The weights of kernel elements 2t and 2t + 1.
template <int Halves>
[[gnu::always_inline]] inline void load_weights(const int16_t* pairs, typename Channels<Halves>::Bytes* first,
                                                typename Channels<Halves>::Bytes* second) {
  const int16x8x2_t low = vld2q_s16(pairs);
  if constexpr (Halves == 2) {
    const int16x8x2_t high = vld2q_s16(pairs + 16);
    *first = vuzp1q_s8(vreinterpretq_s8_s16(low.val[0]), vreinterpretq_s8_s16(high.val[0]));
    *second = vuzp1q_s8(vreinterpretq_s8_s16(low.val[1]), vreinterpretq_s8_s16(high.val[1]));
  } else {
    *first = vmovn_s16(low.val[0]);
    *second = vmovn_s16(low.val[1]);
  }
}

template <int Halves>
struct ChannelSums {
  using C = Channels<Halves>;
  using Bytes = typename C::Bytes;
  int32x4_t sum[Halves][2];

  [[gnu::always_inline]] void start(const int32_t* bias) {
    ET_XNN_UNROLL
    for (int h = 0; h < Halves; ++h) {
      sum[h][0] = vld1q_s32(bias + 8 * h);
      sum[h][1] = vld1q_s32(bias + 8 * h + 4);
    }
  }
  [[gnu::always_inline]] void widen(int h, int16x8_t products) {
    sum[h][0] = vaddw_s16(sum[h][0], vget_low_s16(products));
    sum[h][1] = vaddw_high_s16(sum[h][1], products);
  }
  [[gnu::always_inline]] void add(Bytes a, Bytes w) {
    ET_XNN_UNROLL
    for (int h = 0; h < Halves; ++h) widen(h, C::product(a, w, h));
  }
  /// Two products fit into int16 unless all four factors are -128.
  template <bool Symmetric>
  [[gnu::always_inline]] void add_two(Bytes a0, Bytes w0, Bytes a1, Bytes w1) {
    if constexpr (Symmetric) {
      ET_XNN_UNROLL
      for (int h = 0; h < Halves; ++h) widen(h, C::add_product(C::product(a0, w0, h), a1, w1, h));
    } else {
      add(a0, w0);
      add(a1, w1);
    }
  }
  [[gnu::always_inline]] void store(const float* scale, Requantised to, int8_t* out, int64_t width) const {
    const int16x8_t low = to.words(sum[0][0], sum[0][1], vld1q_f32(scale), vld1q_f32(scale + 4));
    if constexpr (Halves == 2) {
      const int16x8_t high = to.words(sum[1][0], sum[1][1], vld1q_f32(scale + 8), vld1q_f32(scale + 12));
      vst1q_s8(out, to.bounded(vqmovn_high_s16(vqmovn_s16(low), high)));
    } else {
      const int8x8_t bytes = vget_low_s8(to.bounded(vcombine_s8(vqmovn_s16(low), vdup_n_s8(0))));
      if (width >= 8) {
        vst1_s8(out, bytes);
        return;
      }
      int8_t few[8];
      vst1_s8(few, bytes);
      std::memcpy(out, few, static_cast<size_t>(width));
    }
  }
};

template <int Halves, bool Symmetric>
[[gnu::noinline]] void row_3x3(const PackedDepthwiseQs8& weights, const DepthwiseRow<int8_t>& row,
                               const Requantised& to, int64_t c) {
  using C = Channels<Halves>;
  typename C::Bytes w[10];
  ET_XNN_UNROLL
  for (int t = 0; t < 5; ++t) {
    load_weights<Halves>(weights.weights() + 2 * (t * weights.padded_channels() + c), &w[2 * t], &w[2 * t + 1]);
  }
  // Copies: what is stored could be any of these to the compiler.
  const Requantised bytes = to;
  const int32_t* bias = weights.bias() + c;
  const float* scale = weights.scale() + c;
  const int8_t *a = row.rows[0] + c, *b = row.rows[1] + c, *d = row.rows[2] + c;
  const int64_t pa = row.step[0] * row.dilation, pb = row.step[1] * row.dilation, pd = row.step[2] * row.dilation;
  const int64_t next_a = row.step[0] * row.stride, next_b = row.step[1] * row.stride, next_d = row.step[2] * row.stride;
  int8_t* out = row.out + c;
  const int64_t width = weights.channels() - c, count = row.count, out_pixel = row.out_pixel;
  for (int64_t x = 0; x < count; ++x) {
    ChannelSums<Halves> sums;
    sums.start(bias);
    sums.template add_two<Symmetric>(C::load(a), w[0], C::load(a + pa), w[1]);
    sums.template add_two<Symmetric>(C::load(a + 2 * pa), w[2], C::load(b), w[3]);
    sums.template add_two<Symmetric>(C::load(b + pb), w[4], C::load(b + 2 * pb), w[5]);
    sums.template add_two<Symmetric>(C::load(d), w[6], C::load(d + pd), w[7]);
    sums.add(C::load(d + 2 * pd), w[8]);
    sums.store(scale, bytes, out, width);
    a += next_a;
    b += next_b;
    d += next_d;
    out += out_pixel;
  }
}

template <int Halves, bool Symmetric>
[[gnu::always_inline]] inline void pixel_at(const PackedDepthwiseQs8& weights, const int8_t* const* pixels, int8_t* out,
                                            const Requantised& to, int64_t c) {
  using C = Channels<Halves>;
  const int64_t count = weights.kernel_size(), step = 2 * weights.padded_channels();
  const int16_t* w = weights.weights() + 2 * c;
  ChannelSums<Halves> sums;
  sums.start(weights.bias() + c);
  typename C::Bytes first, second;
  int64_t t = 0;
  for (; t + 2 <= count; t += 2, w += step) {
    load_weights<Halves>(w, &first, &second);
    sums.template add_two<Symmetric>(C::load(pixels[t] + c), first, C::load(pixels[t + 1] + c), second);
  }
  if (t < count) {
    load_weights<Halves>(w, &first, &second);
    sums.add(C::load(pixels[t] + c), first);
  }
  sums.store(weights.scale() + c, to, out + c, weights.channels() - c);
}

/// f<halves>(c) for groups of channels; the last one overlaps the one before where they do not divide evenly. Fewer
/// than eight are computed with what lies behind them.
template <class F>
[[gnu::always_inline]] inline void each_channels(int64_t channels, const F& f) {
  if (channels >= 16) {
    for (int64_t c = 0; c + 16 <= channels; c += 16) f.template operator()<2>(c);
    if (channels % 16 > 8) return f.template operator()<2>(channels - 16);
    if (channels % 16 > 0) f.template operator()<1>(channels - 8);
    return;
  }
  f.template operator()<1>(0);
  if (channels > 8) f.template operator()<1>(channels - 8);
}

}  // namespace

void depthwise_row_qs8(const PackedDepthwiseQs8& weights, const DepthwiseRow<int8_t>& row, const OutputQs8& output) {
  const Requantised to(output);
  each_channels(weights.channels(), [&]<int Halves>(int64_t c) {
    if (weights.symmetric())
      row_3x3<Halves, true>(weights, row, to, c);
    else
      row_3x3<Halves, false>(weights, row, to, c);
  });
}

void depthwise_pixel_qs8(const PackedDepthwiseQs8& weights, const int8_t* const* pixels, int8_t* out,
                         const OutputQs8& output) {
  const Requantised to(output);
  if (weights.symmetric()) {
    each_channels(weights.channels(),
                  [&]<int Halves>(int64_t c) { pixel_at<Halves, true>(weights, pixels, out, to, c); });
  } else {
    each_channels(weights.channels(),
                  [&]<int Halves>(int64_t c) { pixel_at<Halves, false>(weights, pixels, out, to, c); });
  }
}

}  // namespace et::xnn::ET_XNN_VARIANT
