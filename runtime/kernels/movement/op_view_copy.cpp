// The same elements in another shape: view_copy, squeeze_copy, unsqueeze_copy; and expand_copy.
#include "runtime/kernels/common/kernel.h"
#include "runtime/kernels/movement/view.h"

namespace et::ET_KERNELS {
namespace {

Tensor& put(KernelRuntimeContext& ctx, const Tensor& self, const Sizes& sizes, Tensor& out, const char* name) {
  if (!resize_result(ctx, out, sizes, name) || !check_source(ctx, self, out, name)) return out;
  if (out.numel() > 0) copy_elements(view_of(out), 0, view_of(self), 0, self.numel());
  return out;
}

Tensor& view_copy_out(KernelRuntimeContext& ctx, const Tensor& self, ArrayRef<int64_t> size, Tensor& out) {
  const char* name = "aten::view_copy";
  ET_KERNEL_CHECK_MSG(ctx, size.size() <= kTensorDimensionLimit, InvalidArgument, out, "%s: size has %zu entries", name,
                      size.size());
  const int64_t numel = self.numel();
  int64_t known = 1;
  size_t open = size.size();
  for (size_t d = 0; d < size.size(); ++d) {
    if (size[d] == -1) {
      ET_KERNEL_CHECK_MSG(ctx, open == size.size(), InvalidArgument, out, "%s: size has more than one -1", name);
      open = d;
      continue;
    }
    ET_KERNEL_CHECK_MSG(ctx, size[d] >= 0 && !__builtin_mul_overflow(known, size[d], &known), InvalidArgument, out,
                        "%s: size[%zu] is %lld", name, d, static_cast<long long>(size[d]));
  }
  int64_t rest = 1;
  if (open < size.size()) {
    ET_KERNEL_CHECK_MSG(ctx, known != 0, InvalidArgument, out, "%s: size[%zu] is -1, but any size would fit", name,
                        open);
    rest = numel / known;
  }
  ET_KERNEL_CHECK_MSG(ctx, known * rest == numel, InvalidArgument, out, "%s: size does not hold %lld elements", name,
                      static_cast<long long>(numel));
  Sizes sizes;
  for (size_t d = 0; d < size.size(); ++d) sizes.push(d == open ? rest : size[d]);
  return put(ctx, self, sizes, out, name);
}

Tensor& squeeze(KernelRuntimeContext& ctx, const Tensor& self, ArrayRef<int64_t> dims, Tensor& out, const char* name) {
  uint32_t gone = 0;
  for (int64_t dim : dims) {
    if (!wrap_dim(ctx, &dim, self.dim(), name)) return out;
    ET_KERNEL_CHECK_MSG(ctx, (gone >> dim & 1u) == 0, InvalidArgument, out, "%s: dim %lld twice", name,
                        static_cast<long long>(dim));
    gone |= 1u << dim;
  }
  Sizes sizes;
  for (ssize_t d = 0; d < self.dim(); ++d) {
    if ((gone >> d & 1u) == 0 || self.size(d) != 1) sizes.push(self.size(d));
  }
  return put(ctx, self, sizes, out, name);
}

Tensor& squeeze_copy_dim_out(KernelRuntimeContext& ctx, const Tensor& self, int64_t dim, Tensor& out) {
  return squeeze(ctx, self, {&dim, 1}, out, "aten::squeeze_copy.dim");
}

Tensor& squeeze_copy_dims_out(KernelRuntimeContext& ctx, const Tensor& self, ArrayRef<int64_t> dim, Tensor& out) {
  return squeeze(ctx, self, dim, out, "aten::squeeze_copy.dims");
}

Tensor& unsqueeze_copy_out(KernelRuntimeContext& ctx, const Tensor& self, int64_t dim, Tensor& out) {
  const char* name = "aten::unsqueeze_copy";
  if (!wrap_dim(ctx, &dim, self.dim() + 1, name)) return out;
  Sizes sizes;
  for (ssize_t d = 0; d <= self.dim(); ++d) {
    if (d == dim) sizes.push(1);
    if (d < self.dim()) sizes.push(self.size(d));
  }
  return put(ctx, self, sizes, out, name);
}

Tensor& expand_copy_out(KernelRuntimeContext& ctx, const Tensor& self, ArrayRef<int64_t> size, bool /*implicit*/,
                        Tensor& out) {
  const char* name = "aten::expand_copy";
  const size_t rank = static_cast<size_t>(self.dim());
  ET_KERNEL_CHECK_MSG(ctx, size.size() >= rank && size.size() <= kTensorDimensionLimit, InvalidArgument, out,
                      "%s: size has %zu entries, self rank %zu", name, size.size(), rank);
  const View whole = view_of(self);
  View from = whole;
  from.rank = 0;
  Sizes sizes;
  for (size_t d = 0; d < size.size(); ++d) {
    const bool there = d + rank >= size.size();
    const size_t own = d + rank - size.size();
    const int64_t given = there ? whole.sizes[own] : 1;
    const int64_t wanted = size[d] == -1 && there ? given : size[d];
    ET_KERNEL_CHECK_MSG(ctx, wanted >= 0 && (wanted == given || given == 1), InvalidArgument, out,
                        "%s: size[%zu] is %lld, that of self %lld", name, d, static_cast<long long>(size[d]),
                        static_cast<long long>(given));
    sizes.push(wanted);
    from.push(wanted, there && wanted == given ? whole.steps[own] : 0);
  }
  if (!resize_result(ctx, out, sizes, name) || !check_source(ctx, self, out, name)) return out;
  copy_view(view_of(out), from);
  return out;
}

}  // namespace

ET_KERNEL(view_copy_out)
ET_KERNEL(squeeze_copy_dim_out)
ET_KERNEL(squeeze_copy_dims_out)
ET_KERNEL(unsqueeze_copy_out)
ET_KERNEL(expand_copy_out)

}  // namespace et::ET_KERNELS
