// amax, amin over dims; max and min over everything.
#include "runtime/kernels/reduction/engine.h"
#include "runtime/kernels/reduction/extremum.h"

namespace et::ET_KERNELS {
namespace {

template <class T, bool kMax>
struct ExtremumOp {
  using C = T;
  using Wide = T;
  static constexpr int64_t kDepth = INT64_MAX;
  C first() const { return Extremum<T, kMax>::worst(); }
  Wide wide_first() const { return first(); }
  C step(C a, C x) const { return Extremum<T, kMax>::pick(a, x); }
  C join(C a, C b) const { return step(a, b); }
  void widen(Wide* total, C a) const { *total = step(*total, a); }
};

/// `same`: of the dtype of the input only.
template <bool kMax>
Tensor& reduce_extremum(KernelRuntimeContext& ctx, const char* op, const Tensor& in, const DimSet& set, bool keepdim,
                        bool same, Tensor& out) {
  ET_KERNEL_CHECK_MSG(
      ctx,
      in_set(in.scalar_type(), kRealHB & kChunkDtypes) && in_set(out.scalar_type(), kRealHB & kChunkDtypes) &&
          (same ? in.scalar_type() == out.scalar_type() : can_cast(in.scalar_type(), out.scalar_type())),
      InvalidArgument, out, "%s: cannot reduce %s into %s", op, scalar_type_name(in.scalar_type()),
      scalar_type_name(out.scalar_type()));
  if (!prepare_out(ctx, op, out, reduced_shape(in, set, keepdim)) || out.numel() == 0) return out;
  ET_KERNEL_CHECK_MSG(ctx, in.numel() > 0, InvalidArgument, out, "%s: an empty dimension has no minimum or maximum",
                      op);
  ReducePlan plan;
  if (!make_plan(ctx, op, in, set, out, out, keepdim, &plan)) return out;
  dispatch_compute(in.scalar_type(), [&]<class C>() {
    const ChunkWriter<C> writer(out);
    run_reduce(plan, ExtremumOp<C, kMax>{}, ChunkReader<C>(in),
               [&](const C* totals, int64_t n, int64_t at, int64_t stride) { writer.put(at, stride, n, totals); });
  });
  return out;
}

Tensor& amax_out(KernelRuntimeContext& ctx, const Tensor& in, ArrayRef<int64_t> dim, bool keepdim, Tensor& out) {
  DimSet set;
  if (!dims_of_list(ctx, "aten::amax.out", in, dim, &set)) return out;
  return reduce_extremum<true>(ctx, "aten::amax.out", in, set, keepdim, true, out);
}
Tensor& amin_out(KernelRuntimeContext& ctx, const Tensor& in, ArrayRef<int64_t> dim, bool keepdim, Tensor& out) {
  DimSet set;
  if (!dims_of_list(ctx, "aten::amin.out", in, dim, &set)) return out;
  return reduce_extremum<false>(ctx, "aten::amin.out", in, set, keepdim, true, out);
}
Tensor& max_unary_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return reduce_extremum<true>(ctx, "aten::max.unary_out", in, all_dims(), false, false, out);
}
Tensor& min_unary_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return reduce_extremum<false>(ctx, "aten::min.unary_out", in, all_dims(), false, false, out);
}

}  // namespace

ET_KERNEL(amax_out)
ET_KERNEL(amin_out)
ET_KERNEL(max_unary_out)
ET_KERNEL(min_unary_out)

}  // namespace et::ET_KERNELS
