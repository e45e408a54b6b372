// The reduction engine: one loop for rows (the innermost run is reduced) and one for columns (it is kept), for any
// operation that is associative. An operation has
//   using C (elements), using Wide (totals), static constexpr int64_t kDepth (steps before a C goes into a Wide)
//   C first() const, Wide wide_first() const, C step(C a, C x) const, void widen(Wide* total, C a) const.
// Lanes and tiles make the loops vectorise; sums keep short chains in C and totals in Wide (blocked summation).
#pragma once

#include <cstdint>

#include "runtime/kernels/reduction/chunks.h"
#include "runtime/kernels/reduction/plan.h"

namespace et::ET_KERNELS {

/// Folds n contiguous elements into `total`.
template <class Op>
inline void fold_row(const Op& op, const typename Op::C* __restrict p, int64_t n, typename Op::Wide* total) {
  using C = typename Op::C;
  constexpr int64_t kLanes = 128 / static_cast<int64_t>(sizeof(C));
  int64_t i = 0;
  while (n - i >= kLanes) {
    C lane[kLanes];
    for (int64_t l = 0; l < kLanes; ++l) lane[l] = op.step(op.first(), p[i + l]);
    i += kLanes;
    int64_t steps = (n - i) / kLanes;
    if (steps > Op::kDepth - 1) steps = Op::kDepth - 1;
    for (int64_t s = 0; s < steps; ++s, i += kLanes) {
      for (int64_t l = 0; l < kLanes; ++l) lane[l] = op.step(lane[l], p[i + l]);
    }
    for (int64_t half = kLanes / 2; half > 0; half /= 2) {
      for (int64_t l = 0; l < half; ++l) lane[l] = op.join(lane[l], lane[l + half]);
    }
    op.widen(total, lane[0]);
  }
  if (i < n) {
    C a = op.first();
    for (; i < n; ++i) a = op.step(a, p[i]);
    op.widen(total, a);
  }
}

/// Elements of a tile of columns.
template <class C>
inline constexpr int64_t kTile = 1024 / static_cast<int64_t>(sizeof(C)) < kChunk
                                     ? 1024 / static_cast<int64_t>(sizeof(C))
                                     : kChunk;

/// Calls emit(totals, n, offset in the output, stride there) for all results.
template <class Op, class Reader, class Emit>
void run_reduce(const ReducePlan& plan, const Op& op, const Reader& reader, const Emit& emit) {
  using C = typename Op::C;
  using Wide = typename Op::Wide;
  const int64_t inner = plan.inner.size;
  if (!plan.inner_kept) {
    parallel_for(0, plan.kept_count, grain_for(inner * plan.reduced_count), [&](int64_t first, int64_t last) {
      plan.for_kept(first, last, [&](int64_t in, int64_t out, int64_t) {
        Wide total = op.wide_first();
        plan.for_reduced([&](int64_t at) {
          reader.for_each(in + at, 1, inner, [&](int64_t, const C* p, int64_t n) { fold_row(op, p, n, &total); });
        });
        emit(&total, 1, out, 1);
      });
    });
    return;
  }
  constexpr int64_t kWidth = kTile<C>;
  const int64_t tiles = (inner + kWidth - 1) / kWidth;
  const int64_t work = (inner < kWidth ? inner : kWidth) * plan.reduced_count;
  parallel_for(0, plan.kept_count * tiles, grain_for(work), [&](int64_t first, int64_t last) {
    C acc[kWidth];
    C buffer[kWidth];
    Wide totals[kWidth];
    int64_t item = first;
    while (item < last) {
      const int64_t row = item / tiles;
      plan.for_kept(row, row + 1, [&](int64_t in, int64_t out, int64_t) {
        for (int64_t tile = item - row * tiles; tile < tiles && item < last; ++tile, ++item) {
          const int64_t from = tile * kWidth;
          const int64_t width = inner - from < kWidth ? inner - from : kWidth;
          for (int64_t j = 0; j < width; ++j) {
            acc[j] = op.first();
            totals[j] = op.wide_first();
          }
          int64_t steps = 0;
          plan.for_reduced([&](int64_t at) {
            const C* __restrict p = reader.get(in + at + from, 1, width, buffer);
            for (int64_t j = 0; j < width; ++j) acc[j] = op.step(acc[j], p[j]);
            if (++steps == Op::kDepth) {
              steps = 0;
              for (int64_t j = 0; j < width; ++j) {
                op.widen(&totals[j], acc[j]);
                acc[j] = op.first();
              }
            }
          });
          if (steps > 0) {
            for (int64_t j = 0; j < width; ++j) op.widen(&totals[j], acc[j]);
          }
          emit(totals, width, out + from * plan.inner.out[0], plan.inner.out[0]);
        }
      });
    }
  });
}

/// Sums: int64 wraps around as torch's does.
template <class T>
struct SumOp {
  using C = T;
  using Wide = std::conditional_t<std::is_floating_point_v<T>, double, T>;
  static constexpr int64_t kDepth = 64;
  C first() const { return C{0}; }
  Wide wide_first() const { return Wide{0}; }
  C step(C a, C x) const {
    if constexpr (std::is_floating_point_v<T>) {
      return a + x;
    } else {
      return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(x));
    }
  }
  C join(C a, C b) const { return step(a, b); }
  void widen(Wide* total, C a) const {
    if constexpr (std::is_floating_point_v<T>) {
      *total += static_cast<double>(a);
    } else {
      *total = step(*total, a);
    }
  }
};

}  // namespace et::ET_KERNELS
