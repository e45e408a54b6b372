// What elementwise functions and chains of them share: a broadcast of two operands as nested loops around runs in which
// each operand either moves on or stays; rounding.
#pragma once

#include <algorithm>
#include <utility>

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

/// A broadcast whose rows are short: one operand moves on, the other is the same in all rows of a group or one value
/// for each row. Copies of the latter make long runs of many rows.
class ShortRows {
 public:
  explicit ShortRows(const Broadcast& broadcast) : b_(broadcast) {
    constexpr int64_t kShort = 64, kFewest = 4;
    if (b_.rank == 0 || b_.run <= 0 || b_.run >= kShort || b_.outer[0] < kFewest) return;
    const int64_t moves = b_.run, a = b_.a_step[0], b = b_.b_step[0];
    if (b_.repeat == Repeat::None) {
      same_b_ = a == moves && b == 0;
      there_ = same_b_ || (b == moves && a == 0);
    } else {
      same_b_ = b_.repeat == Repeat::B;
      there_ = same_b_ ? a == moves && b == 1 : b == moves && a == 1;
    }
  }
  bool there() const { return there_; }

  /// f(n, a, b, offset in out) for whole rows, over the threads.
  template <class T, class F>
  void each(int64_t grain, const T* a, const T* b, const F& f) const {
    constexpr int64_t kLong = 512;
    const int64_t run = b_.run, lines = b_.outer[0];
    const bool by_row = b_.repeat != Repeat::None;
    parallel_parts(b_.rows, grain / run + 1, [&](int64_t first, int64_t last) {
      T copies[kLong];
      for (int64_t row = first; row < last;) {
        const int64_t end = std::min(last, (row / lines + 1) * lines), line = row % lines;
        const auto [at_a, at_b] = group_at(row / lines);
        const T* same = (same_b_ ? b + at_b : a + at_a) + (by_row ? line : 0);
        const T* moves = (same_b_ ? a + at_a : b + at_b) + line * run;
        const int64_t together = std::min(end - row, kLong / run);
        for (int64_t i = 0; i < together && !by_row; ++i) std::copy_n(same, run, copies + i * run);
        while (row < end) {
          const int64_t count = std::min(together, end - row), n = count * run;
          for (int64_t i = 0; i < count && by_row; ++i) std::fill_n(copies + i * run, run, *same++);
          f(n, same_b_ ? moves : copies, same_b_ ? copies : moves, row * run);
          moves += n;
          row += count;
        }
      }
    });
  }

 private:
  /// Where the rows of a group begin in either operand.
  std::pair<int64_t, int64_t> group_at(int64_t group) const {
    std::pair<int64_t, int64_t> at;
    for (size_t d = 1; d < b_.rank; ++d) {
      at.first += group % b_.outer[d] * b_.a_step[d];
      at.second += group % b_.outer[d] * b_.b_step[d];
      group /= b_.outer[d];
    }
    return at;
  }

  const Broadcast& b_;
  bool there_ = false, same_b_ = false;
};

}  // namespace et::xnn
