// 3x3 convolutions of floats by F(2x2, 3x3) of Winograd's minimal filtering (A. Lavin, S. Gray, "Fast Algorithms for
// Convolutional Neural Networks", 2015): a tile of 4x4 input pixels becomes 16 numbers a channel, which 16 GEMMs
// multiply with 16 of each filter, and sums of these are 2x2 output pixels: 4 multiplications a pixel where the
// convolution has 9.
//
// Results differ from the direct ones by rounding: the largest input of a tile counts for each of its four pixels. A
// value that is not finite, which would spread over its tile, makes the whole convolution a direct one.
#pragma once

#include <mutex>

#include "runtime/backends/xnnpack/compute/matrix_f32.h"

namespace et::xnn {

class PackedWinogradF32 {
 public:
  PackedWinogradF32() = default;
  /// `weights` is [out channels][3 · 3 · in channels], of one group. Not valid() when there is no memory.
  explicit PackedWinogradF32(const WeightsF32& weights);
  bool valid() const { return products_.valid() && bias_.data() != nullptr; }
  int64_t bytes() const { return products_.bytes() + bias_.bytes(); }
  static constexpr int64_t kProducts = 16;
  /// The weights of the 16 GEMMs: groups of [out channels][in channels], without biases.
  const PackedF32& products() const { return products_; }
  /// A bias for each output channel.
  const float* bias() const { return bias_.data(); }
  /// The weights as conv_f32 takes them, worked out from the products when they are first asked for; those of the
  /// kernel's corners are the same, others may differ in the last digit. Null: no memory.
  const PackedF32* direct() const;

 private:
  PackedF32 products_;
  Buffer<float> bias_;
  mutable std::once_flag once_;
  mutable std::unique_ptr<const PackedF32> direct_;
};

/// Whether winograd_f32 takes clearly less time than conv_f32 for this convolution, padding and sizes included.
bool suits_winograd(const ConvShape& shape);

/// As conv_f32, of a 3x3 kernel, steps and dilations of one, one group; of any size.
void winograd_f32(const PackedWinogradF32& weights, const ConvShape& shape, const float* in, float* out,
                  Clamp clamp = {});

}  // namespace et::xnn
