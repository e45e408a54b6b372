// Registers every kernel of operators.def, or of the table that a selective build made of it (cmake/EtSelect.cmake):
// the variant for the processor that it runs on.
#include "base/cpu_f16c.h"
#include "runtime/core/kernel_registry.h"

#ifndef ET_OPERATOR_TABLE
#define ET_OPERATOR_TABLE "runtime/kernels/operators.def"
#endif

#define ET_OPERATOR(name, function) void boxed_##function(KernelRuntimeContext& context, Span<EValue*> args);
#define ET_PRIM_OPERATOR ET_OPERATOR
#if ET_KERNELS_BASELINE
namespace et::kernels {
#include ET_OPERATOR_TABLE
}
#endif
#if ET_KERNELS_V3
namespace et::kernels_v3 {
#include ET_OPERATOR_TABLE
}
#endif
#undef ET_OPERATOR
#undef ET_PRIM_OPERATOR

#define ET_OPERATOR(name, function) {name, &boxed_##function, KernelKind::Native},
#define ET_PRIM_OPERATOR(name, function) {name, &boxed_##function, KernelKind::Prim},
#if ET_KERNELS_BASELINE
namespace et::kernels {
static constexpr Kernel kRows[] = {
#include ET_OPERATOR_TABLE
    {nullptr, nullptr}};
}  // namespace et::kernels
#endif
#if ET_KERNELS_V3
namespace et::kernels_v3 {
static constexpr Kernel kRows[] = {
#include ET_OPERATOR_TABLE
    {nullptr, nullptr}};
}  // namespace et::kernels_v3
#endif

namespace et {
namespace {

// Without the row at the end, which is there because a selection may be empty.
template <size_t N>
ArrayRef<Kernel> rows_of(const Kernel (&table)[N]) {
  return ArrayRef<Kernel>(table, N - 1);
}

ArrayRef<Kernel> rows_for_this_processor() {
#if ET_KERNELS_BASELINE && ET_KERNELS_V3
  __builtin_cpu_init();
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && cpu_has_f16c() &&
                  __builtin_cpu_supports("bmi2");
  return v3 ? rows_of(kernels_v3::kRows) : rows_of(kernels::kRows);
#elif ET_KERNELS_V3
  return rows_of(kernels_v3::kRows);
#else
  return rows_of(kernels::kRows);
#endif
}

const KernelRegistration g_registration(rows_for_this_processor());

}  // namespace
}  // namespace et
