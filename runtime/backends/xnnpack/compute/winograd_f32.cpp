#include "runtime/backends/xnnpack/compute/winograd_f32.h"

#include <algorithm>
#include <atomic>

#include "runtime/backends/xnnpack/compute/elementwise.h"
#include "runtime/backends/xnnpack/compute/float_types.h"
#include "runtime/backends/xnnpack/compute/split_gemm.h"
#include "runtime/backends/xnnpack/compute/thread_workspace.h"

namespace et::xnn {
namespace {

constexpr int64_t kProducts = PackedWinogradF32::kProducts;
constexpr int64_t kTaps = 9, kSide = 4;
constexpr int64_t kFewestChannels = 16;  // of a vector, which the transforms take

/// A row or a column of three weights as four.
template <class From, class To>
void four_of_three(int64_t n, const From* a, const From* b, const From* c, To* out, int64_t step) {
  for (int64_t i = 0; i < n; ++i) {
    const auto ends = 0.5f * (a[i] + c[i]), middle = 0.5f * b[i];
    out[i] = a[i];
    out[step + i] = ends + middle;
    out[2 * step + i] = ends - middle;
    out[3 * step + i] = c[i];
  }
}

/// [n][9][k] → [16][n][k]
void transform_filters(int64_t n, int64_t k, const float* from, float* to) {
  parallel_for(0, n, 1 + 16384 / k, [&](int64_t first, int64_t last) {
    float* const lines = thread_workspace<float>(WorkspaceSlot::Rows, 3 * kSide * k);  // [4 of y][3 of x][k]
    for (int64_t j = first; j < last; ++j) {
      const float* filter = from + j * kTaps * k;
      for (int64_t x = 0; x < 3; ++x) {
        four_of_three(k, filter + x * k, filter + (3 + x) * k, filter + (6 + x) * k, lines + x * k, 3 * k);
      }
      for (int64_t y = 0; y < kSide; ++y) {
        const float* line = lines + y * 3 * k;
        four_of_three(k, line, line + k, line + 2 * k, to + (y * kSide * n + j) * k, n * k);
      }
    }
  });
}

/// The numbers of product g, filter j, channel c of packed weights.
float product(const PackedF32& w, int64_t g, int64_t j, int64_t c) {
  constexpr int64_t kPanel = PackedF32::kPanel;
  return w.panels(g)[(j / kPanel * w.k() + c) * kPanel + j % kPanel];
}

/// The middle one of three weights from the second and third of four; the others stand there.
constexpr int64_t kPlaces[] = {0, 1, 3};
float weight(const PackedF32& w, int64_t y, int64_t x, int64_t j, int64_t c) {
  const auto along_x = [&](int64_t row) {
    const int64_t g = row * kSide + kPlaces[x];
    return x == 1 ? product(w, g, j, c) - product(w, g + 1, j, c) : product(w, g, j, c);
  };
  return y == 1 ? along_x(1) - along_x(2) : along_x(kPlaces[y]);
}

}  // namespace

PackedWinogradF32::PackedWinogradF32(const WeightsF32& w) {
  const int64_t k = w.k / kTaps, count = w.n * w.k;
  Buffer<float> numbers(kProducts * w.n * k), converted;
  bias_ = Buffer<float>(w.n);
  const float* filters = static_cast<const float*>(w.data);
  if (w.type != FloatType::F32) {
    converted = Buffer<float>(count);
    if (converted.data() != nullptr) convert_to_f32(count, w.data, w.type, converted.data());
    filters = converted.data();
  }
  if (numbers.data() == nullptr || bias_.data() == nullptr || filters == nullptr) {
    bias_ = {};
    return;
  }
  transform_filters(w.n, k, filters, numbers.data());
  WeightsF32 products;
  products.data = numbers.data();
  products.groups = kProducts;
  products.n = w.n;
  products.k = k;
  products_ = PackedF32(products);
  if (w.bias != nullptr) convert_to_f32(w.n, w.bias, w.bias_type, bias_.data());
}

const PackedF32* PackedWinogradF32::direct() const {
  std::call_once(once_, [this] {
    const int64_t n = products_.n(), k = products_.k();
    Buffer<float> filters(n * kTaps * k);
    if (filters.data() == nullptr) return;
    for (int64_t j = 0; j < n; ++j) {
      for (int64_t t = 0; t < kTaps; ++t) {
        float* const to = filters.data() + (j * kTaps + t) * k;
        for (int64_t c = 0; c < k; ++c) to[c] = weight(products_, t / 3, t % 3, j, c);
      }
    }
    WeightsF32 w;
    w.data = filters.data();
    w.n = n;
    w.k = kTaps * k;
    w.depth = k;
    w.bias = bias_.data();
    auto packed = std::make_unique<const PackedF32>(w);
    if (packed->valid()) direct_ = std::move(packed);
  });
  return direct_.get();
}

namespace {

struct TileGrid {
  explicit TileGrid(const ConvShape& s)
      : columns((s.out_w + 1) / 2), rows((s.out_h + 1) / 2), count(s.batch * rows * columns) {}
  int64_t columns, rows, count;
};

/// Tiles that are in work at a time, on one thread: their numbers stay in the second cache, but few tiles would read
/// the weights too often.
int64_t tiles_at_a_time(const ConvShape& s) {
  constexpr int64_t kFloats = 128 * 1024, kFewest = 44;
  return std::max(kFewest, kFloats / (kProducts * (s.in_channels + s.out_channels)));
}

class Winograd {
 public:
  Winograd(const PackedWinogradF32& w, const ConvShape& s, const float* in, float* out, Clamp clamp)
      : w_(w), s_(s), grid_(s), in_(in), out_(out), clamp_(clamp) {}

  /// Tiles [first, last) of all images; false: some result is not finite.
  bool run(int64_t first, int64_t last) const {
    const int64_t together = tiles_at_a_time(s_), blocks = (last - first + together - 1) / together;
    bool finite = true;
    for (int64_t b = 0; b < blocks; ++b) {
      finite &= block(first + (last - first) * b / blocks, first + (last - first) * (b + 1) / blocks);
    }
    return finite;
  }

 private:
  static constexpr int64_t kLine = 16;  // a line more, so that the products do not share sets of the first cache

  bool block(int64_t first, int64_t last) const {
    const int64_t tiles = last - first, k = s_.in_channels, n = s_.out_channels;
    const int64_t in_step = tiles * k + kLine, sums_step = tiles * n + kLine;
    float* const numbers = thread_workspace<float>(WorkspaceSlot::Products, kProducts * (in_step + sums_step));
    float* const sums = numbers + kProducts * in_step;
    each_run(first, last, [&](int64_t image, int64_t y, int64_t x0, int64_t x1, int64_t at) {
      transform_run(image, y, x0, x1, numbers + at * k, in_step);
    });
    BlockF32 gemm;
    gemm.m = tiles;
    gemm.n = n;
    gemm.k = gemm.a_stride = k;
    gemm.out_stride = n;
    for (int64_t g = 0; g < kProducts; ++g) {
      gemm.a = numbers + g * in_step;
      gemm.panels = w_.products().panels(g);
      gemm.out = sums + g * sums_step;
      matrix_loops().f32(gemm);
    }
    bool finite = true;
    each_run(first, last, [&](int64_t image, int64_t y, int64_t x0, int64_t x1, int64_t at) {
      finite &= results_of_run(image, y, x0, x1, sums + at * n, sums_step);
    });
    return finite;
  }

  /// f(image, row of tiles, first column, column behind the last, index from `first` on)
  template <class F>
  void each_run(int64_t first, int64_t last, const F& f) const {
    for (int64_t t = first; t < last;) {
      const int64_t line = t / grid_.columns, x0 = t % grid_.columns;
      const int64_t x1 = std::min(grid_.columns, x0 + last - t);
      f(line / grid_.rows, line % grid_.rows, x0, x1, t - first);
      t += x1 - x0;
    }
  }

  void transform_run(int64_t image, int64_t y, int64_t x0, int64_t x1, float* to, int64_t step) const {
    const int64_t pixel = s_.in_pixel(), top = 2 * y - s_.pad_top;
    const float* rows[kSide];  // null: padding
    for (int64_t r = 0; r < kSide; ++r) {
      const int64_t row = top + r;
      rows[r] = row < 0 || row >= s_.in_h ? nullptr : in_ + (image * s_.in_h + row) * s_.in_w * pixel;
    }
    // Tiles [inside, outside) read no padding at the sides.
    const int64_t inside = std::clamp((s_.pad_left + 1) / 2, x0, x1);
    const int64_t outside = std::clamp((s_.in_w + s_.pad_left) / 2 - 1, inside, x1);
    for (int64_t x = x0; x < inside; ++x) transform_edge(rows, x, to + (x - x0) * s_.in_channels, step);
    transform_inside(rows, inside, outside, to + (inside - x0) * s_.in_channels, step);
    for (int64_t x = outside; x < x1; ++x) transform_edge(rows, x, to + (x - x0) * s_.in_channels, step);
  }

  void transform_inside(const float* const (&rows)[kSide], int64_t x0, int64_t x1, float* to, int64_t step) const {
    if (x0 == x1) return;
    WinogradTiles tiles;
    tiles.pixel = s_.in_pixel();
    tiles.channels = s_.in_channels;
    tiles.count = x1 - x0;
    tiles.out = to;
    tiles.out_step = step;
    const int64_t line = (2 * tiles.count + 2) * tiles.pixel;
    const float* zeros = nullptr;
    for (int64_t r = 0; r < kSide; ++r) {
      if (rows[r] != nullptr) {
        tiles.rows[r] = rows[r] + (2 * x0 - s_.pad_left) * tiles.pixel;
        continue;
      }
      if (zeros == nullptr) {
        float* const padding = thread_workspace<float>(WorkspaceSlot::Padding, line);
        std::fill_n(padding, line, 0.0f);
        zeros = padding;
      }
      tiles.rows[r] = zeros;
    }
    matrix_loops().winograd_in(tiles);
  }

  /// A tile whose columns reach beyond the image: copied with its padding.
  void transform_edge(const float* const (&rows)[kSide], int64_t x, float* to, int64_t step) const {
    const int64_t channels = s_.in_channels, left = 2 * x - s_.pad_left;
    float* const pixels = thread_workspace<float>(WorkspaceSlot::Padding, kSide * kSide * channels);
    WinogradTiles tile;
    for (int64_t r = 0; r < kSide; ++r) {
      tile.rows[r] = pixels + r * kSide * channels;
      for (int64_t c = 0; c < kSide; ++c) {
        float* const at = pixels + (r * kSide + c) * channels;
        const int64_t column = left + c;
        if (rows[r] == nullptr || column < 0 || column >= s_.in_w)
          std::fill_n(at, channels, 0.0f);
        else
          std::copy_n(rows[r] + column * s_.in_pixel(), channels, at);
      }
    }
    tile.pixel = tile.channels = channels;
    tile.count = 1;
    tile.out = to;
    tile.out_step = step;
    matrix_loops().winograd_in(tile);
  }

  bool results_of_run(int64_t image, int64_t y, int64_t x0, int64_t x1, const float* sums, int64_t step) const {
    const int64_t pixel = s_.out_pixel(), channels = s_.out_channels;
    const int64_t whole = std::clamp(s_.out_w / 2, x0, x1);  // what is behind has one column of pixels
    const bool lower = 2 * y + 1 < s_.out_h;
    float* const row = out_ + ((image * s_.out_h + 2 * y) * s_.out_w + 2 * x0) * pixel;
    WinogradSums out;
    out.sums = sums;
    out.step = step;
    out.channels = channels;
    out.count = whole - x0;
    out.bias = w_.bias();
    out.pixel = pixel;
    out.upper = row;
    float* const beyond =
        thread_workspace<float>(WorkspaceSlot::Padding, (2 * std::max<int64_t>(out.count, 1) + 2) * pixel);
    out.lower = lower ? row + s_.out_w * pixel : beyond;
    bool finite = out.count == 0 || matrix_loops().winograd_out(out, clamp_);
    if (whole == x1) return finite;
    out.sums += out.count * channels;
    out.count = 1;
    out.upper = beyond;
    out.lower = beyond + 2 * pixel;
    finite &= matrix_loops().winograd_out(out, clamp_);
    float* const last = row + 2 * (whole - x0) * pixel;
    std::copy_n(out.upper, channels, last);
    if (lower) std::copy_n(out.lower, channels, last + s_.out_w * pixel);
    return finite;
  }

  const PackedWinogradF32& w_;
  const ConvShape& s_;
  const TileGrid grid_;
  const float* in_;
  float* out_;
  const Clamp clamp_;
};

}  // namespace

bool suits_winograd(const ConvShape& s) {
  if (s.transposed || s.groups != 1 || s.kernel_h != 3 || s.kernel_w != 3 || s.stride_h != 1 || s.stride_w != 1 ||
      s.dilation_h != 1 || s.dilation_w != 1 || s.in_channels < kFewestChannels || s.out_channels < kFewestChannels) {
    return false;
  }
  // Fewer tiles do not repay weights that become nearly twice as large, unless those are small.
  constexpr int64_t kFewestTiles = 32, kSmallWeights = 16 * 1024;
  const TileGrid grid(s);
  if (grid.count < kFewestTiles && s.in_channels * s.out_channels > kSmallWeights) return false;
  // In vectors: products, and what the transforms move.
  const double panels = static_cast<double>((s.out_channels + 15) / 16), k = static_cast<double>(s.in_channels);
  const double tiles = static_cast<double>(grid.count), pixels = static_cast<double>(s.out_pixels());
  const double products = tiles * (kProducts * k * panels + 6 * k + 48 * panels);
  return products < 0.85 * pixels * kTaps * k * panels;
}

void winograd_f32(const PackedWinogradF32& w, const ConvShape& s, const float* in, float* out, Clamp clamp) {
  const TileGrid grid(s);
  if (grid.count == 0) return;
  // A size that is not the one of which the program told.
  if (const PackedF32* direct = suits_winograd(s) ? nullptr : w.direct(); direct != nullptr)
    return conv_f32(*direct, s, in, out, clamp);
  const Winograd winograd(w, s, in, out, clamp);
  std::atomic<bool> finite{true};
  const auto run = [&](int64_t first, int64_t last) {
    if (!winograd.run(first, last)) finite.store(false, std::memory_order_relaxed);
  };
  // At least so many tiles a thread that they are worth one; parts are no smaller than what is worth reading the
  // weights.
  constexpr int64_t kWork = 1 << 16, kFewest = 8;
  const int64_t threads = parallel_threads(), together = tiles_at_a_time(s) / 2;
  const int64_t worth = std::max(kFewest, kWork / (kProducts * s.in_channels * s.out_channels) + 1);
  parallel_parts(grid.count, std::clamp((grid.count + threads - 1) / threads, worth, std::max(worth, together)), run);
  if (finite.load()) return;
  if (const PackedF32* direct = w.direct(); direct != nullptr) conv_f32(*direct, s, in, out, clamp);
}

}  // namespace et::xnn
