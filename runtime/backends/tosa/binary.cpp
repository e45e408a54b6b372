// Arithmetic and comparisons of two operands.
#include "runtime/backends/tosa/binary.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace et::tosa {
namespace {

constexpr int64_t kPiece = 512;  // floats of a row that are converted at a time

/// `row` for operands that are 16-bit floats; results are of the same type, or BOOL.
void in_floats(BinaryRow row, int64_t parameter, Type type, Type out_type, int64_t n, const uint8_t* a, int64_t a_step,
               const uint8_t* b, int64_t b_step, uint8_t* out) {
  float x[kPiece], y[kPiece], z[kPiece];
  const auto width = static_cast<int64_t>(element_size(type)), out_width = static_cast<int64_t>(element_size(out_type));
  for (int64_t first = 0; first < n; first += kPiece) {
    const int64_t count = std::min(kPiece, n - first);
    // An operand that repeats is converted once.
    half_to_floats(type, a_step == 0 ? 1 : count, a + first * a_step * width, a_step, x);
    half_to_floats(type, b_step == 0 ? 1 : count, b + first * b_step * width, b_step, y);
    uint8_t* const to = out + first * out_width;
    const bool convert = is_half(out_type);
    row(parameter, count, reinterpret_cast<const uint8_t*>(x), a_step == 0 ? 0 : 1, reinterpret_cast<const uint8_t*>(y),
        b_step == 0 ? 0 : 1, convert ? reinterpret_cast<uint8_t*>(z) : to);
    if (convert) floats_to_half(out_type, count, z, to);
  }
}

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
  return binary_same<int32_t, float, Half, BFloat16>(
      builder, [](auto a, auto b, int64_t ignore_nan) { return choose<Max>(a, b, ignore_nan != 0); }, ignore);
}

template <class F>
Kernel compare(OpBuilder& builder, F f) {
  if (!binary_operands(builder) || !builder.is_type(builder.out(), Type::Bool)) return {};
  return dispatch<int32_t, float, Half, BFloat16>(
      builder, builder.in(0), [&](auto t) { return binary_loop<typename decltype(t)::type, uint8_t>(builder, f); });
}

int32_t shifted_multiply(int32_t a, int32_t b, int64_t shift) {
  const int64_t product = int64_t{a} * b;
  return static_cast<int32_t>(wrap_add(product, int64_t{1} << (shift - 1)) >> shift);
}

}  // namespace

bool binary_operands(OpBuilder& builder) {
  return builder.same_type(builder.in(0), builder.in(1)) &&
         builder.broadcasts({&builder.in(0), &builder.in(1)}, builder.out()) && builder.work(builder.out().count);
}

Kernel binary_kernel(OpBuilder& builder, BinaryRow row, int64_t parameter) {
  const Value &in = builder.in(0), &out = builder.out();
  Nest nest = make_nest(
      out.shape, {dense_strides(out.shape), broadcast_strides(in.shape), broadcast_strides(builder.in(1).shape)});
  return [nest = std::move(nest), row, parameter, type = in.type, out_type = out.type, x = builder.in_id(0),
          y = builder.in_id(1), o = builder.out_id()](Frame& frame) {
    const auto width = static_cast<int64_t>(element_size(type));
    const auto out_width = static_cast<int64_t>(element_size(out_type));
    for_rows(nest, [&](const int64_t* at, int64_t n, const int64_t* s) {
      const uint8_t* a = frame.at<uint8_t>(x) + at[1] * width;
      const uint8_t* b = frame.at<uint8_t>(y) + at[2] * width;
      uint8_t* to = frame.at<uint8_t>(o) + at[0] * out_width;
      if (is_half(type)) return in_floats(row, parameter, type, out_type, n, a, s[1], b, s[2], to);
      row(parameter, n, a, s[1], b, s[2], to);
    });
    return true;
  };
}

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
    builder.fail("shift %lld is out of range", static_cast<long long>(shift));
    return {};
  }
  return dispatch<int8_t, int16_t, int32_t>(builder, builder.in(0), [&](auto t) {
    using T = typename decltype(t)::type;
    if (shift == 0) return binary_loop<T, int32_t>(builder, [](int32_t a, int32_t b) { return wrap_mul(a, b); });
    return binary_loop<T, int32_t>(
        builder, [](int32_t a, int32_t b, int64_t by) { return shifted_multiply(a, b, by); }, shift);
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
