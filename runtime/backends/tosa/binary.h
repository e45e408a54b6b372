// What the operators of two operands share: types, shapes and the loop.
#pragma once

#include "runtime/backends/tosa/loops.h"
#include "runtime/backends/tosa/operators.h"

namespace et::tosa {

/// f(a, b) for each element, operands of T, results of Out; `f` is called with and returns what Compute says.
template <class T, class Out, class F>
Kernel binary_loop(OpBuilder& builder, F f) {
  Nest nest =
      make_nest(builder.out().shape, {dense_strides(builder.out().shape), broadcast_strides(builder.in(0).shape),
                                      broadcast_strides(builder.in(1).shape)});
  return [nest = std::move(nest), x = builder.in_id(0), y = builder.in_id(1), o = builder.out_id(), f](Frame& frame) {
    const T* a = frame.at<T>(x);
    const T* b = frame.at<T>(y);
    Out* out = frame.at<Out>(o);
    for_rows(nest, [&](const auto& at, int64_t n, const auto& s) {
      const T* pa = a + at[1];
      const T* pb = b + at[2];
      Out* po = out + at[0];
      using C = Compute<T>;
      if (s[1] == 1 && s[2] == 1) {
        for (int64_t i = 0; i < n; ++i) po[i] = static_cast<Out>(f(static_cast<C>(pa[i]), static_cast<C>(pb[i])));
      } else {
        for (int64_t i = 0; i < n; ++i) {
          po[i] = static_cast<Out>(f(static_cast<C>(pa[i * s[1]]), static_cast<C>(pb[i * s[2]])));
        }
      }
    });
    return true;
  };
}

/// Both operands are of one type and broadcast to the output.
inline bool binary_operands(OpBuilder& builder) {
  return builder.same_type(builder.in(0), builder.in(1)) &&
         builder.broadcasts({&builder.in(0), &builder.in(1)}, builder.out()) && builder.work(builder.out().count);
}

/// An operator whose result has the type of its operands, one of T...
template <class... T, class F>
Kernel binary_same(OpBuilder& builder, F f) {
  if (!binary_operands(builder) || !builder.same_type(builder.in(0), builder.out())) return {};
  return dispatch<T...>(builder, builder.in(0), [&](auto t) {
    using E = typename decltype(t)::type;
    return binary_loop<E, E>(builder, f);
  });
}

}  // namespace et::tosa
