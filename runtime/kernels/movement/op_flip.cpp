// flip and roll: a dimension backwards, or its two parts exchanged.
#include "runtime/kernels/common/kernel.h"
#include "runtime/kernels/movement/view.h"

namespace et::ET_KERNELS {
namespace {

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

}  // namespace

ET_KERNEL(roll_out)
ET_KERNEL(flip_out)

}  // namespace et::ET_KERNELS
