// index, index_put, index_put_, index_select, embedding: all run an IndexPlan.
#include "runtime/kernels/common/kernel.h"
#include "runtime/kernels/indexing/index_walk.h"

namespace et::ET_KERNELS {
namespace {

Tensor& index_out(KernelRuntimeContext& ctx, const Tensor& self, ArrayRef<optional<Tensor>> indices, Tensor& out) {
  const char* name = "aten::index";
  IndexPlan plan;
  if (!make_index_plan(ctx, self, indices, name, &plan)) return out;
  if (!resize_result(ctx, out, plan.result, name) || !check_source(ctx, self, out, name)) return out;
  run_index_plan(ctx, plan, IndexMode::Get, view_of(self), view_of(out), out.scalar_type());
  return out;
}

// Writes `values`, repeated to the shape that the indices name, into `target`.
void put_values(KernelRuntimeContext& ctx, const Tensor& target, ArrayRef<optional<Tensor>> indices,
                const Tensor& values, bool accumulate, const char* name) {
  IndexPlan plan;
  if (!make_index_plan(ctx, target, indices, name, &plan) || !check_source(ctx, values, target, name)) return;
  const View given = view_of(values);
  ET_KERNEL_CHECK_MSG(ctx, given.rank <= plan.result.rank, InvalidArgument, ,
                      "%s: values has rank %zu, the indices address %zu dimensions", name, given.rank,
                      plan.result.rank);
  View plain = given;
  plain.rank = 0;
  for (size_t d = 0; d < plan.result.rank; ++d) {
    const bool there = d + given.rank >= plan.result.rank;
    const size_t own = d + given.rank - plan.result.rank;
    const int64_t size = there ? given.sizes[own] : 1;
    ET_KERNEL_CHECK_MSG(ctx, size == plan.result.v[d] || size == 1, InvalidArgument, ,
                        "%s: values has size %lld in dimension %zu, the indices address %lld", name,
                        static_cast<long long>(size), own, static_cast<long long>(plan.result.v[d]));
    plain.push(plan.result.v[d], there && size == plan.result.v[d] ? given.steps[own] : 0);
  }
  run_index_plan(ctx, plan, accumulate ? IndexMode::Add : IndexMode::Put, view_of(target), plain, target.scalar_type());
}

Tensor& index_put_out(KernelRuntimeContext& ctx, const Tensor& self, ArrayRef<optional<Tensor>> indices,
                      const Tensor& values, bool accumulate, Tensor& out) {
  const char* name = "aten::index_put";
  if (!resize_result(ctx, out, sizes_of(self), name) || !check_source(ctx, self, out, name)) return out;
  copy_view(view_of(out), view_of(self));
  put_values(ctx, out, indices, values, accumulate, name);
  return out;
}

Tensor& index_put_(KernelRuntimeContext& ctx, Tensor& self, ArrayRef<optional<Tensor>> indices, const Tensor& values,
                   bool accumulate) {
  const char* name = "aten::index_put_";
  if (has_data(ctx, self, name, "self")) put_values(ctx, self, indices, values, accumulate, name);
  return self;
}

Tensor& index_select_out(KernelRuntimeContext& ctx, const Tensor& self, int64_t dim, const Tensor& index, Tensor& out) {
  const char* name = "aten::index_select";
  if (!wrap_dim(ctx, &dim, self.dim(), name)) return out;
  ET_KERNEL_CHECK_MSG(ctx, index.dim() <= 1, InvalidArgument, out, "%s: expected index of rank 1, got %zd", name,
                      index.dim());
  ET_KERNEL_CHECK_MSG(ctx, self.dim() > 0 || index.numel() == 1, InvalidArgument, out,
                      "%s: index has %zd elements for a scalar", name, index.numel());
  const bool long_index = index.scalar_type() == ScalarType::Long;
  ET_KERNEL_CHECK_MSG(ctx, long_index || index.scalar_type() == ScalarType::Int, InvalidArgument, out,
                      "%s: expected index to be int32 or int64, got %s", name, scalar_type_name(index.scalar_type()));
  if (self.dim() == 0) {
    if (!resize_result(ctx, out, {}, name) || !check_source(ctx, self, out, name)) return out;
    if (!has_data(ctx, index, name, "index")) return out;
    const int64_t at = long_index ? *index.const_data_ptr<int64_t>() : *index.const_data_ptr<int32_t>();
    ET_KERNEL_CHECK_MSG(ctx, at == 0, InvalidArgument, out, "%s: index has %lld at position 0, self is a scalar", name,
                        static_cast<long long>(at));
    copy_view(view_of(out), view_of(self));
    return out;
  }
  IndexPlan plan;
  if (!make_index_plan(ctx, self, static_cast<size_t>(dim), index, name, &plan)) return out;
  if (index.dim() == 0) {
    // One position keeps its dimension.
    plan.positions.push(1);
    plan.result = sizes_of(self);
    plan.result.v[dim] = 1;
  }
  if (!resize_result(ctx, out, plan.result, name) || !check_source(ctx, self, out, name)) return out;
  run_index_plan(ctx, plan, IndexMode::Get, view_of(self), view_of(out), out.scalar_type());
  return out;
}

Tensor& embedding_out(KernelRuntimeContext& ctx, const Tensor& weight, const Tensor& indices, int64_t /*padding_idx*/,
                      bool /*scale_grad_by_freq*/, bool /*sparse*/, Tensor& out) {
  const char* name = "aten::embedding";
  ET_KERNEL_CHECK_MSG(ctx, weight.dim() == 2, InvalidArgument, out, "%s: expected weight of rank 2, got %zd", name,
                      weight.dim());
  IndexPlan plan;
  if (!make_index_plan(ctx, weight, 0, indices, name, &plan)) return out;
  if (!resize_result(ctx, out, plan.result, name) || !check_source(ctx, weight, out, name)) return out;
  run_index_plan(ctx, plan, IndexMode::Get, view_of(weight), view_of(out), out.scalar_type());
  return out;
}

}  // namespace

ET_KERNEL(index_out)
ET_KERNEL(index_put_out)
ET_KERNEL(index_put_)
ET_KERNEL(index_select_out)
ET_KERNEL(embedding_out)

}  // namespace et::ET_KERNELS
