// The inner loops, compiled once for the baseline and, on x86-64, once more for AVX2 + FMA + F16C (v3) and for AVX-512
// with VNNI (v4: Ice Lake, Zen 4 and later); loops() is the table that suits the processor. Everything here works on
// one thread and on contiguous runs.
#pragma once

#include <vector>

#include "runtime/backends/xnnpack/compute/elementwise.h"
#include "runtime/backends/xnnpack/compute/matrix_qd8.h"

namespace et::xnn {

/// Which operand of a run is one value for all elements.
enum class Repeat : uint8_t { None, A, B };

/// Add and Subtract of int8: (bias + a · a_multiplier + b · b_multiplier) >> shift, plus the zero point.
struct AddQs8 {
  int32_t bias, a_multiplier, b_multiplier, shift;
};

struct Loops {
  void (*binary)(Binary op, Repeat repeat, int64_t n, const float* a, const float* b, float* out, Clamp clamp);
  void (*unary)(Unary op, int64_t n, const float* in, float* out, const UnaryParams& params);
  void (*softmax)(int64_t n, const float* in, float* out);
  /// Minimum and maximum of the values and 0.
  void (*min_max)(int64_t n, const float* in, float* min, float* max);
  /// round_to_even(x · scale) + zero point, clamped.
  void (*quantize)(int64_t n, const float* in, float scale, int32_t zero_point, int32_t min, int32_t max, int8_t* out);
  void (*dequantize)(int64_t n, const int8_t* in, Quantised quant, float* out);
  void (*add_qs8)(const AddQs8& params, Repeat repeat, int64_t n, const int8_t* a, const int8_t* b,
                  const OutputQs8& output, int8_t* out);
  void (*multiply_qs8)(int32_t a_zero_point, int32_t b_zero_point, float scale, Repeat repeat, int64_t n,
                       const int8_t* a, const int8_t* b, const OutputQs8& output, int8_t* out);
  void (*f16_to_f32)(int64_t n, const uint16_t* in, float* out);
  void (*f32_to_f16)(int64_t n, const float* in, uint16_t* out);
  /// out[i] = table[in[i]], a table of 256 bytes.
  void (*look_up)(int64_t n, const uint8_t* in, const uint8_t* table, uint8_t* out);
};
const Loops& loops();

struct MatrixLoops;
/// The loops of one variant.
struct LoopTables {
  const char* name;
  const Loops* loops;
  const MatrixLoops* matrix;
};
/// Those of this build that this processor can run; the best is the last.
std::vector<LoopTables> loop_tables();
/// For tests: these, whatever the processor could do; null: the best. Not while anything computes.
void select_loops(const LoopTables* tables);

}  // namespace et::xnn
