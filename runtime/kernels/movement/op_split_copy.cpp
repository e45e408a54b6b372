// split_copy, split_with_sizes_copy and unbind_copy: one source, a list of results.
#include "runtime/kernels/common/kernel.h"
#include "runtime/kernels/movement/view.h"

namespace et::ET_KERNELS {
namespace {

bool check_results(KernelRuntimeContext& ctx, ArrayRef<Tensor> out, int64_t wanted, const char* name) {
  ET_KERNEL_CHECK_MSG(ctx, static_cast<int64_t>(out.size()) == wanted, InvalidArgument, false,
                      "%s: out has %zu tensors, there are %lld parts", name, out.size(),
                      static_cast<long long>(wanted));
  for (size_t i = 0; i < out.size(); ++i) {
    ET_KERNEL_CHECK_MSG(ctx, out[i].unsafeGetTensorImpl() != nullptr, InvalidArgument, false,
                        "%s: out[%zu]: expected a tensor", name, i);
  }
  return true;
}

bool put_part(KernelRuntimeContext& ctx, const Tensor& self, size_t dim, int64_t start, int64_t length,
              const Tensor& out, const char* name) {
  Sizes sizes = sizes_of(self);
  sizes.v[dim] = length;
  if (!resize_result(ctx, out, sizes, name) || !check_source(ctx, self, out, name)) return false;
  View from = view_of(self);
  from.slice(dim, start, length);
  copy_view(view_of(out), from);
  return true;
}

void split_copy_out(KernelRuntimeContext& ctx, const Tensor& self, int64_t split_size, int64_t dim,
                    ArrayRef<Tensor> out) {
  const char* name = "aten::split_copy";
  ET_KERNEL_CHECK_MSG(ctx, self.dim() > 0, InvalidArgument, , "%s: self is a scalar", name);
  if (!wrap_dim(ctx, &dim, self.dim(), name)) return;
  const int64_t size = self.size(static_cast<ssize_t>(dim));
  ET_KERNEL_CHECK_MSG(ctx, split_size > 0 || (split_size == 0 && size == 0), InvalidArgument, ,
                      "%s: split_size %lld for a dimension of size %lld", name, static_cast<long long>(split_size),
                      static_cast<long long>(size));
  const int64_t parts = size == 0 ? 1 : (size - 1) / split_size + 1;
  if (!check_results(ctx, out, parts, name)) return;
  for (int64_t i = 0; i < parts; ++i) {
    const int64_t start = i * split_size;
    const int64_t length = size - start < split_size ? size - start : split_size;
    if (!put_part(ctx, self, static_cast<size_t>(dim), start, length, out[static_cast<size_t>(i)], name)) return;
  }
}

void split_with_sizes_copy_out(KernelRuntimeContext& ctx, const Tensor& self, ArrayRef<int64_t> split_sizes,
                               int64_t dim, ArrayRef<Tensor> out) {
  const char* name = "aten::split_with_sizes_copy";
  ET_KERNEL_CHECK_MSG(ctx, self.dim() > 0, InvalidArgument, , "%s: self is a scalar", name);
  if (!wrap_dim(ctx, &dim, self.dim(), name)) return;
  const int64_t size = self.size(static_cast<ssize_t>(dim));
  int64_t sum = 0;
  for (size_t i = 0; i < split_sizes.size(); ++i) {
    ET_KERNEL_CHECK_MSG(ctx, split_sizes[i] >= 0 && split_sizes[i] <= size - sum, InvalidArgument, ,
                        "%s: split_sizes[%zu] is %lld, but %lld are left", name, i,
                        static_cast<long long>(split_sizes[i]), static_cast<long long>(size - sum));
    sum += split_sizes[i];
  }
  ET_KERNEL_CHECK_MSG(ctx, sum == size, InvalidArgument, , "%s: split_sizes: got a sum of %lld, expected %lld", name,
                      static_cast<long long>(sum), static_cast<long long>(size));
  if (!check_results(ctx, out, static_cast<int64_t>(split_sizes.size()), name)) return;
  int64_t start = 0;
  for (size_t i = 0; i < split_sizes.size(); ++i) {
    if (!put_part(ctx, self, static_cast<size_t>(dim), start, split_sizes[i], out[i], name)) return;
    start += split_sizes[i];
  }
}

void unbind_copy_out(KernelRuntimeContext& ctx, const Tensor& self, int64_t dim, ArrayRef<Tensor> out) {
  const char* name = "aten::unbind_copy";
  ET_KERNEL_CHECK_MSG(ctx, self.dim() > 0, InvalidArgument, , "%s: self is a scalar", name);
  if (!wrap_dim(ctx, &dim, self.dim(), name)) return;
  if (!check_results(ctx, out, self.size(static_cast<ssize_t>(dim)), name)) return;
  Sizes sizes;
  for (ssize_t d = 0; d < self.dim(); ++d) {
    if (d != dim) sizes.push(self.size(d));
  }
  View from = view_of(self);
  const int64_t step = from.steps[dim];
  from.remove(static_cast<size_t>(dim));
  for (const Tensor& part : out) {
    if (!resize_result(ctx, part, sizes, name) || !check_source(ctx, self, part, name)) return;
    copy_view(view_of(part), from);
    from.data += step;
  }
}

}  // namespace

ET_KERNEL(split_copy_out)
ET_KERNEL(split_with_sizes_copy_out)
ET_KERNEL(unbind_copy_out)

}  // namespace et::ET_KERNELS
