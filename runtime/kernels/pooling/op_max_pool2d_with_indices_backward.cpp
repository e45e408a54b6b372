// max_pool2d_with_indices_backward: every gradient goes to the place that its window's greatest element had.
#include "runtime/kernels/pooling/window.h"

namespace et::ET_KERNELS {
namespace {

constexpr const char* kMaxPoolBackward = "aten::max_pool2d_with_indices_backward.grad_input";

/// −1, or an index that is outside of the plane.
template <class T>
optional<int64_t> scatter(const Tensor& grad, const Tensor& places, const Tensor& grad_input) {
  const Planes from(grad);
  const Planes index(places);
  const Planes to(grad_input);
  const T* in = grad.const_data_ptr<T>();
  const int64_t* where = places.const_data_ptr<int64_t>();
  T* out = grad_input.mutable_data_ptr<T>();
  for (int64_t i = 0; i < grad_input.numel(); ++i) out[i] = T(0);
  using V = opmath_t<T>;
  for (int64_t n = 0; n < from.n; ++n) {
    for (int64_t c = 0; c < from.c; ++c) {
      for (int64_t h = 0; h < from.h; ++h) {
        for (int64_t w = 0; w < from.w; ++w) {
          const int64_t place = where[index.at(n, c) + h * index.h_stride + w * index.w_stride];
          if (place < 0 || place >= to.h * to.w) return place;
          T* target = out + to.at(n, c) + place / to.w * to.h_stride + place % to.w * to.w_stride;
          *target =
              T(static_cast<V>(*target) + static_cast<V>(in[from.at(n, c) + h * from.h_stride + w * from.w_stride]));
        }
      }
    }
  }
  return nullopt;
}

Tensor& max_pool2d_backward_out(KernelRuntimeContext& ctx, const Tensor& grad, const Tensor& in,
                                ArrayRef<int64_t> kernel, ArrayRef<int64_t> stride, ArrayRef<int64_t> padding,
                                ArrayRef<int64_t> dilation, bool ceil_mode, const Tensor& indices, Tensor& grad_input) {
  Pool pool;
  ET_KERNEL_CHECK_MSG(ctx,
                      in_set(in.scalar_type(), kFloatsH) && grad.scalar_type() == in.scalar_type() &&
                          grad_input.scalar_type() == in.scalar_type(),
                      InvalidArgument, grad_input, "%s: grad_output is %s, self %s, grad_input %s", kMaxPoolBackward,
                      scalar_type_name(grad.scalar_type()), scalar_type_name(in.scalar_type()),
                      scalar_type_name(grad_input.scalar_type()));
  ET_KERNEL_CHECK_MSG(ctx, indices.scalar_type() == ScalarType::Long, InvalidArgument, grad_input,
                      "%s: expected int64 indices, got %s", kMaxPoolBackward, scalar_type_name(indices.scalar_type()));
  if (!make_pool(ctx, kMaxPoolBackward, in, {kernel, stride, padding, dilation, ceil_mode}, &pool)) return grad_input;
  const Shape shape = pooled_shape(in, pool.h.out, pool.w.out);
  const auto fits = [&](const Tensor& t) {
    bool same = t.sizes().size() == shape.rank;
    for (size_t d = 0; same && d < shape.rank; ++d) same = t.sizes()[d] == shape.sizes[d];
    return same;
  };
  ET_KERNEL_CHECK_MSG(ctx, fits(grad) && fits(indices), InvalidArgument, grad_input,
                      "%s: grad_output and indices must have the pooled shape, %lld by %lld", kMaxPoolBackward,
                      static_cast<long long>(pool.h.out), static_cast<long long>(pool.w.out));
  if (!check_memory(ctx, kMaxPoolBackward, "grad_output", grad) ||
      !check_memory(ctx, kMaxPoolBackward, "indices", indices) ||
      !prepare_out(ctx, kMaxPoolBackward, grad_input, shape_of(in))) {
    return grad_input;
  }
  dispatch<kFloatsH>(in.scalar_type(), [&]<class T>() {
    const optional<int64_t> bad = scatter<T>(grad, indices, grad_input);
    if (!bad.has_value()) return;
    ET_LOG(Error, "%s: index %lld is out of range for a plane of %lld by %lld", kMaxPoolBackward,
           static_cast<long long>(*bad), static_cast<long long>(pool.h.in), static_cast<long long>(pool.w.in));
    ctx.fail(Error::InvalidArgument);
  });
  return grad_input;
}

}  // namespace

ET_KERNEL(max_pool2d_backward_out)

}  // namespace et::ET_KERNELS
