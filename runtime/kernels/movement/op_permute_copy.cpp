// The dimensions in another order: permute_copy, transpose_copy, t_copy; pixel_shuffle and pixel_unshuffle, which are
// permutations of split dimensions.
#include "runtime/kernels/common/kernel.h"
#include "runtime/kernels/movement/view.h"

namespace et::ET_KERNELS {
namespace {

Tensor& put(KernelRuntimeContext& ctx, const Tensor& self, const View& from, Tensor& out, const char* name) {
  Sizes sizes;
  for (size_t d = 0; d < from.rank; ++d) sizes.push(from.sizes[d]);
  if (!resize_result(ctx, out, sizes, name) || !check_source(ctx, self, out, name)) return out;
  copy_view(view_of(out), from);
  return out;
}

View swapped(const Tensor& self, size_t a, size_t b) {
  View v = view_of(self);
  const int64_t size = v.sizes[a], step = v.steps[a];
  v.sizes[a] = v.sizes[b];
  v.steps[a] = v.steps[b];
  v.sizes[b] = size;
  v.steps[b] = step;
  return v;
}

Tensor& permute_copy_out(KernelRuntimeContext& ctx, const Tensor& self, ArrayRef<int64_t> dims, Tensor& out) {
  const char* name = "aten::permute_copy";
  ET_KERNEL_CHECK_MSG(ctx, static_cast<ssize_t>(dims.size()) == self.dim(), InvalidArgument, out,
                      "%s: dims has %zu entries, self rank %zd", name, dims.size(), self.dim());
  const View whole = view_of(self);
  View from = whole;
  uint32_t seen = 0;
  for (size_t i = 0; i < dims.size(); ++i) {
    int64_t d = dims[i];
    if (!wrap_dim(ctx, &d, self.dim(), name)) return out;
    ET_KERNEL_CHECK_MSG(ctx, (seen >> d & 1u) == 0, InvalidArgument, out, "%s: dims has %lld twice", name,
                        static_cast<long long>(d));
    seen |= 1u << d;
    from.sizes[i] = whole.sizes[d];
    from.steps[i] = whole.steps[d];
  }
  return put(ctx, self, from, out, name);
}

Tensor& transpose_copy_out(KernelRuntimeContext& ctx, const Tensor& self, int64_t dim0, int64_t dim1, Tensor& out) {
  const char* name = "aten::transpose_copy";
  if (!wrap_dim(ctx, &dim0, self.dim(), name) || !wrap_dim(ctx, &dim1, self.dim(), name)) return out;
  const View from =
      self.dim() == 0 ? view_of(self) : swapped(self, static_cast<size_t>(dim0), static_cast<size_t>(dim1));
  return put(ctx, self, from, out, name);
}

Tensor& t_copy_out(KernelRuntimeContext& ctx, const Tensor& self, Tensor& out) {
  const char* name = "aten::t_copy";
  ET_KERNEL_CHECK_MSG(ctx, self.dim() <= 2, InvalidArgument, out, "%s: self has rank %zd", name, self.dim());
  return put(ctx, self, self.dim() == 2 ? swapped(self, 0, 1) : view_of(self), out, name);
}

// Splits dimension `dim` of `v` into size/inner and inner.
void split(View* v, size_t dim, int64_t inner) {
  const int64_t step = v->steps[dim];
  v->sizes[dim] /= inner;
  v->steps[dim] *= inner;
  v->insert(dim + 1, inner, step);
}

// Both directions: `small` (C·r², H, W) and `large` (C, H·r, W·r) seen as the same six dimensions.
void pair_views(View* small, View* large, int64_t r) {
  const size_t c = small->rank - 3;
  split(small, c, r);      // C·r, r, H, W
  split(small, c, r);      // C, r, r, H, W
  split(large, c + 2, r);  // C, H·r, W, r
  split(large, c + 1, r);  // C, H, r, W, r
  // The large one in the order of the small one: C, r, r, H, W.
  const View v = *large;
  constexpr size_t kOrder[5] = {0, 2, 4, 1, 3};
  for (size_t i = 0; i < 5; ++i) {
    large->sizes[c + i] = v.sizes[c + kOrder[i]];
    large->steps[c + i] = v.steps[c + kOrder[i]];
  }
}

Tensor& pixel_shuffle_out(KernelRuntimeContext& ctx, const Tensor& self, int64_t upscale_factor, Tensor& out) {
  const char* name = "aten::pixel_shuffle";
  ET_KERNEL_CHECK_MSG(ctx, self.dim() >= 3, InvalidArgument, out, "%s: expected self of rank 3 or more, got %zd", name,
                      self.dim());
  Sizes sizes = sizes_of(self);
  int64_t* c = sizes.v + sizes.rank - 3;
  const int64_t r = upscale_factor;
  ET_KERNEL_CHECK_MSG(ctx, r > 0 && r <= INT16_MAX && c[0] % (r * r) == 0, InvalidArgument, out,
                      "%s: upscale_factor %lld for %lld channels", name, static_cast<long long>(r),
                      static_cast<long long>(c[0]));
  c[0] /= r * r;
  c[1] *= r;
  c[2] *= r;
  if (!resize_result(ctx, out, sizes, name) || !check_source(ctx, self, out, name)) return out;
  View from = view_of(self), to = view_of(out);
  pair_views(&from, &to, r);
  copy_view(to, from);
  return out;
}

Tensor& pixel_unshuffle_out(KernelRuntimeContext& ctx, const Tensor& self, int64_t downscale_factor, Tensor& out) {
  const char* name = "aten::pixel_unshuffle";
  ET_KERNEL_CHECK_MSG(ctx, self.dim() >= 3, InvalidArgument, out, "%s: expected self of rank 3 or more, got %zd", name,
                      self.dim());
  Sizes sizes = sizes_of(self);
  int64_t* c = sizes.v + sizes.rank - 3;
  const int64_t r = downscale_factor;
  ET_KERNEL_CHECK_MSG(ctx, r > 0 && r <= INT16_MAX && c[1] % r == 0 && c[2] % r == 0, InvalidArgument, out,
                      "%s: downscale_factor %lld for height %lld and width %lld", name, static_cast<long long>(r),
                      static_cast<long long>(c[1]), static_cast<long long>(c[2]));
  c[0] *= r * r;
  c[1] /= r;
  c[2] /= r;
  if (!resize_result(ctx, out, sizes, name) || !check_source(ctx, self, out, name)) return out;
  View from = view_of(self), to = view_of(out);
  pair_views(&to, &from, r);
  copy_view(to, from);
  return out;
}

}  // namespace

ET_KERNEL(permute_copy_out)
ET_KERNEL(transpose_copy_out)
ET_KERNEL(t_copy_out)
ET_KERNEL(pixel_shuffle_out)
ET_KERNEL(pixel_unshuffle_out)

}  // namespace et::ET_KERNELS
