#include "runtime/kernels/reduction/plan.h"

#include "runtime/kernels/reduction/chunks.h"

namespace et::ET_KERNELS {

bool dims_of_list(KernelRuntimeContext& ctx, const char* op, const Tensor& in, ArrayRef<int64_t> dims, DimSet* set) {
  *set = DimSet{};
  for (int64_t dim : dims) {
    int64_t d = dim;
    ET_KERNEL_CHECK_MSG(ctx, normalize_dim(&d, in.dim()), InvalidArgument, false,
                        "%s: dim %lld is out of range for a tensor of rank %zd", op, static_cast<long long>(dim),
                        in.dim());
    ET_KERNEL_CHECK_MSG(ctx, !set->has[d], InvalidArgument, false, "%s: dim %lld appears more than once", op,
                        static_cast<long long>(dim));
    set->has[d] = true;
  }
  if (dims.empty()) *set = all_dims();
  return true;
}

DimSet dims_of(optional<int64_t> dim) {
  if (!dim.has_value()) return all_dims();
  DimSet set;
  set.has[*dim] = true;
  return set;
}

Shape reduced_shape(const Tensor& in, const DimSet& set, bool keepdim) {
  Shape shape;
  for (size_t d = 0; d < in.sizes().size(); ++d) {
    if (!set.has[d]) {
      shape.push(in.sizes()[d]);
    } else if (keepdim) {
      shape.push(1);
    }
  }
  return shape;
}

int64_t reduced_numel(const Tensor& in, const DimSet& set) {
  int64_t n = 1;
  for (size_t d = 0; d < in.sizes().size(); ++d) {
    if (set.has[d]) n *= in.sizes()[d];
  }
  return n;
}

bool strides_fit(const Tensor& t) {
  if (t.numel() == 0) return true;
  int64_t last = 0;
  for (size_t d = 0; d < t.sizes().size(); ++d) {
    if (t.sizes()[d] <= 1) continue;
    if (t.strides()[d] < 0) return false;
    last += (static_cast<int64_t>(t.sizes()[d]) - 1) * t.strides()[d];
  }
  return last < t.numel();
}

bool check_memory(KernelRuntimeContext& ctx, const char* op, const char* name, const Tensor& t) {
  ET_KERNEL_CHECK_MSG(ctx, t.numel() == 0 || t.const_data_ptr() != nullptr, InvalidArgument, false,
                      "%s: %s has no data", op, name);
  ET_KERNEL_CHECK_MSG(ctx, strides_fit(t), InvalidArgument, false, "%s: the strides of %s leave its memory", op, name);
  return true;
}

bool prepare_out(KernelRuntimeContext& ctx, const char* op, const Tensor& out, const Shape& shape) {
  return resize_out(ctx, out, shape.view(), op) && check_memory(ctx, op, "out", out);
}

bool make_plan(KernelRuntimeContext& ctx, const char* op, const Tensor& in, const DimSet& set, const Tensor& out,
               const Tensor& out2, bool keepdim, ReducePlan* plan) {
  *plan = ReducePlan{};
  if (!check_memory(ctx, op, "self", in)) return false;
  const size_t rank = in.sizes().size();
  size_t out_dim[kTensorDimensionLimit] = {};
  size_t kept = 0;
  for (size_t d = 0; d < rank; ++d) {
    out_dim[d] = keepdim ? d : kept;
    if (!set.has[d]) ++kept;
  }
  // Dimensions by falling stride: insertion sort, as there are at most 16.
  size_t order[kTensorDimensionLimit];
  size_t count = 0;
  for (size_t d = 0; d < rank; ++d) {
    if (in.sizes()[d] == 1) continue;
    size_t at = count++;
    for (; at > 0 && in.strides()[order[at - 1]] < in.strides()[d]; --at) order[at] = order[at - 1];
    order[at] = d;
  }
  bool last_kept = false;
  for (size_t i = 0; i < count; ++i) {
    const size_t d = order[i];
    Run run;
    run.size = in.sizes()[d];
    run.in = in.strides()[d];
    const bool is_kept = !set.has[d];
    if (is_kept) {
      run.out[0] = out.strides()[out_dim[d]];
      run.out[1] = out2.strides()[out_dim[d]];
    }
    Run* runs = is_kept ? plan->kept : plan->reduced;
    size_t* runs_rank = is_kept ? &plan->kept_rank : &plan->reduced_rank;
    Run* previous = i > 0 && last_kept == is_kept ? &runs[*runs_rank - 1] : nullptr;
    if (previous != nullptr && previous->in == run.in * run.size && previous->out[0] == run.out[0] * run.size &&
        previous->out[1] == run.out[1] * run.size) {
      run.size *= previous->size;
      *previous = run;
    } else {
      runs[(*runs_rank)++] = run;
    }
    last_kept = is_kept;
  }
  // The innermost run is taken out of its list; it has to be contiguous, else it is a run of one.
  plan->inner_kept = count > 0 && last_kept;
  if (count > 0) {
    Run* runs = last_kept ? plan->kept : plan->reduced;
    size_t* runs_rank = last_kept ? &plan->kept_rank : &plan->reduced_rank;
    if (runs[*runs_rank - 1].in == 1) {
      plan->inner = runs[--*runs_rank];
    } else {
      plan->inner_kept = false;
    }
  }
  for (size_t d = 0; d < plan->kept_rank; ++d) plan->kept_count *= plan->kept[d].size;
  for (size_t d = 0; d < plan->reduced_rank; ++d) plan->reduced_count *= plan->reduced[d].size;
  return true;
}

void fill_out(const Tensor& out, double value) {
  const ChunkWriter<double> writer(out);
  double values[64];
  for (double& v : values) v = value;
  // A dense tensor: the order of its elements does not matter.
  for (int64_t i = 0; i < out.numel(); i += 64) {
    writer.put(i, 1, out.numel() - i < 64 ? out.numel() - i : 64, values);
  }
}

}  // namespace et::ET_KERNELS
