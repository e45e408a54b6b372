// Weights into the order in which the kernels read them.
#include <algorithm>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

#include "runtime/backends/xnnpack/compute/elementwise.h"
#include "runtime/backends/xnnpack/compute/float_types.h"
#include "runtime/backends/xnnpack/compute/matrix_loops.h"
#include "runtime/kernels/matrix/provider.h"
#include "runtime/platform/parallel.h"

namespace et::xnn {
namespace {

/// Rows of weights are read, and panels written, in parts that stay in the first cache.
constexpr int64_t kPart = 64;

/// f(group, first column, columns, panel) for all panels, over the threads.
template <class F>
void each_panel(int64_t groups, int64_t n, int64_t panel, int64_t k, const F& f) {
  const int64_t panels = (n + panel - 1) / panel;
  parallel_for(0, groups * panels, 1 + 65536 / (panel * k + 1), [&](int64_t first, int64_t last) {
    for (int64_t p = first; p < last; ++p) {
      const int64_t j = p % panels * panel;
      f(p / panels, j, std::min(panel, n - j), p);
    }
  });
}

/// f(column, first, last) for parts of k, columns inside.
template <class F>
void each_part(int64_t columns, int64_t k, const F& f) {
  for (int64_t p = 0; p < k; p += kPart) {
    for (int64_t c = 0; c < columns; ++c) f(c, p, std::min(k, p + kPart));
  }
}

/// Four rows of `count` floats, `row` apart, to four columns of a panel whose rows are `kPanel` apart.
template <int64_t kPanel>
void pack_four(const float* from, int64_t row, int64_t count, float* to) {
  using Four [[gnu::vector_size(16)]] = float;
  const auto load = [&](int64_t r, int64_t p) {
    Four v;
    std::memcpy(&v, from + r * row + p, sizeof v);
    return v;
  };
  int64_t p = 0;
  for (; p + 4 <= count; p += 4) {
    const Four a = load(0, p), b = load(1, p), c = load(2, p), d = load(3, p);
    const Four ab = __builtin_shufflevector(a, b, 0, 4, 1, 5), cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    const Four ab2 = __builtin_shufflevector(a, b, 2, 6, 3, 7), cd2 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    const Four turned[] = {__builtin_shufflevector(ab, cd, 0, 1, 4, 5), __builtin_shufflevector(ab, cd, 2, 3, 6, 7),
                           __builtin_shufflevector(ab2, cd2, 0, 1, 4, 5),
                           __builtin_shufflevector(ab2, cd2, 2, 3, 6, 7)};
    for (int64_t i = 0; i < 4; ++i) std::memcpy(to + (p + i) * kPanel, &turned[i], sizeof turned[i]);
  }
  for (; p < count; ++p) {
    for (int64_t r = 0; r < 4; ++r) to[p * kPanel + r] = from[r * row + p];
  }
}

/// A part of a row of int8 to a panel: `to` is the place of its column's first steps. Returns the sum.
template <int64_t kPanel, int64_t kSteps>
uint32_t pack_steps(const uint8_t* from, int64_t count, uint8_t* to) {
  uint32_t sum = 0;
  for (int64_t p = 0; p < count; ++p) sum += static_cast<uint32_t>(static_cast<int8_t>(from[p]));
  int64_t p = 0;
  for (; p + kSteps <= count; p += kSteps) std::memcpy(to + p * kPanel, from + p, kSteps);
  if (p < count) std::memcpy(to + p * kPanel, from + p, static_cast<size_t>(count - p));
  return sum;
}
template <int64_t kPanel>
uint32_t pack_steps(int64_t steps, const uint8_t* from, int64_t count, uint8_t* to) {
  if (steps == 2) return pack_steps<kPanel, 2>(from, count, to);
  if (steps == 4) return pack_steps<kPanel, 4>(from, count, to);
  return pack_steps<kPanel, 8>(from, count, to);
}

bool has_lowest(const void* bytes, int64_t count) {
  return count > 0 && std::memchr(bytes, 0x80, static_cast<size_t>(count)) != nullptr;
}

/// Eight values of a row as stored (four bytes, the even one low) to a chunk's order: byte i has value i low, i + 4
/// high. Returns the sum of the nibbles.
uint32_t pack_eight(const uint8_t* from, uint8_t* to) {
  const uint32_t a = from[0], b = from[1], c = from[2], d = from[3];
  to[0] = static_cast<uint8_t>((a & 15u) | (c & 15u) << 4);
  to[1] = static_cast<uint8_t>(a >> 4 | (c & 0xf0u));
  to[2] = static_cast<uint8_t>((b & 15u) | (d & 15u) << 4);
  to[3] = static_cast<uint8_t>(b >> 4 | (d & 0xf0u));
  return (a & 15u) + (a >> 4) + (b & 15u) + (b >> 4) + (c & 15u) + (c >> 4) + (d & 15u) + (d >> 4);
}

/// How many neighbouring groups fit a panel side by side.
int64_t groups_in_panel(int64_t groups, int64_t n, int64_t panel) {
  int64_t count = std::max<int64_t>(1, std::min(groups, panel / std::max<int64_t>(n, 1)));
  while (groups % count != 0) --count;
  return count;
}

/// int8 weights whose groups are narrow, with `count` groups each as one: outputs have zeros for the inputs of others.
/// A panel is then full, with as many products as the half empty ones had. The sums are the same.
template <class W>
class MergedGroups {
 public:
  explicit MergedGroups(const W& w) : weights(w) {
    if (w.depth == 0 || w.transposed || w.n == 0) return;
    const int64_t count = groups_in_panel(w.groups, w.n, PackedQs8::kPanel);
    if (count == 1) return;
    data_ = Buffer<int8_t>(w.groups * w.n * w.k * count);
    if (data_.data() == nullptr) return;  // apart, then
    const auto* const from = static_cast<const int8_t*>(w.data);
    for (int64_t row = 0; row < w.groups * w.n; ++row) {
      int8_t* const to = data_.data() + row * w.k * count + row / w.n % count * w.depth;
      for (int64_t p = 0; p < w.k; p += w.depth) std::copy_n(from + row * w.k + p, w.depth, to + p * count);
    }
    weights.data = data_.data();
    weights.groups /= count;
    weights.n *= count;
    weights.k *= count;
  }
  W weights;

 private:
  Buffer<int8_t> data_;
};

/// Weights whose runs along a row of the kernel each begin at a multiple of the steps, zeros behind: loops then read
/// any lines in place. The same weights where nothing is gained.
class PaddedRuns {
 public:
  explicit PaddedRuns(const WeightsQs8& w) : weights(w) {
    const int64_t steps = matrix_loops().int8_steps;
    if (w.taps <= 1 || matrix_loops().line_bytes == 0) return;
    const int64_t depth = w.k / w.taps, values = w.groups == 1 ? w.row_taps * depth : depth;
    if (values == w.k || values % steps == 0) return;
    const int64_t runs = w.k / values, padded = (values + steps - 1) / steps * steps;
    data_ = Buffer<int8_t>(w.groups * w.n * runs * padded);
    if (data_.data() == nullptr) return;
    const int64_t row = w.transposed ? 1 : w.k, step = w.transposed ? w.n : 1;
    for (int64_t i = 0; i < w.groups * w.n; ++i) {
      const int8_t* const from = w.data + i / w.n * w.n * w.k + i % w.n * row;
      int8_t* const to = data_.data() + i * runs * padded;
      for (int64_t p = 0; p < w.k; ++p) to[p / values * padded + p % values] = from[p * step];
    }
    run = values;
    weights.data = data_.data();
    weights.k = runs * padded;
    weights.transposed = false;
  }
  WeightsQs8 weights;
  int64_t run = 0;

 private:
  Buffer<int8_t> data_;
};

}  // namespace

void PackedF32::pack_pairs_of_groups(const WeightsF32& w) {
  paired_ = true;
  groups_ = w.groups / 2;
  data_ = Buffer<float>(groups_ * std::max<int64_t>(k_, 1) * kPanel);
  bias_ = Buffer<float>(groups_ * kPanel);
  if (data_.data() == nullptr || bias_.data() == nullptr) {
    data_ = {};
    return;
  }
  for (int64_t row = 0; row < w.groups * n_; ++row) {
    const int64_t group = row / n_, column = group % 2 * (kPanel / 2) + row % n_;
    float* const to = data_.data() + group / 2 * k_ * kPanel + column;
    for (int64_t p = 0; p < k_; ++p) to[p * kPanel] = load_float(w.data, w.type, row * k_ + p);
    if (w.bias != nullptr) bias_[group / 2 * kPanel + column] = load_float(w.bias, w.bias_type, row);
  }
}

namespace {

/// Whether dot products along k take less than columns of a panel, most of which would be idle; of runs of w.depth
/// values the last vector is filled up. A sum costs about as much as eight products when it is folded.
bool suits_few_columns(const WeightsF32& w) {
  if (!matrix_loops().few_columns || w.transposed || w.n < 1 || w.n > PackedF32::kFewColumns || w.k < 1) return false;
  constexpr int64_t kLanes = 16, kFold = 8;
  const int64_t run = w.depth > 0 ? w.depth : w.k;
  const int64_t products = w.k / run * ((run + kLanes - 1) / kLanes) + kFold;
  const bool shared = w.depth > 0 && w.groups % 2 == 0;  // two groups would share a panel
  return w.n * products * 5 / 4 < (shared ? w.k / 2 : w.k);
}

}  // namespace

PackedF32::PackedF32(const WeightsF32& w) : groups_(w.groups), n_(w.n), k_(w.k) {
  if (suits_few_columns(w)) {
    columns_ = Buffer<float>(groups_ * n_ * k_);
    if (columns_.data() == nullptr) return;
    convert_to_f32(columns_.size(), w.data, w.type, columns_.data());
  } else if (w.depth > 0 && !w.transposed && groups_ % 2 == 0 && n_ > 0 && n_ <= kPanel / 2) {
    pack_pairs_of_groups(w);
    return;
  }
  const int64_t panels = groups_ * panel_count();
  data_ = Buffer<float>(panels * std::max<int64_t>(k_, 1) * kPanel);
  bias_ = Buffer<float>(panels * kPanel);
  if (data_.data() == nullptr || bias_.data() == nullptr) {
    data_ = {};
    return;
  }
  if (matrix::selected_provider() != nullptr) {
    dense_ = Buffer<float>(groups_ * n_ * k_);
    dense_transposed_ = w.transposed;
    convert_to_f32(dense_.size(), w.data, w.type, dense_.data());
  }
  const int64_t row = w.transposed ? 1 : k_, step = w.transposed ? n_ : 1;
  each_panel(groups_, n_, kPanel, k_, [&](int64_t group, int64_t j, int64_t columns, int64_t panel) {
    float* to = data_.data() + panel * k_ * kPanel;
    const int64_t from = group * n_ * k_ + j * row;
    if (w.type == FloatType::F32 && w.transposed) {
      const float* data = static_cast<const float*>(w.data) + from;
      for (int64_t p = 0; p < k_; ++p) std::copy_n(data + p * step, columns, to + p * kPanel);
    } else if (w.type == FloatType::F32 && columns % 4 == 0) {
      const float* data = static_cast<const float*>(w.data) + from;
      each_part(columns / 4, k_, [&](int64_t c, int64_t first, int64_t last) {
        pack_four<kPanel>(data + 4 * c * row + first, row, last - first, to + first * kPanel + 4 * c);
      });
    } else {
      each_part(columns, k_, [&](int64_t c, int64_t first, int64_t last) {
        const int64_t at = from + c * row;
        if (w.type == FloatType::F32) {
          const float* data = static_cast<const float*>(w.data) + at;
          for (int64_t p = first; p < last; ++p) to[p * kPanel + c] = data[p * step];
        } else {
          for (int64_t p = first; p < last; ++p) to[p * kPanel + c] = load_float(w.data, w.type, at + p * step);
        }
      });
    }
    for (int64_t c = 0; w.bias != nullptr && c < columns; ++c) {
      bias_[panel * kPanel + c] = load_float(w.bias, w.bias_type, group * n_ + j + c);
    }
  });
}

namespace {

/// [rows][pixels][channels] of value(row, channel).
template <class Value>
auto repeat_rows(int64_t rows, int64_t channels, int64_t pixels, const Value& value) {
  std::vector<std::decay_t<decltype(value(0, 0))>> all;
  all.reserve(static_cast<size_t>(rows * pixels * channels));
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t i = 0; i < pixels * channels; ++i) all.push_back(value(row, i % channels));
  }
  return all;
}

}  // namespace

PackedDepthwiseF32::PackedDepthwiseF32(const void* weights, FloatType type, int64_t kernel_size, int64_t channels,
                                       const void* bias, FloatType bias_type, bool panels)
    : kernel_size_(kernel_size), channels_(channels) {
  data_ = Buffer<float>(std::max<int64_t>(kernel_size, 1) * padded_channels());
  bias_ = Buffer<float>(padded_channels());
  if (data_.data() == nullptr || bias_.data() == nullptr) {
    data_ = {};
    return;
  }
  for (int64_t t = 0; t < kernel_size; ++t) {
    for (int64_t c = 0; c < channels; ++c) {
      const int64_t at =
          panels ? (c / kChannels * kernel_size + t) * kChannels + c % kChannels : t * padded_channels() + c;
      data_[at] = load_float(weights, type, t * channels + c);
    }
  }
  for (int64_t c = 0; bias != nullptr && c < channels; ++c) bias_[c] = load_float(bias, bias_type, c);

  const int64_t pixels = pixels_side_by_side(channels);
  if (pixels == 1 || panels) return;
  const std::vector<float> weights_of_all = repeat_rows(
      kernel_size, channels, pixels, [&](int64_t t, int64_t c) { return data_[t * padded_channels() + c]; });
  const std::vector<float> bias_of_all = repeat_rows(1, channels, pixels, [&](int64_t, int64_t c) { return bias_[c]; });
  wide_ = std::make_unique<const PackedDepthwiseF32>(weights_of_all.data(), FloatType::F32, kernel_size,
                                                     channels * pixels, bias_of_all.data(), FloatType::F32);
}

PackedQs8::PackedQs8(const WeightsQs8& given) : input_zero_point_(given.input.zero_point), output_(given.output) {
  const MergedGroups merged(given);
  const PaddedRuns padded(merged.weights);
  const WeightsQs8& w = padded.weights;
  groups_ = w.groups, n_ = w.n, k_ = w.k, run_ = padded.run;
  steps_ = matrix_loops().int8_steps;
  symmetric_ = !has_lowest(w.data, groups_ * n_ * k_);
  const int64_t panels = groups_ * panel_count();
  data_ = Buffer<int8_t>(panels * std::max<int64_t>(pairs(), 1) * 2 * kPanel);
  bias_ = Buffer<int32_t>(panels * kPanel);
  scale_ = Buffer<float>(panels * kPanel);
  if (data_.data() == nullptr || bias_.data() == nullptr || scale_.data() == nullptr) {
    data_ = {};
    return;
  }
  const int64_t row = w.transposed ? 1 : k_, step = w.transposed ? n_ : 1;
  each_panel(groups_, n_, kPanel, k_, [&](int64_t group, int64_t j, int64_t columns, int64_t panel) {
    int8_t* const to = data_.data() + panel * pairs() * 2 * kPanel;
    const int8_t* const from = w.data + group * n_ * k_ + j * row;
    uint32_t sums[kPanel] = {};
    each_part(columns, k_, [&](int64_t c, int64_t first, int64_t last) {
      if (step == 1) {
        sums[c] += pack_steps<kPanel>(steps_, reinterpret_cast<const uint8_t*>(from + c * row + first), last - first,
                                      reinterpret_cast<uint8_t*>(to + first * kPanel + steps_ * c));
        return;
      }
      for (int64_t p = first; p < last; ++p) {
        const int8_t v = from[c * row + p * step];
        to[p / steps_ * steps_ * kPanel + steps_ * c + p % steps_] = v;
        sums[c] += static_cast<uint32_t>(v);
      }
    });
    for (int64_t c = 0; c < columns; ++c) {
      const int64_t channel = group * n_ + j + c, at = panel * kPanel + c;
      const uint32_t bias = w.bias == nullptr ? 0 : static_cast<uint32_t>(w.bias[channel]);
      const auto added = static_cast<uint32_t>(w.input.zero_point + matrix_loops().int8_added);
      bias_[at] = static_cast<int32_t>(bias - added * sums[c]);
      scale_[at] = w.input.scale * w.scales[w.per_channel ? channel : 0] / w.output.quant.scale;
    }
  });
}

PackedDepthwiseQs8::PackedDepthwiseQs8(const DepthwiseWeightsQs8& w)
    : kernel_size_(w.kernel_size), channels_(w.channels), input_zero_point_(w.input.zero_point), output_(w.output) {
  const int64_t padded = padded_channels();
  if (w.multiplier >= kSpreadColumns && matrix_loops().spreads_bytes) row_taps_ = w.row_taps;
  symmetric_ = !has_lowest(w.data, kernel_size_ * channels_);
  data_ = Buffer<int16_t>(std::max<int64_t>(pairs(), 1) * padded * 2);
  bias_ = Buffer<int32_t>(padded);
  scale_ = Buffer<float>(padded);
  if (data_.data() == nullptr || bias_.data() == nullptr || scale_.data() == nullptr) {
    data_ = {};
    return;
  }
  for (int64_t c = 0; c < channels_; ++c) {
    uint32_t sum = 0;
    for (int64_t t = 0; t < kernel_size_; ++t) {
      const int8_t value = w.data[t * channels_ + c];
      const int64_t at = row_taps_ == 0 ? t : t / row_taps_ * 2 * row_pairs() + t % row_taps_;
      data_[(at / 2 * padded + c) * 2 + at % 2] = value;
      sum += static_cast<uint32_t>(value);
    }
    const uint32_t bias = w.bias == nullptr ? 0 : static_cast<uint32_t>(w.bias[c]);
    bias_[c] = static_cast<int32_t>(bias - static_cast<uint32_t>(w.input.zero_point) * sum);
    scale_[c] = w.input.scale * w.scales[w.per_channel ? c : 0] / w.output.quant.scale;
  }

  const int64_t pixels = pixels_side_by_side(channels_);
  if (pixels == 1 || row_taps_ != 0) return;
  const auto once = [&](const auto* values) {
    return repeat_rows(1, channels_, pixels, [&](int64_t, int64_t c) { return values[c]; });
  };
  DepthwiseWeightsQs8 all = w;
  const std::vector<int8_t> values =
      repeat_rows(kernel_size_, channels_, pixels, [&](int64_t t, int64_t c) { return w.data[t * channels_ + c]; });
  const std::vector<int32_t> bias = w.bias != nullptr ? once(w.bias) : std::vector<int32_t>();
  const std::vector<float> scales = w.per_channel ? once(w.scales) : std::vector<float>();
  all.data = values.data();
  all.channels = channels_ * pixels;
  if (w.bias != nullptr) all.bias = bias.data();
  if (w.per_channel) all.scales = scales.data();
  wide_ = std::make_unique<const PackedDepthwiseQs8>(all);
}

namespace {

/// Reads values of WeightsQd8 and writes them in the order of PackedQd8.
class Qd8Packer {
 public:
  Qd8Packer(const WeightsQd8& w, int64_t steps)
      : int8_(w.kind == LowWeights::Int8),
        steps_(steps),
        transposed_(w.transposed),
        bytes_(static_cast<const uint8_t*>(w.data)),
        rows_(w.transposed ? w.k : w.n) {
    const int64_t columns = w.transposed ? w.n : w.k;
    row_bytes_ = int8_ ? columns : (columns + 1) / 2;
  }

  /// Packs k in [first, last) of column `j`, the panel's column `column`. Returns the sum of the values.
  uint32_t pack_part(int64_t group, int64_t j, uint8_t* to, int64_t column, int64_t first, int64_t last) const {
    uint32_t sum = 0;
    int64_t p = first;
    if (!transposed_) {
      const uint8_t* const row = bytes_ + (group * rows_ + j) * row_bytes_;
      if (int8_) return pack_steps<kPanel>(steps_, row + first, last - first, to + first * kPanel + steps_ * column);
      for (; p + 8 <= last; p += 8) {
        uint8_t* const eight = to + p / kChunk * (kChunk * kPanel / 2) + p % kChunk / 8 * (4 * kPanel) + column * 4;
        sum += pack_eight(row + p / 2, eight) - 64;
      }
    }
    for (; p < last; ++p) {
      const int32_t v = value(group, j, p);
      put(to, column, p, v);
      sum += static_cast<uint32_t>(v);
    }
    return sum;
  }

 private:
  static constexpr int64_t kPanel = PackedQd8::kPanel, kChunk = PackedQd8::kChunk;
  static_assert(kPart % kChunk == 0);  // parts are whole chunks

  int32_t value(int64_t group, int64_t j, int64_t p) const {
    const int64_t row = transposed_ ? p : j, column = transposed_ ? j : p;
    const uint8_t* const data = bytes_ + (group * rows_ + row) * row_bytes_;
    if (int8_) return static_cast<int8_t>(data[column]);
    return static_cast<int32_t>(column % 2 == 0 ? data[column / 2] & 15u : data[column / 2] >> 4) - 8;
  }
  void put(uint8_t* to, int64_t column, int64_t p, int32_t v) const {
    if (int8_) {
      to[p / steps_ * steps_ * kPanel + steps_ * column + p % steps_] = static_cast<uint8_t>(v);
      return;
    }
    uint8_t& byte = to[p / kChunk * (kChunk * kPanel / 2) + p % kChunk / 8 * (4 * kPanel) + column * 4 + p % 4];
    const auto nibble = static_cast<uint32_t>(v + 8);
    byte = static_cast<uint8_t>(p % 8 < 4 ? (byte & 0xf0u) | nibble : (byte & 0x0fu) | nibble << 4);
  }

  bool int8_;
  int64_t steps_;
  bool transposed_;
  const uint8_t* bytes_;
  int64_t rows_, row_bytes_ = 0;
};

}  // namespace

PackedQd8::PackedQd8(const WeightsQd8& given) : kind_(given.kind) {
  const MergedGroups merged(given);
  const WeightsQd8& w = merged.weights;
  groups_ = w.groups, n_ = w.n, k_ = w.k;
  steps_ = matrix_loops().int8_steps;
  symmetric_ = kind_ == LowWeights::Int8 && !has_lowest(w.data, groups_ * n_ * k_);
  if (kind_ == LowWeights::Block4) {
    block_chunks_ = w.block / kChunk;
    blocks_ = (k_ + w.block - 1) / w.block;
  }
  const int64_t panels = groups_ * panel_count();
  data_ = Buffer<uint8_t>(std::max<int64_t>(panels * panel_bytes(), kPanel));
  sums_ = Buffer<float>(panels * kPanel);
  int_sums_ = Buffer<int32_t>(panels * kPanel);
  if (kind_ == LowWeights::Block4)
    block_scale_ = Buffer<uint16_t>(panels * kPanel * blocks_);
  else
    scale_ = Buffer<float>(panels * kPanel);
  bias_ = Buffer<float>(panels * kPanel);
  if (data_.data() == nullptr || sums_.data() == nullptr || int_sums_.data() == nullptr || bias_.data() == nullptr ||
      (scale_.data() == nullptr && block_scale_.data() == nullptr && blocks_ != 0)) {
    data_ = {};
    return;
  }
  // Four bits that stand for 0, also where nothing is stored.
  if (kind_ != LowWeights::Int8) std::memset(data_.data(), 0x88, static_cast<size_t>(data_.size()));
  const Qd8Packer packer(w, steps_);
  each_panel(groups_, n_, kPanel, k_, [&](int64_t group, int64_t j, int64_t count, int64_t panel) {
    uint8_t* const to = data_.data() + panel * panel_bytes();
    uint32_t sums[kPanel] = {};
    float scaled[kPanel] = {};
    if (kind_ == LowWeights::Block4) {
      for (int64_t block = 0; block < blocks_; ++block) {
        for (int64_t c = 0; c < count; ++c) {
          const int64_t end = std::min(k_, (block + 1) * w.block);
          const uint32_t sum = packer.pack_part(group, j + c, to, c, block * w.block, end);
          const uint16_t stored = w.block_scales[(group * n_ + j + c) * blocks_ + block];
          const float scale = bf16_to_f32(stored);
          block_scale_[(panel * blocks_ + block) * kPanel + c] = stored;
          scaled[c] += scale * static_cast<float>(static_cast<int32_t>(sum));
          sums[c] += sum;
        }
      }
    } else {
      each_part(count, k_, [&](int64_t c, int64_t first, int64_t last) {
        sums[c] += packer.pack_part(group, j + c, to, c, first, last);
      });
    }
    for (int64_t c = 0; c < count; ++c) {
      const int64_t channel = group * n_ + j + c, at = panel * kPanel + c;
      const auto sum = static_cast<int32_t>(sums[c]);
      int_sums_[at] = sum;
      sums_[at] = kind_ == LowWeights::Block4 ? scaled[c] : static_cast<float>(sum);
      if (kind_ != LowWeights::Block4) scale_[at] = w.scales[channel];
      if (w.bias != nullptr) bias_[at] = w.bias[channel];
    }
  });
}

}  // namespace et::xnn
