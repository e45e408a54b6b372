// Rows of 16-bit floats as floats and back: operators with a loop for floats serve FP16 and BF16 through them, instead
// of a loop of their own for each type.
#pragma once

#include "runtime/backends/tosa/types.h"

namespace et::tosa {

/// The type that a loop computes with: float for all floats, else the stored one.
template <class T>
using RowType = std::conditional_t<kIsFloat<T>, float, T>;

constexpr bool is_half(Type t) { return t == Type::Fp16 || t == Type::Bf16; }

/// `n` elements of a type that is_half(), `step` elements apart.
void half_to_floats(Type type, int64_t n, const uint8_t* from, int64_t step, float* to);
/// Rounds to nearest even.
void floats_to_half(Type type, int64_t n, const float* from, uint8_t* to);

}  // namespace et::tosa
