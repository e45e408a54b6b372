// REDUCE_* and ARGMAX: along one dimension, in the order of the elements.
#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/backends/tosa/operators.h"
#include "runtime/platform/parallel.h"

namespace et::tosa {
namespace {

/// The input as [left, size, right].
struct Along {
  int64_t left = 1, size = 1, right = 1;
};

bool along(OpBuilder& builder, bool keeps_dimension, Along* out) {
  const std::vector<int64_t>& shape = builder.in(0).shape;
  size_t axis = 0;
  if (!builder.axis(shape.size(), &axis) || !builder.work(builder.in(0).count)) return false;
  for (size_t d = 0; d < shape.size(); ++d) (d < axis ? out->left : d == axis ? out->size : out->right) *= shape[d];
  std::vector<int64_t> result = shape;
  if (keeps_dimension) {
    result[axis] = 1;
  } else {
    result.erase(result.begin() + static_cast<std::ptrdiff_t>(axis));
  }
  return builder.has_shape(builder.out(), result);
}

/// Accumulator from `start` by step(acc, element), for each place.
template <class T, class Out, class Acc, class Step>
Kernel reduce_loop(OpBuilder& builder, const Along& a, Acc start, Step step) {
  return [a, start, step, in = builder.in_id(0), out = builder.out_id()](Frame& f) {
    const T* from = f.at<T>(in);
    Out* to = f.at<Out>(out);
    parallel_for(0, a.left, 4096 / (a.size * a.right) + 1, [&](int64_t begin, int64_t end) {
      std::vector<Acc> acc(static_cast<size_t>(a.right));
      for (int64_t l = begin; l < end; ++l) {
        std::fill(acc.begin(), acc.end(), start);
        for (int64_t i = 0; i < a.size; ++i) {
          const T* row = from + (l * a.size + i) * a.right;
          for (int64_t r = 0; r < a.right; ++r) {
            acc[static_cast<size_t>(r)] = step(acc[static_cast<size_t>(r)], static_cast<Acc>(row[r]));
          }
        }
        for (int64_t r = 0; r < a.right; ++r) to[l * a.right + r] = static_cast<Out>(acc[static_cast<size_t>(r)]);
      }
    });
    return true;
  };
}

/// `a`, or `b` where it is beyond; a NaN wins unless it is ignored.
template <bool Max, class C>
C beyond(C a, C b, bool ignore_nan) {
  if constexpr (std::is_floating_point_v<C>) {
    if (std::isnan(a) || std::isnan(b)) {
      if (!ignore_nan) return std::numeric_limits<C>::quiet_NaN();
      return std::isnan(a) ? b : a;
    }
  }
  return Max ? (a >= b ? a : b) : (a < b ? a : b);
}

template <class T, bool Max>
Compute<T> neutral(bool ignore_nan) {
  using C = Compute<T>;
  if constexpr (kIsFloat<T>) {
    if (ignore_nan) return std::numeric_limits<C>::quiet_NaN();
    return Max ? -std::numeric_limits<C>::infinity() : std::numeric_limits<C>::infinity();
  } else {
    return Max ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
  }
}

template <bool Max>
Kernel reduce_extremum(OpBuilder& builder) {
  Along a;
  if (!along(builder, true, &a) || !builder.same_type(builder.in(0), builder.out())) return {};
  const bool ignore = is_float(builder.in(0).type) && builder.ignores_nan();
  return dispatch<int8_t, int16_t, int32_t, float, Half, BFloat16>(builder, builder.in(0), [&](auto t) {
    using T = typename decltype(t)::type;
    return reduce_loop<T, T>(builder, a, neutral<T, Max>(ignore),
                             [ignore](Compute<T> x, Compute<T> y) { return beyond<Max>(x, y, ignore); });
  });
}

template <class Step>
Kernel reduce_truth(OpBuilder& builder, int32_t start, Step step) {
  Along a;
  if (!along(builder, true, &a) || !builder.is_type(builder.in(0), Type::Bool) ||
      !builder.is_type(builder.out(), Type::Bool)) {
    return {};
  }
  return reduce_loop<uint8_t, uint8_t>(builder, a, start, step);
}

}  // namespace

Kernel prepare_reduce_all(OpBuilder& builder) {
  return reduce_truth(builder, 1, [](int32_t a, int32_t b) { return static_cast<int32_t>(a != 0 && b != 0); });
}
Kernel prepare_reduce_any(OpBuilder& builder) {
  return reduce_truth(builder, 0, [](int32_t a, int32_t b) { return static_cast<int32_t>(a != 0 || b != 0); });
}
Kernel prepare_reduce_max(OpBuilder& builder) { return reduce_extremum<true>(builder); }
Kernel prepare_reduce_min(OpBuilder& builder) { return reduce_extremum<false>(builder); }

Kernel prepare_reduce_product(OpBuilder& builder) {
  Along a;
  if (!along(builder, true, &a) || !builder.same_type(builder.in(0), builder.out())) return {};
  return dispatch<float, Half, BFloat16>(builder, builder.in(0), [&](auto t) {
    using T = typename decltype(t)::type;
    return reduce_loop<T, T>(builder, a, 1.0f, [](float x, float y) { return x * y; });
  });
}

Kernel prepare_reduce_sum(OpBuilder& builder) {
  Along a;
  if (!along(builder, true, &a) || !builder.same_type(builder.in(0), builder.out())) return {};
  return dispatch<int32_t, float, Half, BFloat16>(builder, builder.in(0), [&](auto t) {
    using T = typename decltype(t)::type;
    return reduce_loop<T, T>(builder, a, Compute<T>{0}, [](Compute<T> x, Compute<T> y) { return wrap_add(x, y); });
  });
}

// The first of the greatest elements. The first NaN counts as greatest, unless NaNs are ignored.
Kernel prepare_argmax(OpBuilder& builder) {
  Along a;
  if (!along(builder, false, &a) || !builder.is_type(builder.out(), Type::Int32)) return {};
  const bool ignore = is_float(builder.in(0).type) && builder.ignores_nan();
  return dispatch<int8_t, int16_t, float, Half, BFloat16>(builder, builder.in(0), [&](auto t) -> Kernel {
    using T = typename decltype(t)::type;
    using C = Compute<T>;
    return [a, ignore, in = builder.in_id(0), out = builder.out_id()](Frame& f) {
      const T* from = f.at<T>(in);
      int32_t* to = f.at<int32_t>(out);
      for (int64_t l = 0; l < a.left; ++l) {
        for (int64_t r = 0; r < a.right; ++r) {
          C best = neutral<T, true>(ignore);
          int64_t index = 0;
          for (int64_t i = 0; i < a.size; ++i) {
            const C value = static_cast<C>(from[(l * a.size + i) * a.right + r]);
            const C result = beyond<true>(value, best, ignore);
            if (result != best && !(result != result && best != best)) {
              best = result;
              index = i;
            }
          }
          to[l * a.right + r] = static_cast<int32_t>(index);
        }
      }
      return true;
    };
  });
}

}  // namespace et::tosa
