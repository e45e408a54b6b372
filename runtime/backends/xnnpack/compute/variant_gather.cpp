// Rows of a convolution's GEMM, gathered from the pixels it reads (im2col), and rows of other GEMMs in the form that
// the loops read.
#include <algorithm>
#include <cstring>
#include <type_traits>

#include "runtime/backends/xnnpack/compute/conv_source.h"
#include "runtime/backends/xnnpack/compute/variant_matrix.h"

namespace et::xnn::ET_XNN_VARIANT {
namespace {

/// As a GEMM reads it: unsigned bytes are 128 more.
template <class To, class From>
[[gnu::always_inline]] inline To item(From x) {
  if constexpr (std::is_same_v<To, uint8_t>) {
    return static_cast<uint8_t>(static_cast<uint8_t>(x) ^ 0x80);
  } else {
    return static_cast<To>(x);
  }
}

template <int64_t N, class From, class To>
[[gnu::always_inline]] inline void copy_fixed(const From* from, To* to) {
  To items[N];
  for (int64_t i = 0; i < N; ++i) items[i] = item<To>(from[i]);
  std::memcpy(to, items, sizeof items);
}

/// Mostly short runs. The last step overlaps the one before it.
template <class From, class To>
[[gnu::always_inline]] inline void copy(const From* from, int64_t n, To* to) {
  constexpr int64_t kWide = 8, kHalf = 4;
  if (n >= kWide) {
    for (int64_t i = 0; i + kWide <= n; i += kWide) copy_fixed<kWide>(from + i, to + i);
    if (n % kWide != 0) copy_fixed<kWide>(from + n - kWide, to + n - kWide);
  } else if (n >= kHalf) {
    copy_fixed<kHalf>(from, to);
    copy_fixed<kHalf>(from + n - kHalf, to + n - kHalf);
  } else {
    for (int64_t i = 0; i < n; ++i) to[i] = item<To>(from[i]);
  }
}

/// Zeros behind the values of a row, up to `filled` of them in all.
template <class From, class To>
void gather(const Gather<From, To>& params, int64_t filled) {
  const ConvShape& s = *params.shape;
  const int64_t depth = s.in_group(), step = s.in_pixel(), k = s.kernel_size() * depth;
  const To padding = item<To>(params.padding);
  // Kernel elements side by side that read pixels side by side are one run.
  const bool runs = !s.transposed && s.dilation_w == 1 && step == depth;
  int64_t image = params.first / (s.out_h * s.out_w), y = params.first / s.out_w % s.out_h, x = params.first % s.out_w;
  To* out = params.out;
  for (int64_t i = 0; i < params.count; ++i, out += params.out_stride) {
    const From* in = params.in + image * s.in_h * s.in_w * step;
    To* to = out;
    const int64_t left = x * s.stride_w - s.pad_left;
    const int64_t first = std::clamp<int64_t>(-left, 0, s.kernel_w);
    const int64_t last = std::max(first, std::min(s.kernel_w, s.in_w - left));
    const bool inside = first == 0 && last == s.kernel_w;
    for (int64_t ky = 0; ky < s.kernel_h; ++ky) {
      const int64_t row = source_row(s, y, ky);
      if (row < 0) {
        std::fill(to, to + s.kernel_w * depth, padding);
        to += s.kernel_w * depth;
        continue;
      }
      const From* line = in + row * s.in_w * step;
      if (runs) {
        if (!inside) std::fill(to, to + s.kernel_w * depth, padding);
        copy(line + (left + first) * depth, (last - first) * depth, to + first * depth);
        to += s.kernel_w * depth;
        continue;
      }
      for (int64_t kx = 0; kx < s.kernel_w; ++kx, to += depth) {
        const int64_t column = source_column(s, x, kx);
        if (column < 0)
          std::fill(to, to + depth, padding);
        else
          copy(line + column * step, depth, to);
      }
    }
    for (int64_t p = k; p < filled; ++p) out[p] = To(0);
    if (++x == s.out_w) {
      x = 0;
      if (++y == s.out_h) {
        y = 0;
        ++image;
      }
    }
  }
}

}  // namespace

void gather_f32(const Gather<float, float>& params) { gather(params, params.out_stride); }

#if ET_XNN_AVX512
namespace {

/// The rows of int16 are filled with bytes, in fours: a GEMM takes four steps along k at a time.
int64_t in_fours(int64_t stride) { return (stride + 3) / 4 * 4; }

}  // namespace

void gather_i8(const Gather<int8_t, int16_t>& params) {
  gather<int8_t, uint8_t>({params.shape, params.first, params.count, params.in, params.padding,
                           reinterpret_cast<uint8_t*>(params.out), 2 * params.out_stride},
                          in_fours(params.out_stride));
}

void widen_rows(int64_t m, int64_t n, const int8_t* in, int64_t in_stride, int16_t* out, int64_t out_stride) {
  for (int64_t i = 0; i < m; ++i) {
    auto* row = reinterpret_cast<uint8_t*>(out + i * out_stride);
    copy(in + i * in_stride, n, row);
    for (int64_t p = n; p < in_fours(out_stride); ++p) row[p] = 0;
  }
}
#else
void gather_i8(const Gather<int8_t, int16_t>& params) { gather(params, params.out_stride); }

void widen_rows(int64_t m, int64_t n, const int8_t* in, int64_t in_stride, int16_t* out, int64_t out_stride) {
  for (int64_t i = 0; i < m; ++i) {
    copy(in + i * in_stride, n, out + i * out_stride);
    for (int64_t p = n; p < out_stride; ++p) out[i * out_stride + p] = 0;
  }
}
#endif

void chunk_rows(int64_t m, int64_t n, int64_t chunks, const int8_t* in, int64_t in_stride, int8_t* out,
                int32_t* eights) {
  constexpr int64_t kChunk = PackedQd8::kChunk;
  for (int64_t i = 0; i < m; ++i, in += in_stride, out += chunks * kChunk, eights += chunks) {
    std::copy(in, in + n, out);
    std::fill(out + n, out + chunks * kChunk, int8_t{0});
    for (int64_t c = 0; c < chunks; ++c) {
      int32_t sum = 0;
      for (int64_t p = 0; p < kChunk; ++p) sum += out[c * kChunk + p];
      eights[c] = 8 * sum;
    }
  }
}

}  // namespace et::xnn::ET_XNN_VARIANT
