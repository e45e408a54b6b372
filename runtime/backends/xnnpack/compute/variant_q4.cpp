// Blocks of GEMMs with four-bit weights. A nibble (0..15) times an int8, eight steps of two along k: at most
// 15 · 128 · 16 = 30720, so that a chunk of 32 k is summed in int16 and widened once.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "runtime/backends/xnnpack/compute/variant_matrix.h"
#include "runtime/backends/xnnpack/compute/variant_rows.h"

namespace et::xnn::ET_XNN_VARIANT {
namespace {

constexpr int64_t kPanel = PackedQd8::kPanel;
constexpr int64_t kChunk = PackedQd8::kChunk;
constexpr int64_t kChunkBytes = kChunk * kPanel / 2;

#if defined(__AVX2__)

#define ET_XNN_UNROLL _Pragma("GCC unroll 8")
// Not unrolled: the compiler would move the steps into each other and run out of registers.
#if defined(__clang__)
#define ET_XNN_LOOP _Pragma("clang loop unroll(disable)")
#else
#define ET_XNN_LOOP _Pragma("GCC unroll 1")
#endif

/// A byte for each weight: [chunk][8][kPanel][4].
void widen_panel(int64_t chunks, const uint8_t* panel, uint8_t* wide) {
  const __m256i mask = _mm256_set1_epi8(15);
  for (int64_t i = 0; i < chunks * 4; ++i) {
    for (int half = 0; half < 2; ++half) {
      const __m256i v = load(panel + i * 64 + half * 32);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(wide + i * 128 + half * 32), _mm256_and_si256(v, mask));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(wide + i * 128 + 64 + half * 32),
                          _mm256_and_si256(_mm256_srli_epi16(v, 4), mask));
    }
  }
}

template <int Rows>
[[gnu::always_inline]] inline void add_step(const int8_t* const (&rows)[Rows], int64_t at, __m256i w0, __m256i w1,
                                            __m256i (&acc)[Rows][2]) {
  ET_XNN_UNROLL
  for (int r = 0; r < Rows; ++r) {
    int32_t four = 0;
    std::memcpy(&four, rows[r] + at, sizeof four);
    const __m256i x = _mm256_set1_epi32(four);
    acc[r][0] = _mm256_add_epi16(acc[r][0], _mm256_maddubs_epi16(w0, x));
    acc[r][1] = _mm256_add_epi16(acc[r][1], _mm256_maddubs_epi16(w1, x));
    // Row by row: else GCC computes all products first, and has no registers for them.
    asm volatile("" : "+x"(acc[r][0]), "+x"(acc[r][1]));
  }
}

/// Sums of one chunk in int16.
template <int Rows, bool Wide>
[[gnu::always_inline]] inline void chunk_sums(const int8_t* const (&rows)[Rows], int64_t chunk, const uint8_t* panel,
                                              __m256i (&acc)[Rows][2]) {
  ET_XNN_UNROLL
  for (int r = 0; r < Rows; ++r) acc[r][0] = acc[r][1] = _mm256_setzero_si256();
  const int64_t at = chunk * kChunk;
  if constexpr (Wide) {
    const uint8_t* w = panel + chunk * kChunk * kPanel;
    ET_XNN_LOOP
    for (int s = 0; s < 8; ++s) add_step(rows, at + 4 * s, load(w + s * 64), load(w + s * 64 + 32), acc);
  } else {
    const __m256i mask = _mm256_set1_epi8(15);
    const uint8_t* w = panel + chunk * kChunkBytes;
    ET_XNN_LOOP
    for (int s = 0; s < 4; ++s) {
      ask_for<Rows>(w + s * 64);
      const __m256i v0 = load(w + s * 64), v1 = load(w + s * 64 + 32);
      add_step(rows, at + 8 * s, _mm256_and_si256(v0, mask), _mm256_and_si256(v1, mask), acc);
      add_step(rows, at + 8 * s + 4, _mm256_and_si256(_mm256_srli_epi16(v0, 4), mask),
               _mm256_and_si256(_mm256_srli_epi16(v1, 4), mask), acc);
    }
  }
}

template <int Rows, bool Wide>
[[gnu::noinline]] void tile_channel(const BlockQ4& b, int64_t i, int64_t j, const uint8_t* panel) {
  const int8_t* rows[Rows];
  __m256i sum[Rows][2], acc[Rows][2];
  const __m256i total0 = load(b.int_sums + j), total1 = load(b.int_sums + j + 8);
  for (int r = 0; r < Rows; ++r) {
    rows[r] = b.a + (i + r) * b.a_stride;
    int32_t eights = 0;
    for (int64_t c = 0; c < b.chunks; ++c) eights += b.eights[(i + r) * b.chunks + c];
    const __m256i zero = _mm256_set1_epi32(-b.quant[i + r].zero_point), less = _mm256_set1_epi32(eights);
    sum[r][0] = _mm256_sub_epi32(_mm256_mullo_epi32(total0, zero), less);
    sum[r][1] = _mm256_sub_epi32(_mm256_mullo_epi32(total1, zero), less);
  }
  const __m256i ones = _mm256_set1_epi16(1);
  for (int64_t c = 0; c < b.chunks; ++c) {
    chunk_sums<Rows, Wide>(rows, c, panel, acc);
    ET_XNN_UNROLL
    for (int r = 0; r < Rows; ++r) {
      sum[r][0] = _mm256_add_epi32(sum[r][0], _mm256_madd_epi16(acc[r][0], ones));
      sum[r][1] = _mm256_add_epi32(sum[r][1], _mm256_madd_epi16(acc[r][1], ones));
    }
  }
  const __m256 scale0 = _mm256_loadu_ps(b.scale + j), scale1 = _mm256_loadu_ps(b.scale + j + 8);
  ET_XNN_UNROLL
  for (int r = 0; r < Rows; ++r) {
    store_q4(b, i + r, j, _mm256_mul_ps(_mm256_cvtepi32_ps(sum[r][0]), scale0),
             _mm256_mul_ps(_mm256_cvtepi32_ps(sum[r][1]), scale1));
  }
}

template <int Rows, bool Wide>
[[gnu::noinline]] void tile_blocks(const BlockQ4& b, int64_t i, int64_t j, const uint8_t* panel) {
  const int8_t* rows[Rows];
  __m256 total[Rows][2];
  start_q4(b, i, j, rows, total);
  const __m256i ones = _mm256_set1_epi16(1);
  const uint16_t* scale = b.block_scale + j * b.blocks;
  for (int64_t c0 = 0; c0 < b.chunks; c0 += b.block_chunks, scale += kPanel) {
    const int64_t c_end = std::min(b.chunks, c0 + b.block_chunks);
    __m256i sum[Rows][2], acc[Rows][2];
    chunk_sums<Rows, Wide>(rows, c0, panel, acc);
    ET_XNN_UNROLL
    for (int r = 0; r < Rows; ++r) {
      const __m256i less = _mm256_set1_epi32(b.eights[(i + r) * b.chunks + c0]);
      sum[r][0] = _mm256_sub_epi32(_mm256_madd_epi16(acc[r][0], ones), less);
      sum[r][1] = _mm256_sub_epi32(_mm256_madd_epi16(acc[r][1], ones), less);
    }
    for (int64_t c = c0 + 1; c < c_end; ++c) {
      chunk_sums<Rows, Wide>(rows, c, panel, acc);
      ET_XNN_UNROLL
      for (int r = 0; r < Rows; ++r) {
        const __m256i less = _mm256_set1_epi32(b.eights[(i + r) * b.chunks + c]);
        sum[r][0] = _mm256_add_epi32(sum[r][0], _mm256_sub_epi32(_mm256_madd_epi16(acc[r][0], ones), less));
        sum[r][1] = _mm256_add_epi32(sum[r][1], _mm256_sub_epi32(_mm256_madd_epi16(acc[r][1], ones), less));
      }
    }
    const __m256 scale0 = load_bf16(scale), scale1 = load_bf16(scale + 8);
    if constexpr (!Wide) ask_for<Rows>(scale);
    ET_XNN_UNROLL
    for (int r = 0; r < Rows; ++r) {
      total[r][0] = _mm256_fmadd_ps(_mm256_cvtepi32_ps(sum[r][0]), scale0, total[r][0]);
      total[r][1] = _mm256_fmadd_ps(_mm256_cvtepi32_ps(sum[r][1]), scale1, total[r][1]);
    }
  }
  ET_XNN_UNROLL
  for (int r = 0; r < Rows; ++r) store_q4(b, i + r, j, total[r][0], total[r][1]);
}

using Tile = void (*)(const BlockQ4&, int64_t, int64_t, const uint8_t*);
// Unpacking nibbles in the loop takes registers.
constexpr int64_t kPlainRows = 4;
constexpr Tile kChannelPlain[] = {nullptr, tile_channel<1, false>, tile_channel<2, false>, tile_channel<3, false>,
                                  tile_channel<4, false>};
constexpr Tile kChannelWide[] = {nullptr,
                                 tile_channel<1, true>,
                                 tile_channel<2, true>,
                                 tile_channel<3, true>,
                                 tile_channel<4, true>,
                                 tile_channel<5, true>,
                                 tile_channel<6, true>};
constexpr Tile kBlocksPlain[] = {nullptr, tile_blocks<1, false>, tile_blocks<2, false>, tile_blocks<3, false>,
                                 tile_blocks<4, false>};
constexpr Tile kBlocksWide[] = {nullptr,
                                tile_blocks<1, true>,
                                tile_blocks<2, true>,
                                tile_blocks<3, true>,
                                tile_blocks<4, true>,
                                tile_blocks<5, true>,
                                tile_blocks<6, true>};

}  // namespace

void block_q4(const BlockQ4& b) {
  const Tile* plain = b.block_chunks != 0 ? kBlocksPlain : kChannelPlain;
  const Tile* wide = b.block_chunks != 0 ? kBlocksWide : kChannelWide;
  for (int64_t j = 0; j < b.n; j += kPanel) {
    const uint8_t* panel = b.panels + j / kPanel * b.chunks * kChunkBytes;
    if (b.wide != nullptr) {
      widen_panel(b.chunks, panel, b.wide);
      each_tile<kTileRows>(b.m, [&](int64_t i, int64_t rows) { wide[rows](b, i, j, b.wide); });
    } else {
      each_tile<kPlainRows>(b.m, [&](int64_t i, int64_t rows) { plain[rows](b, i, j, panel); });
    }
  }
}

#else

float of_bf16(uint16_t bits) {
  const uint32_t wide = static_cast<uint32_t>(bits) << 16;
  float x = 0;
  std::memcpy(&x, &wide, sizeof x);
  return x;
}

}  // namespace

void block_q4(const BlockQ4& b) {
  const int64_t per_block = b.block_chunks != 0 ? b.block_chunks : b.chunks;
  for (int64_t j = 0; j < b.n; j += kPanel) {
    const uint8_t* panel = b.panels + j / kPanel * b.chunks * kChunkBytes;
    for (int64_t i = 0; i < b.m; ++i) {
      const RowQuant& quant = b.quant[i];
      float total[kPanel] = {};
      for (int64_t c0 = 0, block = 0; c0 < b.chunks; c0 += per_block, ++block) {
        uint32_t sums[kPanel] = {};
        for (int64_t c = c0; c < std::min(b.chunks, c0 + per_block); ++c) {
          const int8_t* a = b.a + i * b.a_stride + c * kChunk;
          for (int64_t k = 0; k < kChunk; ++k) {
            const uint8_t* w = panel + c * kChunkBytes + k / 8 * 64 + k % 4;
            for (int64_t l = 0; l < kPanel; ++l) {
              const int32_t nibble = k % 8 < 4 ? w[l * 4] & 15 : w[l * 4] >> 4;
              sums[l] += static_cast<uint32_t>(a[k] * nibble);
            }
          }
          for (uint32_t& sum : sums) sum -= static_cast<uint32_t>(b.eights[i * b.chunks + c]);
        }
        if (b.block_chunks == 0) {
          for (int64_t l = 0; l < kPanel; ++l) {
            sums[l] -= static_cast<uint32_t>(quant.zero_point) * static_cast<uint32_t>(b.int_sums[j + l]);
          }
        }
        for (int64_t l = 0; l < kPanel; ++l) {
          const float scale =
              b.block_chunks == 0 ? b.scale[j + l] : of_bf16(b.block_scale[j * b.blocks + block * kPanel + l]);
          total[l] += static_cast<float>(static_cast<int32_t>(sums[l])) * scale;
        }
      }
      for (int64_t l = 0; l < std::min(kPanel, b.n - j); ++l) {
        float x = total[l];
        if (b.block_chunks != 0) x -= static_cast<float>(quant.zero_point) * b.sums[j + l];
        x = x * quant.scale + b.bias[j + l];
        x = x < b.clamp.min ? b.clamp.min : x;
        b.out[i * b.out_stride + j + l] = x > b.clamp.max ? b.clamp.max : x;
      }
    }
  }
}

#endif

}  // namespace et::xnn::ET_XNN_VARIANT
