// The innermost loop of GEMM and convolutions: a tile of kRows x kCols results kept in registers while one pass
// over k adds a column of A times a row of B. Written with the compiler's vector types; the width follows the target.
#pragma once

#include <cstdint>
#include <cstring>

#include "runtime/kernels/common/variant.h"

namespace et::ET_KERNELS {

#if defined(__clang__)
#define ET_UNROLL _Pragma("unroll")
#else
#define ET_UNROLL _Pragma("GCC unroll 8")
#endif

#if defined(ET_VECTOR_BYTES)  // of a build that wants another width
inline constexpr int kVectorBytes = ET_VECTOR_BYTES;
#elif defined(__AVX__)
inline constexpr int kVectorBytes = 32;
#else
inline constexpr int kVectorBytes = 16;
#endif

template <class T>
struct VectorOf {
  typedef T Type __attribute__((vector_size(kVectorBytes)));
  static constexpr int kLanes = kVectorBytes / static_cast<int>(sizeof(T));
  [[gnu::always_inline]] static Type load(const T* p) {
    Type v;
    std::memcpy(&v, p, sizeof v);
    return v;
  }
  [[gnu::always_inline]] static void store(T* p, Type v) { std::memcpy(p, &v, sizeof v); }
  [[gnu::always_inline]] static Type fill(T x) { return x - Type{}; }
};

/// 6 x 2 vectors of 16 AVX registers hold results; without AVX 4 x 2 of 16 SSE registers.
template <class T>
struct TileSize {
  static constexpr int kRows = kVectorBytes >= 32 ? 6 : 4;
  static constexpr int kVectors = 2;
  static constexpr int kCols = kVectors * VectorOf<T>::kLanes;
};

/// Where a tile goes: out = alpha * tile + beta * c. Strides in elements; c may be null.
template <class T>
struct TileStore {
  T* out;
  int64_t out_row, out_col;
  const T* c;
  int64_t c_row, c_col;
  T alpha, beta;
};

template <class T>
[[gnu::noinline]] void store_partial(const TileStore<T>& s, const T* tile, int rows, int cols) {
  constexpr int kCols = TileSize<T>::kCols;
  for (int i = 0; i < rows; ++i) {
    T* out = s.out + i * s.out_row;
    const T* row = tile + i * kCols;
    if (s.c == nullptr) {
      for (int j = 0; j < cols; ++j) out[j * s.out_col] = s.alpha * row[j];
    } else {
      const T* c = s.c + i * s.c_row;
      for (int j = 0; j < cols; ++j) out[j * s.out_col] = s.alpha * row[j] + s.beta * c[j * s.c_col];
    }
  }
}

/// Rows of B one after the other, `stride` elements apart.
template <class T>
struct StridedRows {
  const T* b;
  int64_t stride;
  [[gnu::always_inline]] const T* row(int64_t k) const { return b + k * stride; }
};
/// Rows of B at offsets from one place: how a convolution reads its input.
template <class T>
struct OffsetRows {
  const T* b;
  const int32_t* offsets;
  [[gnu::always_inline]] const T* row(int64_t k) const { return b + offsets[k]; }
};

/// One tile of `Rows` rows and `cols` columns, at most Vectors full vectors, all of which are read from B. A is packed
/// (kRows elements for each k) or has contiguous rows `a_row` apart.
template <class T, int Rows, bool PackedA, int Vectors, class B>
[[gnu::always_inline]] inline void run_tile(int64_t k, const T* a, int64_t a_row, B b, int cols,
                                            const TileStore<T>& s) {
  using V = VectorOf<T>;
  constexpr int kVectors = Vectors;
  constexpr int kStep = PackedA ? TileSize<T>::kRows : 1;
  typename V::Type acc[Rows][kVectors] = {};
  const T* rows[Rows];
  for (int i = 0; i < Rows; ++i) rows[i] = PackedA ? a + i : a + i * a_row;
  for (int64_t p = 0; p < k; ++p) {
    const T* row = b.row(p);
    typename V::Type x[kVectors];
    ET_UNROLL
    for (int v = 0; v < kVectors; ++v) x[v] = V::load(row + v * V::kLanes);
    ET_UNROLL
    for (int i = 0; i < Rows; ++i) {
      const typename V::Type y = V::fill(rows[i][p * kStep]);
      ET_UNROLL
      for (int v = 0; v < kVectors; ++v) acc[i][v] += y * x[v];
    }
  }
  if (cols == Vectors * V::kLanes && s.out_col == 1 && (s.c == nullptr || s.c_col <= 1)) {
    ET_UNROLL
    for (int i = 0; i < Rows; ++i) {
      ET_UNROLL
      for (int v = 0; v < kVectors; ++v) {
        typename V::Type result = V::fill(s.alpha) * acc[i][v];
        if (s.c != nullptr) {
          const T* c = s.c + i * s.c_row;
          result += V::fill(s.beta) * (s.c_col == 0 ? V::fill(*c) : V::load(c + v * V::kLanes));
        }
        V::store(s.out + i * s.out_row + v * V::kLanes, result);
      }
    }
    return;
  }
  T tile[Rows * TileSize<T>::kCols];
  ET_UNROLL
  for (int i = 0; i < Rows; ++i) {
    ET_UNROLL
    for (int v = 0; v < kVectors; ++v) V::store(tile + i * TileSize<T>::kCols + v * V::kLanes, acc[i][v]);
  }
  store_partial(s, tile, Rows, cols);
}

/// The same for a number of rows known at run time, at most kRows.
template <class T, bool PackedA, int Vectors, class B>
inline void run_tile_rows(int rows, int64_t k, const T* a, int64_t a_row, B b, int cols, const TileStore<T>& s) {
  if (rows == TileSize<T>::kRows) [[likely]] {
    run_tile<T, TileSize<T>::kRows, PackedA, Vectors>(k, a, a_row, b, cols, s);
    return;
  }
  switch (rows) {
    case 1:
      return run_tile<T, 1, PackedA, Vectors>(k, a, a_row, b, cols, s);
    case 2:
      return run_tile<T, 2, PackedA, Vectors>(k, a, a_row, b, cols, s);
    case 3:
      return run_tile<T, 3, PackedA, Vectors>(k, a, a_row, b, cols, s);
    default:
      if constexpr (TileSize<T>::kRows > 4) {
        if (rows == 5) return run_tile<T, 5, PackedA, Vectors>(k, a, a_row, b, cols, s);
        return run_tile<T, 4, PackedA, Vectors>(k, a, a_row, b, cols, s);
      }
  }
}

}  // namespace et::ET_KERNELS
