// Moving a matrix whose source is contiguous along one dimension and whose result is contiguous along the other.
#pragma once

#include <cstdint>
#include <utility>

#include "runtime/kernels/common/variant.h"
#include "runtime/kernels/movement/transpose_bytes.h"

namespace et::ET_KERNELS {

// Elements by size alone: they may alias anything and stand at any address. Read and write `v`. (As a plain typedef
// such a type would lose its attributes where it is a template argument.)
template <int kSize>
struct RawType;
template <>
struct RawType<1> {
  typedef uint8_t type [[gnu::may_alias]];
};
template <>
struct RawType<2> {
  typedef uint16_t type [[gnu::may_alias, gnu::aligned(1)]];
};
template <>
struct RawType<4> {
  typedef uint32_t type [[gnu::may_alias, gnu::aligned(1)]];
};
template <>
struct RawType<8> {
  typedef uint64_t type [[gnu::may_alias, gnu::aligned(1)]];
};
template <>
struct RawType<16> {
  typedef uint64_t type __attribute__((vector_size(16), may_alias, aligned(1)));
};
template <int kSize>
struct Raw {
  typename RawType<kSize>::type v;
};
using Bytes1 = Raw<1>;
using Bytes2 = Raw<2>;
using Bytes4 = Raw<4>;
using Bytes8 = Raw<8>;
using Bytes16 = Raw<16>;
static_assert(alignof(Bytes8) == 1 && alignof(Bytes16) == 1);

namespace transposing {

// Vectors of 16 bytes with elements of the given size.
template <int kSize>
struct Vector;
template <>
struct Vector<1> {
  typedef uint8_t type __attribute__((vector_size(16), may_alias, aligned(1)));
};
template <>
struct Vector<2> {
  typedef uint16_t type __attribute__((vector_size(16), may_alias, aligned(1)));
};
template <>
struct Vector<4> {
  typedef uint32_t type __attribute__((vector_size(16), may_alias, aligned(1)));
};
template <>
struct Vector<8> {
  typedef uint64_t type __attribute__((vector_size(16), may_alias, aligned(1)));
};

// a0 b0 a1 b1 … of the lower or the upper halves.
template <class V, int... I>
inline V zip_low(V a, V b, std::integer_sequence<int, I...>) {
  constexpr int n = sizeof...(I);
  return __builtin_shufflevector(a, b, (I % 2 * n + I / 2)...);
}
template <class V, int... I>
inline V zip_high(V a, V b, std::integer_sequence<int, I...>) {
  constexpr int n = sizeof...(I);
  return __builtin_shufflevector(a, b, (n / 2 + I % 2 * n + I / 2)...);
}

// A square of 16-byte rows. Zipping each row of the upper half with that of the lower half, log2(n) times, transposes.
template <int kSize>
[[gnu::always_inline]] inline void square(uint8_t* dst, int64_t dst_row, const uint8_t* src, int64_t src_row) {
  using V = typename Vector<kSize>::type;
  constexpr int n = 16 / kSize;
  constexpr std::make_integer_sequence<int, n> lanes{};
  V a[n], b[n];
  for (int i = 0; i < n; ++i) a[i] = *reinterpret_cast<const V*>(src + i * src_row);
  for (int round = 1; round < n; round *= 2) {
    for (int i = 0; i < n / 2; ++i) {
      b[2 * i] = zip_low(a[i], a[i + n / 2], lanes);
      b[2 * i + 1] = zip_high(a[i], a[i + n / 2], lanes);
    }
    for (int i = 0; i < n; ++i) a[i] = b[i];
  }
  for (int i = 0; i < n; ++i) *reinterpret_cast<V*>(dst + i * dst_row) = a[i];
}

// dst[i * N + k] = src_k[i], the rows of the source `row` bytes apart.
template <class T, int N>
void interleave(uint8_t* dst, const uint8_t* src, int64_t row, int64_t n) {
  T* __restrict to = reinterpret_cast<T*>(dst);
  const T* from[N];
  for (int k = 0; k < N; ++k) from[k] = reinterpret_cast<const T*>(src + k * row);
  for (int64_t i = 0; i < n; ++i) {
    for (int k = 0; k < N; ++k) to[i * N + k].v = from[k][i].v;
  }
}
// The reverse.
template <class T, int N>
void deinterleave(uint8_t* dst, int64_t row, const uint8_t* src, int64_t n) {
  const T* __restrict from = reinterpret_cast<const T*>(src);
  T* to[N];
  for (int k = 0; k < N; ++k) to[k] = reinterpret_cast<T*>(dst + k * row);
  for (int64_t i = 0; i < n; ++i) {
    for (int k = 0; k < N; ++k) to[k][i].v = from[i * N + k].v;
  }
}

}  // namespace transposing

/// dst[a * dst_row + b] = src[a + b * src_row] for a < A, b < B, in items T; the rows in bytes.
template <class T>
void transpose(uint8_t* dst, int64_t dst_row, const uint8_t* src, int64_t src_row, int64_t A, int64_t B) {
  constexpr int kSize = sizeof(T);
#if defined(__SSE2__) || defined(__aarch64__)
  if constexpr (kSize == 1) return transposing::transpose_bytes(dst, dst_row, src, src_row, A, B);
#endif
  if constexpr (kSize <= 8) {
    using namespace transposing;
    if (dst_row == B * kSize) {
      if (B == 2) return interleave<T, 2>(dst, src, src_row, A);
      if (B == 3) return interleave<T, 3>(dst, src, src_row, A);
    }
    if (src_row == A * kSize) {
      if (A == 2) return deinterleave<T, 2>(dst, dst_row, src, B);
      if (A == 3) return deinterleave<T, 3>(dst, dst_row, src, B);
    }
  }
  constexpr int64_t kBlock = 64;  // of 4-byte items two blocks are 32 KB, which the first cache holds
  for (int64_t b0 = 0; b0 < B; b0 += kBlock) {
    const int64_t b_end = b0 + kBlock < B ? b0 + kBlock : B;
    int64_t a = 0;
    if constexpr (kSize <= 8) {
      constexpr int n = 16 / kSize;
      constexpr int kLine = 64 / 16;  // squares side by side, so that a cache line of the source is read once
      for (; a + n <= A;) {
        const int64_t squares = A - a >= n * kLine ? kLine : 1;
        int64_t b = b0;
        for (; b + n <= b_end; b += n) {
          for (int64_t k = 0; k < squares; ++k) {
            transposing::square<kSize>(dst + (a + k * n) * dst_row + b * kSize, dst_row,
                                       src + (a + k * n) * kSize + b * src_row, src_row);
          }
        }
        for (; b < b_end; ++b) {
          for (int64_t i = a; i < a + squares * n; ++i) {
            reinterpret_cast<T*>(dst + i * dst_row + b * kSize)->v =
                reinterpret_cast<const T*>(src + i * kSize + b * src_row)->v;
          }
        }
        a += squares * n;
      }
    }
    for (; a < A; ++a) {
      for (int64_t b = b0; b < b_end; ++b) {
        reinterpret_cast<T*>(dst + a * dst_row + b * kSize)->v =
            reinterpret_cast<const T*>(src + a * kSize + b * src_row)->v;
      }
    }
  }
}

}  // namespace et::ET_KERNELS
