// Matrix products: blocked and packed for float and double, through conversion for other dtypes. The job is that of
// provider.h; a selected provider is asked first for float.
#pragma once

#include "base/scalar_type.h"
#include "runtime/core/kernel_context.h"
#include "runtime/core/scalar.h"
#include "runtime/kernels/common/variant.h"
#include "runtime/kernels/matrix/provider.h"

namespace et::ET_KERNELS {

using matrix::Gemm;

/// Elements of T that gemm() needs as workspace for a job of these sizes, for `tasks` of them side by side;
/// enough for any smaller job, too.
int64_t gemm_workspace(int64_t m, int64_t n, int64_t k, int64_t element_size, int64_t tasks);

/// Runs the job in this thread (`tasks` 1) or split over the pool. `workspace` has gemm_workspace() elements, or is
/// null: then small blocks on the stack are used, which is slower. Float and double.
template <class T>
void gemm(const Gemm<T>& job, T* workspace, int64_t tasks = 1);

/// Takes the workspace from the context, as many tasks as the pool has threads, and the provider if one is selected.
void gemm_auto(KernelRuntimeContext& context, const Gemm<float>& job);
void gemm_auto(KernelRuntimeContext& context, const Gemm<double>& job);

/// A job on tensors of any dtype that products exist for (all but bool): float and double as they are, float16 and
/// bfloat16 with float sums, integers modulo their width, complex as pairs. One rounding, after adding c.
struct AnyGemm {
  ScalarType dtype = ScalarType::Float;
  int64_t batch = 1, m = 0, n = 0, k = 0;
  const void* a = nullptr;
  int64_t a_batch = 0, a_row = 0, a_col = 0;
  const void* b = nullptr;
  int64_t b_batch = 0, b_row = 0, b_col = 0;
  const void* c = nullptr;
  int64_t c_batch = 0, c_row = 0, c_col = 0;
  void* out = nullptr;
  int64_t out_batch = 0, out_row = 0, out_col = 0;
  Scalar alpha = int64_t{1}, beta = int64_t{1};
};
/// False: no such dtype, or no memory (the context then has failed, with a message that begins with `name`).
bool gemm_any(KernelRuntimeContext& context, const AnyGemm& job, const char* name);

}  // namespace et::ET_KERNELS
