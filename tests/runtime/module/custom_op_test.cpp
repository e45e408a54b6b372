// An operator of the application, registered in one line, runs in a program.
#include <gtest/gtest.h>

#include "runtime/core/library.h"
#include "runtime/module/module.h"
#include "runtime/module/tensor.h"

namespace {

using namespace et;

Tensor& scale_add_out(KernelRuntimeContext& context, const Tensor& a, const Tensor& b, int64_t times, Tensor& out) {
  if (resize_tensor(out, a.sizes()) != Error::Ok) context.fail(Error::InvalidArgument);
  for (ssize_t i = 0; i < a.numel(); ++i) {
    out.mutable_data_ptr<float>()[i] =
        a.const_data_ptr<float>()[i] + b.const_data_ptr<float>()[i] * static_cast<float>(times);
  }
  return out;
}
EXECUTORCH_LIBRARY(my_ops, "scale_add.out", scale_add_out);

TEST(CustomOperator, RunsInAProgram) {
  Module m(std::string(ET_FIXTURES) + "/programs/custom_op/program.pte");
  const auto out = m.forward(make_tensor_ptr({2, 2}, {1.f, 2.f, 3.f, -4.f}));
  ASSERT_TRUE(out.ok());
  const Tensor t = out->front().toTensor();
  const std::vector<float> got(t.const_data_ptr<float>(), t.const_data_ptr<float>() + t.numel());
  EXPECT_EQ(got, (std::vector<float>{7, 14, 21, -28}));
}

Tensor& failing_out(KernelRuntimeContext& context, const Tensor&, const Tensor&, int64_t, Tensor& out) {
  context.fail(Error::NotSupported);
  return out;
}

TEST(CustomOperator, ItsErrorEndsTheExecution) {
  Module m(std::string(ET_FIXTURES) + "/programs/custom_op/program.pte");
  // Handed in for one method: goes before the registered one.
  ASSERT_EQ(m.load_forward(nullptr, nullptr, {{"my_ops::scale_add.out", kBoxed<failing_out>, KernelKind::Library}}),
            Error::Ok);
  EXPECT_EQ(m.forward(ones({2, 2})).error(), Error::NotSupported);
}

}  // namespace
