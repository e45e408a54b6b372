// Helium's loops over int8 and uint8 beside the plain ones, on a board: random runs with NaN, infinities, subnormal
// numbers and every length up to 67, and what lies behind them. Ends with 0 when all bytes are equal.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>

#include "runtime/kernels/quantized/affine.h"

namespace et::ET_KERNELS {
namespace {

#if ET_HELIUM
constexpr int kLength = 68;

uint32_t next() {
  static uint32_t state = 1;
  state = state * 1664525u + 1013904223u;
  return state >> 8;
}
float between(int low, int high) {
  return static_cast<float>(low + static_cast<int>(next() % static_cast<uint32_t>(high - low)));
}

float any_number(float scale) {
  switch (next() % 16) {
    case 0:
      return std::numeric_limits<float>::quiet_NaN();
    case 1:
      return std::numeric_limits<float>::infinity();
    case 2:
      return -std::numeric_limits<float>::infinity();
    case 3:
      return 1e-40f;
    case 4:
      return between(-100, 100) * scale * 0.5f;  // halves
    default:
      return between(-32768, 32768) * scale * 0.01f;
  }
}

template <class T>
int different(const T (&a)[kLength], const T (&b)[kLength]) {
  int count = 0;
  for (int i = 0; i < kLength; ++i) count += std::memcmp(a + i, b + i, sizeof(T)) != 0;
  return count;
}

/// The number of results that differ in a round.
template <class Q>
int round_of() {
  Affine<float> a;
  a.scale = 0.01f * between(1, 500);
  a.inverse = 1 / a.scale;
  a.min = static_cast<float>(std::numeric_limits<Q>::min());
  a.max = static_cast<float>(std::numeric_limits<Q>::max());
  a.zero_point = a.min + between(0, 256);
  const auto n = static_cast<int64_t>(1 + next() % (kLength - 1));
  float numbers[kLength];
  for (float& x : numbers) x = any_number(a.scale);
  Q plain[kLength] = {}, helium[kLength] = {};
  for (int64_t i = 0; i < n; ++i) plain[i] = quantize_one<float, Q>(numbers[i], a);
  helium_quantize(numbers, helium, n, a);
  int wrong = different(plain, helium);

  float plain_floats[kLength] = {}, helium_floats[kLength] = {};
  for (int64_t i = 0; i < n; ++i) plain_floats[i] = (static_cast<float>(plain[i]) - a.zero_point) * a.scale;
  helium_dequantize(plain, helium_floats, n, a.zero_point, a.scale);
  wrong += different(plain_floats, helium_floats);

  Q other[kLength], sum[kLength] = {}, helium_sum[kLength] = {};
  for (Q& q : other) q = static_cast<Q>(next());
  const float zero_points[2] = {a.zero_point, 3}, scales[2] = {a.scale, 0.37f};
  for (int64_t i = 0; i < n; ++i) {
    const float x = (static_cast<float>(plain[i]) - zero_points[0]) * scales[0];
    const float y = (static_cast<float>(other[i]) - zero_points[1]) * scales[1];
    sum[i] = quantize_one<float, Q>(x + y, a);
  }
  helium_add(plain, other, helium_sum, n, zero_points, scales, a);
  return wrong + different(sum, helium_sum);
}
#endif

}  // namespace

int helium_test() {
#if ET_HELIUM
  int wrong = 0;
  for (int i = 0; i < 5000; ++i) wrong += round_of<int8_t>() + round_of<uint8_t>();
  std::printf("%d results differ\n", wrong);
  return wrong == 0 ? 0 : 1;
#else
  std::printf("no Helium\n");
  return 1;
#endif
}

}  // namespace et::ET_KERNELS

int main() { return et::ET_KERNELS::helium_test(); }
