// upsample_bilinear2d for floats (bytes are resized in integers, by separable.h). Rows of the source are interpolated
// along x once and kept for the result rows between them. Other integers, which eager torch refuses, are interpolated
// in float32 and cut towards zero, as ExecuTorch's kernel does.
#include <cstring>
#include <limits>
#include <type_traits>

#include "runtime/kernels/common/kernel.h"
#include "runtime/kernels/movement/view.h"
#include "runtime/kernels/resample/separable.h"
#include "runtime/kernels/resample/source_index.h"

namespace et::ET_KERNELS {
namespace {

constexpr int64_t kChunk = 256;  // columns at a time

template <class T>
using Mix = std::conditional_t<std::is_integral_v<T>, float, opmath_t<T>>;

template <class T>
T from_mix(Mix<T> x) {
  if constexpr (std::is_integral_v<T>) {
    // The greatest int32 and int64 are rounded up in float.
    constexpr T kMax = std::numeric_limits<T>::max();
    return x >= static_cast<float>(kMax) ? kMax : static_cast<T>(x);
  } else {
    return static_cast<T>(x);
  }
}

template <class T>
struct Image {
  View in, out;  // N, C, H, W
  bool align_corners;
  Mix<T> row_scale, column_scale;

  LinearTap<Mix<T>> row(int64_t y) const { return linear_tap(y, row_scale, in.sizes[2], out.sizes[2], align_corners); }
  LinearTap<Mix<T>> column(int64_t x) const {
    return linear_tap(x, column_scale, in.sizes[3], out.sizes[3], align_corners);
  }
};

template <class M>
struct Columns {
  int64_t start;  // the first column
  int64_t in;     // columns of the source
  bool doubled;   // twice as many in the result, aligned at the edges: the weights are 1/4 and 3/4
  int32_t first[kChunk];
  int32_t second[kChunk];
  M weight[kChunk];
};

// One source row, interpolated along x.
template <class T, class M>
void interpolate_row(const uint8_t* row, int64_t step, const Columns<M>& c, int64_t n, M* __restrict to) {
  if (step == static_cast<int64_t>(sizeof(T)) && c.doubled) {
    const T* in = reinterpret_cast<const T*>(row);
    const int64_t base = c.start / 2, begin = base > 0 ? base : 1;
    const int64_t end = base + n / 2 < c.in - 1 ? base + n / 2 : c.in - 1;
    const auto single = [&](int64_t i) {
      to[i] = static_cast<M>(in[c.first[i]]) * (M(1) - c.weight[i]) + static_cast<M>(in[c.second[i]]) * c.weight[i];
    };
    for (int64_t i = 0; i < 2 * (begin - base) && i < n; ++i) single(i);
    for (int64_t k = begin; k < end; ++k) {
      const M middle = static_cast<M>(in[k]) * M(0.75);
      to[2 * (k - base)] = static_cast<M>(in[k - 1]) * M(0.25) + middle;
      to[2 * (k - base) + 1] = middle + static_cast<M>(in[k + 1]) * M(0.25);
    }
    for (int64_t i = 2 * ((end > begin ? end : begin) - base); i < n; ++i) single(i);
  } else if (step == static_cast<int64_t>(sizeof(T))) {
    const T* in = reinterpret_cast<const T*>(row);
    for (int64_t i = 0; i < n; ++i) {
      to[i] = static_cast<M>(in[c.first[i]]) * (M(1) - c.weight[i]) + static_cast<M>(in[c.second[i]]) * c.weight[i];
    }
  } else {
    for (int64_t i = 0; i < n; ++i) {
      const T a = *reinterpret_cast<const T*>(row + c.first[i] * step);
      const T b = *reinterpret_cast<const T*>(row + c.second[i] * step);
      to[i] = static_cast<M>(a) * (M(1) - c.weight[i]) + static_cast<M>(b) * c.weight[i];
    }
  }
}

template <class T, class M>
void blend(const M* __restrict a, const M* __restrict b, M weight, uint8_t* to, int64_t step, int64_t n) {
  const M rest = M(1) - weight;
  if (step == static_cast<int64_t>(sizeof(T))) {
    T* __restrict out = reinterpret_cast<T*>(to);
    for (int64_t i = 0; i < n; ++i) out[i] = from_mix<T>(a[i] * rest + b[i] * weight);
  } else {
    for (int64_t i = 0; i < n; ++i) *reinterpret_cast<T*>(to + i * step) = from_mix<T>(a[i] * rest + b[i] * weight);
  }
}

template <class T>
void resize_planes(const Image<T>& image) {
  using M = Mix<T>;
  const View& in = image.in;
  const View& out = image.out;
  parallel_for(0, out.sizes[0] * out.sizes[1], 4, [&](int64_t begin, int64_t end) {
    Columns<M> columns;
    columns.in = in.sizes[3];
    columns.doubled = !image.align_corners && out.sizes[3] == 2 * in.sizes[3] && image.column_scale == M(0.5);
    M kept[2][kChunk];
    for (int64_t x = 0; x < out.sizes[3]; x += kChunk) {
      const int64_t n = out.sizes[3] - x < kChunk ? out.sizes[3] - x : kChunk;
      columns.start = x;
      for (int64_t i = 0; i < n; ++i) {
        const auto tap = image.column(x + i);
        columns.first[i] = tap.first;
        columns.second[i] = tap.second;
        columns.weight[i] = tap.weight;
      }
      for (int64_t p = begin; p < end; ++p) {
        const int64_t n_image = p / out.sizes[1], channel = p % out.sizes[1];
        const uint8_t* from = in.data + n_image * in.steps[0] + channel * in.steps[1];
        uint8_t* to = out.data + n_image * out.steps[0] + channel * out.steps[1] + x * out.steps[3];
        int32_t row_of[2] = {-1, -1};
        const auto get = [&](int32_t row, int keep) {
          int slot = row_of[0] == row ? 0 : row_of[1] == row ? 1 : -1;
          if (slot < 0) {
            slot = keep == 0 ? 1 : 0;
            interpolate_row<T, M>(from + row * in.steps[2], in.steps[3], columns, n, kept[slot]);
            row_of[slot] = row;
          }
          return slot;
        };
        for (int64_t y = 0; y < out.sizes[2]; ++y) {
          const auto tap = image.row(y);
          // The second row stays when it is there already.
          const int a = get(tap.first, row_of[0] == tap.second ? 0 : 1);
          const int b = get(tap.second, a);
          blend<T, M>(kept[a], kept[b], tap.weight, to + y * out.steps[2], out.steps[3], n);
        }
      }
    }
  });
}

// Channels last: four pixels, all channels of each in a run.
template <class T>
void resize_pixels(const Image<T>& image) {
  using M = Mix<T>;
  const View& in = image.in;
  const View& out = image.out;
  const int64_t height = out.sizes[2], channels = out.sizes[1];
  parallel_for(0, out.sizes[0] * height, 16, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const auto row = image.row(i % height);
      const uint8_t* top = in.data + i / height * in.steps[0] + row.first * in.steps[2];
      const uint8_t* bottom = in.data + i / height * in.steps[0] + row.second * in.steps[2];
      uint8_t* line = out.data + i / height * out.steps[0] + i % height * out.steps[2];
      for (int64_t x = 0; x < out.sizes[3]; ++x) {
        const auto column = image.column(x);
        const T* a = reinterpret_cast<const T*>(top + column.first * in.steps[3]);
        const T* b = reinterpret_cast<const T*>(top + column.second * in.steps[3]);
        const T* c = reinterpret_cast<const T*>(bottom + column.first * in.steps[3]);
        const T* d = reinterpret_cast<const T*>(bottom + column.second * in.steps[3]);
        const M right = column.weight, left = M(1) - right, lower = row.weight, upper = M(1) - lower;
        T* __restrict to = reinterpret_cast<T*>(line + x * out.steps[3]);
        for (int64_t k = 0; k < channels; ++k) {
          to[k] = from_mix<T>((static_cast<M>(a[k]) * left + static_cast<M>(b[k]) * right) * upper +
                              (static_cast<M>(c[k]) * left + static_cast<M>(d[k]) * right) * lower);
        }
      }
    }
  });
}

struct Resize {
  const View& in;
  const View& out;
  bool align_corners;
  optional<double> factors[2];

  template <class T>
  void operator()() {
    using M = Mix<T>;
    const Image<T> image{in, out, align_corners, pixel_scale<M>(in.sizes[2], out.sizes[2], align_corners, factors[0]),
                         pixel_scale<M>(in.sizes[3], out.sizes[3], align_corners, factors[1])};
    const int64_t item = static_cast<int64_t>(sizeof(T));
    if (in.steps[1] == item && out.steps[1] == item && in.sizes[1] >= 4) {
      resize_pixels<T>(image);
    } else {
      resize_planes<T>(image);
    }
  }
};

Tensor& upsample_bilinear2d_out(KernelRuntimeContext& ctx, const Tensor& input, optional<ArrayRef<int64_t>> output_size,
                                bool align_corners, optional<ArrayRef<double>> scale_factors, Tensor& out) {
  const char* name = "aten::upsample_bilinear2d";
  if (!resize_image(ctx, input, output_size, scale_factors, out, name) || out.numel() == 0) return out;
  const View from = view_of(input), to = view_of(out);
  Resize resize{from, to, align_corners, {}};
  for (size_t i = 0; i < 2 && scale_factors.has_value(); ++i) resize.factors[i] = (*scale_factors)[i];
  if (input.scalar_type() == ScalarType::Byte) {
    resize_separable(ctx, input, out, {false, align_corners, {resize.factors[0], resize.factors[1]}}, name);
    return out;
  }
  ET_KERNEL_CHECK_MSG(ctx, dispatch<kRealH & ~dtype_bit(ScalarType::Byte)>(input.scalar_type(), resize),
                      InvalidArgument, out, "%s: expected real input, got %s", name,
                      scalar_type_name(input.scalar_type()));
  return out;
}

}  // namespace

ET_KERNEL(upsample_bilinear2d_out)

}  // namespace et::ET_KERNELS
