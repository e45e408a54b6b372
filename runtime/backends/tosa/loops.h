// Loops over tensors: operands that broadcast, and copies between strided layouts. Neighbouring dimensions that lie
// alike are joined first, so that the innermost loop is as long as it can be.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "runtime/platform/parallel.h"

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

/// Calls row(offsets, size, strides) for each innermost row, offsets in elements, on several threads.
template <class Row>
void for_rows(const Nest& nest, const Row& row) {
  const size_t outer = nest.levels.size() - 1;
  const Nest::Level& inner = nest.levels[outer];
  int64_t rows = 1;
  for (size_t l = 0; l < outer; ++l) rows *= nest.levels[l].size;
  const int64_t grain = 16384 / inner.size + 1;
  if (outer == 0) {  // one row: cut it
    parallel_for(0, inner.size, 16384, [&](int64_t begin, int64_t end) {
      std::array<int64_t, kMaxOperands> at{};
      for (size_t k = 0; k < nest.operands; ++k) at[k] = begin * inner.strides[k];
      row(at, end - begin, inner.strides);
    });
    return;
  }
  parallel_for(0, rows, grain, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      std::array<int64_t, kMaxOperands> at{};
      int64_t rest = r;
      for (size_t l = outer; l-- > 0;) {
        const int64_t i = rest % nest.levels[l].size;
        rest /= nest.levels[l].size;
        for (size_t k = 0; k < nest.operands; ++k) at[k] += i * nest.levels[l].strides[k];
      }
      row(at, inner.size, inner.strides);
    }
  });
}

/// Copies elements of `width` bytes (1, 2, 4 or 8): nest operand 0 is written, 1 is read.
void copy_elements(const Nest& nest, size_t width, uint8_t* to, const uint8_t* from);

}  // namespace et::tosa
