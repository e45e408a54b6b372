// Which tables of loops suit the processor.
#include "runtime/backends/xnnpack/compute/loops.h"
#include "runtime/backends/xnnpack/compute/matrix_loops.h"

#if ET_XNN_V3
#include <cpuid.h>
#endif

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

#if ET_XNN_V3
bool use_v3() {
  static const bool has_v3 = [] {
    __builtin_cpu_init();
    // clang 14 has no name for F16C.
    unsigned a = 0, b = 0, c = 0, d = 0;
    const bool f16c = __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && f16c;
  }();
  return has_v3 && !g_baseline_only;
}
#endif

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
