// A GEMM provider that computes what the parameters say, element by element: shows that they are right. It
// declines those with an odd number of rows or output channels.
#pragma once

#include "runtime/kernels/matrix/provider.h"

namespace et::xnn::test {

inline int g_provided = 0;  // jobs that it took

inline bool plain_gemm(const matrix::Gemm<float>& g) {
  if (g.m % 2 != 0) return false;
  ++g_provided;
  for (int64_t b = 0; b < g.batch; ++b) {
    for (int64_t i = 0; i < g.m; ++i) {
      for (int64_t j = 0; j < g.n; ++j) {
        double sum = 0;
        for (int64_t p = 0; p < g.k; ++p) {
          sum += static_cast<double>(g.a[b * g.a_batch + i * g.a_row + p * g.a_col]) *
                 g.b[b * g.b_batch + p * g.b_row + j * g.b_col];
        }
        sum *= g.alpha;
        if (g.c != nullptr) sum += g.beta * g.c[b * g.c_batch + i * g.c_row + j * g.c_col];
        g.out[b * g.out_batch + i * g.out_row + j * g.out_col] = static_cast<float>(sum);
      }
    }
  }
  return true;
}

inline bool plain_convolution(const matrix::Convolution& c) {
  if (c.out_channels % 2 != 0 || c.in_size[0] != 1 || c.kernel[0] != 1) return false;
  ++g_provided;
  const int64_t depth = c.in_channels / c.groups, wide = c.out_channels / c.groups;
  const auto value = [&](int64_t b, int64_t channel, int64_t y, int64_t x) {
    double sum = c.bias == nullptr ? 0.0 : static_cast<double>(c.bias[channel]);
    for (int64_t d = 0; d < depth; ++d) {
      for (int64_t ky = 0; ky < c.kernel[1]; ++ky) {
        for (int64_t kx = 0; kx < c.kernel[2]; ++kx) {
          const int64_t iy = y * c.stride[1] - c.padding[1] + ky * c.dilation[1];
          const int64_t ix = x * c.stride[2] - c.padding[2] + kx * c.dilation[2];
          if (iy < 0 || iy >= c.in_size[1] || ix < 0 || ix >= c.in_size[2]) continue;
          const int64_t from = channel / wide * depth + d;
          sum += static_cast<double>(
                     c.in[b * c.in_stride[0] + from * c.in_stride[1] + iy * c.in_stride[3] + ix * c.in_stride[4]]) *
                 c.weight[channel * c.weight_stride[0] + d * c.weight_stride[1] + ky * c.weight_stride[3] +
                          kx * c.weight_stride[4]];
        }
      }
    }
    return sum;
  };
  for (int64_t b = 0; b < c.batch; ++b) {
    for (int64_t channel = 0; channel < c.out_channels; ++channel) {
      for (int64_t y = 0; y < c.out_size[1]; ++y) {
        for (int64_t x = 0; x < c.out_size[2]; ++x) {
          c.out[b * c.out_stride[0] + channel * c.out_stride[1] + y * c.out_stride[3] + x * c.out_stride[4]] =
              static_cast<float>(value(b, channel, y, x));
        }
      }
    }
  }
  return true;
}

inline constexpr matrix::Provider kPlainProvider{"plain", &plain_gemm, &plain_convolution};

}  // namespace et::xnn::test
