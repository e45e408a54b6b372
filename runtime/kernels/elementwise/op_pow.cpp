// pow in its three forms. float32 by way of double polynomials; the usual exponents by multiplication; integers
// exactly, modulo 2^64.
#include <cmath>

#include "runtime/kernels/common/vector_math.h"
#include "runtime/kernels/elementwise/blocks.h"
#include "runtime/kernels/elementwise/engine.h"

namespace et::ET_KERNELS {
namespace {

struct Pow {
  float operator()(float a, float b) const { return std::pow(a, b); }
  double operator()(double a, double b) const { return std::pow(a, b); }
  Complex operator()(const Complex& a, const Complex& b) const { return std::pow(a, b); }
  int64_t operator()(int64_t a, int64_t b) const {
    if (b < 0) return a == 1 ? 1 : a == -1 ? ((b & 1) != 0 ? -1 : 1) : 0;
    uint64_t base = static_cast<uint64_t>(a);
    uint64_t result = 1;
    for (uint64_t e = static_cast<uint64_t>(b); e != 0; e >>= 1) {
      if ((e & 1) != 0) result *= base;
      base *= base;
    }
    return static_cast<int64_t>(result);
  }
};

void pow_floats(void* out, const void* const* in, int64_t n, const void*) {
  const auto* a = static_cast<const float*>(in[0]);
  const auto* b = static_cast<const float*>(in[1]);
  loop_in_blocks(
      static_cast<float*>(out), n,
      [a, b](int64_t k, uint32_t* bad) {
        float log2 = 0;
        const float y = vm::pow_bounded(a[k], b[k], &log2);
        const uint32_t good_base = vm::bits(a[k]) - 0x00800000u < 0x7f000000u ? 1u : 0u;  // positive and normal
        const uint32_t good_result = vm::fabs(log2) < 126.0f ? 1u : 0u;
        *bad = (good_base & good_result) ^ 1u;
        return y;
      },
      [a, b](int64_t k) { return std::pow(a[k], b[k]); });
}
elementwise::Loops loops_of_pow() {
  elementwise::Loops loops = elementwise::kLoops<Pow, kNumbers | kBitC, 2>;
  loops.single.loop = pow_floats;
  return loops;
}

Tensor& pow(KernelRuntimeContext& ctx, ScalarType common, const Operand& a, const Operand& b, Tensor& out) {
  ET_KERNEL_CHECK_MSG(ctx, common != ScalarType::Bool, InvalidArgument, out, "aten::pow: the arguments are bool");
  const elementwise::Loops loops = loops_of_pow();
  const Pow f;
  elementwise::map2(ctx, "aten::pow", loops, &f, common, a, b, out);
  return out;
}

// Exponents with a form of their own, as torch has them.
struct Square {
  template <class T>
  T operator()(T x) const {
    return x * x;
  }
};
struct Cube {
  template <class T>
  T operator()(T x) const {
    return x * x * x;
  }
};
struct Root {
  template <class T>
  T operator()(T x) const {
    return std::sqrt(x);
  }
};
template <class F>
struct Inverse {
  template <class T>
  T operator()(T x) const {
    return T(1) / F{}(x);
  }
};
struct Identity {
  template <class T>
  T operator()(T x) const {
    return x;
  }
};

Tensor& pow_tensor_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out) {
  return pow(ctx, common_type(a, b), Operand(a), Operand(b), out);
}
Tensor& pow_scalar_out(KernelRuntimeContext& ctx, const Scalar& a, const Tensor& b, Tensor& out) {
  const ScalarType common = common_type(b, a);
  return pow(ctx, common, Operand(a, compute_type(common)), Operand(b), out);
}
Tensor& pow_tensor_scalar_out(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b, Tensor& out) {
  const ScalarType common = common_type(a, b);
  ET_KERNEL_CHECK_MSG(ctx, !is_integral(common, true) || b.to<int64_t>() >= 0, InvalidArgument, out,
                      "aten::pow: integers to the negative power %lld", static_cast<long long>(b.to<int64_t>()));
  if (is_floating(common)) {
    const double e = b.to<double>();
    if (e == 2.0) return map1<kReals>(ctx, "aten::pow", Square{}, common, a, out);
    if (e == 3.0) return map1<kReals>(ctx, "aten::pow", Cube{}, common, a, out);
    if (e == 0.5) return map1<kReals>(ctx, "aten::pow", Root{}, common, a, out);
    if (e == -0.5) return map1<kReals>(ctx, "aten::pow", Inverse<Root>{}, common, a, out);
    if (e == -1.0) return map1<kReals>(ctx, "aten::pow", Inverse<Identity>{}, common, a, out);
    if (e == -2.0) return map1<kReals>(ctx, "aten::pow", Inverse<Square>{}, common, a, out);
  }
  return pow(ctx, common, Operand(a), Operand(b, compute_type(common)), out);
}

}  // namespace

ET_KERNEL(pow_tensor_out)
ET_KERNEL(pow_scalar_out)
ET_KERNEL(pow_tensor_scalar_out)

}  // namespace et::ET_KERNELS
