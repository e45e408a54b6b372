// any: whether an element differs from zero. Only bits count, so one loop per element size serves all dtypes.
#include "runtime/kernels/reduction/engine.h"

namespace et::ET_KERNELS {
namespace {

template <class U>
struct AnyOp {
  using C = U;
  using Wide = U;
  static constexpr int64_t kDepth = INT64_MAX;
  U mask;  // without the sign of floats: -0.0 is zero
  C first() const { return C{0}; }
  Wide wide_first() const { return Wide{0}; }
  C step(C a, C x) const { return static_cast<U>(a | (x & mask)); }
  C join(C a, C b) const { return static_cast<U>(a | b); }
  void widen(Wide* total, C a) const { *total = static_cast<U>(*total | a); }
};

template <class U>
struct BitReader {
  const U* base;
  const U* get(int64_t offset, int64_t, int64_t, U*) const { return base + offset; }
  template <class F>
  void for_each(int64_t offset, int64_t, int64_t n, const F& f) const {
    f(int64_t{0}, base + offset, n);
  }
};

template <class U>
void any_bits(const ReducePlan& plan, const Tensor& in, const Tensor& out) {
  const bool floating = is_floating(in.scalar_type());
  const AnyOp<U> op{floating ? static_cast<U>(static_cast<U>(~U{0}) >> 1) : static_cast<U>(~U{0})};
  const BitReader<U> reader{in.const_data_ptr<U>()};
  const ChunkWriter<int64_t> writer(out);
  run_reduce(plan, op, reader, [&](const U* totals, int64_t n, int64_t at, int64_t stride) {
    int64_t values[kTile<U>];
    for (int64_t i = 0; i < n; ++i) values[i] = totals[i] != 0 ? 1 : 0;
    writer.put(at, stride, n, values);
  });
}

constexpr DtypeSet kAnyDtypes = kChunkDtypes;

Tensor& reduce_any(KernelRuntimeContext& ctx, const char* op, const Tensor& in, const DimSet& set, bool keepdim,
                   Tensor& out) {
  ET_KERNEL_CHECK_MSG(ctx, in_set(in.scalar_type(), kAnyDtypes) && in_set(out.scalar_type(), kChunkDtypes),
                      InvalidArgument, out, "%s: cannot reduce %s into %s", op, scalar_type_name(in.scalar_type()),
                      scalar_type_name(out.scalar_type()));
  if (!prepare_out(ctx, op, out, reduced_shape(in, set, keepdim)) || out.numel() == 0) return out;
  if (in.numel() == 0) {
    fill_out(out, 0.0);
    return out;
  }
  ReducePlan plan;
  if (!make_plan(ctx, op, in, set, out, out, keepdim, &plan)) return out;
  switch (in.element_size()) {
    case 1:
      any_bits<uint8_t>(plan, in, out);
      break;
    case 2:
      any_bits<uint16_t>(plan, in, out);
      break;
    case 4:
      any_bits<uint32_t>(plan, in, out);
      break;
    default:
      any_bits<uint64_t>(plan, in, out);
  }
  return out;
}

Tensor& any_all_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return reduce_any(ctx, "aten::any.all_out", in, all_dims(), false, out);
}

Tensor& any_out(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim, bool keepdim, Tensor& out) {
  DimSet set;
  if (!dims_of_list(ctx, "aten::any.out", in, ArrayRef<int64_t>(&dim, 1), &set)) return out;
  return reduce_any(ctx, "aten::any.out", in, set, keepdim, out);
}

// Unlike the other reductions, an empty list reduces nothing here; none is all.
Tensor& any_dims_out(KernelRuntimeContext& ctx, const Tensor& in, optional<ArrayRef<int64_t>> dim, bool keepdim,
                     Tensor& out) {
  DimSet set = all_dims();
  if (dim.has_value() && !dims_of_list(ctx, "aten::any.dims_out", in, *dim, &set)) return out;
  if (dim.has_value() && dim->empty()) set = DimSet{};
  return reduce_any(ctx, "aten::any.dims_out", in, set, keepdim, out);
}

}  // namespace

ET_KERNEL(any_all_out)
ET_KERNEL(any_out)
ET_KERNEL(any_dims_out)

}  // namespace et::ET_KERNELS
