// Which tables of loops suit the processor.
#include "runtime/backends/xnnpack/compute/loops.h"
#include "runtime/backends/xnnpack/compute/matrix_loops.h"

namespace et::xnn {

namespace base {
extern const Loops kLoops;
extern const MatrixLoops kMatrixLoops;
}  // namespace base
#if ET_XNN_V3
namespace v3 {
extern const Loops kLoops;
extern const MatrixLoops kMatrixLoops;
}  // namespace v3
#endif

namespace {

bool g_baseline_only = false;

bool use_v3() {
#if ET_XNN_V3
  static const bool has_v3 = [] {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
  }();
  return has_v3 && !g_baseline_only;
#else
  return false;
#endif
}

}  // namespace

void use_baseline_loops(bool only) { g_baseline_only = only; }

const Loops& loops() {
#if ET_XNN_V3
  if (use_v3()) return v3::kLoops;
#endif
  return base::kLoops;
}

const MatrixLoops& matrix_loops() {
#if ET_XNN_V3
  if (use_v3()) return v3::kMatrixLoops;
#endif
  return base::kMatrixLoops;
}

}  // namespace et::xnn
