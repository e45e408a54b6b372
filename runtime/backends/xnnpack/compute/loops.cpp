// Which tables of loops suit the processor.
#include "runtime/backends/xnnpack/compute/loops.h"

#include "base/cpu_f16c.h"
#include "runtime/backends/xnnpack/compute/matrix_loops.h"
#if defined(__aarch64__)
#include "runtime/backends/xnnpack/compute/neon_tables.h"
#endif

namespace et::xnn {

#define ET_XNN_VARIANT_TABLES(variant)   \
  namespace variant {                    \
  extern const Loops kLoops;             \
  extern const MatrixLoops kMatrixLoops; \
  }
ET_XNN_VARIANT_TABLES(base)
#if ET_XNN_V3
ET_XNN_VARIANT_TABLES(v3)
ET_XNN_VARIANT_TABLES(v4)
#endif

namespace {

#if ET_XNN_V3
bool has_v3() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && cpu_has_f16c(); }
bool has_v4() {
  return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512vnni");
}
#endif

const LoopTables& best() {
  static const LoopTables tables = loop_tables().back();
  return tables;
}

const LoopTables* g_selected = nullptr;

const LoopTables& current() { return g_selected != nullptr ? *g_selected : best(); }

}  // namespace

std::vector<LoopTables> loop_tables() {
  std::vector<LoopTables> out = {{"baseline", &base::kLoops, &base::kMatrixLoops}};
#if ET_XNN_V3
  __builtin_cpu_init();
  if (has_v3()) out.push_back({"v3", &v3::kLoops, &v3::kMatrixLoops});
  if (has_v4()) out.push_back({"v4", &v4::kLoops, &v4::kMatrixLoops});
#endif
#if defined(__aarch64__)
  add_neon_tables(&out);
#endif
  return out;
}

void select_loops(const LoopTables* tables) { g_selected = tables; }

const Loops& loops() { return *current().loops; }

const MatrixLoops& matrix_loops() { return *current().matrix; }

}  // namespace et::xnn

#undef ET_XNN_VARIANT_TABLES
