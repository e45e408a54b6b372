// Two passes over each plane: along x into temporary memory, then along y into the result. The weights' precision steps
// follow torch's, so that bytes come out the same: positions in the tensor's own float type (double for bytes), and
// bytes with weights scaled to the largest power of two that keeps them below 2^15.
#include "runtime/kernels/resample/separable.h"

#include <cmath>
#include <type_traits>

#include "runtime/kernels/common/kernel.h"
#include "runtime/kernels/movement/view.h"
#include "runtime/kernels/resample/source_index.h"

namespace et::ET_KERNELS {
namespace {

// Ranges and weights of one direction. W: the type of the weights in use, int32 for bytes.
template <class W>
struct Taps {
  int64_t count = 0;  // most weights of one pixel
  int32_t* first = nullptr;
  int32_t* size = nullptr;
  W* weights = nullptr;  // `count` for each pixel
  int precision = 0;     // bits behind the point of integer weights
};

template <class P>
P triangle(P x) {
  x = std::fabs(x);
  return x < 1 ? P(1) - x : P(0);
}

// P: the type that positions are computed in. `weights` gets them before they are scaled.
template <class P>
void antialias_tap(int64_t i, int64_t in, P scale, P support, int64_t most, int32_t* first, int32_t* size, P* weights) {
  const P center = static_cast<P>(static_cast<double>(scale) * (static_cast<double>(i) + 0.5));
  const P inverse = scale >= 1 ? P(1) / scale : P(1);
  const double low = static_cast<double>(center - support) + 0.5, high = static_cast<double>(center + support) + 0.5;
  const int64_t begin = low > 0 ? (low < static_cast<double>(in) ? static_cast<int64_t>(low) : in) : 0;
  int64_t n = (high < static_cast<double>(in) ? static_cast<int64_t>(high) : in) - begin;
  n = n < 0 ? 0 : n > most ? most : n;
  P total = 0;
  for (int64_t j = 0; j < n; ++j) {
    const double distance = static_cast<double>(static_cast<P>(j + begin) - center) + 0.5;
    weights[j] = triangle<P>(static_cast<P>(distance * static_cast<double>(inverse)));
    total += weights[j];
  }
  for (int64_t j = 0; j < n && total != 0; ++j) weights[j] /= total;
  for (int64_t j = n; j < most; ++j) weights[j] = 0;
  *first = static_cast<int32_t>(begin);
  *size = static_cast<int32_t>(n);
}

template <class P>
void plain_tap(int64_t i, int64_t in, int64_t out, P scale, bool align_corners, int32_t* first, int32_t* size,
               P* weights) {
  const LinearTap<P> tap = linear_tap<P>(i, scale, in, out, align_corners);
  *first = tap.first;
  *size = tap.second - tap.first + 1;
  weights[0] = *size == 2 ? P(1) - tap.weight : P(1);
  weights[1] = *size == 2 ? tap.weight : P(0);
}

template <class T>
T* temporary(KernelRuntimeContext& ctx, int64_t count) {
  int64_t bytes = 0;
  if (__builtin_mul_overflow(count, static_cast<int64_t>(sizeof(T)), &bytes)) bytes = INT64_MAX;
  Result<void*> piece = ctx.allocate_temp(static_cast<size_t>(bytes), alignof(T));
  if (!piece.ok()) {
    ctx.fail(piece.error());
    return nullptr;
  }
  return static_cast<T*>(piece.get());
}

template <class P, class W>
bool make_taps(KernelRuntimeContext& ctx, int64_t in, int64_t out, const SeparableOptions& options, size_t direction,
               Taps<W>* taps, const char* name) {
  const P scale = pixel_scale<P>(in, out, options.align_corners, options.factors[direction]);
  const P support = scale >= 1 ? scale : P(1);
  // No more weights than there are pixels.
  const double wanted = options.antialias ? std::ceil(static_cast<double>(support)) * 2 + 1 : 2;
  ET_KERNEL_CHECK_MSG(ctx, wanted < 1e9, InvalidArgument, false, "%s: scale %g", name, static_cast<double>(scale));
  int64_t count = static_cast<int64_t>(wanted);
  if (options.antialias && count > in) count = in;
  taps->count = count;
  taps->first = temporary<int32_t>(ctx, out);
  taps->size = taps->first != nullptr ? temporary<int32_t>(ctx, out) : nullptr;
  int64_t all = 0;
  ET_KERNEL_CHECK_MSG(ctx, !__builtin_mul_overflow(out, count, &all), InvalidArgument, false, "%s: too many weights",
                      name);
  P* weights = taps->size != nullptr ? temporary<P>(ctx, all) : nullptr;
  if (weights == nullptr) return false;
  for (int64_t i = 0; i < out; ++i) {
    if (options.antialias) {
      antialias_tap<P>(i, in, scale, support, count, taps->first + i, taps->size + i, weights + i * count);
    } else {
      plain_tap<P>(i, in, out, scale, options.align_corners, taps->first + i, taps->size + i, weights + i * count);
    }
  }
  if constexpr (std::is_same_v<P, W>) {
    taps->weights = weights;
  } else {
    P most = 0;
    for (int64_t i = 0; i < all; ++i) most = weights[i] > most ? weights[i] : most;
    int precision = 0;
    while (precision < 22 && static_cast<int>(0.5 + most * static_cast<P>(1 << (precision + 1))) < 1 << 15) ++precision;
    taps->precision = precision;
    taps->weights = temporary<W>(ctx, all);
    if (taps->weights == nullptr) return false;
    for (int64_t i = 0; i < all; ++i) {
      taps->weights[i] = static_cast<W>(0.5 + weights[i] * static_cast<P>(1 << precision));  // never negative
    }
  }
  return true;
}

// Rounds a sum of integer weights, or passes a float on.
template <class T, class W>
T finish(W sum, int precision) {
  if constexpr (std::is_same_v<W, int32_t>) {
    const int32_t v = (sum + (precision > 0 ? 1 << (precision - 1) : 0)) >> precision;
    return static_cast<T>(v < 0 ? 0 : v > 255 ? 255 : v);
  } else {
    return static_cast<T>(sum);
  }
}

// T: elements; P: positions; W: weights, sums and (but for bytes) the rows between the passes.
template <class T, class P, class W>
void resize(KernelRuntimeContext& ctx, const Tensor& input, const Tensor& output, const SeparableOptions& options,
            const char* name) {
  using Middle = std::conditional_t<std::is_same_v<W, int32_t>, T, W>;
  const View in = view_of(input), out = view_of(output);
  Taps<W> columns, rows;
  if (!make_taps<P, W>(ctx, in.sizes[3], out.sizes[3], options, 1, &columns, name)) return;
  if (!make_taps<P, W>(ctx, in.sizes[2], out.sizes[2], options, 0, &rows, name)) return;
  const int64_t height = in.sizes[2], width = out.sizes[3];
  Middle* middle = temporary<Middle>(ctx, height * width);
  W* sums = temporary<W>(ctx, width);
  if (middle == nullptr || sums == nullptr) return;
  // Torch leaves a direction out whose size stays, whatever its factor is.
  const bool same_width = in.sizes[3] == out.sizes[3], same_height = in.sizes[2] == out.sizes[2];
  for (int64_t p = 0; p < out.sizes[0] * out.sizes[1]; ++p) {
    const int64_t image = p / out.sizes[1], channel = p % out.sizes[1];
    const uint8_t* from = in.data + image * in.steps[0] + channel * in.steps[1];
    uint8_t* to = out.data + image * out.steps[0] + channel * out.steps[1];
    for (int64_t y = 0; y < height; ++y) {
      const uint8_t* row = from + y * in.steps[2];
      for (int64_t x = 0; x < width; ++x) {
        const auto pixel = [&](int64_t at) {
          return static_cast<W>(*reinterpret_cast<const T*>(row + at * in.steps[3]));
        };
        if (same_width) {
          middle[y * width + x] = static_cast<Middle>(pixel(x));
          continue;
        }
        const W* weights = columns.weights + x * columns.count;
        W sum = 0;
        for (int32_t j = 0; j < columns.size[x]; ++j) sum += pixel(columns.first[x] + j) * weights[j];
        middle[y * width + x] = finish<Middle, W>(sum, columns.precision);
      }
    }
    for (int64_t y = 0; y < out.sizes[2]; ++y) {
      for (int64_t x = 0; x < width; ++x) sums[x] = same_height ? static_cast<W>(middle[y * width + x]) : W(0);
      for (int32_t j = 0; j < rows.size[y] && !same_height; ++j) {
        const W weight = rows.weights[y * rows.count + j];
        const Middle* line = middle + (rows.first[y] + j) * width;
        for (int64_t x = 0; x < width; ++x) sums[x] += static_cast<W>(line[x]) * weight;
      }
      uint8_t* line = to + y * out.steps[2];
      const int precision = same_height ? 0 : rows.precision;
      for (int64_t x = 0; x < width; ++x) {
        *reinterpret_cast<T*>(line + x * out.steps[3]) = finish<T, W>(sums[x], precision);
      }
    }
  }
}

}  // namespace

void resize_separable(KernelRuntimeContext& ctx, const Tensor& in, const Tensor& out, const SeparableOptions& options,
                      const char* name) {
  switch (in.scalar_type()) {
    case ScalarType::Byte:
      return resize<uint8_t, double, int32_t>(ctx, in, out, options, name);
    case ScalarType::Float:
      return resize<float, float, float>(ctx, in, out, options, name);
    case ScalarType::Double:
      return resize<double, double, double>(ctx, in, out, options, name);
    case ScalarType::Half:
      return resize<Half, float, float>(ctx, in, out, options, name);
    case ScalarType::BFloat16:
      return resize<BFloat16, float, float>(ctx, in, out, options, name);
    default:
      ET_LOG(Error, "%s: expected input to be floating or uint8, got %s", name, scalar_type_name(in.scalar_type()));
      ctx.fail(Error::InvalidArgument);
  }
}

namespace {

Tensor& upsample_bilinear2d_aa_out(KernelRuntimeContext& ctx, const Tensor& self, ArrayRef<int64_t> output_size,
                                   bool align_corners, optional<double> scales_h, optional<double> scales_w,
                                   Tensor& out) {
  const char* name = "aten::_upsample_bilinear2d_aa";
  if (!resize_image(ctx, self, output_size, nullopt, out, name) || out.numel() == 0) return out;
  resize_separable(ctx, self, out, {true, align_corners, {scales_h, scales_w}}, name);
  return out;
}

}  // namespace

ET_KERNEL(upsample_bilinear2d_aa_out)

}  // namespace et::ET_KERNELS
