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

#if ET_XNN_AVX512 && !ET_XNN_EMULATE
/// Whole lines, and what is left of one under a mask.
[[gnu::always_inline]] inline void copy(const int8_t* from, int64_t n, uint8_t* to) {
  const __m512i flip = _mm512_set1_epi8(static_cast<char>(0x80));
  for (; n >= 64; n -= 64, from += 64, to += 64)
    _mm512_storeu_si512(to, _mm512_xor_si512(_mm512_loadu_si512(from), flip));
  if (n <= 0) return;
  const __mmask64 rest = ~0ull >> (64 - n);
  _mm512_mask_storeu_epi8(to, rest, _mm512_xor_si512(_mm512_maskz_loadu_epi8(rest, from), flip));
}
[[gnu::always_inline]] inline void copy(const float* from, int64_t n, float* to) {
  for (; n >= 16; n -= 16, from += 16, to += 16) _mm512_storeu_ps(to, _mm512_loadu_ps(from));
  if (n <= 0) return;
  const __mmask16 rest = static_cast<__mmask16>(0xffffu >> (16 - n));
  _mm512_mask_storeu_ps(to, rest, _mm512_maskz_loadu_ps(rest, from));
}
#endif

/// Mostly short runs. The last step overlaps the one before it.
template <class From, class To>
[[gnu::always_inline]] inline void copy(const From* from, int64_t n, To* to) {
  constexpr int64_t kWide = sizeof(To) == 1 ? 16 : 8, kHalf = 4;
  if (n >= kWide) {
    for (int64_t i = 0; i + kWide <= n; i += kWide) copy_fixed<kWide>(from + i, to + i);
    if (n % kWide != 0) copy_fixed<kWide>(from + n - kWide, to + n - kWide);
  } else if (kWide == 16 && n >= 8) {
    copy_fixed<8>(from, to);
    copy_fixed<8>(from + n - 8, to + n - 8);
  } else if (n >= kHalf) {
    copy_fixed<kHalf>(from, to);
    copy_fixed<kHalf>(from + n - kHalf, to + n - kHalf);
  } else {
    for (int64_t i = 0; i < n; ++i) to[i] = item<To>(from[i]);
  }
}

/// What the rows of one line of output pixels read.
template <class From, class To>
class Line {
 public:
  Line(const Gather<From, To>& params, int64_t line)
      : s_(*params.shape), depth_(s_.in_group()), step_(s_.in_pixel()), padding_(item<To>(params.padding)) {
    y_ = line % s_.out_h;
    image_ = params.in + line / s_.out_h * s_.in_h * s_.in_w * step_;
    for (int64_t ky = 0; ky < std::min(s_.kernel_h, kKept); ++ky) kept_[ky] = find(ky);
    // Kernel elements side by side that read pixels side by side are one run.
    runs_ = !s_.transposed && s_.dilation_w == 1 && step_ == depth_;
  }
  /// The values of output pixel `x`, kernel element by kernel element. Returns the end.
  To* pixel(int64_t x, To* to) const {
    const int64_t left = x * s_.stride_w - s_.pad_left, behind = left + (s_.kernel_w - 1) * s_.dilation_w;
    const bool inside = !s_.transposed && left >= 0 && behind < s_.in_w;
    for (int64_t ky = 0; ky < s_.kernel_h; ++ky) {
      const From* row = ky < kKept ? kept_[ky] : find(ky);
      if (row == nullptr) {
        std::fill(to, to + s_.kernel_w * depth_, padding_);
        to += s_.kernel_w * depth_;
      } else if (!inside) {
        to = border(row, x, to);
      } else if (runs_) {
        copy(row + left * depth_, s_.kernel_w * depth_, to);
        to += s_.kernel_w * depth_;
      } else {
        const From* from = row + left * step_;
        for (int64_t kx = 0; kx < s_.kernel_w; ++kx, from += s_.dilation_w * step_, to += depth_)
          copy(from, depth_, to);
      }
    }
    return to;
  }

 private:
  static constexpr int64_t kKept = 16;  // rows of a kernel that are looked up once a line

  const From* find(int64_t ky) const {
    const int64_t row = source_row(s_, y_, ky);
    return row < 0 ? nullptr : image_ + row * s_.in_w * step_;
  }
  To* border(const From* row, int64_t x, To* to) const {
    if (s_.transposed) {
      for (int64_t kx = 0; kx < s_.kernel_w; ++kx) to = element(row, source_column(s_, x, kx), to);
      return to;
    }
    // Kernel elements [first, last) lie inside.
    const int64_t left = x * s_.stride_w - s_.pad_left, d = s_.dilation_w;
    const int64_t first = left >= 0 ? 0 : std::min(s_.kernel_w, (d - 1 - left) / d);
    const int64_t last = left >= s_.in_w ? first : std::clamp((s_.in_w - left + d - 1) / d, first, s_.kernel_w);
    to = fill(first, to);
    if (runs_) {
      copy(row + (left + first) * depth_, (last - first) * depth_, to);
      to += (last - first) * depth_;
    } else {
      for (int64_t kx = first; kx < last; ++kx) to = element(row, left + kx * d, to);
    }
    return fill(s_.kernel_w - last, to);
  }
  To* element(const From* row, int64_t column, To* to) const {
    if (column < 0) return fill(1, to);
    copy(row + column * step_, depth_, to);
    return to + depth_;
  }
  To* fill(int64_t elements, To* to) const {
    std::fill(to, to + elements * depth_, padding_);
    return to + elements * depth_;
  }

  const ConvShape& s_;
  const int64_t depth_, step_;
  const To padding_;
  int64_t y_ = 0;
  const From* image_ = nullptr;
  const From* kept_[kKept];
  bool runs_ = false;
};

/// Zeros behind the values of a row, up to `filled` of them in all.
template <class From, class To>
void gather(const Gather<From, To>& params, int64_t filled) {
  const ConvShape& s = *params.shape;
  To* out = params.out;
  for (int64_t i = params.first; i < params.first + params.count;) {
    const Line<From, To> line(params, i / s.out_w);
    const int64_t first = i % s.out_w, last = std::min(s.out_w, first + params.first + params.count - i);
    for (int64_t x = first; x < last; ++x, out += params.out_stride) {
      for (To* end = line.pixel(x, out); end < out + filled; ++end) *end = To(0);
    }
    i += last - first;
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
#elif defined(__aarch64__)
// Bytes at the front of the rows of int16 (variant_neon.h). What lies behind them meets weights of 0.
void gather_i8(const Gather<int8_t, int16_t>& params) {
  gather<int8_t, int8_t>({params.shape, params.first, params.count, params.in, params.padding,
                          reinterpret_cast<int8_t*>(params.out), 2 * params.out_stride},
                         0);
}

void widen_rows(int64_t m, int64_t n, const int8_t* in, int64_t in_stride, int16_t* out, int64_t out_stride) {
  for (int64_t i = 0; i < m; ++i) {
    copy(in + i * in_stride, n, reinterpret_cast<int8_t*>(out + i * out_stride));
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
