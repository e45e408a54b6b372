// What the operators of two operands share: types, shapes and the loop. An operator is a function object without state,
// f(a, b) or f(a, b, parameter), so that it costs one small function for each type; threads, broadcasting and 16-bit
// floats are common to all.
#pragma once

#include "runtime/backends/tosa/float_rows.h"
#include "runtime/backends/tosa/loops.h"
#include "runtime/backends/tosa/operators.h"

namespace et::tosa {

/// Computes `n` elements: operands at `a` and `b`, `a_step` and `b_step` elements apart, results side by side.
using BinaryRow = void (*)(int64_t parameter, int64_t n, const uint8_t* a, int64_t a_step, const uint8_t* b,
                           int64_t b_step, uint8_t* out);

template <class T, class Out, class F>
void binary_row(int64_t parameter, int64_t n, const uint8_t* a, int64_t a_step, const uint8_t* b, int64_t b_step,
                uint8_t* out) {
  using C = Compute<T>;
  const auto compute = [parameter](T x, T y) {
    static_cast<void>(parameter);  // most operators have none
    if constexpr (std::is_invocable_v<F, C, C, int64_t>) {
      return static_cast<Out>(F{}(static_cast<C>(x), static_cast<C>(y), parameter));
    } else {
      return static_cast<Out>(F{}(static_cast<C>(x), static_cast<C>(y)));
    }
  };
  const T* pa = reinterpret_cast<const T*>(a);
  const T* pb = reinterpret_cast<const T*>(b);
  Out* po = reinterpret_cast<Out*>(out);
  if (a_step == 1 && b_step == 1) {
    for (int64_t i = 0; i < n; ++i) po[i] = compute(pa[i], pb[i]);
  } else {
    for (int64_t i = 0; i < n; ++i) po[i] = compute(pa[i * a_step], pb[i * b_step]);
  }
}

/// `row` over all elements. Operands and results that are 16-bit floats reach it as floats.
Kernel binary_kernel(OpBuilder& builder, BinaryRow row, int64_t parameter);

/// F for each element, operands of T, results of Out; F is called with and returns what Compute says.
template <class T, class Out, class F>
Kernel binary_loop(OpBuilder& builder, F, int64_t parameter = 0) {
  return binary_kernel(builder, &binary_row<RowType<T>, RowType<Out>, F>, parameter);
}

/// Both operands are of one type and broadcast to the output.
bool binary_operands(OpBuilder& builder);

/// An operator whose result has the type of its operands, one of T...
template <class... T, class F>
Kernel binary_same(OpBuilder& builder, F f, int64_t parameter = 0) {
  if (!binary_operands(builder) || !builder.same_type(builder.in(0), builder.out())) return {};
  return dispatch<T...>(builder, builder.in(0), [&](auto t) {
    using E = typename decltype(t)::type;
    return binary_loop<E, E>(builder, f, parameter);
  });
}

}  // namespace et::tosa
