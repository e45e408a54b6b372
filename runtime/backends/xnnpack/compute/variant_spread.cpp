// Depthwise convolutions whose input channels feed at least a panel of outputs each: a GEMM with one row for each
// output pixel and one step for each kernel element, whose values are read where they lie.
#include "runtime/backends/xnnpack/compute/variant_requantise.h"
#include "runtime/kernels/matrix/tile.h"

namespace et::xnn::ET_XNN_VARIANT {
namespace {

#if ET_XNN_AVX512
constexpr int kSpreadRows = 12;
#elif defined(__AVX__) || defined(__aarch64__)
constexpr int kSpreadRows = 6;
#else
constexpr int kSpreadRows = 3;
#endif

/// Where the values of pixel r of a tile are, from that of its first on: few pointers, and a step.
template <class T>
[[gnu::always_inline]] inline const T* pixel_of(const T* first, int64_t step, int r) {
  return first + r / 3 * 3 * step + r % 3 * step;
}

/// Sums of Rows pixels from pixel x on, of a panel of columns from `column` on that read channel c.
template <int Rows>
void spread_tile(const PackedDepthwiseF32& w, const SpreadRow<float, float>& row, Clamp clamp, int64_t x, int64_t c,
                 int64_t column) {
  using V = et::ET_KERNELS::VectorOf<float>;
  constexpr int kVectors = static_cast<int>(kSpreadColumns) / V::kLanes;
  const int64_t step = row.step, padded = w.padded_channels();
  V::Type acc[Rows][kVectors];
  ET_UNROLL
  for (int v = 0; v < kVectors; ++v) {
    const V::Type bias = V::load(w.bias() + column + v * V::kLanes);
    _Pragma("GCC unroll 16") for (int r = 0; r < Rows; ++r) acc[r][v] = bias;
  }
  const float* weights = w.weights() + column;
  for (int64_t t = 0; t < row.tap_count; ++t, weights += padded) {
    const float* const in = row.taps[t] + x * step + c;
    V::Type tap[kVectors];
    ET_UNROLL
    for (int v = 0; v < kVectors; ++v) tap[v] = V::load(weights + v * V::kLanes);
    _Pragma("GCC unroll 16") for (int r = 0; r < Rows; ++r) {
      const V::Type value = V::fill(*pixel_of(in, step, r));
      ET_UNROLL
      for (int v = 0; v < kVectors; ++v) acc[r][v] += value * tap[v];
    }
  }
  float* out = row.out + x * row.out_pixel + column;
  _Pragma("GCC unroll 16") for (int r = 0; r < Rows; ++r, out += row.out_pixel) {
    ET_UNROLL
    for (int v = 0; v < kVectors; ++v) V::store(out + v * V::kLanes, bounded(acc[r][v], clamp));
  }
}

#if defined(__AVX2__)
/// The same of bytes: a value is a pair of kernel elements.
template <int Rows>
void spread_tile(const PackedDepthwiseQs8& w, const SpreadRow<int32_t, int8_t>& row, const Requantise& requantise,
                 int64_t x, int64_t c, int64_t column) {
  const int64_t step = row.step, padded = 2 * w.padded_channels();
  const int16_t* weights = w.weights() + 2 * column;
  int8_t* out = row.out + x * row.out_pixel + column;
#if ET_XNN_AVX512
  __m512i acc[Rows];
  const __m512i bias = _mm512_loadu_si512(w.bias() + column);
  _Pragma("GCC unroll 16") for (int r = 0; r < Rows; ++r) acc[r] = bias;
  for (int64_t t = 0; t < row.tap_count; ++t, weights += padded) {
    const int32_t* const in = row.taps[t] + x * step + c;
    const __m512i pair = _mm512_loadu_si512(weights);
    _Pragma("GCC unroll 16") for (int r = 0; r < Rows; ++r) {
      acc[r] = _mm512_dpwssd_epi32(acc[r], _mm512_set1_epi32(*pixel_of(in, step, r)), pair);
    }
  }
  const __m256 scale0 = _mm256_loadu_ps(w.scale() + column), scale1 = _mm256_loadu_ps(w.scale() + column + 8);
  for (int r = 0; r < Rows; ++r, out += row.out_pixel) {
    store8(_mm512_castsi512_si256(acc[r]), scale0, requantise, out, 8);
    store8(_mm512_extracti64x4_epi64(acc[r], 1), scale1, requantise, out + 8, 8);
  }
#else
  __m256i acc[Rows][2];
  for (int v = 0; v < 2; ++v) {
    const __m256i bias = load(w.bias() + column + 8 * v);
    for (int r = 0; r < Rows; ++r) acc[r][v] = bias;
  }
  for (int64_t t = 0; t < row.tap_count; ++t, weights += padded) {
    const int32_t* const in = row.taps[t] + x * step + c;
    const __m256i pair0 = load(weights), pair1 = load(weights + 16);
    _Pragma("GCC unroll 16") for (int r = 0; r < Rows; ++r) {
      const __m256i value = _mm256_set1_epi32(*pixel_of(in, step, r));
      acc[r][0] = add_pairs(acc[r][0], value, pair0);
      acc[r][1] = add_pairs(acc[r][1], value, pair1);
    }
  }
  for (int r = 0; r < Rows; ++r, out += row.out_pixel) {
    for (int v = 0; v < 2; ++v) {
      store8(acc[r][v], _mm256_loadu_ps(w.scale() + column + 8 * v), requantise, out + 8 * v, 8);
    }
  }
#endif
}
#endif

template <int Rows, class Weights, class Row, class Bounds>
[[gnu::always_inline]] inline void some_rows(int64_t rows, const Weights& w, const Row& row, const Bounds& bounds,
                                             int64_t x, int64_t c, int64_t column) {
  if constexpr (Rows > 1) {
    if (rows < Rows) return some_rows<Rows - 1>(rows, w, row, bounds, x, c, column);
  }
  spread_tile<Rows>(w, row, bounds, x, c, column);
}

/// All columns; the last panel of a channel overlaps the one before where they do not divide evenly.
template <class Weights, class Row, class Bounds>
void spread(const Weights& w, const Row& row, const Bounds& bounds) {
  each_tile<kSpreadRows>(row.count, [&](int64_t x, int64_t rows) {
    for (int64_t c = 0; c < row.channels; ++c) {
      const int64_t first = c * row.multiplier;
      each_lanes<kSpreadColumns>(0, row.multiplier,
                                 [&](int64_t j) { some_rows<kSpreadRows>(rows, w, row, bounds, x, c, first + j); });
    }
  });
}

}  // namespace

void spread_f32(const PackedDepthwiseF32& weights, const SpreadRow<float, float>& row, Clamp clamp) {
  spread(weights, row, clamp);
}

void spread_qs8([[maybe_unused]] const PackedDepthwiseQs8& weights,
                [[maybe_unused]] const SpreadRow<int32_t, int8_t>& row, [[maybe_unused]] const OutputQs8& output) {
#if defined(__AVX2__)
  spread(weights, row, Requantise(output));
#endif
}

void pair_bytes(int64_t n, const int8_t* a, const int8_t* b, int32_t* out) {
  for (int64_t i = 0; i < n; ++i) {
    out[i] =
        static_cast<int32_t>(static_cast<uint16_t>(static_cast<int16_t>(a[i])) | static_cast<uint32_t>(b[i]) << 16);
  }
}

}  // namespace et::xnn::ET_XNN_VARIANT
