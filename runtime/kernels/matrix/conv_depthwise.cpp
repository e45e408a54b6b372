// Depthwise convolution of float images, one output channel for each input channel, without copies of the input: along
// the width where that is contiguous, along the channels where these are.
#include <algorithm>

#include "runtime/kernels/matrix/conv_direct.h"
#include "runtime/kernels/matrix/tile.h"

namespace et::ET_KERNELS {
namespace {

struct Plane {
  const ConvShape& s;
  int64_t in_row, out_row;  // strides of the height
};

/// Input row of an output row and a kernel row, or -1.
int64_t input_row(const ConvShape& s, int64_t y, int64_t kernel_row) {
  const int64_t at = y * s.stride[1] - s.padding[1] + kernel_row * s.dilation[1];
  return at < 0 || at >= s.in_size[1] ? -1 : at;
}

/// Three rows and three kernel elements in each, all at once. The rows are null where they lie outside.
template <int Stride>
void row_of_3x3(const ConvShape& s, const float* const rows[3], const float* w, float bias, const float* zeros,
                float* __restrict out) {
  const int64_t width = s.in_size[2], shift = -s.padding[2];
  const int64_t x0 = std::min(s.out_size[2], (s.padding[2] + Stride - 1) / Stride);
  const int64_t last_start = width - 3 - shift;
  const int64_t x1 = last_start < 0 ? x0 : std::max(x0, std::min(s.out_size[2], last_start / Stride + 1));
  const auto edge = [&](int64_t x) {
    float sum = bias;
    for (int r = 0; r < 3; ++r) {
      for (int64_t t = 0; t < 3 && rows[r] != nullptr; ++t) {
        const int64_t at = x * Stride + shift + t;
        if (at >= 0 && at < width) sum += w[r * 3 + t] * rows[r][at];
      }
    }
    out[x] = sum;
  };
  for (int64_t x = 0; x < x0; ++x) edge(x);
  for (int64_t x = x1; x < s.out_size[2]; ++x) edge(x);
  const float* __restrict a = rows[0] == nullptr ? zeros : rows[0];
  const float* __restrict b = rows[1] == nullptr ? zeros : rows[1];
  const float* __restrict c = rows[2] == nullptr ? zeros : rows[2];
  const float w0 = w[0], w1 = w[1], w2 = w[2], w3 = w[3], w4 = w[4], w5 = w[5], w6 = w[6], w7 = w[7], w8 = w[8];
  for (int64_t x = x0; x < x1; ++x) {
    const int64_t i = x * Stride + shift;
    const float top = w0 * a[i] + w1 * a[i + 1] + w2 * a[i + 2];
    const float middle = w3 * b[i] + w4 * b[i + 1] + w5 * b[i + 2];
    const float bottom = w6 * c[i] + w7 * c[i + 1] + w8 * c[i + 2];
    out[x] = (bias + top) + (middle + bottom);
  }
}

/// Any kernel: one pass over the row for each.
void kernel_row(const Plane& p, const float* in, const float* w, float bias, int64_t y, float* __restrict out) {
  const ConvShape& s = p.s;
  std::fill(out, out + s.out_size[2], bias);
  for (int64_t ky = 0; ky < s.kernel[1]; ++ky) {
    const int64_t from = input_row(s, y, ky);
    if (from < 0) continue;
    for (int64_t kx = 0; kx < s.kernel[2]; ++kx) {
      const int64_t shift = kx * s.dilation[2] - s.padding[2], step = s.stride[2];
      const int64_t x0 = std::min(s.out_size[2], shift >= 0 ? 0 : (-shift + step - 1) / step);
      const int64_t last_start = s.in_size[2] - 1 - shift;
      const int64_t x1 = last_start < 0 ? x0 : std::max(x0, std::min(s.out_size[2], last_start / step + 1));
      const float* __restrict row = in + from * p.in_row;
      const float x = w[ky * s.kernel[2] + kx];
      if (step == 1) {
        for (int64_t i = x0; i < x1; ++i) out[i] += x * row[i + shift];
      } else {
        for (int64_t i = x0; i < x1; ++i) out[i] += x * row[i * step + shift];
      }
    }
  }
}

void by_width(const ConvShape& s, const ConvData& d, const float* weights, const float* bias, const float* zeros) {
  const Plane p{s, d.in_stride[3], d.out_stride[3]};
  const int64_t kernel_size = s.kernel_size();
  const bool three = s.kernel[1] == 3 && s.kernel[2] == 3 && s.dilation[1] == 1 && s.dilation[2] == 1 &&
                     (s.stride[2] == 1 || s.stride[2] == 2);
  parallel_for(0, s.batch * s.out_channels, 1 + 32768 / (s.positions() * kernel_size + 1),
               [&](int64_t first, int64_t last) {
                 for (int64_t i = first; i < last; ++i) {
                   const int64_t item = i / s.out_channels, c = i % s.out_channels;
                   const float* in = static_cast<const float*>(d.in) + item * d.in_stride[0] + c * d.in_stride[1];
                   float* out = static_cast<float*>(d.out) + item * d.out_stride[0] + c * d.out_stride[1];
                   const float* w = weights + c * kernel_size;
                   const float start = bias == nullptr ? 0.0f : bias[c];
                   for (int64_t y = 0; y < s.out_size[1]; ++y) {
                     if (!three) {
                       kernel_row(p, in, w, start, y, out + y * p.out_row);
                       continue;
                     }
                     const float* rows[3];
                     for (int64_t k = 0; k < 3; ++k) {
                       const int64_t from = input_row(s, y, k);
                       rows[k] = from < 0 ? nullptr : in + from * p.in_row;
                     }
                     if (s.stride[2] == 1)
                       row_of_3x3<1>(s, rows, w, start, zeros, out + y * p.out_row);
                     else
                       row_of_3x3<2>(s, rows, w, start, zeros, out + y * p.out_row);
                   }
                 }
               });
}

/// `weights` is [kernel element][channel].
void by_channels(const ConvShape& s, const ConvData& d, const float* weights, const float* bias) {
  using V = VectorOf<float>;
  constexpr int kVectors = 4;
  constexpr int64_t kWide = kVectors * V::kLanes;
  const int64_t channels = s.out_channels;
  parallel_for(0, s.batch * s.out_size[1], 1 + 32768 / (s.out_size[2] * channels * s.kernel_size() + 1),
               [&](int64_t first, int64_t last) {
                 for (int64_t i = first; i < last; ++i) {
                   const int64_t item = i / s.out_size[1], y = i % s.out_size[1];
                   const float* in = static_cast<const float*>(d.in) + item * d.in_stride[0];
                   float* line = static_cast<float*>(d.out) + item * d.out_stride[0] + y * d.out_stride[3];
                   for (int64_t x = 0; x < s.out_size[2]; ++x) {
                     float* out = line + x * d.out_stride[4];
                     const auto each_element = [&](const auto& f) {
                       for (int64_t ky = 0; ky < s.kernel[1]; ++ky) {
                         const int64_t row = input_row(s, y, ky);
                         if (row < 0) continue;
                         for (int64_t kx = 0; kx < s.kernel[2]; ++kx) {
                           const int64_t column = x * s.stride[2] - s.padding[2] + kx * s.dilation[2];
                           if (column < 0 || column >= s.in_size[2]) continue;
                           f(in + row * d.in_stride[3] + column * d.in_stride[4],
                             weights + (ky * s.kernel[2] + kx) * channels);
                         }
                       }
                     };
                     int64_t c = 0;
                     for (; c + kWide <= channels; c += kWide) {
                       V::Type sum[kVectors];
                       for (int v = 0; v < kVectors; ++v)
                         sum[v] = bias == nullptr ? V::Type{} : V::load(bias + c + v * V::kLanes);
                       each_element([&](const float* from, const float* w) {
                         ET_UNROLL
                         for (int v = 0; v < kVectors; ++v) {
                           sum[v] += V::load(from + c + v * V::kLanes) * V::load(w + c + v * V::kLanes);
                         }
                       });
                       for (int v = 0; v < kVectors; ++v) V::store(out + c + v * V::kLanes, sum[v]);
                     }
                     for (; c < channels; ++c) {
                       float sum = bias == nullptr ? 0.0f : bias[c];
                       each_element([&](const float* from, const float* w) { sum += from[c] * w[c]; });
                       out[c] = sum;
                     }
                   }
                 }
               });
}

}  // namespace

bool run_depthwise(KernelRuntimeContext& context, const ConvShape& s, const ConvData& d, const char* name, bool* done) {
  *done = false;
  const bool wide = d.in_stride[4] == 1 && d.out_stride[4] == 1;
  const bool inside = d.in_stride[1] == 1 && d.out_stride[1] == 1;
  // Steps that large never come from networks, and offsets then stay small.
  constexpr int64_t kLargest = 1 << 20;
  for (int i = 0; i < 3; ++i) {
    if (s.padding[i] > kLargest || s.dilation[i] > kLargest || s.stride[i] > kLargest) return true;
  }
  if (d.dtype != ScalarType::Float || s.transposed || s.groups != s.in_channels || s.out_channels != s.groups ||
      s.in_size[0] != 1 || s.kernel[0] != 1 || s.out_size[0] != 1 || s.padding[0] != 0 || (!wide && !inside) ||
      (d.bias != nullptr && d.bias_dtype != d.dtype)) {
    return true;
  }
  const int64_t kernel_size = s.kernel_size(), channels = s.out_channels;
  const size_t zeros = static_cast<size_t>(s.in_size[2]);
  Result<void*> workspace =
      context.allocate_temp((static_cast<size_t>(channels * kernel_size + channels) + zeros) * sizeof(float), 64);
  ET_KERNEL_CHECK_MSG(context, workspace.ok(), MemoryAllocationFailed, false, "%s: no temporary memory", name);
  float* weights = static_cast<float*>(workspace.get());
  float* bias = weights + channels * kernel_size;
  float* nothing = bias + channels;
  std::fill(nothing, nothing + zeros, 0.0f);
  const auto* w = static_cast<const float*>(d.weight);
  const bool channels_first = wide;
  for (int64_t c = 0; c < channels; ++c) {
    for (int64_t k = 0; k < kernel_size; ++k) {
      const float value =
          w[c * d.weight_stride[0] + k / s.kernel[2] * d.weight_stride[3] + k % s.kernel[2] * d.weight_stride[4]];
      weights[channels_first ? c * kernel_size + k : k * channels + c] = value;
    }
    if (d.bias != nullptr) bias[c] = static_cast<const float*>(d.bias)[c * d.bias_stride];
  }
  if (channels_first)
    by_width(s, d, weights, d.bias == nullptr ? nullptr : bias, nothing);
  else
    by_channels(s, d, weights, d.bias == nullptr ? nullptr : bias);
  *done = true;
  return true;
}

}  // namespace et::ET_KERNELS
