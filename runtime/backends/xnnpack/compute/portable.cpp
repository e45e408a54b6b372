// Plain loops.
#include <algorithm>
#include <cmath>

#include "runtime/backends/xnnpack/compute/matrix_f32.h"
#include "runtime/backends/xnnpack/compute/matrix_qd8.h"
#include "runtime/backends/xnnpack/compute/matrix_qs8.h"
#include "runtime/platform/parallel.h"

namespace et::xnn {
namespace {

float bounded(float x, Clamp c) {
  x = x < c.min ? c.min : x;
  return x > c.max ? c.max : x;
}
int8_t requantise(int32_t sum, float scale, const OutputQs8& o) {
  const float low = static_cast<float>(o.min - o.quant.zero_point);
  const float high = static_cast<float>(o.max - o.quant.zero_point);
  float x = static_cast<float>(sum) * scale;
  x = x > low ? x : low;
  x = x < high ? x : high;
  return static_cast<int8_t>(static_cast<int32_t>(std::nearbyint(x)) + o.quant.zero_point);
}
/// Input pixel of an output pixel and a tap: its index, or -1.
int64_t source(const ConvShape& s, int64_t pixel, int64_t tap) {
  const int64_t image = pixel / (s.out_h * s.out_w), oy = pixel / s.out_w % s.out_h, ox = pixel % s.out_w;
  const int64_t ky = tap / s.kernel_w, kx = tap % s.kernel_w;
  int64_t y = 0, x = 0;
  if (s.transposed) {
    y = oy + s.pad_top - ky * s.dilation_h;
    x = ox + s.pad_left - kx * s.dilation_w;
    if (y % s.stride_h != 0 || x % s.stride_w != 0) return -1;
    y /= s.stride_h;
    x /= s.stride_w;
  } else {
    y = oy * s.stride_h - s.pad_top + ky * s.dilation_h;
    x = ox * s.stride_w - s.pad_left + kx * s.dilation_w;
  }
  if (y < 0 || x < 0 || y >= s.in_h || x >= s.in_w) return -1;
  return (image * s.in_h + y) * s.in_w + x;
}
template <class F>
void over_rows(int64_t rows, int64_t work, const F& f) {
  parallel_for(0, rows, 1 + 65536 / (work + 1), [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) f(i);
  });
}

}  // namespace

OutputQs8 output_qs8(Quantised quant, Clamp clamp) {
  const auto bound = [&](float real, int8_t fallback) {
    if (!std::isfinite(real)) return fallback;
    const float q = std::nearbyint(real / quant.scale) + static_cast<float>(quant.zero_point);
    return static_cast<int8_t>(q < -128.0f ? -128.0f : q > 127.0f ? 127.0f : q);
  };
  return {quant, bound(clamp.min, -128), bound(clamp.max, 127)};
}

void linear_f32(const PackedF32& w, int64_t m, const float* a, int64_t a_stride, float* out, int64_t out_stride,
                Clamp clamp) {
  over_rows(m, w.n() * w.k(), [&](int64_t i) {
    for (int64_t j = 0; j < w.n(); ++j) {
      const float* panel = w.panels(0) + j / 16 * w.k() * 16 + j % 16;
      float sum = w.bias(0)[j];
      for (int64_t p = 0; p < w.k(); ++p) sum += a[i * a_stride + p] * panel[p * 16];
      out[i * out_stride + j] = bounded(sum, clamp);
    }
  });
}

void conv_f32(const PackedF32& w, const ConvShape& s, const float* in, float* out, Clamp clamp) {
  const int64_t depth = s.in_group();
  over_rows(s.out_pixels(), s.out_channels * w.k(), [&](int64_t i) {
    for (int64_t c = 0; c < s.out_channels; ++c) {
      const int64_t group = c / w.n(), j = c % w.n();
      const float* panel = w.panels(group) + j / 16 * w.k() * 16 + j % 16;
      float sum = w.bias(group)[j];
      for (int64_t t = 0; t < s.taps(); ++t) {
        const int64_t at = source(s, i, t);
        if (at < 0) continue;
        const float* from = in + at * s.in_pixel() + group * depth;
        for (int64_t p = 0; p < depth; ++p) sum += from[p] * panel[(t * depth + p) * 16];
      }
      out[i * s.out_pixel() + c] = bounded(sum, clamp);
    }
  });
}

void batch_matmul_f32(const BatchMatrix& g) {
  over_rows(g.batch * g.m, g.n * g.k, [&](int64_t row) {
    const int64_t batch = row / g.m, i = row % g.m;
    const float* a = g.a + batch * g.a_batch + i * g.k;
    const float* b = g.b + batch * g.b_batch;
    for (int64_t j = 0; j < g.n; ++j) {
      float sum = 0;
      for (int64_t p = 0; p < g.k; ++p) sum += a[p] * (g.transposed ? b[j * g.k + p] : b[p * g.n + j]);
      g.out[row * g.n + j] = sum;
    }
  });
}

void depthwise_f32(const PackedDepthwiseF32& w, const ConvShape& s, const float* in, float* out, Clamp clamp) {
  const int64_t multiplier = s.out_channels / s.in_channels;
  over_rows(s.out_pixels(), s.out_channels * w.taps(), [&](int64_t i) {
    for (int64_t c = 0; c < s.out_channels; ++c) {
      float sum = w.bias()[c];
      for (int64_t t = 0; t < w.taps(); ++t) {
        const int64_t at = source(s, i, t);
        if (at >= 0) sum += in[at * s.in_pixel() + c / multiplier] * w.weights()[t * w.padded_channels() + c];
      }
      out[i * s.out_pixel() + c] = bounded(sum, clamp);
    }
  });
}

void linear_qs8(const PackedQs8& w, int64_t m, const int8_t* a, int64_t a_stride, int8_t* out, int64_t out_stride) {
  ConvShape s;
  s.in_w = s.out_w = m;
  s.in_channels = w.k();
  s.out_channels = w.n();
  s.in_stride = a_stride;
  s.out_stride = out_stride;
  conv_qs8(w, s, a, out);
}

void conv_qs8(const PackedQs8& w, const ConvShape& s, const int8_t* in, int8_t* out) {
  const int64_t depth = s.in_group();
  over_rows(s.out_pixels(), s.out_channels * w.k(), [&](int64_t i) {
    for (int64_t c = 0; c < s.out_channels; ++c) {
      const int64_t group = c / w.n(), j = c % w.n();
      const int8_t* panel = w.panels(group) + j / 16 * w.pairs() * 32 + j % 16 * 2;
      auto sum = static_cast<uint32_t>(w.bias(group)[j]);
      for (int64_t t = 0; t < s.taps(); ++t) {
        const int64_t at = source(s, i, t);
        const int8_t* from = in + at * s.in_pixel() + group * depth;
        for (int64_t p = 0; p < depth; ++p) {
          const int64_t k = t * depth + p;
          const int32_t x = at < 0 ? w.input_zero_point() : from[p];
          sum += static_cast<uint32_t>(x * panel[k / 2 * 32 + k % 2]);
        }
      }
      out[i * s.out_pixel() + c] = requantise(static_cast<int32_t>(sum), w.scale(group)[j], w.output());
    }
  });
}

void depthwise_qs8(const PackedDepthwiseQs8& w, const ConvShape& s, const int8_t* in, int8_t* out) {
  const int64_t multiplier = s.out_channels / s.in_channels;
  over_rows(s.out_pixels(), s.out_channels * w.taps(), [&](int64_t i) {
    for (int64_t c = 0; c < s.out_channels; ++c) {
      auto sum = static_cast<uint32_t>(w.bias()[c]);
      for (int64_t t = 0; t < w.taps(); ++t) {
        const int64_t at = source(s, i, t);
        const int32_t x = at < 0 ? w.input_zero_point() : in[at * s.in_pixel() + c / multiplier];
        sum += static_cast<uint32_t>(x * w.weights()[(t / 2 * w.padded_channels() + c) * 2 + t % 2]);
      }
      out[i * s.out_pixel() + c] = requantise(static_cast<int32_t>(sum), w.scale()[c], w.output());
    }
  });
}

void quantize_rows(int64_t rows, int64_t k, const float* in, int64_t in_stride, int8_t* out, int64_t out_stride,
                   RowQuant* quant) {
  over_rows(rows, 2 * k, [&](int64_t i) {
    const float* x = in + i * in_stride;
    float low = 0, high = 0;
    for (int64_t p = 0; p < k; ++p) {
      low = x[p] < low ? x[p] : low;
      high = x[p] > high ? x[p] : high;
    }
    const float scale = low == high ? 1.0f : 255.0f / (high - low);
    const float from_low = -128.0f + low * scale, from_high = 127.0f + high * scale;
    float zero = from_low + from_high > 0 ? -128.0f - low * scale : 127.0f - high * scale;
    zero = zero < -128.0f ? -128.0f : zero > 127.0f ? 127.0f : zero;
    const auto zero_point = static_cast<int32_t>(std::nearbyint(zero));
    quant[i] = {1.0f / scale, zero_point};
    const float least = static_cast<float>(-128 - zero_point), most = static_cast<float>(127 - zero_point);
    for (int64_t p = 0; p < k; ++p) {
      float y = x[p] * scale;
      y = y > least ? y : least;
      y = y < most ? y : most;
      out[i * out_stride + p] = static_cast<int8_t>(static_cast<int32_t>(std::nearbyint(y)) + zero_point);
    }
  });
}

namespace {

int32_t weight_at(const PackedQd8& w, const uint8_t* panel, int64_t column, int64_t p) {
  if (w.kind() == LowWeights::Int8) return static_cast<int8_t>(panel[p / 2 * 32 + column * 2 + p % 2]);
  const uint8_t byte = panel[p / 32 * 256 + p % 32 / 8 * 64 + column * 4 + p % 4];
  return static_cast<int32_t>(p % 8 < 4 ? byte & 15u : byte >> 4) - 8;
}

}  // namespace

void linear_qd8(const PackedQd8& w, int64_t m, const int8_t* a, int64_t a_stride, const RowQuant* quant, float* out,
                int64_t out_stride, Clamp clamp) {
  const int64_t block = w.kind() == LowWeights::Block4 ? w.block_chunks() * PackedQd8::kChunk : w.k();
  over_rows(m, w.n() * w.k(), [&](int64_t i) {
    for (int64_t j = 0; j < w.n(); ++j) {
      const uint8_t* panel = w.panels(0) + j / 16 * w.panel_bytes();
      float total = 0;
      for (int64_t p0 = 0; p0 < w.k(); p0 += block) {
        uint32_t sum = 0;
        for (int64_t p = p0; p < std::min(w.k(), p0 + block); ++p) {
          sum += static_cast<uint32_t>((a[i * a_stride + p] - quant[i].zero_point) * weight_at(w, panel, j % 16, p));
        }
        total += static_cast<float>(static_cast<int32_t>(sum)) *
                 w.scale(0)[(j / 16 * w.blocks() + p0 / block) * 16 + j % 16];
      }
      out[i * out_stride + j] = bounded(total * quant[i].scale + w.bias(0)[j], clamp);
    }
  });
}

void linear_qd8_f32(const PackedQd8& w, int64_t m, const float* a, int64_t a_stride, float* out, int64_t out_stride,
                    Clamp clamp) {
  Buffer<int8_t> rows(m * w.k());
  Buffer<RowQuant> quant(m);
  quantize_rows(m, w.k(), a, a_stride, rows.data(), w.k(), quant.data());
  linear_qd8(w, m, rows.data(), w.k(), quant.data(), out, out_stride, clamp);
}

void conv_qd8(const PackedQd8& w, const ConvShape& s, const int8_t* in, const RowQuant* quant, float* out,
              Clamp clamp) {
  const int64_t depth = s.in_group();
  over_rows(s.out_pixels(), s.out_channels * w.k(), [&](int64_t i) {
    const RowQuant& q = quant[i / (s.out_h * s.out_w)];
    for (int64_t c = 0; c < s.out_channels; ++c) {
      const int64_t group = c / w.n(), j = c % w.n();
      const uint8_t* panel = w.panels(group) + j / 16 * w.panel_bytes();
      uint32_t sum = 0;
      for (int64_t t = 0; t < s.taps(); ++t) {
        const int64_t at = source(s, i, t);
        if (at < 0) continue;
        const int8_t* from = in + at * s.in_pixel() + group * depth;
        for (int64_t p = 0; p < depth; ++p) {
          sum += static_cast<uint32_t>((from[p] - q.zero_point) * weight_at(w, panel, j % 16, t * depth + p));
        }
      }
      const float x = static_cast<float>(static_cast<int32_t>(sum)) * w.scale(group)[j] * q.scale;
      out[i * s.out_pixel() + c] = bounded(x + w.bias(group)[j], clamp);
    }
  });
}

}  // namespace et::xnn
