// Blocks of int8 and four-bit GEMMs out of the sums of one tile. A file variant_neon_<instruction>.cpp defines, in the
// unnamed namespace before it includes this,
//   kRows, kVectors      rows and vectors of four columns of a tile at most
//   Sums<Rows, Vectors>  start(values), multiply(k, rows, panel, symmetric), add_chunks(rows, first, last, panel),
//                        row(r, values)
//   widen_chunk(from, to)
// `panel` stands at the tile's first column. What tiles have in common is here.
#pragma once

#include "runtime/backends/xnnpack/compute/variant_neon.h"

namespace et::xnn::ET_XNN_VARIANT {
namespace {

constexpr int64_t kChunk = PackedQd8::kChunk;
constexpr int64_t kChunkBytes = kChunk * kPanel / 2;

/// `count` tiles, one below the other.
template <int Rows, int Vectors, class Block>
[[gnu::noinline]] void tiles_int8(const Block& b, int64_t i, int64_t j, int64_t count) {
  const int64_t k = 2 * b.pairs;
  const int8_t* panel = b.panels + j / kPanel * kPanel * k + j % kPanel * kSteps;
  ResultsOf<Vectors, Block> results(b, i, j);
  for (; count > 0; --count, i += Rows) {
    Sums<Rows, Vectors> sums;
    int32x4_t values[Rows][Vectors];
    ET_XNN_UNROLL
    for (int r = 0; r < Rows; ++r) {
      ET_XNN_UNROLL
      for (int v = 0; v < Vectors; ++v) values[r][v] = start_of(b, i + r, j + 4 * v);
    }
    sums.start(values);
    const int8_t* rows[Rows];
    byte_rows(b.a + i * b.a_stride, b.a_stride, rows);
    sums.multiply(k, rows, panel, b.symmetric);
    ET_XNN_UNROLL
    for (int r = 0; r < Rows; ++r) {
      int32x4_t row[Vectors];
      sums.row(r, row);
      results.store(row, row_scale(b, i + r));
    }
  }
}

/// sums += rows of A times chunks [first, last), packed or as bytes.
template <int Rows, int Vectors>
[[gnu::always_inline]] inline void add_q4(const BlockQ4& b, const int8_t* const (&rows)[Rows], int64_t first,
                                          int64_t last, int64_t j, Sums<Rows, Vectors>* sums) {
  const int64_t column = j % kPanel;
  if (b.wide == nullptr) {
    const uint8_t* panel = b.panels + j / kPanel * b.chunks * kChunkBytes;
    return sums->add_chunks(rows, first, last, panel + column * 4);
  }
  const int8_t* from[Rows];
  for (int r = 0; r < Rows; ++r) from[r] = rows[r] + first * kChunk;
  const auto* panel = reinterpret_cast<const int8_t*>(b.wide) + first * kChunk * kPanel + column * kSteps;
  sums->multiply((last - first) * kChunk, from, panel, true);
}

template <int Rows, int Vectors>
[[gnu::noinline]] void tile_channel(const BlockQ4& b, int64_t i, int64_t j) {
  const int8_t* rows[Rows];
  int32x4_t values[Rows][Vectors];
  for (int r = 0; r < Rows; ++r) {
    rows[r] = b.a + (i + r) * b.a_stride;
    const int32x4_t eights = vdupq_n_s32(eights_of(b, i + r, 0, b.chunks));
    ET_XNN_UNROLL
    for (int v = 0; v < Vectors; ++v) {
      values[r][v] = vsubq_s32(vmulq_n_s32(vld1q_s32(b.int_sums + j + 4 * v), -b.quant[i + r].zero_point), eights);
    }
  }
  Sums<Rows, Vectors> sums;
  sums.start(values);
  add_q4(b, rows, 0, b.chunks, j, &sums);
  FloatsOut<Vectors> results(b, i, j);
  float32x4_t scale[Vectors];
  ET_XNN_UNROLL
  for (int v = 0; v < Vectors; ++v) scale[v] = vld1q_f32(b.scale + j + 4 * v);
  ET_XNN_UNROLL
  for (int r = 0; r < Rows; ++r) {
    int32x4_t row[Vectors];
    sums.row(r, row);
    float32x4_t x[Vectors];
    ET_XNN_UNROLL
    for (int v = 0; v < Vectors; ++v) x[v] = vmulq_f32(vcvtq_f32_s32(row[v]), scale[v]);
    results.store(x, b.quant[i + r].scale);
  }
}

/// Blocks of chunks with scales of their own: the sums of floats wait in memory while one is added.
template <int Rows, int Vectors>
[[gnu::noinline]] void tile_blocks(const BlockQ4& b, int64_t i, int64_t j) {
  const int8_t* rows[Rows];
  float32x4_t total[Rows][Vectors];
  for (int r = 0; r < Rows; ++r) {
    rows[r] = b.a + (i + r) * b.a_stride;
    const auto zero = static_cast<float>(-b.quant[i + r].zero_point);
    for (int v = 0; v < Vectors; ++v) total[r][v] = vmulq_n_f32(vld1q_f32(b.sums + j + 4 * v), zero);
  }
  const uint16_t* scale = b.block_scale + j / kPanel * kPanel * b.blocks + j % kPanel;
  for (int64_t c0 = 0; c0 < b.chunks; c0 += b.block_chunks, scale += kPanel) {
    const int64_t c1 = std::min(b.chunks, c0 + b.block_chunks);
    int32x4_t values[Rows][Vectors];
    ET_XNN_UNROLL
    for (int r = 0; r < Rows; ++r) {
      const int32x4_t start = vdupq_n_s32(-eights_of(b, i + r, c0, c1));
      ET_XNN_UNROLL
      for (int v = 0; v < Vectors; ++v) values[r][v] = start;
    }
    Sums<Rows, Vectors> sums;
    sums.start(values);
    add_q4(b, rows, c0, c1, j, &sums);
    ET_XNN_UNROLL
    for (int r = 0; r < Rows; ++r) {
      int32x4_t row[Vectors];
      sums.row(r, row);
      ET_XNN_UNROLL
      for (int v = 0; v < Vectors; ++v) {
        total[r][v] = vfmaq_f32(total[r][v], vcvtq_f32_s32(row[v]), load_bf16(scale + 4 * v));
      }
    }
  }
  FloatsOut<Vectors> results(b, i, j);
  ET_XNN_UNROLL
  for (int r = 0; r < Rows; ++r) results.store(total[r], b.quant[i + r].scale);
}

/// tiles<rows, vectors>(first row, first column, count) for the columns from j on, up to a panel of them.
template <class Block, class F>
[[gnu::always_inline]] inline void each_panel_tile(const Block& b, int64_t j, const F& tiles) {
  each_height<kRows>(b.m, [&]<int R>(int64_t i, int64_t count) {
    if constexpr (kVectors == 2) {
      tiles.template operator()<R, 2>(i, j, count);
      if (b.n - j > kPanel / 2) tiles.template operator()<R, 2>(i, j + kPanel / 2, count);
    } else {
      if (b.n - j > kPanel / 2)
        tiles.template operator()<R, 4>(i, j, count);
      else
        tiles.template operator()<R, 2>(i, j, count);
    }
  });
}

}  // namespace

void block_qs8(const BlockQs8& b) {
  for (int64_t j = 0; j < b.n; j += kPanel) {
    each_panel_tile(b, j, [&]<int R, int V>(int64_t i, int64_t c, int64_t count) { tiles_int8<R, V>(b, i, c, count); });
  }
}
void block_qd8(const BlockQd8& b) {
  for (int64_t j = 0; j < b.n; j += kPanel) {
    each_panel_tile(b, j, [&]<int R, int V>(int64_t i, int64_t c, int64_t count) { tiles_int8<R, V>(b, i, c, count); });
  }
}
void block_q4(const BlockQ4& b) {
  for (int64_t j = 0; j < b.n; j += kPanel) {
    if (b.wide != nullptr) {
      const uint8_t* panel = b.panels + j / kPanel * b.chunks * kChunkBytes;
      for (int64_t c = 0; c < b.chunks; ++c) widen_chunk(panel + c * kChunkBytes, b.wide + 2 * c * kChunkBytes);
    }
    each_panel_tile(b, j, [&]<int R, int V>(int64_t i, int64_t c, int64_t count) {
      for (; count > 0; --count, i += R) {
        if (b.block_chunks != 0)
          tile_blocks<R, V>(b, i, c);
        else
          tile_channel<R, V>(b, i, c);
      }
    });
  }
}

}  // namespace et::xnn::ET_XNN_VARIANT
