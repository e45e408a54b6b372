// Tensors, dtypes, values and lists under ExecuTorch's names.
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/exec_aten/testing_util/tensor_factory.h>
#include <executorch/runtime/core/exec_aten/testing_util/tensor_util.h>
#include <executorch/runtime/core/exec_aten/util/dim_order_util.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <gtest/gtest.h>

#include <vector>

using executorch::aten::ArrayRef;
using executorch::aten::optional;
using executorch::aten::Scalar;
using executorch::aten::ScalarType;
using executorch::aten::Tensor;
using executorch::runtime::BoxedEvalueList;
using executorch::runtime::Error;
using executorch::runtime::EValue;
using executorch::runtime::promoteTypes;
using executorch::runtime::testing::TensorFactory;

namespace {

static_assert(__cplusplus == 201703L, "compiled as vendors' toolchains do; no library that it links may raise it");

TEST(FacadeTensor, PromotionIsThatOfTorch) {
  EXPECT_EQ(promoteTypes(ScalarType::Byte, ScalarType::Char), ScalarType::Short);
  EXPECT_EQ(promoteTypes(ScalarType::Bool, ScalarType::Byte), ScalarType::Byte);
  EXPECT_EQ(promoteTypes(ScalarType::Long, ScalarType::Half), ScalarType::Half);
  EXPECT_EQ(promoteTypes(ScalarType::Half, ScalarType::BFloat16), ScalarType::Float);
  EXPECT_EQ(promoteTypes(ScalarType::Half, ScalarType::Half, true), ScalarType::Float);
  EXPECT_EQ(promoteTypes(ScalarType::ComplexHalf, ScalarType::BFloat16), ScalarType::ComplexFloat);
  EXPECT_EQ(promoteTypes(ScalarType::ComplexHalf, ScalarType::Double), ScalarType::ComplexDouble);
  EXPECT_EQ(promoteTypes(ScalarType::ComplexHalf, ScalarType::Long), ScalarType::ComplexHalf);
  EXPECT_EQ(promoteTypes(ScalarType::QInt8, ScalarType::QInt8), ScalarType::QInt8);
  EXPECT_DEATH(promoteTypes(ScalarType::QInt8, ScalarType::Int), "");
  EXPECT_TRUE(executorch::runtime::canCast(ScalarType::Int, ScalarType::Float));
  EXPECT_FALSE(executorch::runtime::canCast(ScalarType::Float, ScalarType::Int));
  EXPECT_FALSE(executorch::runtime::canCast(ScalarType::Int, ScalarType::Bool));
}

TEST(FacadeTensor, DimOrders) {
  const int32_t sizes[] = {2, 3, 4, 5};
  const uint8_t order[] = {0, 2, 3, 1};
  int32_t strides[4];
  ASSERT_EQ(executorch::runtime::dim_order_to_stride(sizes, order, 4, strides), Error::Ok);
  EXPECT_EQ(std::vector<int32_t>(strides, strides + 4), (std::vector<int32_t>{60, 1, 15, 3}));
  uint8_t back[4];
  ASSERT_EQ(executorch::runtime::stride_to_dim_order(strides, 4, back), Error::Ok);
  EXPECT_EQ(std::vector<uint8_t>(back, back + 4), (std::vector<uint8_t>{0, 2, 3, 1}));
  EXPECT_TRUE(executorch::runtime::is_channels_last_dim_order(order, 4));
  const uint8_t twice[] = {0, 0, 1, 2};
  EXPECT_EQ(executorch::runtime::dim_order_to_stride(sizes, twice, 4, strides), Error::InvalidArgument);
}

TEST(FacadeTensor, ResizesByAListOfEitherWidth) {
  TensorFactory<ScalarType::Float> tf;
  const Tensor a = tf.zeros({4, 4}, executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND);
  const int32_t sizes[] = {2, 3}, more[] = {5, 4};
  EXPECT_EQ(resize_tensor(a, {sizes, 2}), Error::Ok);
  EXPECT_EQ(a.strides()[0], 3);
  const std::vector<int64_t> wide = {3, 2}, too_wide = {1, int64_t{1} << 32};
  EXPECT_EQ(resize_tensor(a, ArrayRef<int64_t>(wide)), Error::Ok);
  EXPECT_EQ(a.size(0), 3);
  EXPECT_NE(resize_tensor(a, ArrayRef<int64_t>(too_wide)), Error::Ok);
  EXPECT_NE(resize_tensor(a, {more, 2}), Error::Ok);
}

TEST(FacadeTensor, FactoriesAndMatchers) {
  TensorFactory<ScalarType::Float> tf;
  const Tensor a = tf.make({2, 2}, {1, 2, 3, 4});
  EXPECT_TENSOR_EQ(a, tf.make({2, 2}, {1, 2, 3, 4}));
  EXPECT_TENSOR_NE(a, tf.make({2, 2}, {1, 2, 3, 5}));
  EXPECT_TENSOR_CLOSE(a, tf.make({2, 2}, {1, 2, 3, 4.00001f}));
  EXPECT_TENSOR_DATA_EQ(a, tf.make({4}, {1, 2, 3, 4}));
  const Tensor image = tf.make({1, 2, 1, 2}, {1, 2, 3, 4});
  const Tensor moved = tf.channels_last_like(image);
  EXPECT_EQ(moved.const_data_ptr<float>()[1], 3);
  EXPECT_DEATH(tf.make({2}, {1, 2, 3}), "");
  TensorFactory<ScalarType::ComplexHalf> complex;
  EXPECT_EQ(complex.ones({1}).nbytes(), 4u);
}

TEST(FacadeTensor, ChecksOfTensors) {
  TensorFactory<ScalarType::Int> ints;
  TensorFactory<ScalarType::Float> floats;
  const Tensor a = ints.ones({2, 3});
  EXPECT_TRUE(executorch::runtime::tensors_have_same_shape(a, floats.ones({2, 3})));
  EXPECT_TRUE(executorch::runtime::tensors_have_same_shape(ints.ones({1, 1}), ints.ones({})));
  EXPECT_FALSE(executorch::runtime::tensors_have_same_shape(a, ints.ones({3, 2})));
  EXPECT_FALSE(executorch::runtime::tensors_have_same_dtype(a, floats.ones({2, 3})));
  EXPECT_TRUE(executorch::runtime::tensor_is_type(a, ScalarType::Long, ScalarType::Int));
  EXPECT_FALSE(executorch::runtime::tensor_has_dim(a, 2));
  EXPECT_TRUE(executorch::runtime::tensor_has_dim(ints.ones({}), -1));
  int8_t small = 0;
  EXPECT_FALSE(executorch::runtime::extract_scalar_tensor(ints.full({1}, 200), &small));
  EXPECT_TRUE(executorch::runtime::extract_scalar_tensor(ints.full({1}, -100), &small));
  EXPECT_EQ(small, -100);
  uint8_t byte = 0;
  EXPECT_FALSE(executorch::runtime::extract_scalar_tensor(ints.full({1}, -1), &byte));
  EXPECT_STREQ(executorch::runtime::tensor_shape_to_c_string(a.sizes()).data(), "(2, 3)");
}

TEST(FacadeValue, ReadsByType) {
  EXPECT_EQ(EValue(int64_t{3}).to<int64_t>(), 3);
  EXPECT_EQ(EValue().to<optional<int64_t>>(), std::nullopt);
  EXPECT_EQ(EValue(2.5).tryTo<int64_t>().error(), Error::InvalidType);
  EXPECT_EQ(*EValue(Scalar(true)).tryTo<bool>(), true);
  const ArrayRef<char> text("abc", 3);
  EXPECT_EQ(EValue(&text).toString(), "abc");
  EXPECT_DEATH(EValue(static_cast<const ArrayRef<char>*>(nullptr)), "");
  EXPECT_DEATH(EValue(1.0).toInt(), "");
  EValue one(int64_t{1}), two(int64_t{2}), real(0.5);
  EValue* items[] = {&one, &two};
  int64_t room[2];
  const BoxedEvalueList<int64_t> list(items, room, 2);
  EXPECT_EQ(EValue(&list).toIntList()[1], 2);
  items[1] = &real;
  EXPECT_EQ(list.tryGet().error(), Error::InvalidType);
}

TEST(FacadeValue, ArrayRefsOfWhatIsThere) {
  const std::vector<int64_t> vector{1, 2, 3};
  const ArrayRef<int64_t> a = vector;
  EXPECT_EQ(a.slice(1, 2).front(), 2);
  EXPECT_EQ(a.back(), 3);
  EXPECT_TRUE(a == executorch::runtime::makeArrayRef(vector.data(), vector.size()));
  EXPECT_DEATH(a.slice(2, 2), "");
  EXPECT_DEATH(a.at(3), "");
  EXPECT_EQ(ArrayRef<int64_t>(5).size(), 1u);
}

}  // namespace
