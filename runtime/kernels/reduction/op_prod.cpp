// prod over everything and over one dim, in the dtype of the result.
#include "runtime/kernels/reduction/engine.h"

namespace et::ET_KERNELS {
namespace {

template <class T>
struct ProdOp {
  using C = T;
  using Wide = T;
  static constexpr int64_t kDepth = INT64_MAX;
  C first() const { return C{1}; }
  Wide wide_first() const { return Wide{1}; }
  C step(C a, C x) const {
    if constexpr (std::is_floating_point_v<T>) {
      return a * x;
    } else {
      return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(x));
    }
  }
  C join(C a, C b) const { return step(a, b); }
  void widen(Wide* total, C a) const { *total = step(*total, a); }
};

Tensor& reduce_prod(KernelRuntimeContext& ctx, const char* op, const Tensor& in, const DimSet& set, bool keepdim,
                    optional<ScalarType> dtype, Tensor& out) {
  const ScalarType compute = dtype.value_or(out.scalar_type());
  ET_KERNEL_CHECK_MSG(ctx,
                      in_set(in.scalar_type(), kChunkDtypes) && in_set(compute, kChunkDtypes) &&
                          in_set(out.scalar_type(), kChunkDtypes) &&
                          (compute == out.scalar_type() || can_cast(compute, out.scalar_type())),
                      InvalidArgument, out, "%s: cannot reduce %s as %s into %s", op,
                      scalar_type_name(in.scalar_type()), scalar_type_name(compute),
                      scalar_type_name(out.scalar_type()));
  if (!prepare_out(ctx, op, out, reduced_shape(in, set, keepdim)) || out.numel() == 0) return out;
  if (in.numel() == 0) {
    fill_out(out, 1.0);
    return out;
  }
  ReducePlan plan;
  if (!make_plan(ctx, op, in, set, out, out, keepdim, &plan)) return out;
  dispatch_compute(compute, [&]<class C>() {
    const ChunkWriter<C> writer(out);
    run_reduce(plan, ProdOp<C>{}, ChunkReader<C>(in, compute),
               [&](const C* totals, int64_t n, int64_t at, int64_t stride) { writer.put(at, stride, n, totals); });
  });
  return out;
}

Tensor& prod_out(KernelRuntimeContext& ctx, const Tensor& in, optional<ScalarType> dtype, Tensor& out) {
  return reduce_prod(ctx, "aten::prod.out", in, all_dims(), false, dtype, out);
}

Tensor& prod_int_out(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim, bool keepdim, optional<ScalarType> dtype,
                     Tensor& out) {
  DimSet set;
  if (!dims_of_list(ctx, "aten::prod.int_out", in, ArrayRef<int64_t>(&dim, 1), &set)) return out;
  return reduce_prod(ctx, "aten::prod.int_out", in, set, keepdim, dtype, out);
}

}  // namespace

ET_KERNEL(prod_out)
ET_KERNEL(prod_int_out)

}  // namespace et::ET_KERNELS
