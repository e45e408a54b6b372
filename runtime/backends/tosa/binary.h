// What the operators of two operands share: types, shapes and the loop.
#pragma once

#include "runtime/backends/tosa/loops.h"
#include "runtime/backends/tosa/operators.h"

namespace et::tosa {

/// f(a, b) for each element, operands of T, results of Out; `f` is called with and returns what Compute says.
template <class T, class Out, class F>
Kernel binary_loop(Site& site, F f) {
  Nest nest = make_nest(site.out().shape, {dense_strides(site.out().shape), broadcast_strides(site.in(0).shape),
                                           broadcast_strides(site.in(1).shape)});
  return [nest = std::move(nest), x = site.in_id(0), y = site.in_id(1), o = site.out_id(), f](Frame& frame) {
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
inline bool binary_operands(Site& site) {
  return site.same_type(site.in(0), site.in(1)) && site.broadcasts({&site.in(0), &site.in(1)}, site.out()) &&
         site.work(site.out().count);
}

/// An operator whose result has the type of its operands, one of T...
template <class... T, class F>
Kernel binary_same(Site& site, F f) {
  if (!binary_operands(site) || !site.same_type(site.in(0), site.out())) return {};
  return dispatch<T...>(site, site.in(0), [&](auto t) {
    using E = typename decltype(t)::type;
    return binary_loop<E, E>(site, f);
  });
}

}  // namespace et::tosa
