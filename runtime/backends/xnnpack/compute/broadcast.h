// What elementwise functions and chains of them share: a broadcast of two operands as nested loops around runs in which
// each operand either moves on or stays; rounding.
#pragma once

#include <algorithm>

#include "runtime/backends/xnnpack/compute/elementwise.h"
#include "runtime/backends/xnnpack/compute/loops.h"
#include "runtime/backends/xnnpack/compute/parallel_parts.h"

namespace et::xnn {

inline constexpr int64_t kGrain = 8192;  // elements that are worth a thread

/// Keeps values to what `type` can hold, on this thread.
void round_run(const Loops& table, int64_t n, FloatType type, float* values);

struct Broadcast {
  int64_t outer[kMaxRank] = {}, a_step[kMaxRank] = {}, b_step[kMaxRank] = {};
  size_t rank = 0;  // of the outer loops
  int64_t run = 1, rows = 1;
  Repeat repeat = Repeat::None;

  Broadcast(Dims a, Dims b) {
    struct Axis {
      int64_t size, a, b;  // steps in elements
    };
    Axis axes[kMaxRank];
    size_t count = 0;
    const size_t dims = std::max(a.size(), b.size());
    int64_t a_stride = 1, b_stride = 1;
    for (size_t i = 0; i < dims; ++i) {  // from the last dimension
      const int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1, y = i < b.size() ? b[b.size() - 1 - i] : 1;
      const int64_t size = x == 1 ? y : x;
      const Axis axis{size, x == 1 ? 0 : a_stride, y == 1 ? 0 : b_stride};
      a_stride *= x;
      b_stride *= y;
      if (size == 1) continue;
      if (count > 0) {
        Axis& last = axes[count - 1];
        if (axis.a == last.a * last.size && axis.b == last.b * last.size) {
          last.size *= size;
          continue;
        }
      }
      axes[count++] = axis;
    }
    if (count == 0) return;
    run = axes[0].size;
    repeat = axes[0].a == 0 ? Repeat::A : axes[0].b == 0 ? Repeat::B : Repeat::None;
    for (size_t i = 1; i < count; ++i) {
      outer[rank] = axes[i].size;
      a_step[rank] = axes[i].a;
      b_step[rank++] = axes[i].b;
      rows *= axes[i].size;
    }
  }

  /// f(repeat, n, offset in a, offset in b, offset in out) for the runs, or parts of runs, of [first, last) of out.
  template <class F>
  void each_run_in(int64_t first, int64_t last, const F& f) const {
    if (first >= last) return;
    int64_t index[kMaxRank] = {}, a = 0, b = 0, rest = first / run, in_run = first % run;
    for (size_t d = 0; d < rank; ++d) {
      index[d] = rest % outer[d];
      rest /= outer[d];
      a += index[d] * a_step[d];
      b += index[d] * b_step[d];
    }
    for (int64_t at = first; at < last;) {
      const int64_t n = std::min(run - in_run, last - at);
      f(repeat, n, repeat == Repeat::A ? a : a + in_run, repeat == Repeat::B ? b : b + in_run, at);
      at += n;
      in_run = 0;
      for (size_t d = 0; d < rank; ++d) {
        a += a_step[d];
        b += b_step[d];
        if (++index[d] < outer[d]) break;
        a -= outer[d] * a_step[d];
        b -= outer[d] * b_step[d];
        index[d] = 0;
      }
    }
  }

  /// The same for all of them, over the threads; `grain` elements are worth one.
  template <class F>
  void each_run(int64_t grain, const F& f) const {
    if (run == 0 || rows == 0) return;
    if (rows == 1) {
      return parallel_parts(run, grain, [&](int64_t first, int64_t last) { each_run_in(first, last, f); });
    }
    parallel_parts(rows, grain / run + 1,
                   [&](int64_t first, int64_t last) { each_run_in(first * run, last * run, f); });
  }
};

}  // namespace et::xnn
