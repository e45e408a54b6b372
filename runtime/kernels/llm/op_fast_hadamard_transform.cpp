// fast_hadamard_transform along the last dimension, of length 2^n or 28 * 2^n: 28 transforms of 2^n, then a Hadamard
// matrix of order 28 across them. The transforms of 2^n are normalised by the root of their length, the matrix is not:
// programs that were exported for ExecuTorch divide by it in their weights.
#include <cmath>

#include "runtime/kernels/common/kernel.h"
#include "runtime/kernels/llm/hadamard.h"

namespace et::ET_KERNELS {
namespace {

Tensor& fast_hadamard_transform_out(KernelRuntimeContext& ctx, const Tensor& mat, Tensor& out) {
  constexpr const char* kName = "llama::fast_hadamard_transform";
  ET_KERNEL_CHECK_MSG(ctx, in_set(mat.scalar_type(), kFloatsH) && out.scalar_type() == mat.scalar_type(),
                      InvalidArgument, out, "%s: mat is %s, out %s", kName, scalar_type_name(mat.scalar_type()),
                      scalar_type_name(out.scalar_type()));
  if (!resize_out(ctx, out, mat.sizes(), kName) || out.numel() == 0) return out;
  ET_KERNEL_CHECK_MSG(ctx, mat.const_data_ptr() != nullptr && out.const_data_ptr() != nullptr, InvalidArgument, out,
                      "%s: mat or out has no memory", kName);
  ET_KERNEL_CHECK_MSG(ctx, is_contiguous(mat) && is_contiguous(out), InvalidArgument, out,
                      "%s: mat and out must be contiguous", kName);
  const int64_t length = mat.dim() == 0 ? 1 : mat.size(mat.dim() - 1);
  const bool by_28 = length % 28 == 0;
  const int64_t power = by_28 ? length / 28 : length;
  ET_KERNEL_CHECK_MSG(ctx, (power & (power - 1)) == 0, InvalidArgument, out,
                      "%s: expected a last dimension of 2^n or 28 * 2^n, got %lld", kName,
                      static_cast<long long>(length));
  Result<void*> workspace = ctx.allocate_temp(static_cast<size_t>(length) * sizeof(double));
  ET_KERNEL_CHECK_MSG(ctx, workspace.ok(), MemoryAllocationFailed, out, "%s: no temporary memory", kName);
  dispatch<kFloatsH>(mat.scalar_type(), [&]<class T>() {
    using S = opmath_t<T>;
    S* x = static_cast<S*>(workspace.get());
    const S scale = static_cast<S>(1 / std::sqrt(static_cast<double>(power)));
    for (int64_t row = 0; row < mat.numel() / length; ++row) {
      const T* from = mat.const_data_ptr<T>() + row * length;
      T* to = out.mutable_data_ptr<T>() + row * length;
      for (int64_t i = 0; i < length; ++i) x[i] = static_cast<S>(from[i]);
      for (int64_t i = 0; i < length; i += power) hadamard::transform(x + i, power);
      for (int64_t i = 0; i < length; ++i) x[i] *= scale;
      if (by_28) hadamard::across_28(x, power);
      for (int64_t i = 0; i < length; ++i) to[i] = static_cast<T>(x[i]);
    }
  });
  return out;
}

}  // namespace

ET_KERNEL(fast_hadamard_transform_out)

}  // namespace et::ET_KERNELS
