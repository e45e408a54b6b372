// GEMM of float and double. One operand (the rows) is read in place where its rows are contiguous along k; the
// other is packed into panels as wide as a tile. Which of the two is which follows from their strides: transposing the
// whole problem costs nothing but the way that tiles are stored.
#include "runtime/kernels/matrix/gemm.h"

#include <algorithm>

#include "runtime/kernels/matrix/tile.h"
#include "runtime/platform/parallel.h"

namespace et::ET_KERNELS {
namespace {

// Blocks in elements: a panel of B (kGemmDepth x tile width) lies in the first cache, a block of A (kBlockRows x
// kGemmDepth) in the second, packed B (kGemmDepth x kBlockCols) in the third.
constexpr int64_t kGemmDepth = 256;
constexpr int64_t kBlockRows = 192;
constexpr int64_t kBlockCols = 768;
// Without workspace: 16 KB of stack in all.
constexpr int64_t kSmallDepth = 64;
constexpr int64_t kSmallCols = 32;
constexpr int64_t kSmallRows = 12;

constexpr int64_t round_up(int64_t x, int64_t unit) { return (x + unit - 1) / unit * unit; }

struct Blocks {
  int64_t depth, rows, cols;
};
Blocks blocks_for(int64_t m, int64_t n, int64_t k) {
  // Equal parts instead of a small rest.
  const auto even = [](int64_t total, int64_t max_size, int64_t unit) {
    const int64_t parts = std::max<int64_t>((total + max_size - 1) / max_size, 1);
    return std::max(round_up((total + parts - 1) / parts, unit), unit);
  };
  // Both roles may be exchanged, so the workspace is made for the larger.
  const int64_t wide = std::max(m, n);
  return {even(k, kGemmDepth, 4), std::min(round_up(std::max<int64_t>(wide, 1), 12), kBlockRows),
          even(wide, kBlockCols, 16)};
}

template <class T>
Gemm<T> transposed(const Gemm<T>& g) {
  Gemm<T> t = g;
  std::swap(t.m, t.n);
  t.a = g.b, t.a_batch = g.b_batch, t.a_row = g.b_col, t.a_col = g.b_row;
  t.b = g.a, t.b_batch = g.a_batch, t.b_row = g.a_col, t.b_col = g.a_row;
  std::swap(t.c_row, t.c_col);
  std::swap(t.out_row, t.out_col);
  return t;
}

/// Panels of tile width, k rows each; columns beyond `n` are zero.
template <class T>
void pack_b(const T* b, int64_t row, int64_t col, int64_t k, int64_t n, T* out) {
  constexpr int64_t kCols = TileSize<T>::kCols;
  using V = VectorOf<T>;
  for (int64_t j = 0; j < n; j += kCols, out += k * kCols, b += kCols * col) {
    const int64_t cols = std::min(kCols, n - j);
    if (cols < kCols) std::fill(out, out + k * kCols, T(0));
    if (col == 1 && cols == kCols) {
      for (int64_t p = 0; p < k; ++p) {
        for (int v = 0; v < TileSize<T>::kVectors; ++v) {
          V::store(out + p * kCols + v * V::kLanes, V::load(b + p * row + v * V::kLanes));
        }
      }
    } else if (row == 1 && cols == kCols) {
      // Contiguous along k: squares of 4 x kCols, so that what is read and written stays in the first cache.
      int64_t p = 0;
      for (; p + 4 <= k; p += 4) {
        for (int64_t c = 0; c < kCols; ++c) {
          const T* from = b + c * col + p;
          T* to = out + p * kCols + c;
          to[0] = from[0];
          to[kCols] = from[1];
          to[2 * kCols] = from[2];
          to[3 * kCols] = from[3];
        }
      }
      for (; p < k; ++p) {
        for (int64_t c = 0; c < kCols; ++c) out[p * kCols + c] = b[p + c * col];
      }
    } else {
      for (int64_t p = 0; p < k; ++p) {
        for (int64_t c = 0; c < cols; ++c) out[p * kCols + c] = b[p * row + c * col];
      }
    }
  }
}

/// Panels of kRows rows; rows beyond `m` are not written and not read.
template <class T>
void pack_a(const T* a, int64_t row, int64_t col, int64_t m, int64_t k, T* out) {
  constexpr int64_t kRows = TileSize<T>::kRows;
  for (int64_t i = 0; i < m; i += kRows, out += k * kRows) {
    const int64_t rows = std::min(kRows, m - i);
    const T* from = a + i * row;
    for (int64_t p = 0; p < k; ++p) {
      for (int64_t r = 0; r < rows; ++r) out[p * kRows + r] = from[p * col + r * row];
    }
  }
}

/// One block: `rows` rows of A with the packed (or in place) columns of B.
template <class T>
struct BlockParams {
  const T* a;
  int64_t a_row;  // 0: packed
  const T* b;
  int64_t b_row;  // of B in place, 0: packed
  const T* packed_b;
  int64_t rows, cols, depth;
  TileStore<T> store;

  void run_one(int64_t i, int64_t j, const TileStore<T>& to) const {
    constexpr int64_t kRows = TileSize<T>::kRows, kCols = TileSize<T>::kCols;
    constexpr int kVectors = TileSize<T>::kVectors;
    const int width = static_cast<int>(std::min(kCols, cols - j)), height = static_cast<int>(std::min(kRows, rows - i));
    const StridedRows<T> panel = b_row == 0       ? StridedRows<T>{packed_b + j * depth, kCols}
                                 : width == kCols ? StridedRows<T>{b + j, b_row}
                                                  : StridedRows<T>{packed_b, kCols};
    if (a_row != 0)
      run_tile_rows<T, false, kVectors>(height, depth, a + i * a_row, a_row, panel, width, to);
    else
      run_tile_rows<T, true, kVectors>(height, depth, a + i * depth, 0, panel, width, to);
  }
  void run() const {
    TileStore<T> to = store;
    for (int64_t j = 0; j < cols; j += TileSize<T>::kCols) {
      for (int64_t i = 0; i < rows; i += TileSize<T>::kRows) {
        to.out = store.out + i * store.out_row + j * store.out_col;
        to.c = store.c == nullptr ? nullptr : store.c + i * store.c_row + j * store.c_col;
        run_one(i, j, to);
      }
    }
  }
  /// For an output whose columns are contiguous: some tiles are gathered first, so that it is written by whole lines
  /// and not by a few elements of each of 16 lines, which a stride of a power of two would put into one cache set.
  void run_transposed() const {
    constexpr int64_t kRows = TileSize<T>::kRows, kCols = TileSize<T>::kCols, kTiles = 8;
    alignas(64) T stage[kTiles * kRows * kCols];
    TileStore<T> to{stage, 1, kTiles * kRows, nullptr, 0, 0, store.alpha, T(1)};
    for (int64_t j = 0; j < cols; j += kCols) {
      const int64_t width = std::min(kCols, cols - j);
      for (int64_t i0 = 0; i0 < rows; i0 += kTiles * kRows) {
        const int64_t count = std::min(kTiles * kRows, rows - i0);
        for (int64_t i = 0; i < count; i += kRows) {
          to.out = stage + i;
          run_one(i0 + i, j, to);
        }
        for (int64_t column = 0; column < width; ++column) {
          const T* from = stage + column * kTiles * kRows;
          T* out = store.out + i0 + (j + column) * store.out_col;
          const T* c = store.c == nullptr ? nullptr : store.c + i0 * store.c_row + (j + column) * store.c_col;
          if (c == nullptr) {
            for (int64_t i = 0; i < count; ++i) out[i] = from[i];
          } else if (store.c_row == 1) {
            for (int64_t i = 0; i < count; ++i) out[i] = from[i] + store.beta * c[i];
          } else {
            for (int64_t i = 0; i < count; ++i) out[i] = from[i] + store.beta * c[i * store.c_row];
          }
        }
      }
    }
  }
};

template <class T>
void gemm_blocked(const Gemm<T>& g, const Blocks& blocks, T* packed_a, T* packed_b) {
  constexpr int64_t kRows = TileSize<T>::kRows, kCols = TileSize<T>::kCols;
  // Rows a multiple of 4 KB apart would all fall into the same sets of the first cache.
  const bool a_in_place = g.a_col == 1 && g.a_row != 0 && (g.a_row * static_cast<int64_t>(sizeof(T))) % 4096 != 0;
  const bool b_in_place = g.b_col == 1 && g.b_row != 0 && g.m <= 2 * kRows && g.n >= kCols;
  const bool transposed_out = g.out_row == 1 && g.out_col != 1;
  BlockParams<T> params;
  params.packed_b = packed_b;
  params.b_row = b_in_place ? g.b_row : 0;
  params.a_row = a_in_place ? g.a_row : 0;
  for (int64_t j0 = 0; j0 < g.n; j0 += blocks.cols) {
    params.cols = std::min(blocks.cols, g.n - j0);
    for (int64_t p0 = 0; p0 < g.k; p0 += blocks.depth) {
      params.depth = std::min(blocks.depth, g.k - p0);
      params.b = g.b + p0 * g.b_row + j0 * g.b_col;
      if (b_in_place) {
        const int64_t whole = params.cols / kCols * kCols;
        if (whole < params.cols)
          pack_b(params.b + whole, g.b_row, int64_t{1}, params.depth, params.cols - whole, packed_b);
      } else {
        pack_b(params.b, g.b_row, g.b_col, params.depth, params.cols, packed_b);
      }
      params.store = {nullptr, g.out_row, g.out_col, nullptr, g.c_row, g.c_col, g.alpha, g.beta};
      const T* c = g.c;
      if (p0 != 0) {
        c = g.out;
        params.store.c_row = g.out_row;
        params.store.c_col = g.out_col;
        params.store.beta = T(1);
      }
      for (int64_t i0 = 0; i0 < g.m; i0 += blocks.rows) {
        params.rows = std::min(blocks.rows, g.m - i0);
        params.a = g.a + i0 * g.a_row + p0 * g.a_col;
        if (!a_in_place) {
          pack_a(params.a, g.a_row, g.a_col, params.rows, params.depth, packed_a);
          params.a = packed_a;
        }
        params.store.out = g.out + i0 * g.out_row + j0 * g.out_col;
        params.store.c = c == nullptr ? nullptr : c + i0 * params.store.c_row + j0 * params.store.c_col;
        if (transposed_out)
          params.run_transposed();
        else
          params.run();
      }
    }
  }
}

/// Few rows times a matrix whose rows are contiguous: B is read once, in order.
template <class T>
void few_rows_block(const Gemm<T>& g) {
  for (int64_t i = 0; i < g.m; ++i) {
    T* __restrict out = g.out + i * g.out_row;
    std::fill(out, out + g.n, T(0));
  }
  int64_t p = 0;
  for (; p + 4 <= g.k; p += 4) {
    const T* __restrict b0 = g.b + p * g.b_row;
    const T* __restrict b1 = b0 + g.b_row;
    const T* __restrict b2 = b1 + g.b_row;
    const T* __restrict b3 = b2 + g.b_row;
    for (int64_t i = 0; i < g.m; ++i) {
      T* __restrict out = g.out + i * g.out_row;
      const T* a = g.a + i * g.a_row + p * g.a_col;
      const T x0 = a[0], x1 = a[g.a_col], x2 = a[2 * g.a_col], x3 = a[3 * g.a_col];
      for (int64_t j = 0; j < g.n; ++j) out[j] += (x0 * b0[j] + x1 * b1[j]) + (x2 * b2[j] + x3 * b3[j]);
    }
  }
  for (; p < g.k; ++p) {
    const T* __restrict b = g.b + p * g.b_row;
    for (int64_t i = 0; i < g.m; ++i) {
      T* __restrict out = g.out + i * g.out_row;
      const T x = g.a[i * g.a_row + p * g.a_col];
      for (int64_t j = 0; j < g.n; ++j) out[j] += x * b[j];
    }
  }
  if (g.alpha == T(1) && g.c == nullptr) return;
  for (int64_t i = 0; i < g.m; ++i) {
    T* out = g.out + i * g.out_row;
    for (int64_t j = 0; j < g.n; ++j) {
      out[j] = g.alpha * out[j] + (g.c == nullptr ? T(0) : g.beta * g.c[i * g.c_row + j * g.c_col]);
    }
  }
}

template <class T>
void gemm_few_rows(const Gemm<T>& g) {
  constexpr int64_t kBlock = 4096;  // results that stay in the first cache
  for (int64_t j = 0; j < g.n; j += kBlock) {
    Gemm<T> part = g;
    part.n = std::min(kBlock, g.n - j);
    part.b += j * g.b_col;
    part.out += j * g.out_col;
    if (part.c != nullptr) part.c += j * g.c_col;
    few_rows_block(part);
  }
}

/// Rows of A and a few columns of B, both contiguous along k: dot products.
template <class T>
void gemm_few_cols(const Gemm<T>& g) {
  using V = VectorOf<T>;
  constexpr int kLanes = V::kLanes;
  for (int64_t j = 0; j < g.n; ++j) {
    const T* x = g.b + j * g.b_col;
    for (int64_t i = 0; i < g.m; i += 4) {
      const int64_t rows = std::min<int64_t>(4, g.m - i);
      const T* a[4];
      for (int64_t r = 0; r < 4; ++r) a[r] = g.a + (i + std::min(r, rows - 1)) * g.a_row;
      typename V::Type sum[4][2] = {};
      int64_t p = 0;
      for (; p + 2 * kLanes <= g.k; p += 2 * kLanes) {
        const auto x0 = V::load(x + p), x1 = V::load(x + p + kLanes);
        ET_UNROLL
        for (int r = 0; r < 4; ++r) {
          sum[r][0] += V::load(a[r] + p) * x0;
          sum[r][1] += V::load(a[r] + p + kLanes) * x1;
        }
      }
      for (int64_t r = 0; r < rows; ++r) {
        const auto both = sum[r][0] + sum[r][1];
        T total = T(0);
        for (int l = 0; l < kLanes; ++l) total += both[l];
        for (int64_t q = p; q < g.k; ++q) total += a[r][q] * x[q];
        T value = g.alpha * total;
        if (g.c != nullptr) value += g.beta * g.c[(i + r) * g.c_row + j * g.c_col];
        g.out[(i + r) * g.out_row + j * g.out_col] = value;
      }
    }
  }
}

template <class T>
void gemm_one(Gemm<T> g, const Blocks& blocks, T* workspace) {
  if (g.k == 0) {
    for (int64_t i = 0; i < g.m; ++i) {
      for (int64_t j = 0; j < g.n; ++j) {
        g.out[i * g.out_row + j * g.out_col] = g.c == nullptr ? T(0) : g.beta * g.c[i * g.c_row + j * g.c_col];
      }
    }
    return;
  }
  constexpr int64_t kFew = 3;
  const bool may_overwrite = g.c != g.out || g.c == nullptr;
  if (g.m <= kFew && g.b_col == 1 && g.out_col == 1 && may_overwrite) return gemm_few_rows(g);
  if (g.n <= kFew && g.a_row == 1 && g.out_row == 1 && may_overwrite) return gemm_few_rows(transposed(g));
  if (g.n <= kFew && g.a_col == 1 && g.b_row == 1) return gemm_few_cols(g);
  if (g.m <= kFew && g.b_row == 1 && g.a_col == 1) return gemm_few_cols(transposed(g));
  // The operand read in place should be contiguous along k, the packed one across; both along k: the larger in place.
  const bool a_along = g.a_col == 1, b_along = g.b_row == 1;
  const bool exchange = a_along && b_along ? g.n > g.m
                        : a_along          ? false
                        : b_along          ? true
                                           : g.out_col != 1 && g.out_row == 1;
  if (exchange) g = transposed(g);
  if (workspace != nullptr) {
    gemm_blocked(g, blocks, workspace, workspace + blocks.rows * blocks.depth);
  } else {
    alignas(64) T packed_a[kSmallRows * kSmallDepth * sizeof(float) / sizeof(T)];
    alignas(64) T packed_b[kSmallCols * kSmallDepth * sizeof(float) / sizeof(T)];
    gemm_blocked(g,
                 Blocks{kSmallDepth * static_cast<int64_t>(sizeof(float)) / static_cast<int64_t>(sizeof(T)), kSmallRows,
                        kSmallCols},
                 packed_a, packed_b);
  }
}

template <class T>
void gemm_from_context(KernelRuntimeContext& context, const Gemm<T>& params) {
  if (params.batch == 0 || params.m == 0 || params.n == 0) return;
  constexpr int64_t kWorthThread = 1 << 18;  // multiplications
  const double work = static_cast<double>(params.batch) * static_cast<double>(params.m) *
                      static_cast<double>(params.n) * static_cast<double>(params.k);
  int64_t tasks = parallel_threads();
  if (work < static_cast<double>(2 * kWorthThread)) tasks = 1;
  const int64_t elements = gemm_workspace(params.m, params.n, params.k, sizeof(T), tasks);
  Result<void*> workspace = context.allocate_temp(static_cast<size_t>(elements) * sizeof(T), 64);
  gemm(params, workspace.ok() ? static_cast<T*>(workspace.get()) : nullptr, tasks);
}

}  // namespace

int64_t gemm_workspace(int64_t m, int64_t n, int64_t k, int64_t element_size, int64_t tasks) {
  // Not of even parts, so that no smaller problem needs more.
  const int64_t wide = std::max<int64_t>(std::max(m, n), 1);
  const int64_t lines = std::min(round_up(wide, 12), kBlockRows) + std::min(round_up(wide, 16), kBlockCols);
  return lines * std::min(round_up(std::max<int64_t>(k, 1), 4), kGemmDepth) * tasks + 64 / element_size;
}

template <class T>
void gemm(const Gemm<T>& params, T* workspace, int64_t tasks) {
  const Blocks blocks = blocks_for(params.m, params.n, params.k);
  const int64_t share = (blocks.rows + blocks.cols) * blocks.depth;
  const auto run = [&](int64_t batch, int64_t m0, int64_t m1, int64_t n0, int64_t n1, T* packed) {
    Gemm<T> g = params;
    g.batch = 1;
    g.m = m1 - m0;
    g.n = n1 - n0;
    g.a += batch * g.a_batch + m0 * g.a_row;
    g.b += batch * g.b_batch + n0 * g.b_col;
    if (g.c != nullptr) g.c += batch * g.c_batch + m0 * g.c_row + n0 * g.c_col;
    g.out += batch * g.out_batch + m0 * g.out_row + n0 * g.out_col;
    gemm_one(g, blocks, packed);
  };
  const auto all = [&](int64_t from, int64_t to, int64_t part, bool by_batch, bool by_rows) {
    T* packed = workspace == nullptr ? nullptr : workspace + part * share;
    if (by_batch) {
      for (int64_t i = from; i < to; ++i) run(i, 0, params.m, 0, params.n, packed);
    } else {
      for (int64_t i = 0; i < params.batch; ++i) {
        if (by_rows)
          run(i, from, to, 0, params.n, packed);
        else
          run(i, 0, params.m, from, to, packed);
      }
    }
  };
  if (tasks <= 1) return all(0, params.batch, 0, true, false);
  const bool by_batch = params.batch >= tasks;
  const bool by_rows = params.m > params.n;
  const int64_t length = by_batch ? params.batch : by_rows ? params.m : params.n;
  const int64_t step = round_up((length + tasks - 1) / tasks, by_batch ? 1 : 16 * 3);
  parallel_for(0, (length + step - 1) / step, 1, [&](int64_t first, int64_t last) {
    for (int64_t part = first; part < last; ++part) {
      all(part * step, std::min(length, (part + 1) * step), part, by_batch, by_rows);
    }
  });
}
template void gemm<float>(const Gemm<float>&, float*, int64_t);
template void gemm<double>(const Gemm<double>&, double*, int64_t);

void gemm_auto(KernelRuntimeContext& context, const Gemm<float>& params) {
  const matrix::Provider* provider = matrix::selected_provider();
  if (provider != nullptr && provider->gemm != nullptr && params.k > 0 && provider->gemm(params)) return;
  gemm_from_context(context, params);
}
void gemm_auto(KernelRuntimeContext& context, const Gemm<double>& params) { gemm_from_context(context, params); }

}  // namespace et::ET_KERNELS
