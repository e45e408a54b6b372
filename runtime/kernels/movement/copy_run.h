// Copying one row of bytes. The C library's copy of some kilobytes starts with a slow instruction for long strings on
// several processors; rows of tensors are just of that length.
#pragma once

#include <cstdint>
#include <cstring>

#include "runtime/kernels/common/variant.h"

namespace et::ET_KERNELS {

#ifdef __AVX__
constexpr int64_t kLane = 32;
#else
constexpr int64_t kLane = 16;
#endif
typedef uint8_t Lane __attribute__((vector_size(kLane)));
inline Lane load_lane(const uint8_t* p) {
  Lane lane;
  std::memcpy(&lane, p, sizeof lane);
  return lane;
}
inline void store_lane(uint8_t* p, Lane lane) { std::memcpy(p, &lane, sizeof lane); }

/// Between kSize and 2 * kSize bytes: the first and the last kSize of them.
template <int64_t kSize>
inline void copy_ends(uint8_t* dst, const uint8_t* src, int64_t n) {
  struct Lanes {
    uint8_t bytes[kSize];
  } first, last;
  std::memcpy(&first, src, kSize);
  std::memcpy(&last, src + n - kSize, kSize);
  std::memcpy(dst, &first, kSize);
  std::memcpy(dst + n - kSize, &last, kSize);
}

/// Copies `n` bytes, also where the two overlap.
inline void copy_run(uint8_t* dst, const uint8_t* src, int64_t n) {
  constexpr int64_t kMaxLanes = 32 * 1024;
  if (n >= 8 && n <= 16) return copy_ends<8>(dst, src, n);
  if (n > 16 && n <= 32) return copy_ends<16>(dst, src, n);
  const auto apart = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(dst) - reinterpret_cast<uintptr_t>(src));
  if (n < 2 * kLane || n > kMaxLanes || apart + static_cast<uint64_t>(n) < 2 * static_cast<uint64_t>(n)) {
    std::memmove(dst, src, static_cast<size_t>(n));
    return;
  }
  const Lane last = load_lane(src + n - kLane);
  int64_t i = 0;
  for (; i + 4 * kLane <= n; i += 4 * kLane) {
    const uint8_t* from = src + i;
    const Lane a = load_lane(from), b = load_lane(from + kLane);
    const Lane c = load_lane(from + 2 * kLane), d = load_lane(from + 3 * kLane);
    store_lane(dst + i, a);
    store_lane(dst + i + kLane, b);
    store_lane(dst + i + 2 * kLane, c);
    store_lane(dst + i + 3 * kLane, d);
  }
  for (; i + kLane <= n; i += kLane) store_lane(dst + i, load_lane(src + i));
  store_lane(dst + n - kLane, last);
}

}  // namespace et::ET_KERNELS
