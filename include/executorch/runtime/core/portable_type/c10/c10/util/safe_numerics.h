// Arithmetic that says whether it overflowed.
#pragma once

namespace c10 {

template <class A, class B, class R>
bool add_overflows(A a, B b, R* out) {
  return __builtin_add_overflow(a, b, out);
}
template <class A, class B, class R>
bool mul_overflows(A a, B b, R* out) {
  return __builtin_mul_overflow(a, b, out);
}

}  // namespace c10
