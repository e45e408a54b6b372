// How a GEMM is split over threads, and within a thread into blocks of rows.
#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/backends/xnnpack/compute/matrix_loops.h"
#include "runtime/backends/xnnpack/compute/parallel_parts.h"

namespace et::xnn {

inline constexpr int64_t kInt8BlockValues = 96 * 1024;  // rows of A as int16: 192 KB of the second cache
inline constexpr int64_t kWidePays = 10;                // rows of a block for which a panel is widened
inline constexpr int64_t kFewestRows = 192;             // of a part of a thread: fewer would read weights too often

/// f(row begin, row end, panel begin, panel end) for parts of m rows times `panels` panels. `work` is the number of
/// multiplications; little work stays on this thread.
template <class F>
void split_gemm(int64_t m, int64_t panels, double work, const F& f) {
  constexpr double kMinWork = 1 << 17;
  const int64_t threads = work < kMinWork ? 1 : parallel_threads();
  int64_t rows = 1, columns = 1;
  if (threads > 1) {
    // The cut whose largest part is smallest. Columns have to be clearly better: every part of them reads all rows,
    // which mostly lie in the other threads' caches, writes into lines that another part writes to as well, and may be
    // left with one panel where the loops take two.
    constexpr double kClearly = 15.0 / 16;
    double best = 0;
    for (int64_t r = threads; r >= 1; --r) {
      if (threads % r != 0) continue;
      const int64_t c = threads / r;
      const int64_t part = (m + r - 1) / r, tiles = (part + kTileRows - 1) / kTileRows;
      const double cost = static_cast<double>(tiles) * static_cast<double>((panels + c - 1) / c);
      if (best == 0 || cost < kClearly * best) {
        best = cost;
        rows = std::min(r, m);
        columns = std::min(c, panels);
      }
    }
  }
  if (rows * columns > 1) rows *= std::clamp<int64_t>(m / (rows * kFewestRows), 1, kPartsOfThread);
  const auto run = [&](int64_t i) {
    const int64_t r = i % rows, c = i / rows;
    f(m * r / rows, m * (r + 1) / rows, panels * c / columns, panels * (c + 1) / columns);
  };
  if (rows * columns <= 1) {
    if (rows == 1 && columns == 1) run(0);
    return;
  }
  using Run = decltype(run);
  parallel_run(
      rows * columns, [](void* context, int64_t i) { (*static_cast<const Run*>(context))(i); },
      const_cast<void*>(static_cast<const void*>(&run)));
}

/// f(first, last) for blocks of rows of `k` values of which `max_values` values stay in the cache.
template <class F>
void each_row_block(int64_t first, int64_t last, int64_t k, int64_t max_values, const F& f) {
  const int64_t count = last - first;
  if (count <= 0) return;
  const int64_t fit = std::clamp<int64_t>(max_values / std::max<int64_t>(k, 1), 4 * kTileRows, 64 * kTileRows);
  const int64_t blocks = (count + fit - 1) / fit;
  for (int64_t b = 0; b < blocks; ++b) f(first + count * b / blocks, first + count * (b + 1) / blocks);
}

inline double work_of(int64_t m, int64_t n, int64_t k) {
  return static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
}

}  // namespace et::xnn
