// What the compute functions of the XNNPACK backend share: shapes of convolutions, bounds of results, memory of packed
// weights. Nothing here knows payloads. All functions of this folder expect valid arguments: sizes are not negative,
// pointers hold what the sizes say, results do not overlap inputs unless a function allows it. Threads: functions split
// their work over the attached pool (runtime/platform/parallel.h); packed weights are immutable and may be shared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <utility>

#include "runtime/backends/xnnpack/compute/memory.h"

namespace et::xnn {

/// Bounds of a float result; a NaN stays one.
struct Clamp {
  float min = -std::numeric_limits<float>::infinity();
  float max = std::numeric_limits<float>::infinity();
};

/// False where they bound nothing.
inline bool active(const Clamp& c) {
  return c.min > -std::numeric_limits<float>::infinity() || c.max < std::numeric_limits<float>::infinity();
}

/// A two-dimensional convolution of NHWC images with weights [out channel][ky][kx][in channel of the group]. Padding at
/// the bottom and the right follows from the output's size. `transposed`: the deconvolution whose output pixel
/// (y, x) gets input ((y + pad_top - ky·dilation_h) / stride_h, …) where that divides evenly.
struct ConvShape {
  int64_t batch = 1, in_h = 1, in_w = 1, in_channels = 1;
  int64_t out_h = 1, out_w = 1, out_channels = 1;
  int64_t groups = 1;
  int64_t kernel_h = 1, kernel_w = 1;
  int64_t stride_h = 1, stride_w = 1;
  int64_t dilation_h = 1, dilation_w = 1;
  int64_t pad_top = 0, pad_left = 0;
  bool transposed = false;
  /// Elements from one pixel to the next; 0: the number of channels.
  int64_t in_stride = 0, out_stride = 0;

  int64_t kernel_size() const { return kernel_h * kernel_w; }
  int64_t in_group() const { return in_channels / groups; }
  int64_t out_group() const { return out_channels / groups; }
  int64_t in_pixel() const { return in_stride != 0 ? in_stride : in_channels; }
  int64_t out_pixel() const { return out_stride != 0 ? out_stride : out_channels; }
  int64_t out_pixels() const { return batch * out_h * out_w; }
  /// Each output pixel reads the input pixel at its own place: a plain GEMM over the pixels.
  bool is_pointwise() const {
    return kernel_h == 1 && kernel_w == 1 && stride_h == 1 && stride_w == 1 && pad_top == 0 && pad_left == 0 &&
           in_h == out_h && in_w == out_w;
  }
};

/// Output size of a convolution along one axis, and of a deconvolution; ≤ 0: the kernel does not fit.
inline int64_t conv_out_size(int64_t in, int64_t padding, int64_t kernel, int64_t dilation, int64_t stride) {
  const int64_t slack = in + padding - ((kernel - 1) * dilation + 1);
  return slack < 0 ? 0 : slack / stride + 1;
}
inline int64_t deconv_out_size(int64_t in, int64_t padding, int64_t kernel, int64_t dilation, int64_t stride,
                               int64_t adjustment) {
  return stride * (in - 1) + adjustment + (kernel - 1) * dilation + 1 - padding;
}

/// Memory for vectors: aligned to 64 bytes, zero at first, empty when there is none (`data()` null then).
template <class T>
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(int64_t size) {
    if (size <= 0) return;
    const size_t bytes = static_cast<size_t>(size) * sizeof(T);
    data_ = {static_cast<T*>(allocate_zeroed(bytes)), Free{bytes}};
    if (data_ != nullptr) size_ = size;
  }
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  int64_t size() const { return size_; }
  int64_t bytes() const { return size_ * static_cast<int64_t>(sizeof(T)); }
  T& operator[](int64_t i) { return data_.get()[i]; }
  const T& operator[](int64_t i) const { return data_.get()[i]; }

 private:
  struct Free {
    size_t bytes = 0;
    void operator()(T* p) const { free_zeroed(p, bytes); }
  };
  std::unique_ptr<T, Free> data_;
  int64_t size_ = 0;
};

}  // namespace et::xnn
