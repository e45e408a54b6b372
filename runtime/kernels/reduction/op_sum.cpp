// sum and mean: the input is cast to the dtype of the result, summed in blocks, rounded once.
#include "runtime/kernels/reduction/engine.h"

namespace et::ET_KERNELS {
namespace {

bool check_dtypes(KernelRuntimeContext& ctx, const char* op, const Tensor& in, ScalarType compute, const Tensor& out) {
  ET_KERNEL_CHECK_MSG(ctx, in_set(in.scalar_type(), kChunkDtypes) && in_set(compute, kChunkDtypes), InvalidArgument,
                      false, "%s: cannot reduce %s as %s", op, scalar_type_name(in.scalar_type()),
                      scalar_type_name(compute));
  ET_KERNEL_CHECK_MSG(
      ctx,
      in_set(out.scalar_type(), kChunkDtypes) && (compute == out.scalar_type() || can_cast(compute, out.scalar_type())),
      InvalidArgument, false, "%s: a result of %s cannot be stored as %s", op, scalar_type_name(compute),
      scalar_type_name(out.scalar_type()));
  return true;
}

template <class C>
void sum_as(const ReducePlan& plan, const Tensor& in, ScalarType via, const Tensor& out, int64_t divisor) {
  const ChunkReader<C> reader(in, via);
  const ChunkWriter<C> writer(out);
  using Wide = typename SumOp<C>::Wide;
  // A float total times 1/n would round twice.
  run_reduce(plan, SumOp<C>{}, reader, [&](const Wide* totals, int64_t n, int64_t at, int64_t stride) {
    C values[kTile<C>];
    if (divisor == 1) {
      for (int64_t i = 0; i < n; ++i) values[i] = static_cast<C>(totals[i]);
    } else {
      const Wide by = static_cast<Wide>(divisor);
      for (int64_t i = 0; i < n; ++i) values[i] = static_cast<C>(totals[i] / by);
    }
    writer.put(at, stride, n, values);
  });
}

// float16 and bfloat16 sums are float; bool sums are counts, of which only zero or not is stored.
void sum_into(KernelRuntimeContext& ctx, const char* op, const Tensor& in, const DimSet& set, bool keepdim,
              ScalarType compute, bool mean, const Tensor& out) {
  if (!check_dtypes(ctx, op, in, compute, out)) return;
  if (!prepare_out(ctx, op, out, reduced_shape(in, set, keepdim))) return;
  const int64_t count = reduced_numel(in, set);
  if (out.numel() == 0) return;
  if (count == 0 || in.numel() == 0) {
    fill_out(out, mean ? std::numeric_limits<double>::quiet_NaN() : 0.0);
    return;
  }
  ReducePlan plan;
  if (!make_plan(ctx, op, in, set, out, out, keepdim, &plan)) return;
  dispatch_compute(compute, [&]<class C>() { sum_as<C>(plan, in, compute, out, mean ? count : 1); });
}

// Complex numbers are pairs of floats: one more kept dimension of two.
struct ComplexView {
  int32_t sizes[kTensorDimensionLimit];
  int32_t strides[kTensorDimensionLimit];
  uint8_t order[kTensorDimensionLimit];
  TensorImpl impl;

  static ScalarType part(ScalarType t) {
    if (t == ScalarType::ComplexHalf) return ScalarType::Half;
    return t == ScalarType::ComplexDouble ? ScalarType::Double : ScalarType::Float;
  }
  explicit ComplexView(const Tensor& t) : impl(fill(t)) {}

 private:
  TensorImpl fill(const Tensor& t) {
    const size_t rank = t.sizes().size();
    for (size_t d = 0; d < rank; ++d) {
      sizes[d] = t.sizes()[d];
      strides[d] = t.strides()[d] * 2;
      order[d] = t.dim_order()[d];
    }
    sizes[rank] = 2;
    strides[rank] = 1;
    order[rank] = static_cast<uint8_t>(rank);
    return TensorImpl(part(t.scalar_type()), rank + 1, sizes, t.mutable_data_ptr(), order, strides);
  }
};

void sum_complex(KernelRuntimeContext& ctx, const char* op, const Tensor& in, DimSet set, bool keepdim, bool mean,
                 const Tensor& out) {
  ET_KERNEL_CHECK_MSG(ctx, in.scalar_type() == out.scalar_type(), InvalidArgument, ,
                      "%s: expected an output of the complex input's dtype", op);
  ET_KERNEL_CHECK_MSG(ctx, in.sizes().size() < kTensorDimensionLimit, InvalidArgument, , "%s: rank %zd is too high", op,
                      in.dim());
  if (!prepare_out(ctx, op, out, reduced_shape(in, set, keepdim))) return;
  set.has[in.dim()] = false;
  ComplexView in_parts(in);
  ComplexView out_parts(out);
  // A dimension kept with size 1 keeps the last one in its place for both.
  sum_into(ctx, op, Tensor(&in_parts.impl), set, keepdim, ComplexView::part(in.scalar_type()), mean,
           Tensor(&out_parts.impl));
}

Tensor& reduce_sum(KernelRuntimeContext& ctx, const char* op, const Tensor& in, const DimSet& set, bool keepdim,
                   optional<ScalarType> dtype, bool mean, Tensor& out) {
  if (is_complex(in.scalar_type())) {
    sum_complex(ctx, op, in, set, keepdim, mean, out);
    return out;
  }
  ET_KERNEL_CHECK_MSG(ctx, !mean || dtype.has_value() || is_floating(in.scalar_type()), InvalidArgument, out,
                      "%s: the mean of %s needs a dtype", op, scalar_type_name(in.scalar_type()));
  const ScalarType compute = dtype.value_or(out.scalar_type());
  ET_KERNEL_CHECK_MSG(ctx, !mean || is_floating(compute), InvalidArgument, out,
                      "%s: expected a floating result, got %s", op, scalar_type_name(compute));
  sum_into(ctx, op, in, set, keepdim, compute, mean, out);
  return out;
}

Tensor& sum_dim_out(KernelRuntimeContext& ctx, const Tensor& in, optional<ArrayRef<int64_t>> dim, bool keepdim,
                    optional<ScalarType> dtype, Tensor& out) {
  DimSet set;
  if (!dims_of_list(ctx, "aten::sum.IntList_out", in, dim.value_or(ArrayRef<int64_t>{}), &set)) return out;
  return reduce_sum(ctx, "aten::sum.IntList_out", in, set, keepdim, dtype, false, out);
}

Tensor& mean_dim_out(KernelRuntimeContext& ctx, const Tensor& in, optional<ArrayRef<int64_t>> dim, bool keepdim,
                     optional<ScalarType> dtype, Tensor& out) {
  DimSet set;
  if (!dims_of_list(ctx, "aten::mean.out", in, dim.value_or(ArrayRef<int64_t>{}), &set)) return out;
  return reduce_sum(ctx, "aten::mean.out", in, set, keepdim, dtype, true, out);
}

Tensor& mean_dtype_out(KernelRuntimeContext& ctx, const Tensor& in, optional<ScalarType> dtype, Tensor& out) {
  return reduce_sum(ctx, "aten::mean.dtype_out", in, all_dims(), false, dtype, true, out);
}

}  // namespace

ET_KERNEL(sum_dim_out)
ET_KERNEL(mean_dim_out)
ET_KERNEL(mean_dtype_out)

}  // namespace et::ET_KERNELS
