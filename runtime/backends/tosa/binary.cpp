// Arithmetic and comparisons of two operands.
#include "runtime/backends/tosa/binary.h"

#include <cmath>
#include <limits>

namespace et::tosa {
namespace {

template <bool Max, class C>
C choose(C a, C b, bool ignore_nan) {
  if constexpr (std::is_floating_point_v<C>) {
    if (std::isnan(a) || std::isnan(b)) {
      if (!ignore_nan) return std::numeric_limits<C>::quiet_NaN();
      return std::isnan(a) ? b : a;
    }
  }
  return Max ? (a >= b ? a : b) : (a < b ? a : b);
}

template <bool Max>
Kernel extremum(OpBuilder& builder) {
  const bool ignore = is_float(builder.in(0).type) && builder.ignores_nan();
  return binary_same<int32_t, float, Half, BFloat16>(builder,
                                                     [ignore](auto a, auto b) { return choose<Max>(a, b, ignore); });
}

template <class F>
Kernel compare(OpBuilder& builder, F f) {
  if (!binary_operands(builder) || !builder.is_type(builder.out(), Type::Bool)) return {};
  return dispatch<int32_t, float, Half, BFloat16>(
      builder, builder.in(0), [&](auto t) { return binary_loop<typename decltype(t)::type, uint8_t>(builder, f); });
}

int32_t shifted_product(int32_t a, int32_t b, int64_t shift) {
  const int64_t product = int64_t{a} * b;
  return static_cast<int32_t>(wrap_add(product, int64_t{1} << (shift - 1)) >> shift);
}

}  // namespace

Kernel prepare_add(OpBuilder& builder) {
  return binary_same<int32_t, int64_t, float, Half, BFloat16>(builder, [](auto a, auto b) { return wrap_add(a, b); });
}

Kernel prepare_sub(OpBuilder& builder) {
  return binary_same<int32_t, int64_t, float, Half, BFloat16>(builder, [](auto a, auto b) { return wrap_sub(a, b); });
}

Kernel prepare_pow(OpBuilder& builder) {
  return binary_same<float, Half, BFloat16>(builder, [](float a, float b) { return std::pow(a, b); });
}

Kernel prepare_maximum(OpBuilder& builder) { return extremum<true>(builder); }
Kernel prepare_minimum(OpBuilder& builder) { return extremum<false>(builder); }

// Integer results are INT32, rounded to the nearest after a shift, halves up.
Kernel prepare_mul(OpBuilder& builder) {
  int64_t shift = 0;
  if (is_float(builder.in(0).type)) {
    return binary_same<float, Half, BFloat16>(builder, [](float a, float b) { return a * b; });
  }
  if (builder.in_count() == 3 && !builder.zero_point(2, Type::Int8, true, &shift)) return {};
  if (!binary_operands(builder) || !builder.is_type(builder.out(), Type::Int32)) return {};
  if (shift < 0 || shift > 63 || (shift != 0 && builder.in(0).type != Type::Int32)) {
    builder.fail("shift %lld", static_cast<long long>(shift));
    return {};
  }
  return dispatch<int8_t, int16_t, int32_t>(builder, builder.in(0), [&](auto t) {
    using T = typename decltype(t)::type;
    if (shift == 0) return binary_loop<T, int32_t>(builder, [](int32_t a, int32_t b) { return wrap_mul(a, b); });
    return binary_loop<T, int32_t>(builder, [shift](int32_t a, int32_t b) { return shifted_product(a, b, shift); });
  });
}

Kernel prepare_intdiv(OpBuilder& builder) {
  if (!binary_operands(builder) || !builder.is_type(builder.in(0), Type::Int32) ||
      !builder.is_type(builder.out(), Type::Int32)) {
    return {};
  }
  Kernel divide = binary_loop<int32_t, int32_t>(builder, [](int32_t a, int32_t b) {
    return b == -1 ? wrap_sub(0, a) : a / b;  // INT32_MIN has no counterpart
  });
  return [divide = std::move(divide), b = builder.in_id(1), n = builder.in(1).count](Frame& f) {
    const int32_t* divisor = f.at<int32_t>(b);
    for (int64_t i = 0; i < n; ++i) {
      if (divisor[i] == 0) return f.fail("division by zero");
    }
    return divide(f);
  };
}

// Comparisons with a NaN are false.
Kernel prepare_equal(OpBuilder& builder) {
  return compare(builder, [](auto a, auto b) { return a == b; });
}
Kernel prepare_greater(OpBuilder& builder) {
  return compare(builder, [](auto a, auto b) { return a > b; });
}
Kernel prepare_greater_equal(OpBuilder& builder) {
  return compare(builder, [](auto a, auto b) { return a >= b; });
}

}  // namespace et::tosa
