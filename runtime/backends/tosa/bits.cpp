// Operators on bits and truth values.
#include <bit>

#include "runtime/backends/tosa/binary.h"

namespace et::tosa {
namespace {

template <class F>
Kernel bitwise(OpBuilder& builder, F f) {
  return binary_same<int8_t, int16_t, int32_t>(builder, f);
}

template <class F>
Kernel logical(OpBuilder& builder, F) {
  return binary_same<uint8_t>(builder, [](int32_t a, int32_t b) { return F{}(a != 0, b != 0); });
}

// f(value, distance, parameter, type); a distance outside of the type is an error.
template <class F>
Kernel shift(OpBuilder& builder, F, int64_t parameter = 0) {
  if (!binary_operands(builder) || !builder.same_type(builder.in(0), builder.out())) return {};
  return dispatch<int8_t, int16_t, int32_t>(builder, builder.in(0), [&](auto t) -> Kernel {
    using T = typename decltype(t)::type;
    Kernel loop = binary_loop<T, T>(
        builder, [](int32_t a, int32_t b, int64_t p) { return F{}(a, b, p, std::type_identity<T>{}); }, parameter);
    return [loop = std::move(loop), b = builder.in_id(1), n = builder.in(1).count](Frame& frame) {
      const T* distance = frame.at<T>(b);
      for (int64_t i = 0; i < n; ++i) {
        if (distance[i] < 0 || distance[i] >= static_cast<int>(8 * sizeof(T))) {
          return frame.fail("shift out of range for the type");
        }
      }
      return loop(frame);
    };
  });
}

template <class... T, class F>
Kernel unary(OpBuilder& builder, F f) {
  if (!builder.same_type(builder.in(0), builder.out()) || !builder.same_shape(builder.in(0), builder.out()) ||
      !builder.work(builder.out().count)) {
    return {};
  }
  return dispatch<T...>(builder, builder.in(0), [&](auto t) -> Kernel {
    using E = typename decltype(t)::type;
    return [in = builder.in_id(0), out = builder.out_id(), n = builder.out().count, f](Frame& frame) {
      const E* from = frame.at<E>(in);
      E* to = frame.at<E>(out);
      for (int64_t i = 0; i < n; ++i) to[i] = static_cast<E>(f(from[i]));
      return true;
    };
  });
}

}  // namespace

Kernel prepare_bitwise_and(OpBuilder& builder) {
  return bitwise(builder, [](int32_t a, int32_t b) { return a & b; });
}
Kernel prepare_bitwise_or(OpBuilder& builder) {
  return bitwise(builder, [](int32_t a, int32_t b) { return a | b; });
}
Kernel prepare_bitwise_xor(OpBuilder& builder) {
  return bitwise(builder, [](int32_t a, int32_t b) { return a ^ b; });
}
Kernel prepare_bitwise_not(OpBuilder& builder) {
  return unary<int8_t, int16_t, int32_t>(builder, [](int32_t a) { return ~a; });
}

Kernel prepare_logical_and(OpBuilder& builder) {
  return logical(builder, [](bool a, bool b) { return a && b; });
}
Kernel prepare_logical_or(OpBuilder& builder) {
  return logical(builder, [](bool a, bool b) { return a || b; });
}
Kernel prepare_logical_xor(OpBuilder& builder) {
  return logical(builder, [](bool a, bool b) { return a != b; });
}
Kernel prepare_logical_not(OpBuilder& builder) {
  return unary<uint8_t>(builder, [](uint8_t a) { return a == 0; });
}

Kernel prepare_clz(OpBuilder& builder) {
  return unary<int32_t>(builder, [](int32_t a) { return std::countl_zero(static_cast<uint32_t>(a)); });
}

// With `round`, the last bit that falls out is added.
Kernel prepare_arithmetic_right_shift(OpBuilder& builder) {
  const bool round = builder.flag("round");
  return shift(
      builder,
      [](int32_t a, int32_t b, int64_t round_up, auto) {
        const int32_t half = round_up != 0 && b > 0 ? (a >> (b - 1)) & 1 : 0;
        return (a >> b) + half;
      },
      round);
}

Kernel prepare_logical_left_shift(OpBuilder& builder) {
  return shift(builder,
               [](int32_t a, int32_t b, int64_t, auto) { return static_cast<int32_t>(static_cast<uint32_t>(a) << b); });
}

Kernel prepare_logical_right_shift(OpBuilder& builder) {
  return shift(builder, [](int32_t a, int32_t b, int64_t, auto t) {
    using U = std::make_unsigned_t<typename decltype(t)::type>;
    return static_cast<int32_t>(uint32_t{static_cast<U>(a)} >> b);
  });
}

}  // namespace et::tosa
