// Transposed convolution the way torch's own loops do it: for each output the kernel elements in order, each a sum over
// channels that is rounded to the dtype before it is added. For the 16-bit floats that order decides the result, so it
// is the one to follow; small float32 problems go the same way because torch computes them so.
#include <type_traits>

#include "runtime/kernels/matrix/conv_direct.h"

namespace et::ET_KERNELS {
namespace {

template <class S, class I>
void convolve_ordered(const ConvShape& s, const ConvData& d, const double* bias) {
  const auto* in = static_cast<const I*>(d.in);
  const auto* weight = static_cast<const I*>(d.weight);
  auto* out = static_cast<I*>(d.out);
  const int64_t in_channels = s.in_channels / s.groups, out_channels = s.out_channels / s.groups;
  const int64_t positions = s.positions();
  // Input index of an output position and a kernel element; -1: none.
  const auto source = [&](int axis, int64_t position, int64_t element) -> int64_t {
    const int64_t at = position + s.padding[axis] - element * s.dilation[axis];
    if (at < 0 || at % s.stride[axis] != 0 || at / s.stride[axis] >= s.in_size[axis]) return -1;
    return at / s.stride[axis];
  };
  const auto one = [&](int64_t item, int64_t o, int64_t position) {
    const int64_t p[3] = {position / (s.out_size[1] * s.out_size[2]), position / s.out_size[2] % s.out_size[1],
                          position % s.out_size[2]};
    const int64_t group = o / out_channels;
    const I* from = in + item * d.in_stride[0] + group * in_channels * d.in_stride[1];
    const I* w = weight + group * in_channels * d.weight_stride[0] + o % out_channels * d.weight_stride[1];
    I sum = I(0.0f);
    for (int64_t kz = 0; kz < s.kernel[0]; ++kz) {
      const int64_t z = source(0, p[0], kz);
      if (z < 0) continue;
      for (int64_t ky = 0; ky < s.kernel[1]; ++ky) {
        const int64_t y = source(1, p[1], ky);
        if (y < 0) continue;
        for (int64_t kx = 0; kx < s.kernel[2]; ++kx) {
          const int64_t x = source(2, p[2], kx);
          if (x < 0) continue;
          const I* a = from + z * d.in_stride[2] + y * d.in_stride[3] + x * d.in_stride[4];
          const I* b = w + kz * d.weight_stride[2] + ky * d.weight_stride[3] + kx * d.weight_stride[4];
          S column = 0;
          for (int64_t c = 0; c < in_channels; ++c) {
            column += static_cast<S>(a[c * d.in_stride[1]]) * static_cast<S>(b[c * d.weight_stride[0]]);
          }
          const I rounded = static_cast<I>(column);
          sum = static_cast<I>(static_cast<float>(sum) + static_cast<float>(rounded));
        }
      }
    }
    if (bias != nullptr)
      sum = static_cast<I>(static_cast<float>(static_cast<double>(static_cast<float>(sum)) + bias[o]));
    out[item * d.out_stride[0] + o * d.out_stride[1] + p[0] * d.out_stride[2] + p[1] * d.out_stride[3] +
        p[2] * d.out_stride[4]] = sum;
  };
  parallel_for(0, s.batch * s.out_channels, 1 + 32768 / (positions + 1), [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      for (int64_t p = 0; p < positions; ++p) one(i / s.out_channels, i % s.out_channels, p);
    }
  });
}

}  // namespace

bool wants_ordered_transposed(const ConvShape& s, ScalarType dtype) {
  if (!s.transposed) return false;
  if (is_reduced_float(dtype)) return true;
  const double multiplications = static_cast<double>(s.batch) * static_cast<double>(s.positions()) *
                                 static_cast<double>(s.out_channels) * static_cast<double>(s.in_channels / s.groups) *
                                 static_cast<double>(s.kernel_size());
  return dtype == ScalarType::Float && s.batch == 1 && multiplications < 1 << 18;
}

bool run_ordered_transposed(KernelRuntimeContext& context, const ConvShape& s, const ConvData& d, const char* name) {
  double* bias = nullptr;
  if (d.bias != nullptr) {
    Result<void*> workspace = context.allocate_temp(static_cast<size_t>(s.out_channels) * sizeof(double));
    ET_KERNEL_CHECK_MSG(context, workspace.ok(), MemoryAllocationFailed, false, "%s: no temporary memory", name);
    bias = static_cast<double*>(workspace.get());
    const bool taken = dispatch<kRealHB>(d.bias_dtype, [&]<class B>() {
      using Stored = std::conditional_t<std::is_same_v<B, bool>, uint8_t, B>;  // any byte may stand for a bool
      const auto* from = static_cast<const Stored*>(d.bias);
      for (int64_t o = 0; o < s.out_channels; ++o) {
        bias[o] = static_cast<double>(static_cast<opmath_t<Stored>>(from[o * d.bias_stride]));
      }
    });
    ET_KERNEL_CHECK_MSG(context, taken, InvalidArgument, false, "%s: bias is %s", name, scalar_type_name(d.bias_dtype));
  }
  return dispatch<kHalfs | dtype_bit(ScalarType::Float)>(d.dtype, [&]<class I>() {
    convolve_ordered<std::conditional_t<std::is_same_v<I, float>, double, float>, I>(s, d, bias);
  });
}

}  // namespace et::ET_KERNELS
