#include "runtime/kernels/pooling/window.h"

namespace et::ET_KERNELS {
namespace {

/// One number for both directions, or one for each; [low, INT32_MAX].
bool read_pair(KernelRuntimeContext& ctx, const char* op, const char* name, ArrayRef<int64_t> list, int64_t low,
               int64_t* h, int64_t* w) {
  ET_KERNEL_CHECK_MSG(ctx, list.size() == 1 || list.size() == 2, InvalidArgument, false,
                      "%s: %s: expected 1 or 2 numbers, got %zu", op, name, list.size());
  *h = list[0];
  *w = list[list.size() - 1];
  for (int64_t v : list) {
    ET_KERNEL_CHECK_MSG(ctx, v >= low && v <= INT32_MAX, InvalidArgument, false, "%s: %s of %lld", op, name,
                        static_cast<long long>(v));
  }
  return true;
}

bool size_axis(KernelRuntimeContext& ctx, const char* op, bool ceil_mode, PoolAxis* a) {
  const int64_t span = a->dilation * (a->kernel - 1) + 1;
  ET_KERNEL_CHECK_MSG(ctx, a->padding <= span / 2, InvalidArgument, false,
                      "%s: padding %lld is more than half of the kernel's extent %lld", op,
                      static_cast<long long>(a->padding), static_cast<long long>(span));
  const int64_t range = a->in + 2 * a->padding - span + (ceil_mode ? a->stride - 1 : 0);
  a->out = range < 0 ? 0 : range / a->stride + 1;
  // The last window has to begin inside of the input or its left padding.
  if (ceil_mode && a->out > 0 && (a->out - 1) * a->stride >= a->in + a->padding) --a->out;
  ET_KERNEL_CHECK_MSG(ctx, a->out >= 1 && a->out <= INT32_MAX, InvalidArgument, false,
                      "%s: a window of %lld does not fit into an input of %lld", op, static_cast<long long>(span),
                      static_cast<long long>(a->in));
  return true;
}

}  // namespace

bool check_planes(KernelRuntimeContext& ctx, const char* op, const Tensor& in) {
  ET_KERNEL_CHECK_MSG(ctx, in.dim() == 3 || in.dim() == 4, InvalidArgument, false,
                      "%s: expected self of rank 3 or 4, got %zd", op, in.dim());
  for (size_t d = in.dim() == 4 ? 1 : 0; d < in.sizes().size(); ++d) {
    ET_KERNEL_CHECK_MSG(ctx, in.sizes()[d] > 0, InvalidArgument, false, "%s: dim %zu of self is empty", op, d);
  }
  return check_memory(ctx, op, "self", in);
}

bool make_pool(KernelRuntimeContext& ctx, const char* op, const Tensor& in, const PoolArguments& args, Pool* pool) {
  if (!check_planes(ctx, op, in)) return false;
  const size_t rank = in.sizes().size();
  PoolAxis& h = pool->h;
  PoolAxis& w = pool->w;
  h.in = in.sizes()[rank - 2];
  w.in = in.sizes()[rank - 1];
  if (!read_pair(ctx, op, "kernel_size", args.kernel, 1, &h.kernel, &w.kernel)) return false;
  if (!read_pair(ctx, op, "stride", args.stride.empty() ? args.kernel : args.stride, 1, &h.stride, &w.stride) ||
      !read_pair(ctx, op, "padding", args.padding, 0, &h.padding, &w.padding)) {
    return false;
  }
  if (!args.dilation.empty() && !read_pair(ctx, op, "dilation", args.dilation, 1, &h.dilation, &w.dilation)) {
    return false;
  }
  return size_axis(ctx, op, args.ceil_mode, &h) && size_axis(ctx, op, args.ceil_mode, &w);
}

Shape pooled_shape(const Tensor& in, int64_t h, int64_t w) {
  Shape shape = shape_of(in);
  shape.sizes[shape.rank - 2] = static_cast<int32_t>(h);
  shape.sizes[shape.rank - 1] = static_cast<int32_t>(w);
  return shape;
}

}  // namespace et::ET_KERNELS
