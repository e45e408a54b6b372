// Affine quantisation of runs of numbers, with the roundings of torch's reference: everything in the type of the
// scale, q = clamp(round(x * (1 / scale)) + zero_point), x = (q - zero_point) * scale, halves to even.
// These files are compiled without contraction into fused multiply-adds, which would round once less.
#pragma once

#include <cmath>
#include <type_traits>

#include "runtime/kernels/common/kernel.h"
#include "runtime/kernels/quantized/helium.h"

namespace et::ET_KERNELS {

inline constexpr DtypeSet kQuantized = dtype_bit(ScalarType::Byte) | dtype_bit(ScalarType::Char) |
                                       dtype_bit(ScalarType::Short) | dtype_bit(ScalarType::Int) |
                                       dtype_bit(ScalarType::UInt16);

/// bits16 are uint16 under another name.
constexpr ScalarType quantized_type(ScalarType t) { return t == ScalarType::Bits16 ? ScalarType::UInt16 : t; }
constexpr bool is_quantized(ScalarType t) { return in_set(quantized_type(t), kQuantized); }

/// Minimum and maximum of a quantised dtype.
struct IntRange {
  int64_t min, max;
};
inline IntRange int_range(ScalarType t) {
  const int bits = static_cast<int>(8 * element_size(t));
  if (t == ScalarType::Byte || quantized_type(t) == ScalarType::UInt16) return {0, (int64_t{1} << bits) - 1};
  return {-(int64_t{1} << (bits - 1)), (int64_t{1} << (bits - 1)) - 1};
}

/// Numbers x of one scale. S is the type that is computed in.
template <class S>
struct Affine {
  S scale = 1, inverse = 1;
  S zero_point = 0;
  S min = 0, max = 0;
  /// The zero point is added before rounding (per token) and not after.
  bool add_first = false;
};

template <class S, class Q>
inline Q quantize_one(S x, const Affine<S>& a) {
  S v = a.add_first ? std::nearbyint(x * a.inverse + a.zero_point) : std::nearbyint(x * a.inverse) + a.zero_point;
  // NaN passes both comparisons and becomes what a conversion of it gives on x86, the minimum int32, or its low bits.
  v = v < a.min ? a.min : v;
  v = v > a.max ? a.max : v;
  if constexpr (sizeof(Q) < 4) {
    return static_cast<Q>(static_cast<int32_t>(v == v ? v : S(0)));
  } else {
    // The float next to INT32_MAX is above it.
    const double wide = static_cast<double>(v);
    return static_cast<Q>(wide != wide ? INT32_MIN : wide > INT32_MAX ? INT32_MAX : static_cast<int32_t>(wide));
  }
}

/// Elements in steps of `step`.
template <class S, class Q, class I>
void quantize_run(const I* __restrict in, int64_t in_step, Q* __restrict out, int64_t out_step, int64_t n,
                  const Affine<S>& a) {
  const auto read = [](I x) { return static_cast<S>(static_cast<opmath_t<I>>(x)); };
  if (in_step == 1 && out_step == 1) {
    const Affine<S> copy = a;
#if ET_HELIUM
    if constexpr (kHeliumBytes<Q> && std::is_same_v<S, float> && std::is_same_v<I, float>) {
      if (!copy.add_first && helium_scale(copy.inverse)) return helium_quantize(in, out, n, copy);
    }
#endif
    if (copy.add_first) {
      for (int64_t i = 0; i < n; ++i) out[i] = quantize_one<S, Q>(read(in[i]), Affine<S>(copy));
    } else {
      for (int64_t i = 0; i < n; ++i) {
        S v = std::nearbyint(read(in[i]) * copy.inverse) + copy.zero_point;
        v = v < copy.min ? copy.min : v;
        v = v > copy.max ? copy.max : v;
        if constexpr (sizeof(Q) < 4) {
          out[i] = static_cast<Q>(static_cast<int32_t>(v == v ? v : S(0)));
        } else {
          const double wide = static_cast<double>(v);
          out[i] = static_cast<Q>(wide != wide ? INT32_MIN : wide > INT32_MAX ? INT32_MAX : static_cast<int32_t>(wide));
        }
      }
    }
    return;
  }
  for (int64_t i = 0; i < n; ++i) out[i * out_step] = quantize_one<S, Q>(read(in[i * in_step]), a);
}

/// Number i (flat) of a parameter tensor; any real dtype, contiguous.
inline double parameter(const Tensor& t, int64_t i) {
  double value = 0;
  dispatch<kRealH>(t.scalar_type(),
                   [&]<class T>() { value = static_cast<double>(static_cast<opmath_t<T>>(t.const_data_ptr<T>()[i])); });
  return value;
}
inline int64_t integer_parameter(const Tensor& t, int64_t i) {
  int64_t value = 0;
  dispatch<kInts>(t.scalar_type(), [&]<class T>() { value = static_cast<int64_t>(t.const_data_ptr<T>()[i]); });
  return value;
}

/// A parameter tensor that holds `count` numbers: of a floating dtype (scales) or a whole-number one (zero points).
inline bool check_parameters(KernelRuntimeContext& context, const Tensor& t, int64_t count, bool integers,
                             const char* argument, const char* name) {
  const ScalarType dtype = t.scalar_type();
  ET_KERNEL_CHECK_MSG(context, integers ? in_set(dtype, kInts) : in_set(dtype, kFloatsH), InvalidArgument, false,
                      "%s: %s is %s", name, argument, scalar_type_name(dtype));
  ET_KERNEL_CHECK_MSG(context, t.numel() == count, InvalidArgument, false, "%s: %s has %zd numbers, not %lld", name,
                      argument, t.numel(), static_cast<long long>(count));
  ET_KERNEL_CHECK_MSG(context, is_contiguous(t) || t.dim() <= 1, InvalidArgument, false, "%s: %s is not contiguous",
                      name, argument);
  ET_KERNEL_CHECK_MSG(context, count == 0 || t.const_data_ptr() != nullptr, InvalidArgument, false,
                      "%s: %s has no memory", name, argument);
  return true;
}

inline bool check_memory(KernelRuntimeContext& context, const Tensor& t, const char* argument, const char* name) {
  ET_KERNEL_CHECK_MSG(context, t.numel() == 0 || t.const_data_ptr() != nullptr, InvalidArgument, false,
                      "%s: %s has no memory", name, argument);
  return true;
}

/// Calls f(channel, in_offset, out_offset, n, in_step, out_step) for the runs of elements of each index of dimension
/// `axis`; -1: one channel for all. Both tensors have the same sizes.
template <class F>
void for_each_channel(const Tensor& in, const Tensor& out, int64_t axis, const F& f) {
  if (in.numel() == 0) return;
  const Shape whole = shape_of(in);
  Shape shape = whole;
  int64_t in_strides[kTensorDimensionLimit], out_strides[kTensorDimensionLimit];
  // The dimensions in the order in which they lie in memory, so that runs are long.
  for (size_t d = 0; d < shape.rank; ++d) {
    const size_t from = in.dim_order()[d];
    shape.sizes[d] = static_cast<int64_t>(from) == axis ? 1 : whole.sizes[from];
    in_strides[d] = in.strides()[from];
    out_strides[d] = out.strides()[from];
  }
  const StridedWalk<2> walk(shape.view(), {in_strides, out_strides});
  const size_t a = static_cast<size_t>(axis);
  const int64_t channels = axis < 0 ? 1 : whole.sizes[a];
  for (int64_t c = 0; c < channels; ++c) {
    const int64_t in_base = axis < 0 ? 0 : c * in.strides()[a], out_base = axis < 0 ? 0 : c * out.strides()[a];
    parallel_for(0, walk.rows(), 1 + 32768 / (walk.row_length() + 1), [&](int64_t first, int64_t last) {
      walk.run(first, last, [&](const std::array<int64_t, 2>& at, int64_t n, const std::array<int64_t, 2>& step) {
        f(c, in_base + at[0], out_base + at[1], n, step[0], step[1]);
      });
    });
  }
}

/// Rows along the last dimension ("tokens"), in logical order: f(token, in_offset, out_offset, n, in_step, out_step).
template <class F>
void for_each_token(const Tensor& in, const Tensor& out, const F& f) {
  if (in.numel() == 0) return;
  const size_t last = static_cast<size_t>(in.dim() - 1);
  const int64_t n = in.size(in.dim() - 1), tokens = in.numel() / n;
  parallel_for(0, tokens, 1 + 32768 / (n + 1), [&](int64_t from, int64_t to) {
    for (int64_t t = from; t < to; ++t) {
      int64_t rest = t, in_at = 0, out_at = 0;
      for (size_t d = last; d-- > 0;) {
        const int64_t index = rest % in.sizes()[d];
        rest /= in.sizes()[d];
        in_at += index * in.strides()[d];
        out_at += index * out.strides()[d];
      }
      f(t, in_at, out_at, n, int64_t{in.strides()[last]}, int64_t{out.strides()[last]});
    }
  });
}

}  // namespace et::ET_KERNELS
