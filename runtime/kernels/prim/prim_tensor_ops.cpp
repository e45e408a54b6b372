// executorch_prim::et_copy_index and et_view: the two primitives that change tensors.
#include "runtime/kernels/common/kernel.h"
#include "runtime/kernels/movement/view.h"

namespace et::ET_KERNELS {
namespace {

using Stack = Span<EValue*>;

bool expect(KernelRuntimeContext& ctx, const char* name, Stack stack, const bool (&types)[3]) {
  ET_KERNEL_CHECK_MSG(ctx, stack.size() == 3, InvalidProgram, false, "%s: expected 3 values, got %zu", name,
                      stack.size());
  for (size_t i = 0; i < 3; ++i) {
    ET_KERNEL_CHECK_MSG(ctx, types[i], InvalidType, false, "%s: value %zu is a %s", name, i, tag_name(stack[i]->tag));
  }
  return true;
}
bool has_type(Stack stack, size_t i, Tag tag) { return i < stack.size() && stack[i]->tag == tag; }

/// dst, which grows to index + 1 rows, gets src as its last row. It is what loops over a dimension gather results with.
void copy_index(KernelRuntimeContext& ctx, Stack stack) {
  constexpr const char* kName = "executorch_prim::et_copy_index.tensor";
  if (!expect(ctx, kName, stack,
              {has_type(stack, 0, Tag::Tensor), has_type(stack, 1, Tag::Tensor), has_type(stack, 2, Tag::Int)})) {
    return;
  }
  const Tensor dst = stack[0]->toTensor();
  const Tensor src = stack[1]->toTensor();
  const int64_t index = stack[2]->toInt();
  ET_KERNEL_CHECK_MSG(ctx, index >= 0 && index < INT32_MAX, InvalidArgument, , "%s: index %lld", kName,
                      static_cast<long long>(index));
  ET_KERNEL_CHECK_MSG(ctx, dst.dim() == src.dim() + 1, InvalidArgument, , "%s: dst has rank %zd, src %zd", kName,
                      dst.dim(), src.dim());
  ET_KERNEL_CHECK_MSG(ctx, dst.scalar_type() == src.scalar_type(), InvalidArgument, , "%s: dst is %s, src %s", kName,
                      scalar_type_name(dst.scalar_type()), scalar_type_name(src.scalar_type()));
  Shape grown;
  grown.push(index + 1);
  for (size_t d = 0; d < src.sizes().size(); ++d) {
    ET_KERNEL_CHECK_MSG(ctx, dst.sizes()[d + 1] == src.sizes()[d], InvalidArgument, ,
                        "%s: dimension %zu of src has %d elements, a row of dst %d", kName, d,
                        static_cast<int>(src.sizes()[d]), static_cast<int>(dst.sizes()[d + 1]));
    grown.push(src.sizes()[d]);
  }
  ET_KERNEL_CHECK_MSG(ctx, !dst.unsafeGetTensorImpl()->is_read_only(), InvalidArgument, , "%s: dst is a constant",
                      kName);
  // Rows that are there already must not move when another is added.
  ET_KERNEL_CHECK_MSG(ctx, dst.dim_order()[0] == 0, InvalidArgument, , "%s: the rows of dst are not contiguous", kName);
  ET_KERNEL_CHECK_MSG(ctx, resize_tensor(dst, grown.view()) == Error::Ok, InvalidState, ,
                      "%s: dst has no memory for row %lld", kName, static_cast<long long>(index));
  if (!has_data(ctx, dst, kName, "dst") || !has_data(ctx, src, kName, "src")) return;
  View row = view_of(dst);
  row.slice(0, index, 1);
  row.remove(0);
  copy_view(row, view_of(src));
}

/// Elements lie in memory in the order of their indices.
bool is_row_major(const Tensor& t) {
  int64_t step = 1;
  for (size_t d = t.sizes().size(); d-- > 0;) {
    if (t.sizes()[d] == 1) continue;
    if (t.strides()[d] != step) return false;
    step *= t.sizes()[d];
  }
  return true;
}

/// out becomes self with other sizes, at the same address.
void view(KernelRuntimeContext& ctx, Stack stack) {
  constexpr const char* kName = "executorch_prim::et_view.default";
  if (!expect(ctx, kName, stack,
              {has_type(stack, 0, Tag::Tensor), has_type(stack, 1, Tag::ListInt), has_type(stack, 2, Tag::Tensor)})) {
    return;
  }
  const Tensor self = stack[0]->toTensor();
  const ArrayRef<int64_t> size = stack[1]->toIntList();
  const Tensor out = stack[2]->toTensor();
  ET_KERNEL_CHECK_MSG(ctx, self.scalar_type() == out.scalar_type(), InvalidArgument, , "%s: self is %s, out %s", kName,
                      scalar_type_name(self.scalar_type()), scalar_type_name(out.scalar_type()));
  ET_KERNEL_CHECK_MSG(ctx, static_cast<ssize_t>(size.size()) == out.dim(), InvalidArgument, ,
                      "%s: size has %zu entries, out %zd dimensions", kName, size.size(), out.dim());
  int64_t known = 1;
  size_t open = size.size();
  for (size_t d = 0; d < size.size(); ++d) {
    if (size[d] == -1) {
      ET_KERNEL_CHECK_MSG(ctx, open == size.size(), InvalidArgument, , "%s: size has more than one -1", kName);
      open = d;
      continue;
    }
    ET_KERNEL_CHECK_MSG(ctx, size[d] >= 0 && size[d] <= INT32_MAX && !__builtin_mul_overflow(known, size[d], &known),
                        InvalidArgument, , "%s: size has an entry of %lld", kName, static_cast<long long>(size[d]));
  }
  Shape shape;
  for (const int64_t n : size) shape.push(n);
  if (open != size.size()) {
    ET_KERNEL_CHECK_MSG(ctx, known != 0 && self.numel() % known == 0 && self.numel() / known <= INT32_MAX,
                        InvalidArgument, , "%s: %zd elements cannot be seen in the given size", kName, self.numel());
    shape.sizes[open] = static_cast<int32_t>(self.numel() / known);
    known *= shape.sizes[open];
  }
  ET_KERNEL_CHECK_MSG(ctx, known == self.numel(), InvalidArgument, , "%s: self has %zd elements, size %lld", kName,
                      self.numel(), static_cast<long long>(known));
  if (!has_data(ctx, self, kName, "self")) return;
  // What is behind self's memory is not out's: it must not grow into it, now or later. A view of a constant is one.
  TensorImpl* const to = out.unsafeGetTensorImpl();
  const TensorImpl* const from = self.unsafeGetTensorImpl();
  void* const before = to->mutable_data();
  const size_t room_before = to->room();
  to->set_data(from->mutable_data(), from->mutable_data() != nullptr ? from->room() : 0);
  if (!resize_out(ctx, out, shape.view(), kName)) return to->set_data(before, room_before);
  const bool unchanged = same_sizes(self, out) && same_dim_order(self, out);
  if (!unchanged && !(is_row_major(self) && is_row_major(out))) {
    to->set_data(nullptr, 0);  // its shape is new
    ET_KERNEL_CHECK_MSG(ctx, false, InvalidArgument, , "%s: self or out is not contiguous", kName);
  }
  to->set_read_only(from->is_read_only());
}

}  // namespace

#define ET_ROW(function)                                                         \
  void boxed_prim_##function(KernelRuntimeContext& context, Span<EValue*> args); \
  void boxed_prim_##function(KernelRuntimeContext& context, Span<EValue*> args) { function(context, args); }
ET_ROW(copy_index)
ET_ROW(view)
#undef ET_ROW

}  // namespace et::ET_KERNELS
