// mm, bmm, addmm and linear: checks and strides; gemm.h computes.
#include <cstring>

#include "runtime/kernels/common/kernel.h"
#include "runtime/kernels/matrix/gemm.h"

namespace et::ET_KERNELS {
namespace {

/// Checks what all of them share: one dtype, and memory behind every tensor with elements.
bool check_tensors(KernelRuntimeContext& context, const Tensor& a, const Tensor& b, const Tensor& out,
                   const char* name) {
  ET_KERNEL_CHECK_MSG(context, a.scalar_type() == b.scalar_type(), InvalidArgument, false,
                      "%s: the operands are %s and %s", name, scalar_type_name(a.scalar_type()),
                      scalar_type_name(b.scalar_type()));
  ET_KERNEL_CHECK_MSG(context, out.scalar_type() == a.scalar_type(), InvalidArgument, false,
                      "%s: out is %s, the operands are %s", name, scalar_type_name(out.scalar_type()),
                      scalar_type_name(a.scalar_type()));
  return true;
}

bool has_memory(KernelRuntimeContext& context, const Tensor& t, const char* name, const char* argument) {
  ET_KERNEL_CHECK_MSG(context, t.numel() == 0 || t.const_data_ptr() != nullptr, InvalidArgument, false,
                      "%s: %s has no memory", name, argument);
  return true;
}

/// The last two dimensions of each tensor as a matrix, the one before as the batch.
void set_matrices(AnyGemm* params, const Tensor& a, const Tensor& b, const Tensor& out) {
  const auto last = [](const Tensor& t, ssize_t from_end, int64_t* stride) {
    const ssize_t d = t.dim() - from_end;
    if (d >= 0) *stride = t.strides()[static_cast<size_t>(d)];
  };
  params->dtype = a.scalar_type();
  params->a = a.const_data_ptr();
  params->b = b.const_data_ptr();
  params->out = out.mutable_data_ptr();
  last(a, 3, &params->a_batch), last(a, 2, &params->a_row), last(a, 1, &params->a_col);
  last(b, 3, &params->b_batch), last(b, 2, &params->b_row), last(b, 1, &params->b_col);
  last(out, 3, &params->out_batch), last(out, 2, &params->out_row), last(out, 1, &params->out_col);
}

Tensor& matrix_product(KernelRuntimeContext& ctx, const Tensor& self, const Tensor& mat2, Tensor& out, ssize_t rank,
                       const char* name) {
  if (!check_tensors(ctx, self, mat2, out, name)) return out;
  ET_KERNEL_CHECK_MSG(ctx, self.dim() == rank && mat2.dim() == rank, InvalidArgument, out,
                      "%s: expected self and mat2 of rank %zd, got %zd and %zd", name, rank, self.dim(), mat2.dim());
  const ssize_t r = rank - 2;
  ET_KERNEL_CHECK_MSG(ctx, r == 0 || self.size(0) == mat2.size(0), InvalidArgument, out, "%s: batches of %zd and %zd",
                      name, self.size(0), mat2.size(0));
  ET_KERNEL_CHECK_MSG(ctx, self.size(r + 1) == mat2.size(r), InvalidArgument, out,
                      "%s: self has %zd columns, mat2 has %zd rows", name, self.size(r + 1), mat2.size(r));
  Shape shape;
  if (r == 1) shape.push(self.size(0));
  shape.push(self.size(r));
  shape.push(mat2.size(r + 1));
  if (!resize_out(ctx, out, shape.view(), name)) return out;
  if (out.numel() == 0) return out;
  if (!has_memory(ctx, self, name, "self") || !has_memory(ctx, mat2, name, "mat2") ||
      !has_memory(ctx, out, name, "out")) {
    return out;
  }
  AnyGemm params;
  set_matrices(&params, self, mat2, out);
  params.batch = r == 1 ? self.size(0) : 1;
  params.m = self.size(r);
  params.n = mat2.size(r + 1);
  params.k = mat2.size(r);
  gemm_any(ctx, params, name);
  return out;
}

Tensor& mm_out(KernelRuntimeContext& ctx, const Tensor& self, const Tensor& mat2, Tensor& out) {
  return matrix_product(ctx, self, mat2, out, 2, "aten::mm");
}

Tensor& bmm_out(KernelRuntimeContext& ctx, const Tensor& self, const Tensor& mat2, Tensor& out) {
  return matrix_product(ctx, self, mat2, out, 3, "aten::bmm");
}

Tensor& addmm_out(KernelRuntimeContext& ctx, const Tensor& self, const Tensor& mat1, const Tensor& mat2,
                  const Scalar& beta, const Scalar& alpha, Tensor& out) {
  constexpr const char* kName = "aten::addmm";
  if (!check_tensors(ctx, mat1, mat2, out, kName)) return out;
  ET_KERNEL_CHECK_MSG(ctx, self.scalar_type() == mat1.scalar_type(), InvalidArgument, out, "%s: self is %s, mat1 is %s",
                      kName, scalar_type_name(self.scalar_type()), scalar_type_name(mat1.scalar_type()));
  ET_KERNEL_CHECK_MSG(ctx, mat1.dim() == 2 && mat2.dim() == 2, InvalidArgument, out,
                      "%s: expected mat1 and mat2 of rank 2, got %zd and %zd", kName, mat1.dim(), mat2.dim());
  ET_KERNEL_CHECK_MSG(ctx, mat1.size(1) == mat2.size(0), InvalidArgument, out,
                      "%s: mat1 has %zd columns, mat2 has %zd rows", kName, mat1.size(1), mat2.size(0));
  Shape shape;
  shape.push(mat1.size(0));
  shape.push(mat2.size(1));
  Shape broadcast;
  ET_KERNEL_CHECK_MSG(ctx,
                      self.dim() <= 2 && broadcast_shapes(self.sizes(), shape.view(), &broadcast) &&
                          broadcast.sizes[0] == shape.sizes[0] && broadcast.sizes[1] == shape.sizes[1],
                      InvalidArgument, out, "%s: self does not broadcast to [%d, %d]", kName,
                      static_cast<int>(shape.sizes[0]), static_cast<int>(shape.sizes[1]));
  if (!resize_out(ctx, out, shape.view(), kName)) return out;
  if (out.numel() == 0) return out;
  if (!has_memory(ctx, self, kName, "self") || !has_memory(ctx, mat1, kName, "mat1") ||
      !has_memory(ctx, mat2, kName, "mat2") || !has_memory(ctx, out, kName, "out")) {
    return out;
  }
  AnyGemm params;
  set_matrices(&params, mat1, mat2, out);
  params.m = mat1.size(0);
  params.n = mat2.size(1);
  // With alpha 0 the matmul does not count, not even its NaN; the same for self with beta 0.
  params.k = alpha.to<double>() == 0 ? 0 : mat1.size(1);
  params.alpha = alpha;
  params.beta = beta;
  if (beta.to<double>() != 0) {
    int64_t strides[2];
    broadcast_strides(self, shape.view(), strides);
    params.c = self.const_data_ptr();
    params.c_row = strides[0];
    params.c_col = strides[1];
  }
  gemm_any(ctx, params, kName);
  return out;
}

/// All dimensions of `t` but the last as one, when they lie that way; `stride` 0 for none.
bool merge_rows(const Tensor& t, int64_t* rows, int64_t* stride) {
  *rows = 1;
  *stride = 0;
  for (ssize_t d = t.dim() - 2; d >= 0; --d) {
    const int64_t size = t.size(d), s = t.strides()[static_cast<size_t>(d)];
    if (size == 1) continue;
    if (*rows == 1)
      *stride = s;
    else if (s != *stride * *rows)
      return false;
    *rows *= size;
  }
  return true;
}

/// Copies the elements of `t` in logical order to (or from) `flat`.
void copy_rows(const Tensor& t, size_t size, char* flat, bool to_flat) {
  int64_t strides[kTensorDimensionLimit];
  for (size_t d = 0; d < t.strides().size(); ++d) strides[d] = t.strides()[d];
  char* data = static_cast<char*>(t.mutable_data_ptr());
  const StridedWalk<1> walk(t.sizes(), {strides});
  walk.run([&](const std::array<int64_t, 1>& at, int64_t length, const std::array<int64_t, 1>& step) {
    for (int64_t i = 0; i < length; ++i, flat += size) {
      char* element = data + (at[0] + i * step[0]) * static_cast<int64_t>(size);
      std::memcpy(to_flat ? flat : element, to_flat ? element : flat, size);
    }
  });
}

constexpr const char* kLinear = "aten::linear";

/// `bias` as c of a linear layer whose result has `shape`.
bool add_bias(KernelRuntimeContext& ctx, const Tensor& bias, const Shape& shape, int64_t n, ScalarType dtype,
              AnyGemm* params) {
  Shape broadcast;
  bool fits =
      bias.dim() <= static_cast<ssize_t>(shape.rank) && broadcast_shapes(bias.sizes(), shape.view(), &broadcast);
  for (size_t d = 0; fits && d < shape.rank; ++d) fits = broadcast.sizes[d] == shape.sizes[d];
  // One row for all, or a matrix for a matrix.
  fits = fits && (bias.numel() == 1 || bias.numel() == n || shape.rank == 2);
  ET_KERNEL_CHECK_MSG(ctx, fits, InvalidArgument, false, "%s: bias has %zd elements, not %lld", kLinear, bias.numel(),
                      static_cast<long long>(n));
  ET_KERNEL_CHECK_MSG(ctx, bias.scalar_type() == dtype, InvalidArgument, false, "%s: bias is %s, input is %s", kLinear,
                      scalar_type_name(bias.scalar_type()), scalar_type_name(dtype));
  if (!has_memory(ctx, bias, kLinear, "bias")) return false;
  params->c = bias.const_data_ptr();
  int64_t strides[kTensorDimensionLimit];
  broadcast_strides(bias, shape.view(), strides);
  params->c_col = strides[shape.rank - 1];
  if (shape.rank == 2) params->c_row = strides[0];
  return true;
}

/// For rows in an unusual order: through contiguous copies.
void linear_by_copies(KernelRuntimeContext& ctx, const Tensor& input, const Tensor& out, int64_t n, int64_t k,
                      AnyGemm params) {
  const size_t size = input.element_size();
  Result<void*> input_copy = ctx.allocate_temp(input.nbytes() == 0 ? size : input.nbytes());
  Result<void*> out_copy = ctx.allocate_temp(out.nbytes());
  ET_KERNEL_CHECK_MSG(ctx, input_copy.ok() && out_copy.ok(), MemoryAllocationFailed, , "%s: no temporary memory",
                      kLinear);
  copy_rows(input, size, static_cast<char*>(input_copy.get()), true);
  params.a = input_copy.get();
  params.a_row = k;
  params.a_col = 1;
  params.out = out_copy.get();
  params.out_row = n;
  params.out_col = 1;
  params.m = out.numel() / n;
  if (!gemm_any(ctx, params, kLinear)) return;
  copy_rows(out, size, static_cast<char*>(out_copy.get()), false);
}

Tensor& linear_out(KernelRuntimeContext& ctx, const Tensor& input, const Tensor& weight, const optional<Tensor>& bias,
                   Tensor& out) {
  if (!check_tensors(ctx, input, weight, out, kLinear)) return out;
  ET_KERNEL_CHECK_MSG(ctx, input.dim() >= 1 && (weight.dim() == 2 || (weight.dim() == 1 && !bias.has_value())),
                      InvalidArgument, out, "%s: input has %zd dimensions, weight %zd", kLinear, input.dim(),
                      weight.dim());
  const int64_t k = input.size(input.dim() - 1), n = weight.dim() == 2 ? weight.size(0) : 1;
  ET_KERNEL_CHECK_MSG(ctx, weight.size(weight.dim() - 1) == k, InvalidArgument, out,
                      "%s: input has %lld features, weight takes %zd", kLinear, static_cast<long long>(k),
                      weight.size(weight.dim() - 1));
  Shape shape = shape_of(input);
  --shape.rank;
  if (weight.dim() == 2) shape.push(n);
  AnyGemm params;
  if (bias.has_value() && !add_bias(ctx, *bias, shape, n, input.scalar_type(), &params)) return out;
  if (!resize_out(ctx, out, shape.view(), kLinear)) return out;
  if (out.numel() == 0) return out;
  if (!has_memory(ctx, input, kLinear, "input") || !has_memory(ctx, weight, kLinear, "weight") ||
      !has_memory(ctx, out, kLinear, "out")) {
    return out;
  }
  const size_t last = static_cast<size_t>(input.dim() - 1);
  params.dtype = input.scalar_type();
  params.n = n;
  params.k = k;
  params.a = input.const_data_ptr();
  params.a_col = input.strides()[last];
  params.b = weight.const_data_ptr();
  params.b_row = weight.strides()[weight.strides().size() - 1];
  params.b_col = weight.dim() == 2 ? weight.strides()[0] : 0;
  params.out = out.mutable_data_ptr();
  params.out_col = weight.dim() == 2 ? out.strides()[last] : 0;
  int64_t rows = 0, out_rows = 0;
  // With a vector as weight, out's last dimension is a row as well.
  bool merged = merge_rows(input, &rows, &params.a_row);
  if (weight.dim() == 2) {
    merged = merged && merge_rows(out, &out_rows, &params.out_row);
  } else if (merged) {
    merged = is_contiguous(out);
    out_rows = out.numel();
    params.out_row = 1;
  }
  if (merged && rows == out_rows) {
    params.m = rows;
    gemm_any(ctx, params, kLinear);
    return out;
  }
  linear_by_copies(ctx, input, out, n, k, params);
  return out;
}

}  // namespace

ET_KERNEL(mm_out)
ET_KERNEL(bmm_out)
ET_KERNEL(addmm_out)
ET_KERNEL(linear_out)

}  // namespace et::ET_KERNELS
