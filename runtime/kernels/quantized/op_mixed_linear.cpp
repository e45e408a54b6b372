// mixed_mm and mixed_linear: floats times an int8 matrix with a scale (and zero point) for each of its rows, or for
// each group of a row. The matrix is made float in blocks, never as a whole.
#include <algorithm>

#include "runtime/kernels/matrix/gemm.h"
#include "runtime/kernels/quantized/affine.h"

namespace et::ET_KERNELS {
namespace {

inline constexpr DtypeSet kInputs = kHalfs | dtype_bit(ScalarType::Float);

struct MixedJob {
  int64_t m, n, k;
  int64_t group;    // columns of weight with one scale
  bool transposed;  // weight is [n, k]
};

constexpr int64_t kCols = 64, kDepth = 256, kRows = 64;

/// In S: double for little work, where that costs nothing, float otherwise.
template <class S>
bool run(KernelRuntimeContext& context, const MixedJob& params, const Tensor& input, const Tensor& weight,
         const Tensor& scales, const optional<Tensor>& zero_points, const Tensor& out, const char* name) {
  const int64_t rows = std::min(kRows, params.m), cols = std::min(kCols, params.n), depth = std::min(kDepth, params.k);
  const int64_t work = gemm_workspace(rows, cols, depth, sizeof(S), 1);
  Result<void*> memory =
      context.allocate_temp(static_cast<size_t>(rows * cols + rows * depth + depth * cols + work) * sizeof(S), 64);
  ET_KERNEL_CHECK_MSG(context, memory.ok(), MemoryAllocationFailed, false, "%s: no temporary memory", name);
  S* workspace = static_cast<S*>(memory.get());
  S* sums = workspace + work;
  S* a = sums + rows * cols;
  S* b = a + rows * depth;
  const auto number = [](const Tensor& t, int64_t row, int64_t group) {
    const int64_t at = row * t.strides()[0] + (t.dim() == 2 ? group * t.strides()[1] : 0);
    S value = 0;
    dispatch<kFloatsH>(t.scalar_type(),
                       [&]<class P>() { value = static_cast<S>(static_cast<opmath_t<P>>(t.const_data_ptr<P>()[at])); });
    return value;
  };
  const auto* w = weight.const_data_ptr<int8_t>();
  const auto fill_b = [&](int64_t p0, int64_t p1, int64_t j0, int64_t j1) {
    // Rows of the weight, each in groups.
    const int64_t r0 = params.transposed ? j0 : p0, r1 = params.transposed ? j1 : p1;
    const int64_t c0 = params.transposed ? p0 : j0, c1 = params.transposed ? p1 : j1;
    const int64_t row_step = params.transposed ? 1 : j1 - j0, col_step = params.transposed ? j1 - j0 : 1;
    for (int64_t r = r0; r < r1; ++r) {
      for (int64_t c = c0; c < c1;) {
        const int64_t group = c / params.group, end = std::min(c1, (group + 1) * params.group);
        const S scale = number(scales, r, group);
        const S zero = zero_points.has_value() ? number(*zero_points, r, group) : S(0);
        for (; c < end; ++c) {
          const S value = static_cast<S>(w[r * weight.strides()[0] + c * weight.strides()[1]]);
          b[(r - r0) * row_step + (c - c0) * col_step] = (value - zero) * scale;
        }
      }
    }
  };
  for (int64_t j0 = 0; j0 < params.n; j0 += cols) {
    const int64_t j1 = std::min(params.n, j0 + cols);
    for (int64_t i0 = 0; i0 < params.m; i0 += rows) {
      const int64_t i1 = std::min(params.m, i0 + rows);
      std::fill(sums, sums + (i1 - i0) * (j1 - j0), S(0));
      for (int64_t p0 = 0; p0 < params.k; p0 += depth) {
        const int64_t p1 = std::min(params.k, p0 + depth);
        fill_b(p0, p1, j0, j1);
        dispatch<kInputs>(input.scalar_type(), [&]<class I>() {
          const I* in = input.const_data_ptr<I>();
          for (int64_t i = i0; i < i1; ++i) {
            for (int64_t p = p0; p < p1; ++p) {
              a[(i - i0) * (p1 - p0) + p - p0] =
                  static_cast<S>(static_cast<float>(in[i * input.strides()[0] + p * input.strides()[1]]));
            }
          }
        });
        Gemm<S> g;
        g.m = i1 - i0, g.n = j1 - j0, g.k = p1 - p0;
        g.a = a, g.a_row = g.k, g.a_col = 1;
        g.b = b, g.b_row = g.n, g.b_col = 1;
        g.c = sums, g.c_row = g.n, g.c_col = 1;
        g.out = sums, g.out_row = g.n, g.out_col = 1;
        gemm(g, workspace);
      }
      dispatch<kFloatsH>(out.scalar_type(), [&]<class O>() {
        O* to = out.mutable_data_ptr<O>();
        for (int64_t i = i0; i < i1; ++i) {
          for (int64_t j = j0; j < j1; ++j) {
            to[i * out.strides()[0] + j * out.strides()[1]] =
                static_cast<O>(static_cast<opmath_t<O>>(sums[(i - i0) * (j1 - j0) + j - j0]));
          }
        }
      });
    }
  }
  return true;
}

Tensor& mixed(KernelRuntimeContext& ctx, const Tensor& input, const Tensor& weight, const Tensor& scales,
              const optional<Tensor>& zero_points, const optional<ScalarType>& dtype, bool transposed, Tensor& out,
              const char* name) {
  ET_KERNEL_CHECK_MSG(ctx, in_set(input.scalar_type(), kInputs) && input.dim() == 2, InvalidArgument, out,
                      "%s: input is %s with %zd dimensions", name, scalar_type_name(input.scalar_type()), input.dim());
  ET_KERNEL_CHECK_MSG(ctx, weight.scalar_type() == ScalarType::Char && weight.dim() == 2, InvalidArgument, out,
                      "%s: weight is %s with %zd dimensions", name, scalar_type_name(weight.scalar_type()),
                      weight.dim());
  const ScalarType result = dtype.has_value() ? *dtype : out.scalar_type();
  ET_KERNEL_CHECK_MSG(ctx, in_set(result, kFloatsH) && out.scalar_type() == result, InvalidArgument, out,
                      "%s: out is %s, not %s", name, scalar_type_name(out.scalar_type()), scalar_type_name(result));
  MixedJob params;
  params.transposed = transposed;
  params.m = input.size(0);
  params.k = input.size(1);
  params.n = weight.size(transposed ? 0 : 1);
  ET_KERNEL_CHECK_MSG(ctx, weight.size(transposed ? 1 : 0) == params.k, InvalidArgument, out,
                      "%s: input has %lld columns, weight takes %zd", name, static_cast<long long>(params.k),
                      weight.size(transposed ? 1 : 0));
  ET_KERNEL_CHECK_MSG(ctx,
                      in_set(scales.scalar_type(), kFloatsH) && (scales.dim() == 1 || scales.dim() == 2) &&
                          scales.size(0) == weight.size(0) && (scales.dim() == 1 || scales.size(1) > 0),
                      InvalidArgument, out, "%s: weight_scales is %s with %zd dimensions, weight has %zd rows", name,
                      scalar_type_name(scales.scalar_type()), scales.dim(), weight.size(0));
  ET_KERNEL_CHECK_MSG(
      ctx,
      !zero_points.has_value() || (same_sizes(*zero_points, scales) && in_set(zero_points->scalar_type(), kFloatsH)),
      InvalidArgument, out, "%s: weight_zero_points does not match weight_scales", name);
  const int64_t groups = scales.dim() == 2 ? scales.size(1) : 1;
  params.group = std::max<int64_t>((weight.size(1) + groups - 1) / groups, 1);
  Shape shape;
  shape.push(params.m);
  shape.push(params.n);
  if (!resize_out(ctx, out, shape.view(), name) || !check_memory(ctx, input, "input", name) ||
      !check_memory(ctx, weight, "weight", name) || !check_memory(ctx, scales, "weight_scales", name) ||
      (zero_points.has_value() && !check_memory(ctx, *zero_points, "weight_zero_points", name)) ||
      !check_memory(ctx, out, "out", name) || out.numel() == 0) {
    return out;
  }
  const double work = static_cast<double>(params.m) * static_cast<double>(params.n) * static_cast<double>(params.k);
  if (work < 1 << 18 || out.scalar_type() == ScalarType::Double) {
    run<double>(ctx, params, input, weight, scales, zero_points, out, name);
  } else {
    run<float>(ctx, params, input, weight, scales, zero_points, out, name);
  }
  return out;
}

Tensor& mixed_mm_out(KernelRuntimeContext& ctx, const Tensor& input, const Tensor& weight, const Tensor& scales,
                     const optional<Tensor>& zero_points, Tensor& out) {
  return mixed(ctx, input, weight, scales, zero_points, input.scalar_type(), false, out,
               "quantized_decomposed::mixed_mm");
}

Tensor& mixed_linear_out(KernelRuntimeContext& ctx, const Tensor& input, const Tensor& weight, const Tensor& scales,
                         const optional<Tensor>& zero_points, const optional<ScalarType>& dtype, Tensor& out) {
  return mixed(ctx, input, weight, scales, zero_points, dtype, true, out, "quantized_decomposed::mixed_linear");
}

}  // namespace

ET_KERNEL(mixed_mm_out)
ET_KERNEL(mixed_linear_out)

}  // namespace et::ET_KERNELS
