// upsample_nearest2d: pixels are moved, whatever their dtype is.
#include <cmath>
#include <cstring>

#include "runtime/kernels/common/kernel.h"
#include "runtime/kernels/movement/transpose.h"
#include "runtime/kernels/movement/view.h"
#include "runtime/kernels/resample/source_index.h"

namespace et::ET_KERNELS {
namespace {

constexpr int64_t kNearestChunk = 512;  // columns whose sources are known at a time

// One dimension: result pixel to source pixel.
struct Nearest {
  int64_t in, out;
  double scale;
  bool in_double, halves;

  Nearest(int64_t in_size, int64_t out_size, optional<double> factor, ScalarType type) : in(in_size), out(out_size) {
    // Torch rounds the position to float32; the step is double for double tensors only. The same and the double size
    // are exact, whatever the factor was.
    in_double = type == ScalarType::Double;
    const optional<double> used(in == out || out == 2 * in ? 0 : factor.value_or(0));
    scale = in_double ? pixel_scale<double>(in, out, false, used)
                      : static_cast<double>(pixel_scale<float>(in, out, false, used));
    halves = out == 2 * in;
  }
  int64_t operator()(int64_t i) const {
    const float at = in_double ? static_cast<float>(scale * static_cast<double>(i))
                               : static_cast<float>(scale) * static_cast<float>(i);
    const float last = static_cast<float>(in - 1);
    return at >= last ? in - 1 : static_cast<int64_t>(at);
  }
};

struct Steps {
  int64_t item, in_x, out_x;  // bytes
};

template <class T>
void copy_columns(uint8_t* to, const uint8_t* from, const int32_t* source, int64_t first, int64_t n, bool halves,
                  const Steps& s) {
  constexpr int64_t kSize = sizeof(T);
  if (halves && s.in_x == kSize && s.out_x == kSize && first % 2 == 0) {
    const T* __restrict in = reinterpret_cast<const T*>(from) + first / 2;
    T* __restrict out = reinterpret_cast<T*>(to);
    for (int64_t i = 0; i < n / 2; ++i) {
      const auto v = in[i].v;
      out[2 * i].v = v;
      out[2 * i + 1].v = v;
    }
    if (n % 2 != 0) out[n - 1].v = in[n / 2].v;
  } else if (s.in_x == kSize && s.out_x == kSize) {
    for (int64_t i = 0; i < n; ++i) reinterpret_cast<T*>(to)[i].v = reinterpret_cast<const T*>(from)[source[i]].v;
  } else {
    for (int64_t i = 0; i < n; ++i) {
      reinterpret_cast<T*>(to + i * s.out_x)->v = reinterpret_cast<const T*>(from + source[i] * s.in_x)->v;
    }
  }
}
using CopyColumns = void (*)(uint8_t*, const uint8_t*, const int32_t*, int64_t, int64_t, bool, const Steps&);

CopyColumns find_copy(size_t item) {
  switch (item) {
    case 1:
      return &copy_columns<Bytes1>;
    case 2:
      return &copy_columns<Bytes2>;
    case 4:
      return &copy_columns<Bytes4>;
    case 8:
      return &copy_columns<Bytes8>;
    default:
      return &copy_columns<Bytes16>;
  }
}

// Channels last on both sides: a pixel is a run of all channels.
void copy_pixels(const View& in, const View& out, const Nearest& rows, const Nearest& columns) {
  const size_t run = static_cast<size_t>(in.sizes[1]) * in.item;
  const int64_t height = out.sizes[2];
  parallel_for(0, out.sizes[0] * height, 16, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const uint8_t* from = in.data + i / height * in.steps[0] + rows(i % height) * in.steps[2];
      uint8_t* to = out.data + i / height * out.steps[0] + i % height * out.steps[2];
      for (int64_t x = 0; x < out.sizes[3]; ++x) {
        std::memmove(to + x * out.steps[3], from + columns(x) * in.steps[3], run);
      }
    }
  });
}

void copy_planes(const View& in, const View& out, const Nearest& rows, const Nearest& columns) {
  const CopyColumns copy = find_copy(in.item);
  const Steps s{static_cast<int64_t>(in.item), in.steps[3], out.steps[3]};
  const int64_t planes = out.sizes[0] * out.sizes[1];
  parallel_for(0, planes, 4, [&](int64_t begin, int64_t end) {
    int32_t source[kNearestChunk];
    for (int64_t x = 0; x < out.sizes[3]; x += kNearestChunk) {
      const int64_t n = out.sizes[3] - x < kNearestChunk ? out.sizes[3] - x : kNearestChunk;
      for (int64_t i = 0; i < n; ++i) source[i] = static_cast<int32_t>(columns(x + i));
      for (int64_t p = begin; p < end; ++p) {
        const int64_t image = p / out.sizes[1], channel = p % out.sizes[1];
        const uint8_t* from = in.data + image * in.steps[0] + channel * in.steps[1];
        uint8_t* to = out.data + image * out.steps[0] + channel * out.steps[1] + x * s.out_x;
        int64_t before = -1;
        for (int64_t y = 0; y < out.sizes[2]; ++y, to += out.steps[2]) {
          const int64_t row = rows(y);
          if (row == before && s.out_x == s.item) {
            std::memcpy(to, to - out.steps[2], static_cast<size_t>(n * s.item));
          } else {
            copy(to, from + row * in.steps[2], source, x, n, columns.halves, s);
          }
          before = row;
        }
      }
    }
  });
}

Tensor& upsample_nearest2d_out(KernelRuntimeContext& ctx, const Tensor& input, optional<ArrayRef<int64_t>> output_size,
                               optional<ArrayRef<double>> scale_factors, Tensor& out) {
  if (!resize_image(ctx, input, output_size, scale_factors, out, "aten::upsample_nearest2d")) return out;
  if (out.numel() == 0) return out;
  const View from = view_of(input), to = view_of(out);
  const auto factor = [&](size_t i) {
    return scale_factors.has_value() ? optional<double>((*scale_factors)[i]) : nullopt;
  };
  const Nearest rows(from.sizes[2], to.sizes[2], factor(0), input.scalar_type());
  const Nearest columns(from.sizes[3], to.sizes[3], factor(1), input.scalar_type());
  const int64_t item = static_cast<int64_t>(from.item);
  const bool pixels = from.steps[1] == item && to.steps[1] == item && from.sizes[1] > 1;
  if (pixels) {
    copy_pixels(from, to, rows, columns);
  } else {
    copy_planes(from, to, rows, columns);
  }
  return out;
}

}  // namespace

ET_KERNEL(upsample_nearest2d_out)

}  // namespace et::ET_KERNELS
