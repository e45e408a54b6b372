// Elementwise operators, copies and primitives, beyond what the conformance corpus shows: bad arguments fail without
// harm, layouts mix, NaN and large integers are exact, random numbers can be repeated.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <numeric>
#include <vector>

#include "runtime/core/kernel_registry.h"
#include "runtime/core/memory_allocator.h"
#include "runtime/core/tensor.h"
#include "runtime/kernels/common/convert.h"
#include "runtime/kernels/common/dtype.h"
#include "runtime/kernels/common/random.h"

namespace et {
namespace {

/// A tensor with memory of its own.
template <class T>
struct Owned {
  Owned(std::vector<int32_t> shape, std::vector<T> values, std::vector<uint8_t> order = {})
      : sizes(std::move(shape)),
        strides(sizes.size()),
        dim_order(std::move(order)),
        data(values.begin(), values.end()) {
    if (dim_order.empty()) {
      dim_order.resize(sizes.size());
      std::iota(dim_order.begin(), dim_order.end(), uint8_t{0});
    }
    dim_order_to_strides(sizes, dim_order, strides.data());
    int64_t n = 1;
    for (const int32_t s : sizes) n *= s;
    data.resize(static_cast<size_t>(n));
    impl = TensorImpl(kernels::kDtypeOf<T>, sizes.size(), sizes.data(), data.data(), dim_order.data(), strides.data());
    value = EValue(Tensor(&impl));
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;

  std::vector<int32_t> sizes, strides;
  std::vector<uint8_t> dim_order;
  std::vector<T> data;
  TensorImpl impl{ScalarType::Float, 0, nullptr};
  EValue value;
};

/// Calls the operator; the last argument is its result, which is passed twice as a program does it.
Error call(const char* name, std::initializer_list<EValue*> args, bool prim = false) {
  const auto kernel = get_kernel(name);
  if (!kernel.ok()) return kernel.error();
  alignas(64) static std::array<uint8_t, 1 << 16> memory;
  MemoryAllocator allocator(memory.size(), memory.data());
  KernelRuntimeContext context(nullptr, &allocator);
  std::vector<EValue*> stack(args);
  if (!prim) stack.push_back(stack.back());
  (*kernel)->function(context, Span<EValue*>(stack.data(), stack.size()));
  return context.failure_state();
}

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

TEST(Elementwise, ChannelsLastAndContiguousAdd) {
  Owned<float> a({1, 2, 2, 3}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  Owned<float> b({1, 2, 2, 3}, {0, 60, 10, 70, 20, 80, 30, 90, 40, 100, 50, 110}, {0, 2, 3, 1});
  Owned<float> out({1, 2, 2, 3}, {});
  EValue one(int64_t{1});
  ASSERT_EQ(call("aten::add.out", {&a.value, &b.value, &one, &out.value}), Error::Ok);
  EXPECT_EQ(out.data, (std::vector<float>{0, 11, 22, 33, 44, 55, 66, 77, 88, 99, 110, 121}));
}

TEST(Elementwise, ShortBroadcastRows) {
  Owned<float> a({3, 2}, {1, 2, 3, 4, 5, 6});
  Owned<float> b({3, 1}, {10, 100, 1000});
  Owned<float> out({3, 2}, {});
  ASSERT_EQ(call("aten::mul.out", {&a.value, &b.value, &out.value}), Error::Ok);
  EXPECT_EQ(out.data, (std::vector<float>{10, 20, 300, 400, 5000, 6000}));
}

TEST(Elementwise, LargeIntegersAreExact) {
  const int64_t big = (int64_t{1} << 53) + 1;
  Owned<int64_t> a({2}, {big, -7});
  Owned<int64_t> b({2}, {1000, 3});
  Owned<int64_t> out({2}, {});
  ASSERT_EQ(call("aten::fmod.Tensor_out", {&a.value, &b.value, &out.value}), Error::Ok);
  EXPECT_EQ(out.data, (std::vector<int64_t>{big % 1000, -1}));
  ASSERT_EQ(call("aten::remainder.Tensor_out", {&a.value, &b.value, &out.value}), Error::Ok);
  EXPECT_EQ(out.data, (std::vector<int64_t>{big % 1000, 2}));
}

TEST(Elementwise, IntegerDivisionByZeroFails) {
  Owned<int32_t> a({2}, {1, 2});
  Owned<int32_t> zero({2}, {1, 0});
  Owned<int32_t> out({2}, {});
  const ArrayRef<char> floor_text("floor", 5), other_text("up", 2);
  EValue floor(&floor_text), other(&other_text);
  EXPECT_EQ(call("aten::floor_divide.out", {&a.value, &zero.value, &out.value}), Error::InvalidArgument);
  EXPECT_EQ(call("aten::div.out_mode", {&a.value, &zero.value, &floor, &out.value}), Error::InvalidArgument);
  EXPECT_EQ(call("aten::div.out_mode", {&a.value, &a.value, &other, &out.value}), Error::InvalidArgument);
}

TEST(Elementwise, BadArgumentsFail) {
  Owned<float> a({2, 3}, {});
  Owned<float> b({2, 2}, {});
  Owned<float> out({2, 3}, {});
  Owned<int32_t> ints({2, 3}, {});
  Owned<uint8_t> bytes({2, 3}, {});
  EValue one(int64_t{1});
  EValue much(int64_t{300});
  EValue none;
  EXPECT_EQ(call("aten::add.out", {&a.value, &b.value, &one, &out.value}), Error::InvalidArgument);
  EXPECT_EQ(call("aten::add.out", {&a.value, &a.value, &one, &ints.value}), Error::InvalidArgument);
  EXPECT_EQ(call("aten::clamp.out", {&a.value, &none, &none, &out.value}), Error::InvalidArgument);
  EXPECT_EQ(call("aten::fill.Scalar_out", {&bytes.value, &much, &bytes.value}), Error::InvalidArgument);
  EXPECT_EQ(call("aten::glu.out", {&a.value, &one, &out.value}), Error::InvalidArgument);
}

TEST(Elementwise, NanGoesThrough) {
  Owned<float> a({3}, {kNan, 1, 5});
  Owned<float> b({3}, {0, kNan, 4});
  Owned<float> out({3}, {});
  ASSERT_EQ(call("aten::maximum.out", {&a.value, &b.value, &out.value}), Error::Ok);
  EXPECT_TRUE(std::isnan(out.data[0]) && std::isnan(out.data[1]));
  EXPECT_EQ(out.data[2], 5);
  EValue low(2.0);
  EValue high(4.0);
  ASSERT_EQ(call("aten::clamp.out", {&a.value, &low, &high, &out.value}), Error::Ok);
  EXPECT_TRUE(std::isnan(out.data[0]));
  EXPECT_EQ(out.data[1], 2);
  EXPECT_EQ(out.data[2], 4);
  ASSERT_EQ(call("aten::relu.out", {&a.value, &out.value}), Error::Ok);
  EXPECT_TRUE(std::isnan(out.data[0]));
}

TEST(Elementwise, EdgesOfTheFastFunctions) {
  Owned<float> in({9}, {kNan, kInf, -kInf, 0.0f, -0.0f, 88.7f, -103.0f, 1e-40f, -1.0f});
  Owned<float> out({9}, {});
  struct Row {
    const char* op;
    double (*reference)(double);
  };
  const Row rows[] = {{"aten::exp.out", std::exp},  {"aten::log.out", std::log},     {"aten::tanh.out", std::tanh},
                      {"aten::erf.out", std::erf},  {"aten::expm1.out", std::expm1}, {"aten::log1p.out", std::log1p},
                      {"aten::log2.out", std::log2}};
  for (const Row& row : rows) {
    ASSERT_EQ(call(row.op, {&in.value, &out.value}), Error::Ok);
    for (size_t i = 0; i < in.data.size(); ++i) {
      const auto want = static_cast<float>(row.reference(static_cast<double>(in.data[i])));
      if (std::isnan(want)) {
        EXPECT_TRUE(std::isnan(out.data[i])) << row.op << " of " << in.data[i];
      } else {
        EXPECT_FLOAT_EQ(out.data[i], want) << row.op << " of " << in.data[i];
      }
    }
  }
}

TEST(Elementwise, RandomNumbersRepeatWithTheSeed) {
  std::vector<EValue> items = {EValue(int64_t{64})};
  std::vector<EValue*> pointers = {items.data()};
  int64_t room[1];
  const BoxedList<int64_t> list{pointers.data(), room, 1};
  EValue size(&list);
  Owned<float> first({64}, {}), second({64}, {}), third({64}, {});
  set_seed(7);
  ASSERT_EQ(call("aten::rand.out", {&size, &first.value}), Error::Ok);
  ASSERT_EQ(call("aten::rand.out", {&size, &second.value}), Error::Ok);
  set_seed(7);
  ASSERT_EQ(call("aten::rand.out", {&size, &third.value}), Error::Ok);
  EXPECT_EQ(first.data, third.data);
  EXPECT_NE(first.data, second.data);
  for (const float v : first.data) EXPECT_TRUE(v >= 0 && v < 1);
}

TEST(Convert, OutOfRangeIsDefined) {
  const float in[] = {kNan, kInf, -kInf, 3e9f, -1.0f, 300.0f, 255.9f};
  uint8_t bytes[7];
  int32_t ints[7];
  kernels::Converter(ScalarType::Float, ScalarType::Byte).run(bytes, 1, in, 1, 7);
  kernels::Converter(ScalarType::Float, ScalarType::Int).run(ints, 1, in, 1, 7);
  EXPECT_EQ(std::vector<uint8_t>(bytes, bytes + 7), (std::vector<uint8_t>{0, 0, 0, 0, 255, 44, 255}));
  constexpr int32_t kMin = std::numeric_limits<int32_t>::min();
  EXPECT_EQ(std::vector<int32_t>(ints, ints + 7), (std::vector<int32_t>{kMin, kMin, kMin, kMin, -1, 300, 255}));
}

TEST(Copy, LayoutAndDtypeTogether) {
  Owned<float> in({1, 2, 1, 3}, {0, 1, 2, 3, 4, 5});
  Owned<int64_t> out({1, 2, 1, 3}, {}, {0, 2, 3, 1});
  EValue no(false);
  EValue none;
  ASSERT_EQ(call("dim_order_ops::_to_dim_order_copy.out", {&in.value, &no, &none, &out.value}), Error::Ok);
  EXPECT_EQ(out.data, (std::vector<int64_t>{0, 3, 1, 4, 2, 5}));
}

TEST(Prim, NumbersFailCleanly) {
  EValue a(int64_t{7});
  EValue zero(int64_t{0});
  EValue least(std::numeric_limits<int64_t>::min());
  EValue minus(int64_t{-1});
  const ArrayRef<char> letters("x", 1);
  EValue text(&letters);
  EValue out(int64_t{5});
  for (const char* op : {"executorch_prim::floordiv.Scalar", "executorch_prim::floordiv.int",
                         "executorch_prim::mod.int", "executorch_prim::mod.Scalar"}) {
    EXPECT_EQ(call(op, {&a, &zero, &out}, true), Error::InvalidArgument) << op;
    EXPECT_EQ(call(op, {&least, &minus, &out}, true), Error::Ok) << op;
    EXPECT_EQ(call(op, {&a, &text, &out}, true), Error::InvalidType) << op;
    EXPECT_EQ(call(op, {&a, &out}, true), Error::InvalidProgram) << op;
  }
}

TEST(Prim, CopyIndexStaysInside) {
  Owned<float> dst({2, 3}, {});
  Owned<float> src({3}, {1, 2, 3});
  EValue index(int64_t{1});
  ASSERT_EQ(call("executorch_prim::et_copy_index.tensor", {&dst.value, &src.value, &index}, true), Error::Ok);
  EXPECT_EQ(dst.data, (std::vector<float>{0, 0, 0, 1, 2, 3}));
  for (const int64_t bad : {int64_t{-1}, int64_t{2}, int64_t{1} << 40}) {
    EValue i(bad);
    EXPECT_NE(call("executorch_prim::et_copy_index.tensor", {&dst.value, &src.value, &i}, true), Error::Ok) << bad;
  }
}

}  // namespace
}  // namespace et
