// masked_select and masked_scatter; select_scatter and slice_scatter, which write into a part of a copy.
#include <cstring>

#include "runtime/kernels/common/kernel.h"
#include "runtime/kernels/movement/slice_range.h"
#include "runtime/kernels/movement/view.h"

namespace et::ET_KERNELS {
namespace {

bool check_mask(KernelRuntimeContext& ctx, const Tensor& mask, const char* name) {
  ET_KERNEL_CHECK_MSG(ctx, mask.scalar_type() == ScalarType::Bool || mask.scalar_type() == ScalarType::Byte,
                      InvalidArgument, false, "%s: expected mask to be bool or uint8, got %s", name,
                      scalar_type_name(mask.scalar_type()));
  return has_data(ctx, mask, name, "mask");
}

// A view of `t` stretched to `sizes`.
View stretched(const Tensor& t, const Shape& sizes) {
  const View own = view_of(t);
  View v = own;
  v.rank = 0;
  for (size_t d = 0; d < sizes.rank; ++d) {
    const bool there = d + own.rank >= sizes.rank;
    const size_t o = d + own.rank - sizes.rank;
    v.push(sizes.sizes[d], there && own.sizes[o] != 1 ? own.steps[o] : 0);
  }
  return v;
}

// Calls f(mask, other_offsets…) row by row: f(mask row, its step, self offset, its step, n), in row-major order.
template <class F>
void walk_rows(const Shape& sizes, const View& mask, const View& other, const F& f) {
  const StridedWalk<2> walk(sizes.view(), {mask.steps, other.steps});
  walk.run([&](const auto& offsets, int64_t n, const auto& inner) {
    f(mask.data + offsets[0], inner[0], other.data + offsets[1], inner[1], n);
  });
}

int64_t count_true(const Shape& sizes, const View& mask) {
  int64_t count = 0;
  walk_rows(sizes, mask, mask, [&](const uint8_t* m, int64_t step, uint8_t*, int64_t, int64_t n) {
    for (int64_t i = 0; i < n; ++i) count += m[i * step] != 0;
  });
  return count;
}

bool broadcast(KernelRuntimeContext& ctx, const Tensor& self, const Tensor& mask, Shape* sizes, const char* name) {
  ET_KERNEL_CHECK_MSG(ctx, broadcast_shapes(self.sizes(), mask.sizes(), sizes), InvalidArgument, false,
                      "%s: self and mask do not broadcast", name);
  return true;
}

Tensor& masked_select_out(KernelRuntimeContext& ctx, const Tensor& self, const Tensor& mask, Tensor& out) {
  const char* name = "aten::masked_select";
  Shape sizes;
  if (!check_mask(ctx, mask, name) || !broadcast(ctx, self, mask, &sizes, name)) return out;
  const View m = stretched(mask, sizes), from = stretched(self, sizes);
  Sizes result;
  const int64_t count = count_true(sizes, m);
  result.push(count);
  if (!resize_result(ctx, out, result, name) || !check_source(ctx, self, out, name)) return out;
  uint8_t* to = out.mutable_data_ptr<uint8_t>();
  const size_t item = from.item;
  const uint8_t* const end = to + static_cast<size_t>(count) * item;
  walk_rows(sizes, m, from, [&](const uint8_t* mask_row, int64_t step, uint8_t* row, int64_t row_step, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      if (mask_row[i * step] == 0 || to == end) continue;
      std::memcpy(to, row + i * row_step, item);
      to += item;
    }
  });
  return out;
}

Tensor& masked_scatter_out(KernelRuntimeContext& ctx, const Tensor& self, const Tensor& mask, const Tensor& source,
                           Tensor& out) {
  const char* name = "aten::masked_scatter";
  Shape sizes;
  if (!check_mask(ctx, mask, name) || !broadcast(ctx, self, mask, &sizes, name)) return out;
  Sizes result;
  for (int32_t n : sizes.view()) result.push(n);
  if (!resize_result(ctx, out, result, name) || !check_source(ctx, self, out, name) ||
      !check_source(ctx, source, out, name)) {
    return out;
  }
  const View m = stretched(mask, sizes), to = view_of(out), from = view_of(source);
  const int64_t count = count_true(sizes, m);
  ET_KERNEL_CHECK_MSG(ctx, count <= source.numel(), InvalidArgument, out,
                      "%s: source has %zd elements, the mask %lld true ones", name, source.numel(),
                      static_cast<long long>(count));
  copy_view(to, stretched(self, sizes));
  const bool together = is_contiguous(source);
  int64_t taken = 0;
  walk_rows(sizes, m, to, [&](const uint8_t* mask_row, int64_t step, uint8_t* row, int64_t row_step, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      if (mask_row[i * step] == 0 || taken == count) continue;
      const uint8_t* at = from.data;
      if (together) {
        at += taken * static_cast<int64_t>(from.item);
      } else {
        int64_t rest = taken;
        for (size_t d = from.rank; d-- > 0;) {
          at += rest % from.sizes[d] * from.steps[d];
          rest /= from.sizes[d];
        }
      }
      std::memcpy(row + i * row_step, at, from.item);
      ++taken;
    }
  });
  return out;
}

// Copies self to out, then src into the part that `part` (a view of out) shows.
Tensor& scatter_part(KernelRuntimeContext& ctx, const Tensor& self, const Tensor& src, const View& part, Tensor& out,
                     const char* name) {
  const View from = view_of(src);
  bool same = from.rank == part.rank;
  for (size_t d = 0; same && d < from.rank; ++d) same = from.sizes[d] == part.sizes[d];
  ET_KERNEL_CHECK_MSG(ctx, same, InvalidArgument, out, "%s: src does not have the sizes of the part it replaces", name);
  if (!has_data(ctx, src, name, "src")) return out;
  copy_view(view_of(out), view_of(self));
  ET_KERNEL_CHECK_MSG(ctx, convert_view(part, out.scalar_type(), from, src.scalar_type()), InvalidArgument, out,
                      "%s: src of dtype %s cannot be converted to %s", name, scalar_type_name(src.scalar_type()),
                      scalar_type_name(out.scalar_type()));
  return out;
}

Tensor& select_scatter_out(KernelRuntimeContext& ctx, const Tensor& self, const Tensor& src, int64_t dim, int64_t index,
                           Tensor& out) {
  const char* name = "aten::select_scatter";
  ET_KERNEL_CHECK_MSG(ctx, self.dim() > 0, InvalidArgument, out, "%s: self is a scalar", name);
  if (!wrap_dim(ctx, &dim, self.dim(), name)) return out;
  if (!resize_result(ctx, out, sizes_of(self), name) || !check_source(ctx, self, out, name)) return out;
  const int64_t size = self.size(static_cast<ssize_t>(dim));
  ET_KERNEL_CHECK_MSG(ctx, index >= -size && index < size, InvalidArgument, out, "%s: index %lld, the size is %lld",
                      name, static_cast<long long>(index), static_cast<long long>(size));
  View part = view_of(out);
  part.slice(static_cast<size_t>(dim), index < 0 ? index + size : index, 1);
  part.remove(static_cast<size_t>(dim));
  return scatter_part(ctx, self, src, part, out, name);
}

Tensor& slice_scatter_out(KernelRuntimeContext& ctx, const Tensor& self, const Tensor& src, int64_t dim,
                          optional<int64_t> start, optional<int64_t> end, int64_t step, Tensor& out) {
  const char* name = "aten::slice_scatter";
  ET_KERNEL_CHECK_MSG(ctx, self.dim() > 0, InvalidArgument, out, "%s: self is a scalar", name);
  if (!wrap_dim(ctx, &dim, self.dim(), name)) return out;
  ET_KERNEL_CHECK_MSG(ctx, step > 0, InvalidArgument, out, "%s: step %lld", name, static_cast<long long>(step));
  if (!resize_result(ctx, out, sizes_of(self), name) || !check_source(ctx, self, out, name)) return out;
  const SliceRange range = slice_range(self.size(static_cast<ssize_t>(dim)), start, end, step);
  View part = view_of(out);
  part.slice(static_cast<size_t>(dim), range.start, range.length, range.step);
  return scatter_part(ctx, self, src, part, out, name);
}

}  // namespace

ET_KERNEL(masked_select_out)
ET_KERNEL(masked_scatter_out)
ET_KERNEL(select_scatter_out)
ET_KERNEL(slice_scatter_out)

}  // namespace et::ET_KERNELS
