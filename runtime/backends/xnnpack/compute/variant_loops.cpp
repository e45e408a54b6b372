// Loops over contiguous runs, written so that the compiler vectorises them for the variant it compiles
// (ET_XNN_VARIANT).
#include <cmath>

#include "runtime/backends/xnnpack/compute/float_types.h"
#include "runtime/backends/xnnpack/compute/loops.h"
#include "runtime/backends/xnnpack/compute/variant_fold.h"
#include "runtime/backends/xnnpack/compute/variant_unary.h"
#include "runtime/kernels/common/vector_math.h"

#if defined(__AVX2__)
#include "runtime/backends/xnnpack/compute/variant_bytes.h"
#endif
#if defined(__F16C__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace et::xnn::ET_XNN_VARIANT {
namespace {

// In the renamed namespace of the variant (see CMakeLists.txt).
namespace vm = et::ET_KERNELS::vm;

inline float bounded(float x, Clamp c) {
  x = x < c.min ? c.min : x;
  return x > c.max ? c.max : x;
}
/// Rounds to even by adding 1.5 · 2^23; for |x| < 2^22.
inline int32_t round_small(float x) {
  return static_cast<int32_t>(vm::bits(x + 12582912.0f)) - static_cast<int32_t>(vm::bits(12582912.0f));
}

template <class F>
void binary_run(const F& f, Repeat repeat, int64_t n, const float* a, const float* b, float* out, Clamp clamp) {
  switch (repeat) {
    case Repeat::None:
      for (int64_t i = 0; i < n; ++i) out[i] = bounded(f(a[i], b[i]), clamp);
      return;
    case Repeat::A: {
      const float x = *a;
      for (int64_t i = 0; i < n; ++i) out[i] = bounded(f(x, b[i]), clamp);
      return;
    }
    case Repeat::B: {
      const float x = *b;
      for (int64_t i = 0; i < n; ++i) out[i] = bounded(f(a[i], x), clamp);
      return;
    }
  }
}

void binary(Binary op, Repeat repeat, int64_t n, const float* a, const float* b, float* out, Clamp clamp) {
  const auto run = [&](const auto& f) { binary_run(f, repeat, n, a, b, out, clamp); };
  switch (op) {
    case Binary::Add:
      return run([](float x, float y) { return x + y; });
    case Binary::Subtract:
      return run([](float x, float y) { return x - y; });
    case Binary::Multiply:
      return run([](float x, float y) { return x * y; });
    case Binary::Divide:
      return run([](float x, float y) { return x / y; });
    case Binary::Minimum:
      return run([](float x, float y) { return x < y ? x : y; });
    case Binary::Maximum:
      return run([](float x, float y) { return x > y ? x : y; });
    case Binary::PRelu:
      return run([](float x, float y) { return x < 0 ? x * y : x; });
  }
}

void min_max(int64_t n, const float* in, float* min, float* max) {
  *min = min_of(n, in, 0.0f);
  *max = max_of(n, in, 0.0f);
}

/// Clamped before it is rounded: the bounds are integers. A NaN becomes the lower one.
inline int8_t to_int8(float x, float low, float high, int32_t zero_point) {
  x = x > low ? x : low;
  x = x < high ? x : high;
  return static_cast<int8_t>(round_small(x) + zero_point);
}

void quantize(int64_t n, const float* in, float scale, int32_t zero_point, int32_t min, int32_t max, int8_t* out) {
  const auto low = static_cast<float>(min - zero_point), high = static_cast<float>(max - zero_point);
  int64_t i = 0;
#if defined(__aarch64__)
  // GCC narrows with shuffles through memory. The "nm" instructions take the number where the other is a NaN.
  const auto four = [&](int64_t at) {
    const float32x4_t x = vmulq_n_f32(vld1q_f32(in + at), scale);
    return vcvtnq_s32_f32(vminnmq_f32(vmaxnmq_f32(x, vdupq_n_f32(low)), vdupq_n_f32(high)));
  };
  const int16x8_t zero = vdupq_n_s16(static_cast<int16_t>(zero_point));
  for (; i + 16 <= n; i += 16) {
    const int16x8_t a = vuzp1q_s16(vreinterpretq_s16_s32(four(i)), vreinterpretq_s16_s32(four(i + 4)));
    const int16x8_t b = vuzp1q_s16(vreinterpretq_s16_s32(four(i + 8)), vreinterpretq_s16_s32(four(i + 12)));
    vst1q_s8(out + i, vuzp1q_s8(vreinterpretq_s8_s16(vaddq_s16(a, zero)), vreinterpretq_s8_s16(vaddq_s16(b, zero))));
  }
#elif defined(__AVX2__)
  // GCC narrows step by step. Below, saturation bounds what has been rounded, and bytes are bounded together; above,
  // what is beyond int32 would come back with the other sign, as a NaN does, which becomes the lower bound.
  const auto eight = [&](int64_t at) {
    const __m256 x = _mm256_mul_ps(_mm256_loadu_ps(in + at), _mm256_set1_ps(scale));
    return _mm256_cvtps_epi32(_mm256_min_ps(_mm256_set1_ps(high), x));
  };
  const __m256i zero = _mm256_set1_epi16(static_cast<int16_t>(zero_point));
  const __m256i least = _mm256_set1_epi8(static_cast<char>(min));
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  for (; i + 32 <= n; i += 32) {
    const __m256i a = _mm256_adds_epi16(_mm256_packs_epi32(eight(i), eight(i + 8)), zero);
    const __m256i b = _mm256_adds_epi16(_mm256_packs_epi32(eight(i + 16), eight(i + 24)), zero);
    const __m256i bytes = _mm256_permutevar8x32_epi32(_mm256_packs_epi16(a, b), order);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i), _mm256_max_epi8(bytes, least));
  }
#endif
  for (; i < n; ++i) out[i] = to_int8(in[i] * scale, low, high, zero_point);
}

void dequantize(int64_t n, const int8_t* in, Quantised quant, float* out) {
  const int32_t zero_point = quant.zero_point;
  const float scale = quant.scale;
  for (int64_t i = 0; i < n; ++i) out[i] = static_cast<float>(in[i] - zero_point) * scale;
}

template <class F>
void qs8_run(const F& f, Repeat repeat, int64_t n, const int8_t* a, const int8_t* b, int8_t* out) {
  switch (repeat) {
    case Repeat::None:
      for (int64_t i = 0; i < n; ++i) out[i] = f(a[i], b[i]);
      return;
    case Repeat::A: {
      const int8_t x = *a;
      for (int64_t i = 0; i < n; ++i) out[i] = f(x, b[i]);
      return;
    }
    case Repeat::B: {
      const int8_t x = *b;
      for (int64_t i = 0; i < n; ++i) out[i] = f(a[i], x);
      return;
    }
  }
}

/// The elements from `done` on.
template <class F>
void qs8_rest(const F& f, Repeat repeat, int64_t done, int64_t n, const int8_t* a, const int8_t* b, int8_t* out) {
  if (done == n) return;
  const int64_t a_done = repeat == Repeat::A ? 0 : done, b_done = repeat == Repeat::B ? 0 : done;
  qs8_run(f, repeat, n - done, a + a_done, b + b_done, out + done);
}

void add_qs8(const AddQs8& params, Repeat repeat, int64_t n, const int8_t* a, const int8_t* b, const OutputQs8& output,
             int8_t* out) {
  const AddQs8 p = params;
  const int32_t zero_point = output.quant.zero_point, low = output.min, high = output.max;
  int64_t done = 0;
#if defined(__AVX2__)
  done = add_bytes(params, repeat, n, a, b, output, out);
#endif
  qs8_rest(
      [=](int8_t x, int8_t y) {
        int32_t q = ((p.bias + x * p.a_multiplier + y * p.b_multiplier) >> p.shift) + zero_point;
        q = q < low ? low : q;
        q = q > high ? high : q;
        return static_cast<int8_t>(q);
      },
      repeat, done, n, a, b, out);
}

void multiply_qs8(int32_t a_zero_point, int32_t b_zero_point, float scale, Repeat repeat, int64_t n, const int8_t* a,
                  const int8_t* b, const OutputQs8& output, int8_t* out) {
  const int32_t zero_point = output.quant.zero_point;
  const auto low = static_cast<float>(output.min - zero_point), high = static_cast<float>(output.max - zero_point);
  int64_t done = 0;
#if defined(__AVX2__)
  done = multiply_bytes(a_zero_point, b_zero_point, scale, repeat, n, a, b, output, out);
#endif
  qs8_rest(
      [=](int8_t x, int8_t y) {
        const auto product = static_cast<float>((x - a_zero_point) * (y - b_zero_point));
        return to_int8(product * scale, low, high, zero_point);
      },
      repeat, done, n, a, b, out);
}

void f16_to_f32_run(int64_t n, const uint16_t* in, float* out) {
  int64_t i = 0;
#if defined(__F16C__)
  for (; i + 8 <= n; i += 8) {
    _mm256_storeu_ps(out + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(in + i))));
  }
#elif defined(__aarch64__)
  for (; i + 4 <= n; i += 4) vst1q_f32(out + i, vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(in + i))));
#endif
  for (; i < n; ++i) out[i] = f16_to_f32(in[i]);
}
void f32_to_f16_run(int64_t n, const float* in, uint16_t* out) {
  int64_t i = 0;
#if defined(__F16C__)
  for (; i + 8 <= n; i += 8) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i),
                     _mm256_cvtps_ph(_mm256_loadu_ps(in + i), _MM_FROUND_TO_NEAREST_INT));
  }
#elif defined(__aarch64__)
  for (; i + 4 <= n; i += 4) vst1_u16(out + i, vreinterpret_u16_f16(vcvt_f16_f32(vld1q_f32(in + i))));
#endif
  for (; i < n; ++i) out[i] = f32_to_f16(in[i]);
}

}  // namespace

#if defined(__AVX512BW__)
/// Up to a multiple of 64; returns how many. Of the processors of this variant the first ones do not have it.
[[gnu::target("avx512vbmi")]] int64_t look_up_permuted(int64_t n, const uint8_t* in, const uint8_t* table,
                                                       uint8_t* out) {
  __m512i part[4];
  for (int i = 0; i < 4; ++i) part[i] = _mm512_loadu_si512(table + 64 * i);
  int64_t i = 0;
  for (; i + 64 <= n; i += 64) {
    const __m512i x = _mm512_loadu_si512(in + i);
    const __m512i low = _mm512_permutex2var_epi8(part[0], x, part[1]);
    const __m512i high = _mm512_permutex2var_epi8(part[2], x, part[3]);
    _mm512_storeu_si512(out + i, _mm512_mask_blend_epi8(_mm512_movepi8_mask(x), low, high));
  }
  return i;
}
#endif

void look_up(int64_t n, const uint8_t* in, const uint8_t* table, uint8_t* out) {
  int64_t i = 0;
#if defined(__AVX512BW__)
  static const bool permutes = __builtin_cpu_supports("avx512vbmi");
  if (permutes) i = look_up_permuted(n, in, table, out);
#endif
  for (; i < n; ++i) out[i] = table[in[i]];
}

extern const Loops kLoops;
const Loops kLoops = {binary,  unary,        softmax,        min_max,        quantize, dequantize,
                      add_qs8, multiply_qs8, f16_to_f32_run, f32_to_f16_run, look_up};

}  // namespace et::xnn::ET_XNN_VARIANT
