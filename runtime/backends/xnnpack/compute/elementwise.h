// Elementwise functions, softmax, and conversions between the types of values. Results may be one of the inputs
// themselves when their shapes and types are the same.
#pragma once

#include <span>

#include "runtime/backends/xnnpack/compute/matrix_f32.h"
#include "runtime/backends/xnnpack/compute/matrix_qs8.h"
#include "runtime/backends/xnnpack/compute/types.h"

namespace et::xnn {

inline constexpr size_t kMaxRank = 6;
using Dims = std::span<const int64_t>;

enum class Binary : uint8_t {
  Add,
  Subtract,
  Multiply,
  Divide,
  Minimum,
  Maximum,
  PRelu,  // a < 0 ? a · b : a
};
/// Operands broadcast as in numpy; `out` has the broadcast shape. At most kMaxRank dimensions. The clamp holds for
/// every operator.
void binary_f32(Binary op, Dims a_shape, const float* a, Dims b_shape, const float* b, float* out, Clamp clamp = {});
/// Add, Subtract, Multiply, Divide (towards zero; by zero: 0), Minimum, Maximum, modulo 2^32.
void binary_i32(Binary op, Dims a_shape, const int32_t* a, Dims b_shape, const int32_t* b, int32_t* out);
/// Add and Subtract with 21-bit multipliers and one rounding shift, as XNNPACK has them; the rest in float32 with one
/// rounding to even. False: the ratio of an input's scale to the output's is not in [2^-10, 2^8) (Add, Subtract).
bool binary_qs8(Binary op, Dims a_shape, const int8_t* a, Quantised a_quant, Dims b_shape, const int8_t* b,
                Quantised b_quant, const OutputQs8& output, int8_t* out);

enum class Unary : uint8_t {
  Abs,
  Negate,
  Square,
  SquareRoot,
  ReciprocalSquareRoot,
  Floor,
  Ceiling,
  Exp,
  Log,
  Sin,
  Cos,
  Sigmoid,
  Tanh,
  Gelu,       // x/2 · (1 + erf(x/√2))
  Hardswish,  // x/6 · clamp(x + 3, 0, 6)
  Elu,        // x < 0 ? alpha · (e^x - 1) : x
  LeakyRelu,  // x < 0 ? alpha · x : x
  Clamp,      // min, max
};
struct UnaryParams {
  float alpha = 1;
  Clamp clamp;
};
void unary_f32(Unary op, int64_t n, const float* in, float* out, const UnaryParams& params = {});
/// By a table of the 256 results: float32 on the dequantised value, quantised to the output with rounding to even.
void unary_qs8(Unary op, int64_t n, const int8_t* in, Quantised quant, const OutputQs8& output, int8_t* out,
               const UnaryParams& params = {});

/// Over the last dimension: rows of `n` values.
void softmax_f32(int64_t rows, int64_t n, const float* in, float* out);

/// q = clamp(round_to_even(x / scale) + zero point). (x times the reciprocal of the scale, as XNNPACK has it.)
void quantize_f32(int64_t n, const float* in, const OutputQs8& output, int8_t* out);
void dequantize_qs8(int64_t n, const int8_t* in, Quantised quant, float* out);
/// out[i] = table[in[i]], a table of 256 bytes.
void look_up(int64_t n, const uint8_t* in, const uint8_t* table, uint8_t* out);
void convert_to_f32(int64_t n, const void* in, FloatType type, float* out);
/// Rounds to even.
void convert_from_f32(int64_t n, const float* in, FloatType type, void* out);
/// Keeps values to what `type` can hold.
void round_f32(int64_t n, FloatType type, float* values);

/// out dimension i is in dimension perm[i]. Elements of 1, 2, 4 or 8 bytes, at most kMaxRank dimensions.
void permute(Dims in_shape, std::span<const uint32_t> perm, size_t element_size, const void* in, void* out);

}  // namespace et::xnn
