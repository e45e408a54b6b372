// Elements in other places or several times: repeat, repeat_interleave, roll, flip, tril.
#include <cstring>

#include "runtime/kernels/common/kernel.h"
#include "runtime/kernels/movement/view.h"

namespace et::kernels {
namespace {

Tensor& repeat_out(KernelRuntimeContext& ctx, const Tensor& self, ArrayRef<int64_t> repeats, Tensor& out) {
  const char* name = "aten::repeat";
  const size_t rank = static_cast<size_t>(self.dim());
  ET_KERNEL_CHECK_MSG(ctx, repeats.size() >= rank && repeats.size() <= kTensorDimensionLimit, InvalidArgument, out,
                      "%s: repeats has %zu entries, self rank %zu", name, repeats.size(), rank);
  Sizes sizes;
  for (size_t d = 0; d < repeats.size(); ++d) {
    const int64_t own = d + rank >= repeats.size() ? self.sizes()[d + rank - repeats.size()] : 1;
    int64_t size = 0;
    ET_KERNEL_CHECK_MSG(ctx, repeats[d] >= 0 && !__builtin_mul_overflow(repeats[d], own, &size), InvalidArgument, out,
                        "%s: repeats[%zu] is %lld", name, d, static_cast<long long>(repeats[d]));
    sizes.push(size);
  }
  if (!resize_result(ctx, out, sizes, name) || !check_source(ctx, self, out, name) || out.numel() == 0) return out;
  // Each dimension as repetitions times own size; the source stands still along the repetitions.
  const View whole = view_of(self), result = view_of(out);
  View from = whole, to = result;
  from.rank = to.rank = 0;
  for (size_t d = 0; d < repeats.size(); ++d) {
    const bool there = d + rank >= repeats.size();
    const size_t own = d + rank - repeats.size();
    const int64_t size = there ? whole.sizes[own] : 1;
    to.push(repeats[d], result.steps[d] * size);
    from.push(repeats[d], 0);
    to.push(size, result.steps[d]);
    from.push(size, there ? whole.steps[own] : 0);
  }
  copy_view(to, from);
  return out;
}

template <class T>
bool interleave(KernelRuntimeContext& ctx, const Tensor& repeats, optional<int64_t> output_size, Tensor& out) {
  const char* name = "aten::repeat_interleave";
  const T* counts = repeats.const_data_ptr<T>();
  int64_t total = 0;
  for (ssize_t i = 0; i < repeats.numel(); ++i) {
    ET_KERNEL_CHECK_MSG(ctx, counts[i] >= 0 && !__builtin_add_overflow(total, int64_t{counts[i]}, &total),
                        InvalidArgument, false, "%s: repeats[%zd] is %lld", name, i, static_cast<long long>(counts[i]));
  }
  ET_KERNEL_CHECK_MSG(ctx, !output_size.has_value() || *output_size == total, InvalidArgument, false,
                      "%s: output_size is %lld, but repeats add up to %lld", name,
                      static_cast<long long>(output_size.value_or(0)), static_cast<long long>(total));
  Sizes sizes;
  sizes.push(total);
  if (!resize_result(ctx, out, sizes, name)) return false;
  T* to = out.mutable_data_ptr<T>();
  // Where out lies over repeats the counts change as it is written: what they added up to is the limit.
  int64_t left = total;
  for (ssize_t i = 0; i < repeats.numel() && left > 0; ++i) {
    const int64_t given = counts[i];
    const int64_t n = given < left ? given : left;
    for (int64_t k = 0; k < n; ++k) *to++ = static_cast<T>(i);
    if (n > 0) left -= n;
  }
  return true;
}

Tensor& repeat_interleave_out(KernelRuntimeContext& ctx, const Tensor& repeats, optional<int64_t> output_size,
                              Tensor& out) {
  const char* name = "aten::repeat_interleave";
  ET_KERNEL_CHECK_MSG(ctx, repeats.dim() == 1, InvalidArgument, out, "%s: repeats has rank %zd, not 1", name,
                      repeats.dim());
  if (!check_source(ctx, repeats, out, name)) return out;
  ET_KERNEL_CHECK_MSG(ctx, repeats.scalar_type() == ScalarType::Int || repeats.scalar_type() == ScalarType::Long,
                      InvalidArgument, out, "%s: repeats has dtype %d, not int32 or int64", name,
                      static_cast<int>(repeats.scalar_type()));
  if (repeats.scalar_type() == ScalarType::Int) {
    interleave<int32_t>(ctx, repeats, output_size, out);
  } else {
    interleave<int64_t>(ctx, repeats, output_size, out);
  }
  return out;
}

// `shift` in [0, size).
int64_t wrap_shift(int64_t shift, int64_t size) {
  shift %= size;
  return shift < 0 ? shift + size : shift;
}

// Every rolled dimension consists of two parts that change places: one copy for each combination of them.
void roll_parts(const View& to, const View& from, const int64_t* shifts) {
  size_t rolled[kTensorDimensionLimit];
  size_t count = 0;
  for (size_t d = 0; d < to.rank; ++d) {
    if (shifts[d] != 0) rolled[count++] = d;
  }
  for (uint32_t parts = 0; parts < 1u << count; ++parts) {
    View part_to = to, part_from = from;
    for (size_t i = 0; i < count; ++i) {
      const size_t d = rolled[i];
      const int64_t rest = to.sizes[d] - shifts[d];
      const bool tail = (parts >> i & 1u) != 0;
      part_to.slice(d, tail ? 0 : shifts[d], tail ? shifts[d] : rest);
      part_from.slice(d, tail ? rest : 0, tail ? shifts[d] : rest);
    }
    copy_view(part_to, part_from);
  }
}

Tensor& roll_out(KernelRuntimeContext& ctx, const Tensor& self, ArrayRef<int64_t> shifts, ArrayRef<int64_t> dims,
                 Tensor& out) {
  const char* name = "aten::roll";
  ET_KERNEL_CHECK_MSG(ctx, !shifts.empty() && (shifts.size() == dims.size() || (dims.empty() && shifts.size() == 1)),
                      InvalidArgument, out, "%s: %zu shifts for %zu dims", name, shifts.size(), dims.size());
  if (!resize_result(ctx, out, sizes_of(self), name) || !check_source(ctx, self, out, name)) return out;
  const int64_t numel = self.numel();
  if (numel == 0) return out;
  const View from = view_of(self), to = view_of(out);
  int64_t shift_of[kTensorDimensionLimit] = {};
  for (size_t i = 0; i < dims.size(); ++i) {
    int64_t dim = dims[i];
    ET_KERNEL_CHECK_MSG(ctx, self.dim() > 0, InvalidArgument, out, "%s: dims for a scalar", name);
    if (!wrap_dim(ctx, &dim, self.dim(), name)) return out;
    shift_of[dim] = wrap_shift(shift_of[dim] + wrap_shift(shifts[i], from.sizes[dim]), from.sizes[dim]);
  }
  if (dims.empty()) {
    const int64_t shift = wrap_shift(shifts[0], numel);
    copy_elements(to, shift, from, 0, numel - shift);
    copy_elements(to, 0, from, numel - shift, shift);
  } else {
    roll_parts(to, from, shift_of);
  }
  return out;
}

Tensor& flip_out(KernelRuntimeContext& ctx, const Tensor& self, ArrayRef<int64_t> dims, Tensor& out) {
  const char* name = "aten::flip";
  if (!resize_result(ctx, out, sizes_of(self), name) || !check_source(ctx, self, out, name)) return out;
  View from = view_of(self);
  uint32_t seen = 0;
  for (int64_t dim : dims) {
    if (!wrap_dim(ctx, &dim, self.dim(), name)) return out;
    ET_KERNEL_CHECK_MSG(ctx, (seen >> dim & 1u) == 0, InvalidArgument, out, "%s: dims has %lld twice", name,
                        static_cast<long long>(dim));
    seen |= 1u << dim;
    if (self.dim() > 0 && self.numel() > 0)
      from.slice(static_cast<size_t>(dim), from.sizes[dim] - 1, from.sizes[dim], -1);
  }
  copy_view(view_of(out), from);
  return out;
}

Tensor& tril_out(KernelRuntimeContext& ctx, const Tensor& self, int64_t diagonal, Tensor& out) {
  const char* name = "aten::tril";
  ET_KERNEL_CHECK_MSG(ctx, self.dim() >= 2, InvalidArgument, out, "%s: self has rank %zd, 2 is the least", name,
                      self.dim());
  if (!resize_result(ctx, out, sizes_of(self), name) || !check_source(ctx, self, out, name) || out.numel() == 0) {
    return out;
  }
  View from = view_of(self), to = view_of(out);
  const size_t r = to.rank - 2;
  const int64_t rows = to.sizes[r], columns = to.sizes[r + 1];
  if (diagonal > columns) diagonal = columns;
  if (diagonal < -rows) diagonal = -rows;
  const uint8_t zero[16] = {};
  // Row by row over all matrices at once when there are many small ones; the views do the rest.
  for (int64_t row = 0; row < rows; ++row) {
    int64_t keep = row + diagonal + 1;
    keep = keep < 0 ? 0 : keep > columns ? columns : keep;
    View row_from = from, row_to = to;
    row_from.slice(r, row, 1);
    row_to.slice(r, row, 1);
    View zeros = row_to;
    row_from.slice(r + 1, 0, keep);
    row_to.slice(r + 1, 0, keep);
    copy_view(row_to, row_from);
    zeros.slice(r + 1, keep, columns - keep);
    fill_view(zeros, zero);
  }
  return out;
}

}  // namespace

ET_KERNEL(repeat_out)
ET_KERNEL(repeat_interleave_out)
ET_KERNEL(roll_out)
ET_KERNEL(flip_out)
ET_KERNEL(tril_out)

}  // namespace et::kernels
