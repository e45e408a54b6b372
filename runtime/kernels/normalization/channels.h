// Normalisation by channel of a tensor [N, C, …]: (x − shift) · scale + bias, each of them one number for a channel.
// Follows memory: channel by channel where the channels are apart (NCHW), pixel by pixel where they are neighbours.
#pragma once

#include "runtime/kernels/reduction/chunks.h"
#include "runtime/kernels/reduction/plan.h"

namespace et::ET_KERNELS {

/// Channels that are prepared at once: three arrays on the stack.
inline constexpr int64_t kChannelTile = 256;

template <class C>
struct ChannelFactors {
  C shift[kChannelTile];
  C scale[kChannelTile];
  C bias[kChannelTile];

  /// The rounding of the mean goes into the bias.
  void set(int64_t i, double mean, double factor, double offset) {
    shift[i] = static_cast<C>(mean);
    scale[i] = static_cast<C>(factor);
    const double low = mean - static_cast<double>(shift[i]);
    bias[i] = static_cast<C>(low != 0 ? offset - low * factor : offset);
  }
};

template <class C>
class ChannelMap {
 public:
  /// Both tensors have the same sizes, rank 2 or more.
  ChannelMap(const Tensor& in, const Tensor& out) : reader_(in), writer_(out) {
    for (int k = 0; k < 2; ++k) {
      const Tensor& t = k == 0 ? in : out;
      batch_stride_[k] = t.strides()[0];
      channel_stride_[k] = t.strides()[1];
      for (size_t d = 2; d < t.sizes().size(); ++d) pixel_strides_[k][d - 2] = t.strides()[d];
    }
    for (size_t d = 2; d < in.sizes().size(); ++d) pixels_.push(in.sizes()[d]);
  }

  /// Channels [from, from + count) of batch n; factor i belongs to channel from + i.
  void apply(int64_t n, int64_t from, int64_t count, const ChannelFactors<C>& f) const {
    const int64_t in = n * batch_stride_[0] + from * channel_stride_[0];
    const int64_t out = n * batch_stride_[1] + from * channel_stride_[1];
    const StridedWalk<2> walk(pixels_.view(), {pixel_strides_[0], pixel_strides_[1]});
    if (count > 1 && channel_stride_[0] == 1 && channel_stride_[1] == 1) {
      walk.run([&](const std::array<int64_t, 2>& o, int64_t m, const std::array<int64_t, 2>& stride) {
        for (int64_t i = 0; i < m; ++i) pixel(in + o[0] + i * stride[0], out + o[1] + i * stride[1], count, f);
      });
      return;
    }
    for (int64_t c = 0; c < count; ++c) {
      walk.run([&](const std::array<int64_t, 2>& o, int64_t m, const std::array<int64_t, 2>& stride) {
        run(in + c * channel_stride_[0] + o[0], stride[0], out + c * channel_stride_[1] + o[1], stride[1], m,
            f.shift[c], f.scale[c], f.bias[c]);
      });
    }
  }

 private:
  void pixel(int64_t in, int64_t out, int64_t count, const ChannelFactors<C>& f) const {
    C buffer[kChannelTile];
    C result[kChannelTile];
    const C* p = reader_.get(in, 1, count, buffer);
    C* q = writer_.direct() != nullptr ? writer_.direct() + out : result;
    for (int64_t i = 0; i < count; ++i) q[i] = (p[i] - f.shift[i]) * f.scale[i] + f.bias[i];
    if (q == result) writer_.put(out, 1, count, result);
  }
  void run(int64_t in, int64_t in_stride, int64_t out, int64_t out_stride, int64_t n, C shift, C scale, C bias) const {
    C* direct = out_stride == 1 ? writer_.direct() : nullptr;
    reader_.for_each(in, in_stride, n, [&](int64_t at, const C* p, int64_t m) {
      if (direct != nullptr) {
        C* q = direct + out + at;
        for (int64_t i = 0; i < m; ++i) q[i] = (p[i] - shift) * scale + bias;
        return;
      }
      C result[kChunk];
      for (int64_t i = 0; i < m; i += kChunk) {
        const int64_t k = m - i < kChunk ? m - i : kChunk;
        for (int64_t j = 0; j < k; ++j) result[j] = (p[i + j] - shift) * scale + bias;
        writer_.put(out + (at + i) * out_stride, out_stride, k, result);
      }
    });
  }

  ChunkReader<C> reader_;
  ChunkWriter<C> writer_;
  int64_t batch_stride_[2];
  int64_t channel_stride_[2];
  int64_t pixel_strides_[2][kTensorDimensionLimit] = {};
  Shape pixels_;
};

/// weight, bias, running statistics: floating, [C], or none.
bool check_channel_parameter(KernelRuntimeContext& ctx, const char* op, const char* name, const optional<Tensor>& t,
                             int64_t channels);

/// One number of a parameter, or `otherwise` when there is none.
class ChannelParameter {
 public:
  ChannelParameter(const optional<Tensor>& t, double otherwise) : there_(t.has_value()), otherwise_(otherwise) {
    if (there_) reader_ = ChunkReader<double>(*t);
  }
  double at(int64_t i) const { return there_ ? reader_.at(i) : otherwise_; }

 private:
  ChunkReader<double> reader_;
  bool there_;
  double otherwise_;
};

}  // namespace et::ET_KERNELS
