// CAST, RESCALE, TABLE: from one type to another.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>

#include "runtime/backends/tosa/operators.h"
#include "runtime/backends/tosa/rescale.h"
#include "runtime/backends/tosa/scale.h"
#include "runtime/platform/parallel.h"

namespace et::tosa {
namespace {

/// The next float towards zero, with its last bit set unless `x` is a float: rounding it again to fewer bits gives what
/// rounding `x` once would.
float round_to_odd(double x) {
  float y = static_cast<float>(x);
  if (static_cast<double>(y) == x || std::isnan(x)) return y;
  if (std::fabs(static_cast<double>(y)) > std::fabs(x)) y = std::nextafter(y, 0.0f);
  return std::bit_cast<float>(std::bit_cast<uint32_t>(y) | 1u);
}

template <class To, class From>
To cast_element(From x) {
  if constexpr (std::is_same_v<To, uint8_t>) {
    if constexpr (kIsFloat<From>) {
      return static_cast<float>(x) != 0.0f;
    } else {
      return x != 0;
    }
  } else if constexpr (kIsFloat<To>) {
    if constexpr (kIsFloat<From>) {
      return static_cast<To>(static_cast<float>(x));
    } else if constexpr (std::is_same_v<To, float>) {
      return static_cast<float>(x);
    } else {
      return static_cast<To>(round_to_odd(static_cast<double>(x)));
    }
  } else if constexpr (kIsFloat<From>) {
    const double y = std::nearbyint(static_cast<double>(static_cast<float>(x)));
    if (std::isnan(y)) return 0;
    if (y <= static_cast<double>(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
    if (y >= static_cast<double>(std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
    return static_cast<To>(y);
  } else {
    return static_cast<To>(x);
  }
}

template <class From, class To>
Kernel cast_loop(OpBuilder& builder) {
  return [in = builder.in_id(0), out = builder.out_id(), n = builder.out().count](Frame& f) {
    const From* from = f.at<From>(in);
    To* to = f.at<To>(out);
    for (int64_t i = 0; i < n; ++i) to[i] = cast_element<To>(from[i]);
    return true;
  };
}

struct Rescale {
  bool double_round = false;
  bool in_unsigned = false, out_unsigned = false;
  int64_t in_zp = 0, out_zp = 0;
  std::vector<Scale> scales;  // one, or one a channel
};

template <class From, class To>
Kernel rescale_loop(OpBuilder& builder, const Rescale& r) {
  using UnsignedFrom = std::make_unsigned_t<From>;
  using UnsignedTo = std::make_unsigned_t<To>;
  const auto channels = static_cast<int64_t>(r.scales.size());
  const int64_t min = r.out_unsigned ? 0 : std::numeric_limits<To>::min();
  const int64_t max = r.out_unsigned ? int64_t{std::numeric_limits<UnsignedTo>::max()} : std::numeric_limits<To>::max();
  return [r, channels, min, max, in = builder.in_id(0), out = builder.out_id(), n = builder.out().count](Frame& f) {
    const From* from = f.at<From>(in);
    To* to = f.at<To>(out);
    const auto one = [&](From stored, const Scale& s) {
      const int64_t value =
          (r.in_unsigned ? static_cast<int64_t>(static_cast<UnsignedFrom>(stored)) : static_cast<int64_t>(stored)) -
          r.in_zp;
      const int64_t y = apply_scale(value, s.multiplier, s.shift, r.double_round) + r.out_zp;
      return static_cast<To>(y < min ? min : y > max ? max : y);
    };
    parallel_for(0, n / channels, 8192 / channels + 1, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        for (int64_t c = 0; c < channels; ++c) {
          to[row * channels + c] = one(from[row * channels + c], r.scales[static_cast<size_t>(c)]);
        }
      }
    });
    return true;
  };
}

/// The types between which almost all of a quantised network is scaled, signed and rounded once.
template <class From, class To>
Kernel rescale_rows(OpBuilder& builder, const Rescale& r) {
  auto row = std::make_shared<const ScaleRow>(r.scales, r.in_zp, r.out_zp, std::numeric_limits<To>::min(),
                                              std::numeric_limits<To>::max());
  return [row, in = builder.in_id(0), out = builder.out_id(), n = builder.out().count](Frame& f) {
    const From* from = f.at<From>(in);
    To* to = f.at<To>(out);
    const int64_t size = row->size(), rows = (n + size - 1) / size;
    parallel_for(0, rows, 8192 / size + 1, [&](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end; ++k) {
        const int64_t at = k * size;
        rescale(from + at, std::min(size, n - at), *row, to + at);
      }
    });
    return true;
  };
}

/// Only 8-bit values, and unsigned 16-bit ones, have a zero point.
bool rescale_zero_point(OpBuilder& builder, size_t input, const Value& v, bool is_unsigned, int64_t* zp) {
  const bool allowed = v.type == Type::Int8 || (v.type == Type::Int16 && is_unsigned);
  if (!builder.zero_point(input, v.type, allowed, zp)) return false;
  if (is_unsigned) *zp &= v.type == Type::Int8 ? 0xff : 0xffff;
  return v.type != Type::Int16 || *zp == 0 || *zp == 32768 ||
         builder.fail("zero point of unsigned 16-bit values: expected 0 or 32768, got %lld",
                      static_cast<long long>(*zp));
}

bool read_rescale(OpBuilder& builder, Rescale* r) {
  const Value &in = builder.in(0), &out = builder.out();
  const bool scale32 = builder.flag("scale32");
  const int64_t rounding = builder.number("rounding_mode");
  r->double_round = rounding == 3;
  r->in_unsigned = builder.flag("input_unsigned");
  r->out_unsigned = builder.flag("output_unsigned");
  const bool wide_in = in.type == Type::Int32 || in.type == Type::Int48;
  if (!builder.same_shape(in, out) || !builder.work(out.count)) return false;
  if (rounding < 1 || rounding > 3)
    return builder.fail("rounding mode %lld is not supported", static_cast<long long>(rounding));
  if (scale32 && in.type == Type::Int48) return builder.fail("expected 16-bit multipliers for INT48");
  if (!scale32 && r->double_round) return builder.fail("expected 32-bit multipliers for DOUBLE_ROUND");
  if ((r->in_unsigned && (r->out_unsigned || wide_in || out.type == Type::Int32)) ||
      (r->out_unsigned && (wide_in || out.type == Type::Int32))) {
    return builder.fail("its types cannot be unsigned");
  }
  if (!builder.is_type(builder.in(1), scale32 ? Type::Int32 : Type::Int16) ||
      !builder.is_type(builder.in(2), Type::Int8)) {
    return false;
  }
  std::vector<int64_t> multipliers, shifts;
  if (!builder.constant(1, &multipliers) || !builder.constant(2, &shifts) ||
      !rescale_zero_point(builder, 3, in, r->in_unsigned, &r->in_zp) ||
      !rescale_zero_point(builder, 4, out, r->out_unsigned, &r->out_zp)) {
    return false;
  }
  const bool per_channel = builder.flag("per_channel");
  if (per_channel && in.shape.empty()) return builder.fail("per_channel: expected at least 1 dimension, got a scalar");
  const size_t channels = per_channel ? static_cast<size_t>(in.shape.back()) : 1;
  if (multipliers.size() != channels || shifts.size() != channels) {
    return builder.fail("expected %zu multipliers and shifts, one per channel, got %zu and %zu", channels,
                        multipliers.size(), shifts.size());
  }
  for (size_t c = 0; c < channels; ++c) {
    if (multipliers[c] < 0 || shifts[c] < 2 || shifts[c] > 62) {
      return builder.fail("multiplier %lld with shift %lld is out of range", static_cast<long long>(multipliers[c]),
                          static_cast<long long>(shifts[c]));
    }
    r->scales.push_back({static_cast<int32_t>(multipliers[c]), static_cast<int>(shifts[c])});
  }
  return true;
}

// A table of 513 points, 128 apart; the low bits of the index interpolate between two of them.
int32_t interpolate(const int16_t* table, int16_t value) {
  const int32_t index = (int32_t{value} + 32768) >> 7;
  const int32_t fraction = value & 0x7f;
  const int32_t base = table[index], slope = table[index + 1] - base;
  return base * 128 + slope * fraction;
}

}  // namespace

Kernel prepare_cast(OpBuilder& builder) {
  if (!builder.same_shape(builder.in(0), builder.out()) || !builder.work(builder.out().count)) return {};
  return dispatch<uint8_t, int8_t, int16_t, int32_t, float, Half, BFloat16>(builder, builder.in(0), [&](auto from) {
    return dispatch<uint8_t, int8_t, int16_t, int32_t, float, Half, BFloat16>(builder, builder.out(), [&](auto to) {
      return cast_loop<typename decltype(from)::type, typename decltype(to)::type>(builder);
    });
  });
}

Kernel prepare_rescale(OpBuilder& builder) {
  Rescale r;
  if (!read_rescale(builder, &r)) return {};
  return dispatch<int8_t, int16_t, int32_t, int64_t>(builder, builder.in(0), [&](auto from) {
    return dispatch<int8_t, int16_t, int32_t>(builder, builder.out(), [&](auto to) {
      using From = typename decltype(from)::type;
      using To = typename decltype(to)::type;
      constexpr bool kCommon = (std::is_same_v<From, int8_t> || std::is_same_v<From, int32_t>)&&(
          std::is_same_v<To, int8_t> || std::is_same_v<To, int32_t>);
      if constexpr (kCommon) {
        if (!r.double_round && !r.in_unsigned && !r.out_unsigned && builder.flag("scale32"))
          return rescale_rows<From, To>(builder, r);
      }
      return rescale_loop<From, To>(builder, r);
    });
  });
}

Kernel prepare_table(OpBuilder& builder) {
  const bool wide = builder.in(0).type == Type::Int16;
  if (!wide && !builder.is_type(builder.in(0), Type::Int8)) return {};
  if (!builder.same_shape(builder.in(0), builder.out()) || !builder.same_type(builder.in(0), builder.in(1)) ||
      !builder.has_shape(builder.in(1), {wide ? 513 : 256}) ||
      !builder.is_type(builder.out(), wide ? Type::Int32 : Type::Int8) || !builder.work(builder.out().count)) {
    return {};
  }
  const auto in = builder.in_id(0), table = builder.in_id(1), out = builder.out_id();
  const int64_t n = builder.out().count;
  if (wide) {
    return [in, table, out, n](Frame& f) {
      const int16_t* from = f.at<int16_t>(in);
      for (int64_t i = 0; i < n; ++i) f.at<int32_t>(out)[i] = interpolate(f.at<int16_t>(table), from[i]);
      return true;
    };
  }
  return [in, table, out, n](Frame& f) {
    const int8_t* from = f.at<int8_t>(in);
    const int8_t* entries = f.at<int8_t>(table) + 128;
    int8_t* to = f.at<int8_t>(out);
    for (int64_t i = 0; i < n; ++i) to[i] = entries[from[i]];
    return true;
  };
}

}  // namespace et::tosa
