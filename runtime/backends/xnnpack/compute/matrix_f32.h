// GEMMs and convolutions in float32 with weights that are packed once.
#pragma once

#include <memory>

#include "runtime/backends/xnnpack/compute/types.h"

namespace et::xnn {

/// How weights and biases are stored; all are computed with in float32.
enum class FloatType : uint8_t { F32, F16, BF16 };

/// Weights of `groups` GEMMs side by side, [groups][n][k], or [groups][k][n] when `transposed`. A fully connected
/// layer has one group; a convolution has n = out channels of a group, k = kernel size · in channels of a group.
struct WeightsF32 {
  const void* data = nullptr;
  FloatType type = FloatType::F32;
  bool transposed = false;
  int64_t groups = 1, n = 0, k = 0;
  /// groups · n values, or null.
  const void* bias = nullptr;
  FloatType bias_type = FloatType::F32;
  /// Of a convolution, the in channels of a group: narrow groups may share a panel. 0: they stay apart.
  int64_t depth = 0;
};

class PackedF32 {
 public:
  PackedF32() = default;
  /// Not valid() when there is no memory.
  explicit PackedF32(const WeightsF32& weights);
  bool valid() const { return data_.data() != nullptr || n_ == 0; }
  /// Pairs of them when they are paired(); n and k are those of one.
  int64_t groups() const { return groups_; }
  int64_t n() const { return n_; }
  int64_t k() const { return k_; }
  int64_t bytes() const { return data_.bytes() + bias_.bytes() + dense_.bytes() + columns_.bytes(); }
  /// Half a panel for each of two groups, which would fill no more of one. Only conv_f32 takes them.
  bool paired() const { return paired_; }
  /// The weights in the order in which they came, kept where a GEMM provider was selected when they were packed
  /// (provided_f32.h); else null.
  const float* dense() const { return dense_.data(); }
  bool dense_transposed() const { return dense_transposed_; }
  /// Panels of kPanel columns, k rows each; and kPanel biases a panel. Columns beyond n are zero.
  static constexpr int64_t kPanel = 16;
  const float* panels(int64_t group) const { return data_.data() + group * panel_count() * k_ * kPanel; }
  const float* bias(int64_t group) const { return bias_.data() + group * panel_count() * kPanel; }
  int64_t panel_count() const { return (n_ + kPanel - 1) / kPanel; }
  /// [n][k] for the loops that take them, where there are at most kFewColumns and that pays; else null.
  static constexpr int64_t kFewColumns = 8;
  const float* columns(int64_t group) const {
    return columns_.data() == nullptr ? nullptr : columns_.data() + group * n_ * k_;
  }

 private:
  int64_t groups_ = 1, n_ = 0, k_ = 0;
  bool dense_transposed_ = false, paired_ = false;
  Buffer<float> data_, bias_, dense_, columns_;

  void pack_pairs_of_groups(const WeightsF32& weights);
};

/// out[i][j] = clamp(sum over k of a[i][k] · w[j][k] + bias[j]) for i < m. Strides in elements between rows. One group.
void linear_f32(const PackedF32& weights, int64_t m, const float* a, int64_t a_stride, float* out, int64_t out_stride,
                Clamp clamp = {});

/// Weights packed with groups = shape.groups, n = out_group(), k = kernel_size() · in_group().
void conv_f32(const PackedF32& weights, const ConvShape& shape, const float* in, float* out, Clamp clamp = {});

/// out[b] = a[b] · w[b] for b < batch; a is [m][k], w [k][n], or [n][k] when `transposed`; all dense. `a_batch` and
/// `b_batch` are the elements from one problem to the next, 0 repeats one.
struct BatchMatrix {
  int64_t batch = 1, m = 0, n = 0, k = 0;
  bool transposed = false;
  const float* a = nullptr;
  int64_t a_batch = 0;
  const float* b = nullptr;
  int64_t b_batch = 0;
  float* out = nullptr;
};
void batch_matmul_f32(const BatchMatrix& params);

/// Depthwise convolution: groups = in channels, out channel c reads in channel c / multiplier.
class PackedDepthwiseF32 {
 public:
  PackedDepthwiseF32() = default;
  /// `weights` is [kernel elements][out channels]. `panels`: those of kChannels channels lie together, as groups of
  /// several channels are read, whose many kernel elements would otherwise share few lines of the first cache.
  PackedDepthwiseF32(const void* weights, FloatType type, int64_t kernel_size, int64_t channels, const void* bias,
                     FloatType bias_type, bool panels = false);
  bool valid() const { return data_.data() != nullptr || channels_ == 0; }
  int64_t bytes() const { return data_.bytes() + bias_.bytes() + (wide_ != nullptr ? wide_->bytes() : 0); }
  int64_t kernel_size() const { return kernel_size_; }
  int64_t channels() const { return channels_; }
  /// [kernel elements][channels rounded up to kChannels], or [these / kChannels][kernel elements][kChannels]
  static constexpr int64_t kChannels = 16;
  int64_t padded_channels() const { return (channels_ + kChannels - 1) / kChannels * kChannels; }
  const float* weights() const { return data_.data(); }
  const float* bias() const { return bias_.data(); }
  /// The same for pixels_side_by_side() pixels, as if they were one; null where that is one.
  const PackedDepthwiseF32* wide() const { return wide_.get(); }

 private:
  std::unique_ptr<const PackedDepthwiseF32> wide_;
  int64_t kernel_size_ = 0, channels_ = 0;
  Buffer<float> data_, bias_;
};
/// Whether depthwise_f32 computes the convolution though its groups have several channels: four or eight, as many of
/// the input as of the output. Its weights are those of [kernel elements * channels of a group][out channels].
bool suits_groups(const ConvShape& shape);
void depthwise_f32(const PackedDepthwiseF32& weights, const ConvShape& shape, const float* in, float* out,
                   Clamp clamp = {});

}  // namespace et::xnn
