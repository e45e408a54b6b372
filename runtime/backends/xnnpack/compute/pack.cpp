// Weights into the order in which the kernels read them.
#include <algorithm>

#include "runtime/backends/xnnpack/compute/float_types.h"
#include "runtime/backends/xnnpack/compute/matrix_f32.h"
#include "runtime/backends/xnnpack/compute/matrix_qd8.h"
#include "runtime/backends/xnnpack/compute/matrix_qs8.h"
#include "runtime/platform/parallel.h"

namespace et::xnn {
namespace {

/// f(group, column, panel, column in the panel) for all columns, panels over the threads.
template <class F>
void each_column(int64_t groups, int64_t n, int64_t panel, int64_t k, const F& f) {
  const int64_t panels = (n + panel - 1) / panel;
  parallel_for(0, groups * panels, 1 + 65536 / (panel * k + 1), [&](int64_t first, int64_t last) {
    for (int64_t p = first; p < last; ++p) {
      const int64_t group = p / panels, j0 = p % panels * panel;
      for (int64_t j = j0; j < std::min(n, j0 + panel); ++j) f(group, j, p, j - j0);
    }
  });
}

}  // namespace

PackedF32::PackedF32(const WeightsF32& w) : groups_(w.groups), n_(w.n), k_(w.k) {
  const int64_t panels = groups_ * panel_count();
  data_ = Buffer<float>(panels * std::max<int64_t>(k_, 1) * kPanel);
  bias_ = Buffer<float>(panels * kPanel);
  if (data_.data() == nullptr || bias_.data() == nullptr) {
    data_ = {};
    return;
  }
  const int64_t row = w.transposed ? 1 : k_, step = w.transposed ? n_ : 1;
  each_column(groups_, n_, kPanel, k_, [&](int64_t group, int64_t j, int64_t panel, int64_t column) {
    float* to = data_.data() + panel * k_ * kPanel + column;
    const int64_t from = group * n_ * k_ + j * row;
    if (w.type == FloatType::F32) {
      const float* data = static_cast<const float*>(w.data) + from;
      for (int64_t p = 0; p < k_; ++p) to[p * kPanel] = data[p * step];
    } else {
      for (int64_t p = 0; p < k_; ++p) to[p * kPanel] = load_float(w.data, w.type, from + p * step);
    }
    if (w.bias != nullptr) bias_[panel * kPanel + column] = load_float(w.bias, w.bias_type, group * n_ + j);
  });
}

PackedDepthwiseF32::PackedDepthwiseF32(const void* weights, FloatType type, int64_t taps, int64_t channels,
                                       const void* bias, FloatType bias_type)
    : taps_(taps), channels_(channels) {
  data_ = Buffer<float>(std::max<int64_t>(taps, 1) * padded_channels());
  bias_ = Buffer<float>(padded_channels());
  if (data_.data() == nullptr || bias_.data() == nullptr) {
    data_ = {};
    return;
  }
  for (int64_t t = 0; t < taps; ++t) {
    for (int64_t c = 0; c < channels; ++c)
      data_[t * padded_channels() + c] = load_float(weights, type, t * channels + c);
  }
  for (int64_t c = 0; bias != nullptr && c < channels; ++c) bias_[c] = load_float(bias, bias_type, c);
}

PackedQs8::PackedQs8(const WeightsQs8& w)
    : groups_(w.groups), n_(w.n), k_(w.k), input_zero_point_(w.input.zero_point), output_(w.output) {
  const int64_t panels = groups_ * panel_count();
  data_ = Buffer<int8_t>(panels * std::max<int64_t>(pairs(), 1) * 2 * kPanel);
  bias_ = Buffer<int32_t>(panels * kPanel);
  scale_ = Buffer<float>(panels * kPanel);
  if (data_.data() == nullptr || bias_.data() == nullptr || scale_.data() == nullptr) {
    data_ = {};
    return;
  }
  const int64_t row = w.transposed ? 1 : k_, step = w.transposed ? n_ : 1;
  each_column(groups_, n_, kPanel, k_, [&](int64_t group, int64_t j, int64_t panel, int64_t column) {
    int8_t* to = data_.data() + panel * pairs() * 2 * kPanel + 2 * column;
    const int8_t* from = w.data + group * n_ * k_ + j * row;
    uint32_t sum = 0;
    for (int64_t p = 0; p < k_; ++p) {
      to[p / 2 * 2 * kPanel + p % 2] = from[p * step];
      sum += static_cast<uint32_t>(from[p * step]);
    }
    const int64_t channel = group * n_ + j, at = panel * kPanel + column;
    const uint32_t bias = w.bias == nullptr ? 0 : static_cast<uint32_t>(w.bias[channel]);
    bias_[at] = static_cast<int32_t>(bias - static_cast<uint32_t>(w.input.zero_point) * sum);
    scale_[at] = w.input.scale * w.scales[w.per_channel ? channel : 0] / w.output.quant.scale;
  });
}

PackedDepthwiseQs8::PackedDepthwiseQs8(const DepthwiseWeightsQs8& w)
    : taps_(w.taps), channels_(w.channels), input_zero_point_(w.input.zero_point), output_(w.output) {
  const int64_t padded = padded_channels();
  data_ = Buffer<int16_t>(std::max<int64_t>(pairs(), 1) * padded * 2);
  bias_ = Buffer<int32_t>(padded);
  scale_ = Buffer<float>(padded);
  if (data_.data() == nullptr || bias_.data() == nullptr || scale_.data() == nullptr) {
    data_ = {};
    return;
  }
  for (int64_t c = 0; c < channels_; ++c) {
    uint32_t sum = 0;
    for (int64_t t = 0; t < taps_; ++t) {
      const int8_t value = w.data[t * channels_ + c];
      data_[(t / 2 * padded + c) * 2 + t % 2] = value;
      sum += static_cast<uint32_t>(value);
    }
    const uint32_t bias = w.bias == nullptr ? 0 : static_cast<uint32_t>(w.bias[c]);
    bias_[c] = static_cast<int32_t>(bias - static_cast<uint32_t>(w.input.zero_point) * sum);
    scale_[c] = w.input.scale * w.scales[w.per_channel ? c : 0] / w.output.quant.scale;
  }
}

PackedQd8::PackedQd8(const WeightsQd8& w) : kind_(w.kind), groups_(w.groups), n_(w.n), k_(w.k) {
  if (kind_ == LowWeights::Block4) {
    block_chunks_ = w.block / kChunk;
    blocks_ = (k_ + w.block - 1) / w.block;
  }
  const int64_t panels = groups_ * panel_count();
  data_ = Buffer<uint8_t>(std::max<int64_t>(panels * panel_bytes(), kPanel));
  sums_ = Buffer<float>(panels * kPanel);
  int_sums_ = Buffer<int32_t>(panels * kPanel);
  scale_ = Buffer<float>(panels * kPanel * blocks_);
  bias_ = Buffer<float>(panels * kPanel);
  if (data_.data() == nullptr || sums_.data() == nullptr || int_sums_.data() == nullptr || bias_.data() == nullptr ||
      (scale_.data() == nullptr && blocks_ != 0)) {
    data_ = {};
    return;
  }
  // Four bits that stand for 0, also where nothing is stored.
  if (kind_ != LowWeights::Int8) std::memset(data_.data(), 0x88, static_cast<size_t>(data_.size()));
  const auto* bytes = static_cast<const uint8_t*>(w.data);
  const auto value = [&](int64_t group, int64_t j, int64_t p) -> int32_t {
    const int64_t row = w.transposed ? p : j, column = w.transposed ? j : p;
    const int64_t rows = w.transposed ? k_ : n_, columns = w.transposed ? n_ : k_;
    if (kind_ == LowWeights::Int8) return static_cast<int8_t>(bytes[(group * rows + row) * columns + column]);
    const uint8_t byte = bytes[(group * rows + row) * ((columns + 1) / 2) + column / 2];
    return static_cast<int32_t>(column % 2 == 0 ? byte & 15u : byte >> 4) - 8;
  };
  each_column(groups_, n_, kPanel, k_, [&](int64_t group, int64_t j, int64_t panel, int64_t column) {
    uint8_t* to = data_.data() + panel * panel_bytes();
    const int64_t channel = group * n_ + j, at = panel * kPanel + column;
    uint32_t sum = 0, block_sum = 0;
    float scaled = 0;
    for (int64_t p = 0; p < k_; ++p) {
      const int32_t v = value(group, j, p);
      sum += static_cast<uint32_t>(v);
      if (kind_ == LowWeights::Int8) {
        to[p / 2 * 2 * kPanel + 2 * column + p % 2] = static_cast<uint8_t>(v);
        continue;
      }
      uint8_t& byte = to[p / kChunk * (kChunk * kPanel / 2) + p % kChunk / 8 * (4 * kPanel) + column * 4 + p % 4];
      const auto nibble = static_cast<uint32_t>(v + 8);
      byte = static_cast<uint8_t>(p % 8 < 4 ? (byte & 0xf0u) | nibble : (byte & 0x0fu) | nibble << 4);
      if (kind_ != LowWeights::Block4) continue;
      block_sum += static_cast<uint32_t>(v);
      if (p + 1 == k_ || (p + 1) % w.block == 0) {
        const int64_t block = p / w.block;
        const float scale = bf16_to_f32(w.block_scales[channel * blocks_ + block]);
        scale_[(panel * blocks_ + block) * kPanel + column] = scale;
        scaled += scale * static_cast<float>(static_cast<int32_t>(block_sum));
        block_sum = 0;
      }
    }
    int_sums_[at] = static_cast<int32_t>(sum);
    if (kind_ == LowWeights::Block4) {
      sums_[at] = scaled;
    } else {
      sums_[at] = static_cast<float>(static_cast<int32_t>(sum));
      scale_[at] = w.scales[channel];
    }
    if (w.bias != nullptr) bias_[at] = w.bias[channel];
  });
}

}  // namespace et::xnn
