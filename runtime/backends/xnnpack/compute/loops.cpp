// Which table of loops suits the processor.
#include "runtime/backends/xnnpack/compute/loops.h"

namespace et::xnn {

namespace base {
extern const Loops kLoops;
}
#if ET_XNN_V3
namespace v3 {
extern const Loops kLoops;
}
#endif

const Loops& loops() {
#if ET_XNN_V3
  static const bool has_v3 = [] {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
  }();
  if (has_v3) return v3::kLoops;
#endif
  return base::kLoops;
}

}  // namespace et::xnn
