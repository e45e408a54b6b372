// Moving a matrix of bytes: pixels of two to four channels by shuffles, all else in squares that are put together in a
// block of whole cache lines, since rows of images are often a power of two apart and share few lines of the first
// cache.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "runtime/kernels/common/variant.h"

namespace et::ET_KERNELS::transposing {

typedef uint8_t Bytes __attribute__((vector_size(16), may_alias, aligned(1)));
constexpr int64_t kBytes = 16;  // of a vector, and rows of a square

[[gnu::always_inline]] inline Bytes load_bytes(const uint8_t* from) { return *reinterpret_cast<const Bytes*>(from); }
[[gnu::always_inline]] inline void store_bytes(uint8_t* to, Bytes value) { *reinterpret_cast<Bytes*>(to) = value; }

/// Byte `Lane` of the result of interleaving (or its reverse) N vectors: in which of them it stands, and where.
template <int N, bool kInterleave, int kOut>
struct Origin {
  static constexpr int vector(int lane) { return kInterleave ? (16 * kOut + lane) % N : (N * lane + kOut) / 16; }
  static constexpr int place(int lane) { return kInterleave ? (16 * kOut + lane) / N : (N * lane + kOut) % 16; }
};

/// `sum` with the bytes that come from vector `k`.
template <class From, int k, int... I>
[[gnu::always_inline]] inline Bytes pick(Bytes sum, Bytes v, std::integer_sequence<int, I...>) {
  return __builtin_shufflevector(sum, v, (From::vector(I) == k ? 16 + From::place(I) : I)...);
}
template <class From, int... K>
[[gnu::always_inline]] inline Bytes gathered(const Bytes* v, std::integer_sequence<int, K...>) {
  Bytes sum = v[0];
  ((sum = pick<From, K>(sum, v[K], std::make_integer_sequence<int, 16>{})), ...);
  return sum;
}
template <int N, bool kInterleave, int... Out>
[[gnu::always_inline]] inline void shuffled(const Bytes* from, Bytes* to, std::integer_sequence<int, Out...>) {
  ((to[Out] = gathered<Origin<N, kInterleave, Out>>(from, std::make_integer_sequence<int, N>{})), ...);
}

/// to[i * N + k] = from_k[i], the rows of the source `row` bytes apart; count >= 16.
template <int N>
inline void interleave_bytes(uint8_t* to, const uint8_t* from, int64_t row, int64_t count) {
  for (int64_t done = 0; done < count; done += kBytes) {
    const int64_t i = std::min(done, count - kBytes);  // the last ones once more
    Bytes in[N], out[N];
    for (int k = 0; k < N; ++k) in[k] = load_bytes(from + k * row + i);
    shuffled<N, true>(in, out, std::make_integer_sequence<int, N>{});
    for (int k = 0; k < N; ++k) store_bytes(to + i * N + k * kBytes, out[k]);
  }
}
/// The reverse.
template <int N>
inline void deinterleave_bytes(uint8_t* to, int64_t row, const uint8_t* from, int64_t count) {
  for (int64_t done = 0; done < count; done += kBytes) {
    const int64_t i = std::min(done, count - kBytes);
    Bytes in[N], out[N];
    for (int k = 0; k < N; ++k) in[k] = load_bytes(from + i * N + k * kBytes);
    shuffled<N, false>(in, out, std::make_integer_sequence<int, N>{});
    for (int k = 0; k < N; ++k) store_bytes(to + k * row + i, out[k]);
  }
}

/// Fewer than 16 bytes.
[[gnu::always_inline]] inline void copy_few(uint8_t* to, const uint8_t* from, int64_t count) {
  const auto piece = [&](auto* type) {
    constexpr int64_t kSize = sizeof(*type);
    if ((count & kSize) == 0) return;
    std::memcpy(to, from, kSize);
    to += kSize;
    from += kSize;
  };
  piece(static_cast<uint64_t*>(nullptr));
  piece(static_cast<uint32_t*>(nullptr));
  piece(static_cast<uint16_t*>(nullptr));
  piece(static_cast<uint8_t*>(nullptr));
}

[[gnu::always_inline]] inline void zip_rounds(Bytes (&a)[kBytes]) {
  Bytes b[kBytes];
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 8; ++i) {
      b[2 * i] = __builtin_shufflevector(a[i], a[i + 8], 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
      b[2 * i + 1] =
          __builtin_shufflevector(a[i], a[i + 8], 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    }
    for (int i = 0; i < kBytes; ++i) a[i] = b[i];
  }
}

/// Up to 64 x 64 bytes, of which nothing at `end` or behind it is read.
class ByteBlock {
 public:
  static constexpr int64_t kSide = 64;

  void read(const uint8_t* src, int64_t src_row, int64_t a_count, int64_t b_count, const uint8_t* end) {
    for (int64_t b0 = 0; b0 < b_count; b0 += kBytes) {
      const int64_t b = std::clamp<int64_t>(b_count - kBytes, 0, b0), rows = std::min(b_count - b, kBytes);
      for (int64_t a0 = 0; a0 < a_count; a0 += kBytes) {
        const int64_t a = std::clamp<int64_t>(a_count - kBytes, 0, a0), lines = std::min(a_count - a, kBytes);
        Bytes square[kBytes];
        const uint8_t* from = src + a + b * src_row;
        if (rows == kBytes && from + (kBytes - 1) * src_row + kBytes <= end) {
          for (int64_t i = 0; i < kBytes; ++i) square[i] = load_bytes(from + i * src_row);
        } else {
          for (int64_t i = 0; i < kBytes; ++i) {
            square[i] = i < rows ? guarded(from + i * src_row, lines, end) : Bytes{};
          }
        }
        zip_rounds(square);
        for (int64_t i = 0; i < kBytes; ++i) store_bytes(bytes_ + (a + i) * kSide + b, square[i]);
      }
    }
  }
  void write(uint8_t* dst, int64_t dst_row, int64_t a_count, int64_t b_count) const {
    const uint8_t* from = bytes_;
    if (b_count == kSide) {
      for (int64_t a = 0; a < a_count; ++a, dst += dst_row, from += kSide) std::memcpy(dst, from, kSide);
      return;
    }
    if (b_count >= kBytes) {
      for (int64_t a = 0; a < a_count; ++a, dst += dst_row, from += kSide) {
        for (int64_t b = 0; b < b_count; b += kBytes) {
          const int64_t at = std::min(b, b_count - kBytes);
          store_bytes(dst + at, load_bytes(from + at));
        }
      }
      return;
    }
    int64_t a = 0;
    if (dst_row == b_count) {  // a row is followed by the next, which overwrites what is too much
      for (; a * dst_row + kBytes <= a_count * dst_row; ++a)
        store_bytes(dst + a * dst_row, load_bytes(from + a * kSide));
    }
    for (; a < a_count; ++a) copy_few(dst + a * dst_row, from + a * kSide, b_count);
  }

 private:
  static Bytes guarded(const uint8_t* from, int64_t count, const uint8_t* end) {
    if (from + kBytes <= end) return load_bytes(from);
    uint8_t few[kBytes] = {};
    if (count == kBytes)
      std::memcpy(few, from, kBytes);
    else
      copy_few(few, from, count);
    return load_bytes(few);
  }

  uint8_t bytes_[(kSide + kBytes) * kSide];
};

/// dst[a * dst_row + b] = src[a + b * src_row] for a < a_size, b < b_size.
inline void transpose_bytes(uint8_t* dst, int64_t dst_row, const uint8_t* src, int64_t src_row, int64_t a_size,
                            int64_t b_size) {
  if (a_size == 0 || b_size == 0) return;
#if defined(__SSSE3__) || defined(__aarch64__)  // others have no shuffle of bytes
  if (dst_row == b_size && a_size >= kBytes) {
    if (b_size == 2) return interleave_bytes<2>(dst, src, src_row, a_size);
    if (b_size == 3) return interleave_bytes<3>(dst, src, src_row, a_size);
    if (b_size == 4) return interleave_bytes<4>(dst, src, src_row, a_size);
  }
  if (src_row == a_size && b_size >= kBytes) {
    if (a_size == 2) return deinterleave_bytes<2>(dst, dst_row, src, b_size);
    if (a_size == 3) return deinterleave_bytes<3>(dst, dst_row, src, b_size);
    if (a_size == 4) return deinterleave_bytes<4>(dst, dst_row, src, b_size);
  }
#endif
  const uint8_t* end = src + a_size + (b_size - 1) * src_row;
  ByteBlock block;
  for (int64_t b = 0; b < b_size; b += ByteBlock::kSide) {
    const int64_t rows = std::min(b_size - b, ByteBlock::kSide);
    for (int64_t a = 0; a < a_size; a += ByteBlock::kSide) {
      const int64_t lines = std::min(a_size - a, ByteBlock::kSide);
      block.read(src + a + b * src_row, src_row, lines, rows, end);
      block.write(dst + a * dst_row + b, dst_row, lines, rows);
    }
  }
}

}  // namespace et::ET_KERNELS::transposing
