// Registers every kernel of operators.def: the variant for the processor that it runs on.
#include "runtime/core/kernel_registry.h"

#define ET_OPERATOR(name, function) void boxed_##function(KernelRuntimeContext& context, Span<EValue*> args);
#define ET_PRIM_OPERATOR ET_OPERATOR
namespace et::kernels {
#include "runtime/kernels/operators.def"
}
#if ET_KERNELS_V3
namespace et::kernels_v3 {
#include "runtime/kernels/operators.def"
}
#endif
#undef ET_OPERATOR
#undef ET_PRIM_OPERATOR

#define ET_OPERATOR(name, function) {name, &boxed_##function, KernelKind::Native},
#define ET_PRIM_OPERATOR(name, function) {name, &boxed_##function, KernelKind::Prim},
namespace et::kernels {
static constexpr Kernel kRows[] = {
#include "runtime/kernels/operators.def"
};
}  // namespace et::kernels
#if ET_KERNELS_V3
namespace et::kernels_v3 {
static constexpr Kernel kRows[] = {
#include "runtime/kernels/operators.def"
};
}  // namespace et::kernels_v3
#endif

namespace et {
namespace {

ArrayRef<Kernel> rows_for_this_processor() {
#if ET_KERNELS_V3
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c") &&
      __builtin_cpu_supports("bmi2")) {
    return kernels_v3::kRows;
  }
#endif
  return kernels::kRows;
}

const KernelRegistration g_registration(rows_for_this_processor());

}  // namespace
}  // namespace et
