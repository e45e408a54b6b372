// repeat and repeat_interleave: elements several times.
#include "runtime/kernels/common/kernel.h"
#include "runtime/kernels/movement/view.h"

namespace et::ET_KERNELS {
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
  ET_KERNEL_CHECK_MSG(ctx, repeats.dim() == 1, InvalidArgument, out, "%s: expected repeats of rank 1, got %zd", name,
                      repeats.dim());
  if (!check_source(ctx, repeats, out, name)) return out;
  ET_KERNEL_CHECK_MSG(ctx, repeats.scalar_type() == ScalarType::Int || repeats.scalar_type() == ScalarType::Long,
                      InvalidArgument, out, "%s: expected repeats to be int32 or int64, got %s", name,
                      scalar_type_name(repeats.scalar_type()));
  if (repeats.scalar_type() == ScalarType::Int) {
    interleave<int32_t>(ctx, repeats, output_size, out);
  } else {
    interleave<int64_t>(ctx, repeats, output_size, out);
  }
  return out;
}

}  // namespace

ET_KERNEL(repeat_out)
ET_KERNEL(repeat_interleave_out)

}  // namespace et::ET_KERNELS
