// Activations: hardtanh, leaky_relu, elu, gelu, glu.
#include <cmath>

#include "runtime/kernels/common/vector_math.h"
#include "runtime/kernels/elementwise/engine.h"

namespace et::ET_KERNELS {
namespace {

/// A NaN stays; a lower bound above the upper one gives the upper.
struct Bounded {
  template <class T>
  T operator()(T x) const {
    const T low = min.as<T>();
    const T high = max.as<T>();
    x = x < low ? low : x;
    return x > high ? high : x;
  }
  Number min, max;
};
Tensor& hardtanh_out(KernelRuntimeContext& ctx, const Tensor& in, const Scalar& min, const Scalar& max, Tensor& out) {
  ET_KERNEL_CHECK_MSG(ctx, in.scalar_type() != ScalarType::Bool, InvalidArgument, out, "aten::hardtanh: self is bool");
  ET_KERNEL_CHECK_MSG(ctx, fits(min, in.scalar_type()) && fits(max, in.scalar_type()), InvalidArgument, out,
                      "aten::hardtanh: min or max does not fit dtype %s", scalar_type_name(in.scalar_type()));
  return map1<kReals | kBitI>(ctx, "aten::hardtanh", Bounded{min, max}, in.scalar_type(), in, out);
}

struct LeakyRelu {
  template <class T>
  T operator()(T x) const {
    return x > T(0) ? x : x * slope.as<T>();
  }
  Number slope;
};
Tensor& leaky_relu_out(KernelRuntimeContext& ctx, const Tensor& in, const Scalar& slope, Tensor& out) {
  ET_KERNEL_CHECK_MSG(ctx, fits(slope, in.scalar_type()), InvalidArgument, out,
                      "aten::leaky_relu: negative_slope does not fit dtype %s", scalar_type_name(in.scalar_type()));
  return map1<kReals>(ctx, "aten::leaky_relu", LeakyRelu{slope}, in.scalar_type(), in, out);
}

struct Elu {
  float operator()(float x) const {
    const float below = vm::expm1(x * static_cast<float>(input_scale)) * static_cast<float>(negative_scale);
    const float above = x * static_cast<float>(scale);
    return x <= 0 ? below : above;
  }
  double operator()(double x) const { return x <= 0 ? std::expm1(x * input_scale) * negative_scale : x * scale; }
  double negative_scale, scale, input_scale;
};
Tensor& elu_out(KernelRuntimeContext& ctx, const Tensor& in, const Scalar& alpha, const Scalar& scale,
                const Scalar& input_scale, Tensor& out) {
  const double s = scale.to<double>();
  const Elu f{alpha.to<double>() * s, s, input_scale.to<double>()};
  return map1<kReals>(ctx, "aten::elu", f, in.scalar_type(), in, out);
}

struct GeluErf {
  float operator()(float x) const { return vm::gelu_erf(x); }
  double operator()(double x) const { return 0.5 * x * std::erfc(x * -0.70710678118654752); }
};
struct GeluTanh {
  float operator()(float x) const { return vm::gelu_tanh(x); }
  double operator()(double x) const {
    return 0.5 * x * (1.0 + std::tanh(0.79788456080286536 * (x + 0.044715 * x * x * x)));
  }
};
Tensor& gelu_out(KernelRuntimeContext& ctx, const Tensor& in, string_view approximate, Tensor& out) {
  if (approximate == "tanh") return map1<kReals>(ctx, "aten::gelu", GeluTanh{}, in.scalar_type(), in, out);
  ET_KERNEL_CHECK_MSG(ctx, approximate == "none", InvalidArgument, out,
                      "aten::gelu: approximate '%.*s' is not none or tanh",
                      static_cast<int>(approximate.size() < 40 ? approximate.size() : 40), approximate.data());
  return map1<kReals>(ctx, "aten::gelu", GeluErf{}, in.scalar_type(), in, out);
}

struct Glu {
  float operator()(float a, float b) const { return a * vm::sigmoid(b); }
  double operator()(double a, double b) const { return a / (1.0 + std::exp(-b)); }
};
Tensor& glu_out(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim, Tensor& out) {
  ET_KERNEL_CHECK_MSG(ctx, in.dim() > 0 && normalize_dim(&dim, in.dim()), InvalidArgument, out,
                      "aten::glu: dim %lld is out of range for self of rank %zd", static_cast<long long>(dim),
                      in.dim());
  const int32_t size = in.sizes()[static_cast<size_t>(dim)];
  ET_KERNEL_CHECK_MSG(ctx, size % 2 == 0, InvalidArgument, out,
                      "aten::glu: dimension %lld of self has %d elements, which cannot be halved",
                      static_cast<long long>(dim), static_cast<int>(size));
  Operand a(in);
  a.sizes[dim] = size / 2;
  Operand b = a;
  if (in.numel() > 0 && in.const_data_ptr() != nullptr) {
    b.data = in.const_data_ptr<std::byte>() +
             static_cast<size_t>(size / 2) * static_cast<size_t>(a.strides[dim]) * in.element_size();
  }
  return map2<kReals>(ctx, "aten::glu", Glu{}, in.scalar_type(), a, b, out);
}

}  // namespace

ET_KERNEL(hardtanh_out)
ET_KERNEL(leaky_relu_out)
ET_KERNEL(elu_out)
ET_KERNEL(gelu_out)
ET_KERNEL(glu_out)

}  // namespace et::ET_KERNELS
