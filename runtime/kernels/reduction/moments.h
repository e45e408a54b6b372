// Mean and sum of squared differences. Two passes: the mean in blocks with double totals, then the differences from the
// mean as rounded to C, with the correction for that rounding: (Σd² − (Σd)²/n). The differences are nearly exact, so
// that float is enough for rows like 10000 ± 0.01.
#pragma once

#include <cmath>
#include <cstdint>

#include "runtime/kernels/reduction/engine.h"

namespace et::ET_KERNELS {

struct Moments {
  double mean = 0;
  double m2 = 0;  // Σ(x − mean)²
};

/// Sums of x − shift and of its square.
struct Differences {
  double d = 0;
  double q = 0;
};

template <class C>
inline void add_differences(const C* __restrict p, int64_t n, C shift, Differences* sums) {
  // Vectors by hand: of arrays of lanes GCC keeps half on the stack.
  constexpr int64_t kWidth = 32 / static_cast<int64_t>(sizeof(C));
  constexpr int64_t kLanes = 2 * kWidth;
  constexpr int64_t kDepth = 64;
  typedef C Vector __attribute__((vector_size(32)));
  typedef C Unaligned __attribute__((vector_size(32), aligned(sizeof(C)), may_alias));
  const Vector shifts = Vector{} + shift;
  int64_t i = 0;
  while (n - i >= kLanes) {
    Vector d[2] = {};
    Vector q[2] = {};
    int64_t steps = (n - i) / kLanes;
    if (steps > kDepth) steps = kDepth;
    for (int64_t s = 0; s < steps; ++s, i += kLanes) {
      const Vector x = *reinterpret_cast<const Unaligned*>(p + i) - shifts;
      const Vector y = *reinterpret_cast<const Unaligned*>(p + i + kWidth) - shifts;
      d[0] += x;
      d[1] += y;
      q[0] += x * x;
      q[1] += y * y;
    }
    d[0] += d[1];
    q[0] += q[1];
    C d_total = 0;
    C q_total = 0;
    for (int64_t l = 0; l < kWidth; ++l) {
      d_total += d[0][l];
      q_total += q[0][l];
    }
    sums->d += static_cast<double>(d_total);
    sums->q += static_cast<double>(q_total);
  }
  for (; i < n; ++i) {
    const C x = p[i] - shift;
    sums->d += static_cast<double>(x);
    sums->q += static_cast<double>(x) * static_cast<double>(x);
  }
}

template <class C>
inline Moments moments_of(C shift, const Differences& sums, int64_t n) {
  const double count = static_cast<double>(n);
  const double m2 = sums.q - sums.d * sums.d / count;
  return {static_cast<double>(shift) + sums.d / count, m2 < 0 ? 0.0 : m2};
}

/// One after the other in double, as torch: what follows an infinity decides between an infinite mean and NaN. `each`
/// calls its argument with all elements.
template <class Each>
Moments welford(const Each& each) {
  Moments m;
  double n = 0;
  each([&](double x) {
    n += 1;
    const double delta = x - m.mean;
    m.mean += delta / n;
    m.m2 += delta * (x - m.mean);
  });
  return m;
}

/// One result at a time: the innermost dimension is reduced.
template <class C, class Emit>
void moments_of_rows(const ReducePlan& plan, const ChunkReader<C>& reader, const ChunkReader<double>& exact,
                     int64_t count, const Emit& emit) {
  const int64_t inner = plan.inner.size;
  const SumOp<C> sum;
  parallel_for(0, plan.kept_count, grain_for(count), [&](int64_t first, int64_t last) {
    plan.for_kept(first, last, [&](int64_t in, int64_t out, int64_t out2) {
      double total = 0;
      plan.for_reduced([&](int64_t at) {
        reader.for_each(in + at, 1, inner, [&](int64_t, const C* p, int64_t n) { fold_row(sum, p, n, &total); });
      });
      const C shift = static_cast<C>(total / static_cast<double>(count));
      Differences sums;
      plan.for_reduced([&](int64_t at) {
        reader.for_each(in + at, 1, inner,
                        [&](int64_t, const C* p, int64_t n) { add_differences(p, n, shift, &sums); });
      });
      Moments m = moments_of(shift, sums, count);
      if (!std::isfinite(m.m2)) {
        m = welford([&](const auto& add) {
          plan.for_reduced([&](int64_t at) {
            for (int64_t i = 0; i < inner; ++i) add(exact.at(in + at + i));
          });
        });
      }
      emit(&m, 1, out, 1, out2, 1);
    });
  });
}

/// Columns side by side: the innermost dimension is kept.
template <class C, class Emit>
void moments_of_columns(const ReducePlan& plan, const ChunkReader<C>& reader, const ChunkReader<double>& exact,
                        int64_t count, const Emit& emit) {
  const int64_t inner = plan.inner.size;
  constexpr int64_t kWidth = 128;
  constexpr int64_t kDepth = 64;
  const int64_t tiles = (inner + kWidth - 1) / kWidth;
  parallel_for(0, plan.kept_count * tiles, grain_for(kWidth * count), [&](int64_t first, int64_t last) {
    C shift[kWidth];
    C d[kWidth];
    C q[kWidth];
    C buffer[kWidth];
    double d_total[kWidth];
    double q_total[kWidth];
    Moments m[kWidth];
    const auto flush = [&](int64_t width) {
      for (int64_t j = 0; j < width; ++j) {
        d_total[j] += static_cast<double>(d[j]);
        q_total[j] += static_cast<double>(q[j]);
        d[j] = 0;
        q[j] = 0;
      }
    };
    for (int64_t item = first; item < last; ++item) {
      const int64_t from = item % tiles * kWidth;
      const int64_t width = inner - from < kWidth ? inner - from : kWidth;
      plan.for_kept(item / tiles, item / tiles + 1, [&](int64_t row, int64_t out, int64_t out2) {
        const int64_t in = row + from;
        for (int64_t j = 0; j < width; ++j) d[j] = q[j] = 0, d_total[j] = q_total[j] = 0;
        int64_t steps = 0;
        plan.for_reduced([&](int64_t at) {
          const C* __restrict p = reader.get(in + at, 1, width, buffer);
          for (int64_t j = 0; j < width; ++j) d[j] += p[j];
          if (++steps % kDepth == 0) flush(width);
        });
        flush(width);
        for (int64_t j = 0; j < width; ++j) {
          shift[j] = static_cast<C>(d_total[j] / static_cast<double>(count));
          d_total[j] = 0;
        }
        plan.for_reduced([&](int64_t at) {
          const C* __restrict p = reader.get(in + at, 1, width, buffer);
          for (int64_t j = 0; j < width; ++j) {
            const C x = p[j] - shift[j];
            d[j] += x;
            q[j] += x * x;
          }
          if (++steps % kDepth == 0) flush(width);
        });
        flush(width);
        for (int64_t j = 0; j < width; ++j) {
          m[j] = moments_of(shift[j], Differences{d_total[j], q_total[j]}, count);
          if (!std::isfinite(m[j].m2)) {
            m[j] = welford([&](const auto& add) { plan.for_reduced([&](int64_t at) { add(exact.at(in + at + j)); }); });
          }
        }
        emit(m, width, out + from * plan.inner.out[0], plan.inner.out[0], out2 + from * plan.inner.out[1],
             plan.inner.out[1]);
      });
    }
  });
}

/// Calls emit(moments, n, output offset, stride, second output's offset, stride) for all results of the plan.
template <class C, class Emit>
void run_moments(const ReducePlan& plan, const ChunkReader<C>& reader, const ChunkReader<double>& exact, int64_t count,
                 const Emit& emit) {
  if (plan.inner_kept) {
    moments_of_columns(plan, reader, exact, count, emit);
  } else {
    moments_of_rows(plan, reader, exact, count, emit);
  }
}

}  // namespace et::ET_KERNELS
