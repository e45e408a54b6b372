// GEMM: blocked and packed for float and double, through conversion for other dtypes. The parameters are those of
// provider.h; a selected provider is asked first for float.
#pragma once

#include "base/scalar_type.h"
#include "runtime/core/kernel_context.h"
#include "runtime/core/scalar.h"
#include "runtime/kernels/common/variant.h"
#include "runtime/kernels/matrix/provider.h"

namespace et::ET_KERNELS {

using matrix::Gemm;

/// Elements of T that gemm() needs as workspace for a problem of these sizes, for `tasks` of them side by side;
/// enough for any smaller params, too.
int64_t gemm_workspace(int64_t m, int64_t n, int64_t k, int64_t element_size, int64_t tasks);

/// Runs it in this thread (`tasks` 1) or split over the pool. `workspace` has gemm_workspace() elements, or is
/// null: then small blocks on the stack are used, which is slower. Float and double.
template <class T>
void gemm(const Gemm<T>& params, T* workspace, int64_t tasks = 1);

/// Takes the workspace from the context, as many tasks as the pool has threads, and the provider if one is selected.
void gemm_auto(KernelRuntimeContext& context, const Gemm<float>& params);
void gemm_auto(KernelRuntimeContext& context, const Gemm<double>& params);

/// GEMM on tensors of any dtype but bool: float and double as they are, float16 and bfloat16 with float sums, integers
/// modulo their width, complex as pairs. One rounding, after adding c.
struct AnyGemm : matrix::GemmOperands<void> {
  ScalarType dtype = ScalarType::Float;
  Scalar alpha = int64_t{1}, beta = int64_t{1};
};
/// False: no such dtype, or no memory (the context then has failed, with a message that begins with `name`).
bool gemm_any(KernelRuntimeContext& context, const AnyGemm& params, const char* name);

}  // namespace et::ET_KERNELS
