// Parts of a tensor: slice_copy, narrow_copy, select_copy, diagonal_copy, unfold_copy and as_strided_copy.
#include "runtime/kernels/common/kernel.h"
#include "runtime/kernels/movement/slice_range.h"
#include "runtime/kernels/movement/view.h"

namespace et::ET_KERNELS {
namespace {

Tensor& put_slice(KernelRuntimeContext& ctx, const Tensor& self, const View& from, Tensor& out, const char* name) {
  Sizes sizes;
  for (size_t d = 0; d < from.rank; ++d) sizes.push(from.sizes[d]);
  sizes.fits = from.rank <= kTensorDimensionLimit;
  if (!resize_result(ctx, out, sizes, name) || !check_source(ctx, self, out, name)) return out;
  if (out.numel() > 0) copy_view(view_of(out), from);
  return out;
}

Tensor& slice_copy_out(KernelRuntimeContext& ctx, const Tensor& self, int64_t dim, optional<int64_t> start,
                       optional<int64_t> end, int64_t step, Tensor& out) {
  const char* name = "aten::slice_copy";
  ET_KERNEL_CHECK_MSG(ctx, self.dim() > 0, InvalidArgument, out, "%s: self is a scalar", name);
  if (!wrap_dim(ctx, &dim, self.dim(), name)) return out;
  ET_KERNEL_CHECK_MSG(ctx, step > 0, InvalidArgument, out, "%s: step %lld", name, static_cast<long long>(step));
  const SliceRange range = slice_range(self.size(static_cast<ssize_t>(dim)), start, end, step);
  View from = view_of(self);
  from.slice(static_cast<size_t>(dim), range.start, range.length, range.step);
  return put_slice(ctx, self, from, out, name);
}

Tensor& narrow_copy_out(KernelRuntimeContext& ctx, const Tensor& self, int64_t dim, int64_t start, int64_t length,
                        Tensor& out) {
  const char* name = "aten::narrow_copy";
  ET_KERNEL_CHECK_MSG(ctx, self.dim() > 0, InvalidArgument, out, "%s: self is a scalar", name);
  if (!wrap_dim(ctx, &dim, self.dim(), name)) return out;
  const int64_t size = self.size(static_cast<ssize_t>(dim));
  ET_KERNEL_CHECK_MSG(ctx, start >= -size && start <= size, InvalidArgument, out, "%s: start %lld, the size is %lld",
                      name, static_cast<long long>(start), static_cast<long long>(size));
  if (start < 0) start += size;
  ET_KERNEL_CHECK_MSG(ctx, length >= 0 && length <= size - start, InvalidArgument, out,
                      "%s: length %lld from %lld on, the size is %lld", name, static_cast<long long>(length),
                      static_cast<long long>(start), static_cast<long long>(size));
  View from = view_of(self);
  from.slice(static_cast<size_t>(dim), start, length);
  return put_slice(ctx, self, from, out, name);
}

Tensor& select_copy_out(KernelRuntimeContext& ctx, const Tensor& self, int64_t dim, int64_t index, Tensor& out) {
  const char* name = "aten::select_copy";
  ET_KERNEL_CHECK_MSG(ctx, self.dim() > 0, InvalidArgument, out, "%s: self is a scalar", name);
  if (!wrap_dim(ctx, &dim, self.dim(), name)) return out;
  const int64_t size = self.size(static_cast<ssize_t>(dim));
  ET_KERNEL_CHECK_MSG(ctx, index >= -size && index < size, InvalidArgument, out, "%s: index %lld, the size is %lld",
                      name, static_cast<long long>(index), static_cast<long long>(size));
  View from = view_of(self);
  from.slice(static_cast<size_t>(dim), index < 0 ? index + size : index, 1);
  from.remove(static_cast<size_t>(dim));
  return put_slice(ctx, self, from, out, name);
}

Tensor& diagonal_copy_out(KernelRuntimeContext& ctx, const Tensor& self, int64_t offset, int64_t dim1, int64_t dim2,
                          Tensor& out) {
  const char* name = "aten::diagonal_copy";
  if (!wrap_dim(ctx, &dim1, self.dim(), name) || !wrap_dim(ctx, &dim2, self.dim(), name)) return out;
  ET_KERNEL_CHECK_MSG(ctx, dim1 != dim2, InvalidArgument, out, "%s: dim1 and dim2 are both %lld", name,
                      static_cast<long long>(dim1));
  View from = view_of(self);
  // An offset beyond int32 leaves nothing in any case.
  if (offset > INT32_MAX) offset = INT32_MAX;
  if (offset < -INT32_MAX) offset = -INT32_MAX;
  const int64_t rows = from.sizes[dim1] + (offset < 0 ? offset : 0);
  const int64_t columns = from.sizes[dim2] - (offset > 0 ? offset : 0);
  const int64_t length = rows < columns ? rows : columns;
  const int64_t step = from.steps[dim1] + from.steps[dim2];
  if (length > 0) from.data += offset >= 0 ? offset * from.steps[dim2] : -offset * from.steps[dim1];
  from.remove(static_cast<size_t>(dim1 > dim2 ? dim1 : dim2));
  from.remove(static_cast<size_t>(dim1 > dim2 ? dim2 : dim1));
  from.push(length > 0 ? length : 0, step);
  return put_slice(ctx, self, from, out, name);
}

Tensor& unfold_copy_out(KernelRuntimeContext& ctx, const Tensor& self, int64_t dim, int64_t size, int64_t step,
                        Tensor& out) {
  const char* name = "aten::unfold_copy";
  if (!wrap_dim(ctx, &dim, self.dim(), name)) return out;
  View from = view_of(self);
  const bool scalar = from.rank == 0;
  const int64_t max_size = scalar ? 1 : from.sizes[dim];
  const int64_t inner = scalar ? static_cast<int64_t>(from.item) : from.steps[dim];
  ET_KERNEL_CHECK_MSG(ctx, size >= 0 && size <= max_size, InvalidArgument, out,
                      "%s: size %lld, dimension %lld has %lld", name, static_cast<long long>(size),
                      static_cast<long long>(dim), static_cast<long long>(max_size));
  ET_KERNEL_CHECK_MSG(ctx, step > 0, InvalidArgument, out, "%s: step %lld", name, static_cast<long long>(step));
  if (!scalar) from.slice(static_cast<size_t>(dim), 0, (max_size - size) / step + 1, step > max_size ? max_size : step);
  from.push(size, inner);
  return put_slice(ctx, self, from, out, name);
}

Tensor& as_strided_copy_out(KernelRuntimeContext& ctx, const Tensor& self, ArrayRef<int64_t> size,
                            ArrayRef<int64_t> stride, optional<int64_t> storage_offset, Tensor& out) {
  const char* name = "aten::as_strided_copy";
  ET_KERNEL_CHECK_MSG(ctx, size.size() == stride.size() && size.size() <= kTensorDimensionLimit, InvalidArgument, out,
                      "%s: %zu sizes, %zu strides", name, size.size(), stride.size());
  const int64_t offset = storage_offset.value_or(0);
  ET_KERNEL_CHECK_MSG(ctx, offset >= 0, InvalidArgument, out, "%s: storage_offset %lld", name,
                      static_cast<long long>(offset));
  int64_t last = offset;
  bool empty = false, fits = true;
  for (size_t d = 0; d < size.size(); ++d) {
    ET_KERNEL_CHECK_MSG(ctx, size[d] >= 0 && stride[d] >= 0, InvalidArgument, out,
                        "%s: size[%zu] is %lld, stride[%zu] is %lld", name, d, static_cast<long long>(size[d]), d,
                        static_cast<long long>(stride[d]));
    empty = empty || size[d] == 0;
    int64_t span = 0;
    fits = fits && (size[d] == 0 || (!__builtin_mul_overflow(size[d] - 1, stride[d], &span) &&
                                     !__builtin_add_overflow(last, span, &last)));
  }
  ET_KERNEL_CHECK_MSG(ctx, empty || (fits && last < self.numel()), InvalidArgument, out,
                      "%s: sizes and strides reach beyond the %zd elements of self", name, self.numel());
  View from;
  from.data = self.mutable_data_ptr<uint8_t>();
  from.item = self.element_size();
  const int64_t item = static_cast<int64_t>(from.item);
  if (!empty) from.data += offset * item;
  for (size_t d = 0; d < size.size(); ++d) {
    from.push(size[d], empty || size[d] == 1 ? 0 : stride[d] * item);
  }
  return put_slice(ctx, self, from, out, name);
}

}  // namespace

ET_KERNEL(slice_copy_out)
ET_KERNEL(narrow_copy_out)
ET_KERNEL(select_copy_out)
ET_KERNEL(diagonal_copy_out)
ET_KERNEL(unfold_copy_out)
ET_KERNEL(as_strided_copy_out)

}  // namespace et::ET_KERNELS
