// GEMMs of rows that are quantised to int8 while the model runs with weights of 8 or 4 bits; results are float32:
//   out[i][j] = clamp(row scale[i] · sum over k of (a[i][k] - row zero point[i]) · w[j][k] · weight scale[j] + bias[j])
#pragma once

#include "runtime/backends/xnnpack/compute/types.h"

namespace et::xnn {

/// x = scale · (q - zero_point) for one row, or for one image of a convolution.
struct RowQuant {
  float scale = 1;
  int32_t zero_point = 0;
};

/// Chooses for each row of `k` values the asymmetric int8 quantisation whose range holds them and 0, and quantises. A
/// row is whatever shares one quantisation: a token, or a whole image.
void quantize_rows(int64_t rows, int64_t k, const float* in, int64_t in_stride, int8_t* out, int64_t out_stride,
                   RowQuant* quant);

enum class LowWeights : uint8_t {
  Int8,    // int8, one scale a row
  Int4,    // value + 8 in four bits, one scale a row
  Block4,  // value + 8 in four bits, one scale for each `block` values of a row
};

/// [groups][n][k]. Four-bit values: element 2i in the low half of byte i of a row, rows of (k + 1) / 2 bytes; with
/// `transposed`, [k][n] with rows of (n + 1) / 2 bytes (Int8: [k][n] bytes).
struct WeightsQd8 {
  LowWeights kind = LowWeights::Int8;
  const void* data = nullptr;
  bool transposed = false;
  int64_t groups = 1, n = 0, k = 0;
  /// Int8: as WeightsQs8::depth.
  int64_t depth = 0;
  /// Int8, Int4: groups · n scales.
  const float* scales = nullptr;
  /// Block4: [n][(k + block - 1) / block] scales, bfloat16 bits. `block` is a multiple of 32.
  const uint16_t* block_scales = nullptr;
  int64_t block = 0;
  /// groups · n values, or null.
  const float* bias = nullptr;
};

class PackedQd8 {
 public:
  PackedQd8() = default;
  explicit PackedQd8(const WeightsQd8& weights);
  bool valid() const { return data_.data() != nullptr || n_ == 0; }
  LowWeights kind() const { return kind_; }
  /// As they are packed.
  int64_t groups() const { return groups_; }
  int64_t n() const { return n_; }
  int64_t k() const { return k_; }
  int64_t bytes() const {
    return data_.bytes() + sums_.bytes() + scale_.bytes() + block_scale_.bytes() + bias_.bytes();
  }

  static constexpr int64_t kPanel = 16;
  /// Four bits are packed in chunks of so many k.
  static constexpr int64_t kChunk = 32;
  int64_t panel_count() const { return (n_ + kPanel - 1) / kPanel; }
  int64_t chunks() const { return (k_ + kChunk - 1) / kChunk; }
  int64_t block_chunks() const { return block_chunks_; }
  int64_t blocks() const { return blocks_; }
  /// Int8: pairs of steps along k, as PackedQs8.
  int64_t pairs() const { return (k_ + steps_ - 1) / steps_ * steps_ / 2; }
  bool symmetric() const { return symmetric_; }
  int64_t panel_bytes() const {
    return kind_ == LowWeights::Int8 ? pairs() * 2 * kPanel : chunks() * kChunk * kPanel / 2;
  }
  /// Int8: as PackedQs8. Four bits: [chunk][4][kPanel][4] bytes; byte (s, c, i) holds k = 8s + i of the chunk in the
  /// low half and k = 8s + 4 + i in the high half.
  const uint8_t* panels(int64_t group) const { return data_.data() + group * panel_count() * panel_bytes(); }
  /// Int8, Int4: sum of the weights of a column. Block4: sum over the blocks of scale · sum of the weights.
  const float* sums(int64_t group) const { return sums_.data() + group * panel_count() * kPanel; }
  const int32_t* int_sums(int64_t group) const { return int_sums_.data() + group * panel_count() * kPanel; }
  /// Int8, Int4: [panel][kPanel].
  const float* scale(int64_t group) const { return scale_.data() + group * panel_count() * kPanel; }
  /// Block4: [panel][blocks][kPanel], bfloat16 as they came: as floats they would be a fifth of what is read.
  const uint16_t* block_scale(int64_t group) const {
    return block_scale_.data() + group * panel_count() * kPanel * blocks_;
  }
  const float* bias(int64_t group) const { return bias_.data() + group * panel_count() * kPanel; }

 private:
  LowWeights kind_ = LowWeights::Int8;
  int64_t groups_ = 1, n_ = 0, k_ = 0, steps_ = 2, block_chunks_ = 0, blocks_ = 1;
  bool symmetric_ = false;
  Buffer<uint8_t> data_;
  Buffer<int32_t> int_sums_;
  Buffer<float> sums_, scale_, bias_;
  Buffer<uint16_t> block_scale_;
};

/// One RowQuant a row of `a`.
void linear_qd8(const PackedQd8& weights, int64_t m, const int8_t* a, int64_t a_stride, const RowQuant* quant,
                float* out, int64_t out_stride, Clamp clamp = {});
/// The same with rows of float32, which are quantised on the way as quantize_rows() does.
void linear_qd8_f32(const PackedQd8& weights, int64_t m, const float* a, int64_t a_stride, float* out,
                    int64_t out_stride, Clamp clamp = {});
/// One RowQuant an image; padding counts as its zero point. Int8 weights.
void conv_qd8(const PackedQd8& weights, const ConvShape& shape, const int8_t* in, const RowQuant* quant, float* out,
              Clamp clamp = {});

}  // namespace et::xnn
