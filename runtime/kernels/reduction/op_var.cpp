// var and var_mean: two passes, each result rounded once.
#include "runtime/kernels/reduction/moments.h"

#include <limits>

namespace et::ET_KERNELS {
namespace {

/// `mean` may be null.
void reduce_var(KernelRuntimeContext& ctx, const char* op, const Tensor& in, optional<ArrayRef<int64_t>> dim,
                double correction, bool keepdim, const Tensor& var, const Tensor* mean) {
  DimSet set;
  if (!dims_of_list(ctx, op, in, dim.value_or(ArrayRef<int64_t>{}), &set)) return;
  const Tensor& second = mean != nullptr ? *mean : var;
  ET_KERNEL_CHECK_MSG(ctx,
                      in_set(in.scalar_type(), kChunkFloats) && in_set(var.scalar_type(), kChunkFloats) &&
                          in_set(second.scalar_type(), kChunkFloats),
                      InvalidArgument, , "%s: self and the results must be floating; self is %s", op,
                      scalar_type_name(in.scalar_type()));
  const Shape shape = reduced_shape(in, set, keepdim);
  if (!prepare_out(ctx, op, var, shape) || !prepare_out(ctx, op, second, shape) || var.numel() == 0) return;
  const int64_t count = reduced_numel(in, set);
  if (count == 0 || in.numel() == 0) {
    fill_out(var, std::numeric_limits<double>::quiet_NaN());
    fill_out(second, std::numeric_limits<double>::quiet_NaN());
    return;
  }
  ReducePlan plan;
  if (!make_plan(ctx, op, in, set, var, second, keepdim, &plan)) return;
  const double freedom = static_cast<double>(count) - correction;
  const double divisor = freedom > 0 ? freedom : 0.0;
  const ChunkWriter<double> var_writer(var);
  const ChunkWriter<double> mean_writer(second);
  const ChunkReader<double> exact(in);
  const auto emit = [&](const Moments* m, int64_t n, int64_t at, int64_t stride, int64_t at2, int64_t stride2) {
    for (int64_t i = 0; i < n; ++i) {
      if (mean != nullptr) mean_writer.put(at2 + i * stride2, m[i].mean);
      var_writer.put(at + i * stride, m[i].m2 / divisor);
    }
  };
  if (in.scalar_type() == ScalarType::Double) {
    run_moments(plan, exact, exact, count, emit);
  } else {
    run_moments(plan, ChunkReader<float>(in), exact, count, emit);
  }
}

double correction_of(const optional<Scalar>& s) { return s.has_value() ? s->to<double>() : 1.0; }

Tensor& var_out(KernelRuntimeContext& ctx, const Tensor& in, optional<ArrayRef<int64_t>> dim, bool unbiased,
                bool keepdim, Tensor& out) {
  reduce_var(ctx, "aten::var.out", in, dim, unbiased ? 1.0 : 0.0, keepdim, out, nullptr);
  return out;
}

Tensor& var_correction_out(KernelRuntimeContext& ctx, const Tensor& in, optional<ArrayRef<int64_t>> dim,
                           optional<Scalar> correction, bool keepdim, Tensor& out) {
  reduce_var(ctx, "aten::var.correction_out", in, dim, correction_of(correction), keepdim, out, nullptr);
  return out;
}

void var_mean_correction_out(KernelRuntimeContext& ctx, const Tensor& in, optional<ArrayRef<int64_t>> dim,
                             optional<Scalar> correction, bool keepdim, Tensor& out0, Tensor& out1) {
  reduce_var(ctx, "aten::var_mean.correction_out", in, dim, correction_of(correction), keepdim, out0, &out1);
}

}  // namespace

ET_KERNEL(var_out)
ET_KERNEL(var_correction_out)
ET_KERNEL(var_mean_correction_out)

}  // namespace et::ET_KERNELS
