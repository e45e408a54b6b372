// Reading aten's list of indices: dtypes, sizes of masks, the common shape of the positions and where it stands in the
// result.
#include "runtime/kernels/common/kernel.h"
#include "runtime/kernels/indexing/index_walk.h"

namespace et::ET_KERNELS {
namespace {

bool is_mask(const Tensor& t) { return t.scalar_type() == ScalarType::Bool || t.scalar_type() == ScalarType::Byte; }

int64_t count_true(const Tensor& mask) {
  const uint8_t* m = mask.const_data_ptr<uint8_t>();
  int64_t n = 0;
  for (ssize_t i = 0; i < mask.numel(); ++i) n += m[i] != 0;
  return n;
}

bool add_positions(KernelRuntimeContext& ctx, IndexPlan* plan, size_t argument, ArrayRef<int64_t> sizes) {
  Sizes& p = plan->positions;
  const size_t rank = p.rank > sizes.size() ? p.rank : sizes.size();
  int64_t both[kTensorDimensionLimit];
  for (size_t i = 0; i < rank; ++i) {
    const int64_t a = i < p.rank ? p.v[p.rank - 1 - i] : 1;
    const int64_t b = i < sizes.size() ? sizes[sizes.size() - 1 - i] : 1;
    ET_KERNEL_CHECK_MSG(ctx, a == b || a == 1 || b == 1, InvalidArgument, false,
                        "%s: indices[%zu] has size %lld where another index has %lld", plan->name, argument,
                        static_cast<long long>(b), static_cast<long long>(a));
    both[rank - 1 - i] = a == 1 ? b : a;
  }
  p.rank = rank;
  for (size_t i = 0; i < rank; ++i) p.v[i] = both[i];
  return true;
}

// Shape of the result: the positions where the addressed dimensions were, or in front if those are not neighbours.
void place_positions(const Tensor& self, IndexPlan* plan) {
  bool together = true;
  for (size_t c = 1; c < plan->columns; ++c) together = together && plan->column[c].dim == plan->column[c - 1].dim + 1;
  const size_t at = together && plan->columns > 0 ? plan->column[0].dim : 0;
  plan->positions_at = at;
  size_t d = 0;
  for (; d < at; ++d) plan->result.push(self.sizes()[d]);
  for (size_t i = 0; i < plan->positions.rank; ++i) plan->result.push(plan->positions.v[i]);
  for (; d < self.sizes().size(); ++d) {
    if (!plan->addressed[d]) plan->result.push(self.sizes()[d]);
  }
}

}  // namespace

bool make_index_plan(KernelRuntimeContext& ctx, const Tensor& self, ArrayRef<optional<Tensor>> indices,
                     const char* operator_name, IndexPlan* plan) {
  plan->name = operator_name;
  const size_t rank = static_cast<size_t>(self.dim());
  size_t d = 0;
  for (size_t i = 0; i < indices.size(); ++i) {
    if (!indices[i].has_value()) {
      ++d;
      continue;
    }
    const Tensor& t = *indices[i];
    if (!has_data(ctx, t, operator_name, "an index")) return false;
    const bool mask = is_mask(t);
    ET_KERNEL_CHECK_MSG(ctx, mask || t.scalar_type() == ScalarType::Int || t.scalar_type() == ScalarType::Long,
                        InvalidArgument, false, "%s: indices[%zu] has dtype %s, not int32, int64, bool or uint8",
                        operator_name, i, scalar_type_name(t.scalar_type()));
    ET_KERNEL_CHECK_MSG(ctx, !mask || t.dim() > 0, InvalidArgument, false,
                        "%s: indices[%zu] is a mask without dimensions", operator_name, i);
    const int64_t count = mask ? count_true(t) : 0;
    const size_t takes = mask ? static_cast<size_t>(t.dim()) : 1;
    ET_KERNEL_CHECK_MSG(ctx, d + takes <= rank, InvalidArgument, false,
                        "%s: indices[%zu] addresses dimension %zu of a tensor of rank %zu", operator_name, i,
                        d + takes - 1, rank);
    for (size_t k = 0; k < takes; ++k) {
      ET_KERNEL_CHECK_MSG(ctx, !mask || t.sizes()[k] == self.sizes()[d + k], InvalidArgument, false,
                          "%s: the mask indices[%zu] has size %d in dimension %zu, self %d", operator_name, i,
                          static_cast<int>(t.sizes()[k]), k, static_cast<int>(self.sizes()[d + k]));
      plan->column[plan->columns++] = {&t, mask, k, count, i, d + k};
      plan->addressed[d + k] = true;
    }
    d += takes;
    int64_t sizes[kTensorDimensionLimit];
    size_t dims = static_cast<size_t>(t.dim());
    if (mask) {
      dims = 1;
      sizes[0] = count;
    } else {
      for (size_t k = 0; k < dims; ++k) sizes[k] = t.sizes()[k];
    }
    if (!add_positions(ctx, plan, i, {sizes, dims})) return false;
  }
  ET_KERNEL_CHECK_MSG(ctx, d <= rank, InvalidArgument, false, "%s: %zu indices for a tensor of rank %zu", operator_name,
                      indices.size(), rank);
  place_positions(self, plan);
  ET_KERNEL_CHECK_MSG(ctx, plan->result.fits, InvalidArgument, false, "%s: the result has too many dimensions",
                      operator_name);
  return true;
}

bool make_index_plan(KernelRuntimeContext& ctx, const Tensor& self, size_t dim, const Tensor& index,
                     const char* operator_name, IndexPlan* plan) {
  plan->name = operator_name;
  plan->negative_wraps = false;
  if (!has_data(ctx, index, operator_name, "index")) return false;
  ET_KERNEL_CHECK_MSG(ctx, index.scalar_type() == ScalarType::Int || index.scalar_type() == ScalarType::Long,
                      InvalidArgument, false, "%s: expected index to be int32 or int64, got %s", operator_name,
                      scalar_type_name(index.scalar_type()));
  plan->columns = 1;
  plan->column[0] = {&index, false, 0, 0, 0, dim};
  plan->addressed[dim] = true;
  plan->positions = sizes_of(index);
  place_positions(self, plan);
  ET_KERNEL_CHECK_MSG(ctx, plan->result.fits, InvalidArgument, false, "%s: the result has too many dimensions",
                      operator_name);
  return true;
}

}  // namespace et::ET_KERNELS
