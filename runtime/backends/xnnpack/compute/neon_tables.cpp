// The tables of loops for 64-bit ARM: the baseline is NEON; where the processor multiplies int8 in one instruction, the
// GEMMs of int8 and of four bits use that.
#if defined(__aarch64__)

#include "runtime/backends/xnnpack/compute/neon_tables.h"

#include "runtime/backends/xnnpack/compute/matrix_loops.h"

#if defined(__linux__)
#include <sys/auxv.h>
#elif defined(__APPLE__)
#include <sys/sysctl.h>
#endif

namespace et::xnn {

#define ET_XNN_INT8_PRODUCTS(variant) \
  namespace variant {                 \
  void block_qs8(const BlockQs8&);    \
  void block_qd8(const BlockQd8&);    \
  void block_q4(const BlockQ4&);      \
  }
ET_XNN_INT8_PRODUCTS(dot)
ET_XNN_INT8_PRODUCTS(mmla)
#undef ET_XNN_INT8_PRODUCTS

namespace {

#if defined(__linux__)
// Of <asm/hwcap.h>, whose older versions lack the second.
bool has_dot() { return (getauxval(AT_HWCAP) & 1ul << 20) != 0; }
bool has_mmla() { return (getauxval(AT_HWCAP2) & 1ul << 13) != 0; }
#elif defined(__APPLE__)
bool has(const char* name) {
  int value = 0;
  size_t size = sizeof value;
  return sysctlbyname(name, &value, &size, nullptr, 0) == 0 && value != 0;
}
bool has_dot() { return has("hw.optional.arm.FEAT_DotProd"); }
bool has_mmla() { return has("hw.optional.arm.FEAT_I8MM"); }
#else
bool has_dot() { return false; }
bool has_mmla() { return false; }
#endif

}  // namespace

void add_neon_tables(std::vector<LoopTables>* tables) {
  const LoopTables base = tables->front();
  const auto with = [&](decltype(MatrixLoops::qs8) qs8, decltype(MatrixLoops::qd8) qd8, decltype(MatrixLoops::q4) q4,
                        int64_t steps) {
    MatrixLoops loops = *base.matrix;
    loops.qs8 = qs8;
    loops.qd8 = qd8;
    loops.q4 = q4;
    loops.int8_steps = steps;
    return loops;
  };
  static const MatrixLoops dot = with(dot::block_qs8, dot::block_qd8, dot::block_q4, 4);
  static const MatrixLoops mmla = with(mmla::block_qs8, mmla::block_qd8, mmla::block_q4, 8);
  if (has_dot()) tables->push_back({"dotprod", base.loops, &dot});
  if (has_dot() && has_mmla()) tables->push_back({"i8mm", base.loops, &mmla});
}

}  // namespace et::xnn

#endif
