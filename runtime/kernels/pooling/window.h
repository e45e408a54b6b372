// Geometry of 2-D pooling: arguments, output size, the part of a window that lies inside, and both layouts as strides.
#pragma once

#include "runtime/kernels/reduction/plan.h"

namespace et::ET_KERNELS {

/// One spatial direction.
struct PoolAxis {
  int64_t in = 0;
  int64_t out = 0;
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t padding = 0;
  int64_t dilation = 1;

  int64_t start(int64_t o) const { return o * stride - padding; }
  /// Kernel positions [first, last) of window `o` that lie inside; first == last when none does.
  void inside(int64_t o, int64_t* first, int64_t* last) const {
    const int64_t from = start(o);
    *first = from >= 0 ? 0 : (-from + dilation - 1) / dilation;
    *last = from >= in ? 0 : (in - from + dilation - 1) / dilation;
    if (*last > kernel) *last = kernel;
    if (*first > *last) *first = *last;
  }
  /// Outputs [first, last) for which kernel position k lies inside.
  void outputs(int64_t k, int64_t* first, int64_t* last) const {
    const int64_t shift = k * dilation - padding;  // input position for output 0
    *first = shift >= 0 ? 0 : (-shift + stride - 1) / stride;
    *last = shift >= in ? 0 : (in - shift + stride - 1) / stride;
    if (*last > out) *last = out;
    if (*first > *last) *first = *last;
  }
};

/// A tensor [N, C, H, W] or [C, H, W] with its strides in elements.
struct Planes {
  int64_t n, c, h, w;
  int64_t n_stride, c_stride, h_stride, w_stride;

  explicit Planes(const Tensor& t) {
    const size_t r = t.sizes().size();
    n = r == 4 ? t.sizes()[0] : 1;
    c = t.sizes()[r - 3];
    h = t.sizes()[r - 2];
    w = t.sizes()[r - 1];
    n_stride = r == 4 ? t.strides()[0] : 0;
    c_stride = t.strides()[r - 3];
    h_stride = t.strides()[r - 2];
    w_stride = t.strides()[r - 1];
  }
  int64_t at(int64_t i, int64_t channel) const { return i * n_stride + channel * c_stride; }
  /// Channels are neighbours in memory, and there is more than one.
  bool channels_inside() const { return c_stride == 1 && c > 1 && w_stride != 1; }
};

struct PoolArguments {
  ArrayRef<int64_t> kernel;
  ArrayRef<int64_t> stride;
  ArrayRef<int64_t> padding;
  ArrayRef<int64_t> dilation;  // empty: 1
  bool ceil_mode;
};

struct Pool {
  PoolAxis h, w;
};

/// Rank 3 or 4, with elements except for the batch. False: context failed with a message.
bool check_planes(KernelRuntimeContext& ctx, const char* op, const Tensor& in);
/// Checks all arguments and computes the output size. False: context failed with a message.
bool make_pool(KernelRuntimeContext& ctx, const char* op, const Tensor& in, const PoolArguments& args, Pool* pool);
/// The shape of `in` with other planes.
Shape pooled_shape(const Tensor& in, int64_t h, int64_t w);

}  // namespace et::ET_KERNELS
