// One kernel in both worlds: as an operator of PyTorch and in the kernel registry.
#include <torch/library.h>

#include <gtest/gtest.h>

#include "runtime/core/library.h"
#include "runtime/extension/aten_adapter.h"

namespace {

using et::KernelRuntimeContext;
using et::Tensor;

Tensor& scale_add_out(KernelRuntimeContext& context, const Tensor& a, const et::optional<Tensor>& b, int64_t times,
                      Tensor& out) {
  const auto shrunk = et::resize_tensor(out, a.sizes());
  if (shrunk != et::Error::Ok || times < 0) {
    context.fail(et::Error::InvalidArgument);
    return out;
  }
  for (ssize_t i = 0; i < a.numel(); ++i) {
    const float add = b.has_value() ? b->const_data_ptr<float>()[i] : 0.0f;
    out.mutable_data_ptr<float>()[i] = a.const_data_ptr<float>()[i] * static_cast<float>(times) + add;
  }
  return out;
}

Tensor& sum_out(const et::ArrayRef<Tensor> tensors, const et::Scalar& factor, Tensor& out) {
  float sum = 0;
  for (const Tensor& t : tensors) {
    for (ssize_t i = 0; i < t.numel(); ++i) sum += t.const_data_ptr<float>()[i];
  }
  out.mutable_data_ptr<float>()[0] = sum * factor.to<float>();
  return out;
}

EXECUTORCH_LIBRARY(adapted, "scale_add.out", scale_add_out);

TORCH_LIBRARY(adapted, m) {
  m.def("scale_add.out(Tensor a, Tensor? b, int times, *, Tensor(a!) out) -> Tensor(a!)",
        WRAP_TO_ATEN(scale_add_out, 3));
  m.def("sum.out(Tensor[] tensors, Scalar factor, *, Tensor(a!) out) -> Tensor(a!)", WRAP_TO_ATEN(sum_out, 2));
}

at::Tensor& call_scale_add(const at::Tensor& a, const std::optional<at::Tensor>& b, int64_t times, at::Tensor& out) {
  static const auto op =
      c10::Dispatcher::singleton()
          .findSchemaOrThrow("adapted::scale_add", "out")
          .typed<at::Tensor&(const at::Tensor&, const std::optional<at::Tensor>&, int64_t, at::Tensor&)>();
  return op.call(a, b, times, out);
}

TEST(WrapToAten, RunsThroughPyTorchsDispatcher) {
  const at::Tensor a = at::arange(6, at::kFloat).view({2, 3});
  at::Tensor out = at::empty({2, 3});
  at::Tensor& result = call_scale_add(a, at::ones({2, 3}), 3, out);
  EXPECT_TRUE(at::equal(result, a * 3 + 1));
  EXPECT_EQ(result.data_ptr(), out.data_ptr());
  call_scale_add(a, std::nullopt, 2, out);
  EXPECT_TRUE(at::equal(out, a * 2));
}

TEST(WrapToAten, TakesOtherLayoutsAndShapes) {
  const at::Tensor a = at::arange(6, at::kFloat).view({3, 2}).t();
  at::Tensor wide = at::zeros({2, 4});
  call_scale_add(a, std::nullopt, 1, wide);
  EXPECT_EQ(wide.sizes(), a.sizes());
  EXPECT_TRUE(at::equal(wide, a));
  at::Tensor strided = at::zeros({3, 2}).t();
  call_scale_add(a, std::nullopt, 1, strided);
  EXPECT_TRUE(at::equal(strided, a));
}

TEST(WrapToAten, AKernelThatFailsThrows) {
  at::Tensor out = at::empty({2});
  EXPECT_THROW(call_scale_add(at::ones({2}), std::nullopt, -1, out), c10::Error);
  EXPECT_THROW(call_scale_add(at::ones({5}), std::nullopt, 1, out), c10::Error);
}

TEST(WrapToAten, TakesListsAndScalarsWithoutContext) {
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("adapted::sum", "out")
                             .typed<at::Tensor&(at::TensorList, const at::Scalar&, at::Tensor&)>();
  at::Tensor out = at::empty({});
  op.call({at::ones({3}), at::full({2, 2}, 2.0)}, 0.5, out);
  EXPECT_EQ(out.item<float>(), 5.5f);
}

TEST(WrapToAten, TheSameKernelIsInTheRegistry) { EXPECT_TRUE(et::has_kernel("adapted::scale_add.out")); }

}  // namespace
