// cat and stack: each tensor is copied into its part of the result.
#include <cstring>

#include "runtime/kernels/common/kernel.h"
#include "runtime/kernels/movement/copy_run.h"
#include "runtime/kernels/movement/view.h"

namespace et::ET_KERNELS {
namespace {

// What cat leaves out: tensors without elements of one dimension, as eager PyTorch does, or of another rank than the
// rest, as ExecuTorch does.
bool is_nothing(const Tensor& t, ssize_t rank) { return t.numel() == 0 && (t.dim() == 1 || t.dim() != rank); }

// Lists may hold entries that are no tensors. All tensors must be convertible to the dtype of out.
bool check_list(KernelRuntimeContext& ctx, ArrayRef<Tensor> tensors, const Tensor& out, const char* name) {
  ET_KERNEL_CHECK_MSG(ctx, !tensors.empty(), InvalidArgument, false, "%s: tensors is empty", name);
  ScalarType common = ScalarType::Bool;
  for (size_t i = 0; i < tensors.size(); ++i) {
    ET_KERNEL_CHECK_MSG(ctx, tensors[i].unsafeGetTensorImpl() != nullptr, InvalidArgument, false,
                        "%s: tensors[%zu]: expected a tensor", name, i);
    if (!has_data(ctx, tensors[i], name, "an entry of tensors")) return false;
    common = i == 0 ? tensors[i].scalar_type() : promote_types(common, tensors[i].scalar_type());
  }
  ET_KERNEL_CHECK_MSG(ctx, common == out.scalar_type() || can_cast(common, out.scalar_type()), InvalidArgument, false,
                      "%s: dtype %s cannot become that of out, %s", name, scalar_type_name(common),
                      scalar_type_name(out.scalar_type()));
  return true;
}

bool put(KernelRuntimeContext& ctx, const View& to, const Tensor& out, const View& from, const Tensor& t,
         const char* name) {
  ET_KERNEL_CHECK_MSG(ctx, convert_view(to, out.scalar_type(), from, t.scalar_type()), InvalidArgument, false,
                      "%s: dtype %s cannot be converted to %s", name, scalar_type_name(t.scalar_type()),
                      scalar_type_name(out.scalar_type()));
  return true;
}

// Everything in row-major order and of one dtype: the result is written from front to back. False: not so, or the
// pieces are too short for it.
bool cat_rows(ArrayRef<Tensor> tensors, size_t along, const Tensor& out) {
  constexpr int64_t kShortest = 64;  // bytes
  if (!is_contiguous(out)) return false;
  int64_t rows = 1, inner = static_cast<int64_t>(out.element_size());
  for (size_t d = 0; d < out.sizes().size(); ++d) {
    if (d < along) rows *= out.sizes()[d];
    if (d > along) inner *= out.sizes()[d];
  }
  if (rows == 1) return false;  // one piece of each: a plain copy does it
  for (const Tensor& t : tensors) {
    if (is_nothing(t, out.dim())) continue;
    if (!is_contiguous(t) || t.scalar_type() != out.scalar_type() || t.sizes()[along] * inner < kShortest) return false;
  }
  const int64_t row = out.sizes()[along] * inner;
  parallel_for(0, rows, 1 + (256 * 1024) / (row + 1), [&](int64_t begin, int64_t end) {
    uint8_t* to = out.mutable_data_ptr<uint8_t>() + begin * row;
    for (int64_t i = begin; i < end; ++i) {
      for (const Tensor& t : tensors) {
        if (is_nothing(t, out.dim())) continue;
        const int64_t piece = t.sizes()[along] * inner;
        copy_run(to, t.const_data_ptr<uint8_t>() + i * piece, piece);
        to += piece;
      }
    }
  });
  return true;
}

Tensor& cat_out(KernelRuntimeContext& ctx, ArrayRef<Tensor> tensors, int64_t dim, Tensor& out) {
  const char* name = "aten::cat";
  if (!check_list(ctx, tensors, out, name)) return out;
  const Tensor* model = nullptr;
  for (const Tensor& t : tensors) {
    if (model == nullptr && t.numel() > 0) model = &t;
  }
  for (const Tensor& t : tensors) {
    if (model == nullptr && t.dim() != 1) model = &t;
  }
  Sizes sizes;
  if (model == nullptr) {
    sizes.push(0);
    resize_result(ctx, out, sizes, name);
    return out;
  }
  ET_KERNEL_CHECK_MSG(ctx, model->dim() > 0, InvalidArgument, out, "%s: tensors has a scalar", name);
  if (!wrap_dim(ctx, &dim, model->dim(), name)) return out;
  const size_t along = static_cast<size_t>(dim);
  sizes = sizes_of(*model);
  sizes.v[along] = 0;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Tensor& t = tensors[i];
    if (is_nothing(t, model->dim())) continue;
    ET_KERNEL_CHECK_MSG(ctx, t.dim() == model->dim(), InvalidArgument, out, "%s: tensors[%zu] has rank %zd, not %zd",
                        name, i, t.dim(), model->dim());
    for (size_t d = 0; d < sizes.rank; ++d) {
      ET_KERNEL_CHECK_MSG(ctx, d == along || t.sizes()[d] == sizes.v[d], InvalidArgument, out,
                          "%s: tensors[%zu] has size %d in dimension %zu, not %lld", name, i,
                          static_cast<int>(t.sizes()[d]), d, static_cast<long long>(sizes.v[d]));
    }
    sizes.v[along] += t.sizes()[along];
  }
  if (!resize_result(ctx, out, sizes, name)) return out;
  if (cat_rows(tensors, along, out)) return out;
  const View whole = view_of(out);
  int64_t at = 0;
  for (const Tensor& t : tensors) {
    if (is_nothing(t, out.dim())) continue;
    const View from = view_of(t);
    View to = whole;
    to.slice(along, at, from.sizes[along]);
    at += from.sizes[along];
    if (t.numel() > 0 && !put(ctx, to, out, from, t, name)) return out;
  }
  return out;
}

Tensor& stack_out(KernelRuntimeContext& ctx, ArrayRef<Tensor> tensors, int64_t dim, Tensor& out) {
  const char* name = "aten::stack";
  if (!check_list(ctx, tensors, out, name)) return out;
  if (!wrap_dim(ctx, &dim, tensors[0].dim() + 1, name)) return out;
  for (size_t i = 1; i < tensors.size(); ++i) {
    ET_KERNEL_CHECK_MSG(ctx, same_sizes(tensors[0], tensors[i]), InvalidArgument, out,
                        "%s: tensors[%zu] has other sizes than tensors[0]", name, i);
  }
  Sizes sizes;
  for (ssize_t d = 0; d <= tensors[0].dim(); ++d) {
    if (d == dim) sizes.push(static_cast<int64_t>(tensors.size()));
    if (d < tensors[0].dim()) sizes.push(tensors[0].size(d));
  }
  if (!resize_result(ctx, out, sizes, name) || out.numel() == 0) return out;
  View to = view_of(out);
  const int64_t step = to.steps[dim];
  to.remove(static_cast<size_t>(dim));
  for (const Tensor& t : tensors) {
    if (!put(ctx, to, out, view_of(t), t, name)) return out;
    to.data += step;
  }
  return out;
}

}  // namespace

ET_KERNEL(cat_out)
ET_KERNEL(stack_out)

}  // namespace et::ET_KERNELS
