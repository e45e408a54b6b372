#include "runtime/backends/xnnpack/compute/provided_f32.h"

#include <cmath>

#include "runtime/backends/xnnpack/compute/loops.h"
#include "runtime/kernels/matrix/provider.h"
#include "runtime/platform/parallel.h"

namespace et::xnn {
namespace {

const matrix::Provider* provider_for(const PackedF32& weights) {
  return weights.dense() == nullptr ? nullptr : matrix::selected_provider();
}

void clamp_rows(int64_t m, int64_t n, float* out, int64_t stride, Clamp clamp) {
  if (!active(clamp)) return;
  const Loops& table = loops();
  const UnaryParams params{.clamp = clamp};
  parallel_for(0, m, 32768 / (n + 1) + 1, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      table.unary(Unary::Clamp, n, out + i * stride, out + i * stride, params);
    }
  });
}

}  // namespace

bool provided_linear_f32(const PackedF32& w, int64_t m, const float* a, int64_t a_stride, float* out,
                         int64_t out_stride, Clamp clamp) {
  const matrix::Provider* provider = provider_for(w);
  if (provider == nullptr || provider->gemm == nullptr || m == 0) return false;
  matrix::Gemm<float> g;
  g.m = m;
  g.n = w.n();
  g.k = w.k();
  g.a = a;
  g.a_row = a_stride;
  g.a_col = 1;
  g.b = w.dense();
  g.b_row = w.dense_transposed() ? w.n() : 1;
  g.b_col = w.dense_transposed() ? 1 : w.k();
  g.c = w.bias(0);
  g.c_col = 1;
  g.out = out;
  g.out_row = out_stride;
  g.out_col = 1;
  if (!provider->gemm(g)) return false;
  clamp_rows(m, w.n(), out, out_stride, clamp);
  return true;
}

bool provided_conv_f32(const PackedF32& w, const ConvShape& s, const float* in, float* out, Clamp clamp) {
  const matrix::Provider* provider = provider_for(w);
  if (provider == nullptr || provider->convolution == nullptr || s.transposed || s.out_pixels() == 0) return false;
  matrix::Convolution c;
  c.batch = s.batch;
  c.in_channels = s.in_channels;
  c.out_channels = s.out_channels;
  c.groups = s.groups;
  const int64_t depth = s.in_group();
  const int64_t in_size[] = {s.in_h, s.in_w}, out_size[] = {s.out_h, s.out_w}, kernel[] = {s.kernel_h, s.kernel_w};
  const int64_t stride[] = {s.stride_h, s.stride_w}, dilation[] = {s.dilation_h, s.dilation_w};
  const int64_t padding[] = {s.pad_top, s.pad_left};
  for (int d = 0; d < 2; ++d) {
    c.in_size[1 + d] = in_size[d];
    c.out_size[1 + d] = out_size[d];
    c.kernel[1 + d] = kernel[d];
    c.stride[1 + d] = stride[d];
    c.dilation[1 + d] = dilation[d];
    c.padding[1 + d] = padding[d];
  }
  // Batch, channel, depth (which there is none of), height, width; images and weights have their channels last.
  const auto strides = [](int64_t(&to)[5], int64_t height, int64_t width, int64_t pixel) {
    to[0] = height * width * pixel;
    to[1] = 1;
    to[2] = 0;
    to[3] = width * pixel;
    to[4] = pixel;
  };
  c.in = in;
  strides(c.in_stride, s.in_h, s.in_w, s.in_pixel());
  c.out = out;
  strides(c.out_stride, s.out_h, s.out_w, s.out_pixel());
  c.weight = w.dense();
  strides(c.weight_stride, s.kernel_h, s.kernel_w, depth);
  // Biases stand in whole panels, without a gap where the channels of a group fill them.
  if (s.groups > 1 && w.n() % PackedF32::kPanel != 0) return false;
  c.bias = w.bias(0);
  if (!provider->convolution(c)) return false;
  clamp_rows(s.out_pixels(), s.out_channels, out, s.out_pixel(), clamp);
  return true;
}

bool provided_batch_matmul_f32(const BatchMatrix& params) {
  const matrix::Provider* provider = matrix::selected_provider();
  if (provider == nullptr || provider->gemm == nullptr) return false;
  matrix::Gemm<float> g;
  g.batch = params.batch;
  g.m = params.m;
  g.n = params.n;
  g.k = params.k;
  g.a = params.a;
  g.a_batch = params.a_batch;
  g.a_row = params.k;
  g.a_col = 1;
  g.b = params.b;
  g.b_batch = params.b_batch;
  g.b_row = params.transposed ? 1 : params.n;
  g.b_col = params.transposed ? params.k : 1;
  g.out = params.out;
  g.out_batch = params.m * params.n;
  g.out_row = params.n;
  g.out_col = 1;
  return provider->gemm(g);
}

}  // namespace et::xnn
