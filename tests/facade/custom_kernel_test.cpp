// Kernels written for ExecuTorch: with and without a context, registered by the macro and by hand.
#include <executorch/extension/kernel_util/make_boxed_from_unboxed_functor.h>
#include <executorch/runtime/core/exec_aten/testing_util/tensor_factory.h>
#include <executorch/runtime/core/exec_aten/testing_util/tensor_util.h>
#include <executorch/runtime/kernel/kernel_includes.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <gtest/gtest.h>

using executorch::aten::optional;
using executorch::aten::ScalarType;
using executorch::aten::Tensor;
using executorch::runtime::Error;
using executorch::runtime::EValue;
using executorch::runtime::get_op_function_from_registry;
using executorch::runtime::Kernel;
using executorch::runtime::KernelKey;
using executorch::runtime::KernelRuntimeContext;
using executorch::runtime::registry_has_op_function;
using executorch::runtime::Span;
using executorch::runtime::TensorMeta;
using executorch::runtime::testing::TensorFactory;

namespace {

Tensor& twice_out(KernelRuntimeContext& context, const Tensor& in, Tensor& out) {
  ET_KERNEL_CHECK_MSG(context, resize_tensor(out, in.sizes()) == Error::Ok, InvalidArgument, out, "resize failed");
  ET_KERNEL_CHECK(context, executorch::runtime::tensors_have_same_dtype(in, out), InvalidArgument, out);
  ET_SWITCH_REAL_TYPES(in.scalar_type(), context, "twice.out", CTYPE, [&] {
    const CTYPE* from = in.const_data_ptr<CTYPE>();
    CTYPE* to = out.mutable_data_ptr<CTYPE>();
    for (ssize_t i = 0; i < in.numel(); ++i) to[i] = static_cast<CTYPE>(2 * from[i]);
  });
  return out;
}
Tensor& sum_out(const Tensor& a, const Tensor& b, optional<Tensor> c, Tensor& out) {
  for (ssize_t i = 0; i < a.numel(); ++i) {
    out.mutable_data_ptr<float>()[i] = a.const_data_ptr<float>()[i] + b.const_data_ptr<float>()[i] +
                                       (c.has_value() ? c->const_data_ptr<float>()[i] : 0);
  }
  return out;
}

EXECUTORCH_LIBRARY(facade, "twice.out", twice_out);
EXECUTORCH_LIBRARY(facade, "sum.out", sum_out);

Error call(const char* name, std::vector<EValue> values) {
  const auto function = get_op_function_from_registry(name);
  if (!function.ok()) return function.error();
  std::vector<EValue*> pointers;
  for (EValue& v : values) pointers.push_back(&v);
  KernelRuntimeContext context;
  (*function)(context, {pointers.data(), pointers.size()});
  return context.failure_state();
}

TEST(FacadeKernel, WithAContext) {
  TensorFactory<ScalarType::Int> tf;
  Tensor out = tf.zeros({3});
  EXPECT_EQ(call("facade::twice.out", {tf.make({3}, {1, 2, 3}), out}), Error::Ok);
  EXPECT_TENSOR_EQ(out, tf.make({3}, {2, 4, 6}));
  TensorFactory<ScalarType::Float> other;
  EXPECT_EQ(call("facade::twice.out", {tf.ones({3}), other.zeros({3})}), Error::InvalidArgument);
  TensorFactory<ScalarType::Bool> bools;
  EXPECT_EQ(call("facade::twice.out", {bools.ones({3}), bools.zeros({3})}), Error::InvalidArgument);
  EXPECT_EQ(call("facade::twice.out", {EValue(1.0), out}), Error::InvalidType);
}

TEST(FacadeKernel, WithoutAContext) {
  TensorFactory<ScalarType::Float> tf;
  Tensor out = tf.zeros({2});
  EXPECT_EQ(call("facade::sum.out", {tf.ones({2}), tf.ones({2}), EValue(), out}), Error::Ok);
  EXPECT_TENSOR_EQ(out, tf.make({2}, {2, 2}));
  EXPECT_EQ(call("facade::sum.out", {tf.ones({2}), tf.ones({2}), tf.ones({2}), out}), Error::Ok);
  EXPECT_TENSOR_EQ(out, tf.make({2}, {3, 3}));
}

TEST(FacadeKernel, ByHandAndByKey) {
  static constexpr char kName[] = "facade::by_hand.out";
  const Kernel kernel = executorch::extension::make_boxed_kernel(kName, EXECUTORCH_FN(twice_out, kName));
  EXPECT_FALSE(registry_has_op_function(kName));
  EXPECT_EQ(executorch::runtime::register_kernel(kernel), Error::Ok);
  EXPECT_TRUE(registry_has_op_function(kName));
  EXPECT_DEATH(static_cast<void>(executorch::runtime::register_kernel(kernel)), "registration failed");

  char text[64];
  uint8_t order[] = {0, 1};
  const TensorMeta meta[] = {TensorMeta(ScalarType::Long, Span<uint8_t>(order))};
  ASSERT_EQ(executorch::runtime::internal::make_kernel_key_string(meta, text, sizeof text), Error::Ok);
  EXPECT_STREQ(text, "v1/4;0,1");
  const Kernel keyed("facade::keyed.out", KernelKey(text),
                     [](KernelRuntimeContext& context, Span<EValue*>) { context.fail(Error::NotImplemented); });
  ASSERT_EQ(executorch::runtime::register_kernel(keyed), Error::Ok);
  EXPECT_TRUE(registry_has_op_function("facade::keyed.out", meta));
  const TensorMeta other[] = {TensorMeta(ScalarType::Int, Span<uint8_t>(order))};
  EXPECT_FALSE(registry_has_op_function("facade::keyed.out", other));
}

TEST(FacadeKernel, KernelsOfTheLibraryAreThere) {
  EXPECT_TRUE(registry_has_op_function("aten::add.out"));
  EXPECT_GT(executorch::runtime::get_registered_kernels().size(), 100u);
}

}  // namespace
