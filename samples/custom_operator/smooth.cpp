// sample::smooth.out of schema.txt: y[t] = decay * y[t - 1] + (1 - decay) * x[t] along the last dimension.
#include "runtime/core/kernel_context.h"
#include "runtime/core/library.h"
#include "runtime/core/tensor.h"

namespace {

et::Tensor& smooth_out(et::KernelRuntimeContext& context, const et::Tensor& x, double decay, et::Tensor& out) {
  if (x.scalar_type() != et::ScalarType::Float || out.scalar_type() != et::ScalarType::Float || x.dim() == 0 ||
      et::resize_tensor(out, x.sizes()) != et::Error::Ok) {
    context.fail(et::Error::InvalidArgument);
    return out;
  }
  const auto* from = x.const_data_ptr<float>();
  auto* to = out.mutable_data_ptr<float>();
  const auto d = static_cast<float>(decay);
  const ssize_t steps = x.size(x.dim() - 1);
  float last = 0;
  for (ssize_t i = 0; i < x.numel(); ++i) {
    if (i % steps == 0) last = 0;
    to[i] = last = d * last + (1 - d) * from[i];
  }
  return out;
}

}  // namespace

// SMOOTH_OUT is the name in schema.txt, without its namespace: CMakeLists.txt reads it.
EXECUTORCH_LIBRARY(sample, SMOOTH_OUT, smooth_out);
