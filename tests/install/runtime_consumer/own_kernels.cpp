// The two operators of the test's program, for tensors of one shape.
#include "runtime/core/boxing.h"

namespace {

using et::KernelRuntimeContext;
using et::Tensor;

template <class F>
Tensor& combine(KernelRuntimeContext& context, const Tensor& a, const Tensor& b, Tensor& out, F f) {
  if (a.numel() != b.numel() || out.numel() != a.numel()) {
    context.fail(et::Error::InvalidArgument);
    return out;
  }
  for (ssize_t i = 0; i < a.numel(); ++i) {
    out.mutable_data_ptr<float>()[i] = f(a.const_data_ptr<float>()[i], b.const_data_ptr<float>()[i]);
  }
  return out;
}
Tensor& add_out(KernelRuntimeContext& context, const Tensor& a, const Tensor& b, const et::Scalar& alpha, Tensor& out) {
  return combine(context, a, b, out, [&](float x, float y) { return x + alpha.to<float>() * y; });
}
Tensor& mul_out(KernelRuntimeContext& context, const Tensor& a, const Tensor& b, Tensor& out) {
  return combine(context, a, b, out, [](float x, float y) { return x * y; });
}

constexpr et::Kernel kRows[] = {{"aten::add.out", et::kBoxed<add_out>}, {"aten::mul.out", et::kBoxed<mul_out>}};
const et::KernelRegistration g_registration{kRows};

}  // namespace
