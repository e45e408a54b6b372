// GEMMs and convolutions of statically quantised int8: sums in int32 (modulo 2^32), then
//   q = clamp(round_to_even(float(sum) · scale[c]) + zero point of the output, qmin, qmax),
// scale[c] = input scale · weight scale[c] / output scale, in float32.
#pragma once

#include <memory>

#include "runtime/backends/xnnpack/compute/types.h"

namespace et::xnn {

/// x = scale · (q - zero_point).
struct Quantised {
  float scale = 1;
  int32_t zero_point = 0;
};

/// Where an int8 result goes: its quantisation and the bounds of q.
struct OutputQs8 {
  Quantised quant;
  int8_t min = -128, max = 127;
};
/// The bounds of q for bounds in real units.
OutputQs8 output_qs8(Quantised quant, Clamp clamp);

/// Layout as WeightsF32; symmetric weights.
struct WeightsQs8 {
  const int8_t* data = nullptr;
  bool transposed = false;
  int64_t groups = 1, n = 0, k = 0;
  /// groups · n values of scale (input scale · weight scale), or null.
  const int32_t* bias = nullptr;
  /// groups · n scales, or one for all.
  const float* scales = nullptr;
  bool per_channel = true;
  Quantised input;
  OutputQs8 output;
  /// As WeightsF32::depth: narrow groups are packed as one, with zeros for what they do not share.
  int64_t depth = 0;
  /// Of a convolution whose lines may be read in place: kernel elements, and how many of them lie side by side along a
  /// row of the image. 0: none.
  int64_t taps = 0, row_taps = 1;
};

class PackedQs8 {
 public:
  PackedQs8() = default;
  explicit PackedQs8(const WeightsQs8& weights);
  bool valid() const { return data_.data() != nullptr || n_ == 0; }
  /// As they are packed.
  int64_t groups() const { return groups_; }
  int64_t n() const { return n_; }
  int64_t k() const { return k_; }
  int64_t bytes() const { return data_.bytes() + bias_.bytes() + scale_.bytes(); }
  const OutputQs8& output() const { return output_; }
  int32_t input_zero_point() const { return input_zero_point_; }
  /// Panels of kPanel columns, each [k/steps][kPanel][steps], padded with zeros: `int8_steps` of the loops that pack.
  static constexpr int64_t kPanel = 16;
  /// Where k is padded so that each run along a row of the kernel begins at a multiple of four: values of a run. Else
  /// 0.
  int64_t run() const { return run_; }
  int64_t pairs() const { return (k_ + steps_ - 1) / steps_ * steps_ / 2; }
  /// No weight is -128.
  bool symmetric() const { return symmetric_; }
  int64_t panel_count() const { return (n_ + kPanel - 1) / kPanel; }
  const int8_t* panels(int64_t group) const { return data_.data() + group * panel_count() * pairs() * 2 * kPanel; }
  /// The bias less (zero point + what the rows have added) · sum of the weights.
  const int32_t* bias(int64_t group) const { return bias_.data() + group * panel_count() * kPanel; }
  const float* scale(int64_t group) const { return scale_.data() + group * panel_count() * kPanel; }

 private:
  int64_t groups_ = 1, n_ = 0, k_ = 0, steps_ = 2, run_ = 0;
  bool symmetric_ = false;
  int32_t input_zero_point_ = 0;
  OutputQs8 output_;
  Buffer<int8_t> data_;
  Buffer<int32_t> bias_;
  Buffer<float> scale_;
};

/// `bounded`: other bounds than those that the weights were packed with; the quantisation is the same.
void linear_qs8(const PackedQs8& weights, int64_t m, const int8_t* a, int64_t a_stride, int8_t* out, int64_t out_stride,
                const OutputQs8* bounded = nullptr);
/// Padding counts as the input's zero point.
void conv_qs8(const PackedQs8& weights, const ConvShape& shape, const int8_t* in, int8_t* out,
              const OutputQs8* bounded = nullptr);

struct DepthwiseWeightsQs8 {
  const int8_t* data = nullptr;  // [kernel elements][channels]
  int64_t kernel_size = 0, channels = 0;
  const int32_t* bias = nullptr;
  const float* scales = nullptr;
  bool per_channel = true;
  Quantised input;
  OutputQs8 output;
  /// Kernel elements that stay side by side in a row of the kernel, however it is turned; 0: not known.
  int64_t row_taps = 0;
  int64_t multiplier = 1;
};
class PackedDepthwiseQs8 {
 public:
  PackedDepthwiseQs8() = default;
  explicit PackedDepthwiseQs8(const DepthwiseWeightsQs8& weights);
  bool valid() const { return data_.data() != nullptr || channels_ == 0; }
  int64_t bytes() const {
    return data_.bytes() + bias_.bytes() + scale_.bytes() + (wide_ != nullptr ? wide_->bytes() : 0);
  }
  int64_t kernel_size() const { return kernel_size_; }
  int64_t channels() const { return channels_; }
  const OutputQs8& output() const { return output_; }
  int32_t input_zero_point() const { return input_zero_point_; }
  /// [kernel size/2][padded channels][2]: pairs of kernel elements, the last padded with zero.
  static constexpr int64_t kChannels = 16;
  int64_t padded_channels() const { return (channels_ + kChannels - 1) / kChannels * kChannels; }
  int64_t pairs() const { return row_taps_ == 0 ? (kernel_size_ + 1) / 2 : kernel_size_ / row_taps_ * row_pairs(); }
  /// Where not 0, pairs are made of so many kernel elements each, the last of which has zero behind it where they are
  /// an odd number: for the loops that spread channels.
  int64_t row_taps() const { return row_taps_; }
  int64_t row_pairs() const { return (row_taps_ + 1) / 2; }
  /// No weight is -128.
  bool symmetric() const { return symmetric_; }
  const int16_t* weights() const { return data_.data(); }
  const int32_t* bias() const { return bias_.data(); }
  const float* scale() const { return scale_.data(); }
  /// The same for pixels_side_by_side() pixels, as if they were one; null where that is one.
  const PackedDepthwiseQs8* wide() const { return wide_.get(); }

 private:
  std::unique_ptr<const PackedDepthwiseQs8> wide_;
  int64_t kernel_size_ = 0, channels_ = 0, row_taps_ = 0;
  bool symmetric_ = false;
  int32_t input_zero_point_ = 0;
  OutputQs8 output_;
  Buffer<int16_t> data_;
  Buffer<int32_t> bias_;
  Buffer<float> scale_;
};
void depthwise_qs8(const PackedDepthwiseQs8& weights, const ConvShape& shape, const int8_t* in, int8_t* out,
                   const OutputQs8* bounded = nullptr);

}  // namespace et::xnn
