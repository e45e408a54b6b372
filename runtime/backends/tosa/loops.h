// Loops over tensors: operands that broadcast, and copies between strided layouts. Neighbouring dimensions that lie
// alike are joined first, so that the innermost loop is as long as it can be.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace et::tosa {

using Dims = std::vector<int64_t>;

/// Strides in elements of a dense tensor.
Dims dense_strides(const Dims& shape);
/// Strides of an operand that is read at the index of a larger shape of the same rank: 0 where it has size 1.
Dims broadcast_strides(const Dims& shape);

inline constexpr size_t kMaxOperands = 4;

/// A nest of loops with a stride for each operand; operand 0 is by convention what is written.
struct Nest {
  struct Level {
    int64_t size = 1;
    std::array<int64_t, kMaxOperands> strides{};
  };
  size_t operands = 0;
  std::vector<Level> levels;  // outermost first, at least one
};
Nest make_nest(const Dims& shape, std::initializer_list<Dims> strides);

/// Computes one innermost row: offsets of the operands in elements, size, strides of the operands.
using RowFunction = void (*)(const void* context, const int64_t* at, int64_t size, const int64_t* strides);
/// Calls `row` for each innermost row, on several threads.
void for_rows(const Nest& nest, RowFunction row, const void* context);

/// row(offsets, size, strides)
template <class Row>
void for_rows(const Nest& nest, const Row& row) {
  for_rows(
      nest,
      [](const void* context, const int64_t* at, int64_t size, const int64_t* strides) {
        (*static_cast<const Row*>(context))(at, size, strides);
      },
      &row);
}

/// Copies elements of `width` bytes (1, 2, 4 or 8): nest operand 0 is written, 1 is read.
void copy_elements(const Nest& nest, size_t width, uint8_t* to, const uint8_t* from);

}  // namespace et::tosa
