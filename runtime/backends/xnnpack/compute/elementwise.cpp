// Elementwise functions: broadcasting, and the split over threads. The loops are those of loops.h.
#include "runtime/backends/xnnpack/compute/elementwise.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "runtime/backends/xnnpack/compute/broadcast.h"
#include "runtime/backends/xnnpack/compute/float_types.h"

namespace et::xnn {
namespace {

int32_t divide(int32_t x, int32_t y) {
  if (y == 0) return 0;
  if (y == -1) return static_cast<int32_t>(0u - static_cast<uint32_t>(x));
  return x / y;
}
int32_t integer(Binary op, int32_t x, int32_t y) {
  const auto a = static_cast<uint32_t>(x), b = static_cast<uint32_t>(y);
  switch (op) {
    case Binary::Add:
      return static_cast<int32_t>(a + b);
    case Binary::Subtract:
      return static_cast<int32_t>(a - b);
    case Binary::Multiply:
      return static_cast<int32_t>(a * b);
    case Binary::Divide:
      return divide(x, y);
    case Binary::Minimum:
      return std::min(x, y);
    case Binary::Maximum:
      return std::max(x, y);
    case Binary::PRelu:
      return x < 0 ? static_cast<int32_t>(a * b) : x;
  }
  return 0;
}

int8_t to_int8(float x, const OutputQs8& o) {
  x = std::max(x, static_cast<float>(o.min - o.quant.zero_point));
  x = std::min(x, static_cast<float>(o.max - o.quant.zero_point));
  return static_cast<int8_t>(static_cast<int32_t>(std::nearbyint(x)) + o.quant.zero_point);
}

/// False: the scales are out of the range of the fixed-point sum.
bool plan_add(Quantised a, Quantised b, Quantised out, bool subtract, AddQs8* plan) {
  const float a_ratio = a.scale / out.scale, b_ratio = b.scale / out.scale;
  constexpr float kMinRatio = 0x1p-10f, kMaxRatio = 0x1p+8f;
  if (!(a_ratio >= kMinRatio && a_ratio < kMaxRatio && b_ratio >= kMinRatio && b_ratio < kMaxRatio)) return false;
  // The larger multiplier has 21 bits.
  const int exponent = std::ilogb(std::max(a_ratio, b_ratio));
  plan->shift = 20 - exponent;
  plan->a_multiplier = static_cast<int32_t>(std::lrint(std::ldexp(a_ratio, plan->shift)));
  plan->b_multiplier = static_cast<int32_t>(std::lrint(std::ldexp(b_ratio, plan->shift)));
  if (subtract) plan->b_multiplier = -plan->b_multiplier;
  plan->bias = (1 << (plan->shift - 1)) - plan->a_multiplier * a.zero_point - plan->b_multiplier * b.zero_point;
  return true;
}

}  // namespace

namespace {

/// f(repeat, n, a, b, offset in out) for the runs of a broadcast, over the threads.
template <class T, class F>
void each_run(const Broadcast& broadcast, int64_t grain, const T* a, const T* b, const F& f) {
  if (const ShortRows rows(broadcast); rows.there()) {
    return rows.each(grain, a, b, [&](int64_t n, const T* from_a, const T* from_b, int64_t at) {
      f(Repeat::None, n, from_a, from_b, at);
    });
  }
  broadcast.each_run(grain, [&](Repeat repeat, int64_t n, int64_t at_a, int64_t at_b, int64_t at) {
    f(repeat, n, a + at_a, b + at_b, at);
  });
}

}  // namespace

void binary_f32(Binary op, Dims a_shape, const float* a, Dims b_shape, const float* b, float* out, Clamp clamp) {
  const Loops& table = loops();
  each_run(Broadcast(a_shape, b_shape), kGrain, a, b,
           [&](Repeat repeat, int64_t n, const float* x, const float* y, int64_t at) {
             table.binary(op, repeat, n, x, y, out + at, clamp);
           });
}

void binary_i32(Binary op, Dims a_shape, const int32_t* a, Dims b_shape, const int32_t* b, int32_t* out) {
  Broadcast(a_shape, b_shape).each_run(kGrain, [&](Repeat repeat, int64_t n, int64_t at_a, int64_t at_b, int64_t at) {
    const int64_t a_step = repeat == Repeat::A ? 0 : 1, b_step = repeat == Repeat::B ? 0 : 1;
    for (int64_t i = 0; i < n; ++i) out[at + i] = integer(op, a[at_a + i * a_step], b[at_b + i * b_step]);
  });
}

bool binary_qs8(Binary op, Dims a_shape, const int8_t* a, Quantised a_quant, Dims b_shape, const int8_t* b,
                Quantised b_quant, const OutputQs8& output, int8_t* out) {
  const Loops& table = loops();
  const Broadcast broadcast(a_shape, b_shape);
  if (op == Binary::Add || op == Binary::Subtract) {
    AddQs8 plan{};
    if (!plan_add(a_quant, b_quant, output.quant, op == Binary::Subtract, &plan)) return false;
    each_run(broadcast, 4 * kGrain, a, b, [&](Repeat repeat, int64_t n, const int8_t* x, const int8_t* y, int64_t at) {
      table.add_qs8(plan, repeat, n, x, y, output, out + at);
    });
    return true;
  }
  if (op == Binary::Multiply) {
    const float scale = a_quant.scale * b_quant.scale / output.quant.scale;
    each_run(broadcast, 4 * kGrain, a, b, [&](Repeat repeat, int64_t n, const int8_t* x, const int8_t* y, int64_t at) {
      table.multiply_qs8(a_quant.zero_point, b_quant.zero_point, scale, repeat, n, x, y, output, out + at);
    });
    return true;
  }
  broadcast.each_run(kGrain, [&](Repeat repeat, int64_t n, int64_t at_a, int64_t at_b, int64_t at) {
    const int64_t a_step = repeat == Repeat::A ? 0 : 1, b_step = repeat == Repeat::B ? 0 : 1;
    for (int64_t i = 0; i < n; ++i) {
      const float x = static_cast<float>(a[at_a + i * a_step] - a_quant.zero_point) * a_quant.scale;
      const float y = static_cast<float>(b[at_b + i * b_step] - b_quant.zero_point) * b_quant.scale;
      float z = 0;
      table.binary(op, Repeat::None, 1, &x, &y, &z, {});
      out[at + i] = to_int8(z / output.quant.scale, output);
    }
  });
  return true;
}

void unary_f32(Unary op, int64_t n, const float* in, float* out, const UnaryParams& params) {
  const Loops& table = loops();
  parallel_parts(n, kGrain / 2,
                 [&](int64_t first, int64_t last) { table.unary(op, last - first, in + first, out + first, params); });
}

void unary_qs8(Unary op, int64_t n, const int8_t* in, Quantised quant, const OutputQs8& output, int8_t* out,
               const UnaryParams& params) {
  float values[256];
  int8_t results[256];
  for (int i = 0; i < 256; ++i) values[i] = static_cast<float>(i - 128 - quant.zero_point) * quant.scale;
  loops().unary(op, 256, values, values, params);
  loops().quantize(256, values, 1.0f / output.quant.scale, output.quant.zero_point, output.min, output.max, results);
  parallel_parts(n, 2 * kGrain, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) out[i] = results[in[i] + 128];
  });
}

void softmax_f32(int64_t rows, int64_t n, const float* in, float* out) {
  const Loops& table = loops();
  parallel_parts(rows, 4096 / (n + 1) + 1, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) table.softmax(n, in + i * n, out + i * n);
  });
}

void quantize_f32(int64_t n, const float* in, const OutputQs8& output, int8_t* out) {
  const Loops& table = loops();
  const float scale = 1.0f / output.quant.scale;
  parallel_parts(n, 2 * kGrain, [&](int64_t first, int64_t last) {
    table.quantize(last - first, in + first, scale, output.quant.zero_point, output.min, output.max, out + first);
  });
}

void dequantize_qs8(int64_t n, const int8_t* in, Quantised quant, float* out) {
  const Loops& table = loops();
  parallel_parts(n, 2 * kGrain,
                 [&](int64_t first, int64_t last) { table.dequantize(last - first, in + first, quant, out + first); });
}

void look_up(int64_t n, const uint8_t* in, const uint8_t* table, uint8_t* out) {
  const Loops& loop = loops();
  parallel_parts(n, 4 * kGrain,
                 [&](int64_t first, int64_t last) { loop.look_up(last - first, in + first, table, out + first); });
}

void convert_to_f32(int64_t n, const void* in, FloatType type, float* out) {
  const Loops& table = loops();
  parallel_parts(n, 2 * kGrain, [&](int64_t first, int64_t last) {
    switch (type) {
      case FloatType::F32:
        std::memmove(out + first, static_cast<const float*>(in) + first,
                     static_cast<size_t>(last - first) * sizeof(float));
        return;
      case FloatType::F16:
        return table.f16_to_f32(last - first, static_cast<const uint16_t*>(in) + first, out + first);
      case FloatType::BF16:
        for (int64_t i = first; i < last; ++i) out[i] = bf16_to_f32(static_cast<const uint16_t*>(in)[i]);
    }
  });
}

void convert_from_f32(int64_t n, const float* in, FloatType type, void* out) {
  const Loops& table = loops();
  parallel_parts(n, 2 * kGrain, [&](int64_t first, int64_t last) {
    switch (type) {
      case FloatType::F32:
        std::memmove(static_cast<float*>(out) + first, in + first, static_cast<size_t>(last - first) * sizeof(float));
        return;
      case FloatType::F16:
        return table.f32_to_f16(last - first, in + first, static_cast<uint16_t*>(out) + first);
      case FloatType::BF16:
        for (int64_t i = first; i < last; ++i) static_cast<uint16_t*>(out)[i] = f32_to_bf16(in[i]);
    }
  });
}

void round_run(const Loops& table, int64_t n, FloatType type, float* values) {
  if (type == FloatType::BF16) {
    for (int64_t i = 0; i < n; ++i) values[i] = bf16_to_f32(f32_to_bf16(values[i]));
  }
  if (type != FloatType::F16) return;
  constexpr int64_t kChunk = 1024;
  uint16_t bits[kChunk];
  for (int64_t i = 0; i < n; i += kChunk) {
    const int64_t m = std::min(kChunk, n - i);
    table.f32_to_f16(m, values + i, bits);
    table.f16_to_f32(m, bits, values + i);
  }
}

void round_f32(int64_t n, FloatType type, float* values) {
  const Loops& table = loops();
  parallel_parts(n, kGrain, [&](int64_t first, int64_t last) { round_run(table, last - first, type, values + first); });
}

}  // namespace et::xnn
