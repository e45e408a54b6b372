// TensorPtr and its makers: ownership, views, casts, strides, resizing, and what they refuse.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <set>

#include "runtime/core/device_allocator.h"
#include "runtime/module/tensor.h"
#include "tests/runtime/module/log_lines.h"

namespace et {
namespace {

template <class T>
std::vector<T> values(const TensorPtr& t) {
  return {t->const_data_ptr<T>(), t->const_data_ptr<T>() + t->numel()};
}
std::vector<int> sizes(const TensorPtr& t) { return {t->sizes().begin(), t->sizes().end()}; }
std::vector<int> strides(const TensorPtr& t) { return {t->strides().begin(), t->strides().end()}; }
std::vector<int> order(const TensorPtr& t) { return {t->dim_order().begin(), t->dim_order().end()}; }

TEST(TensorPtr, MakesFromValues) {
  const auto list = make_tensor_ptr({1.5f, 2.5f});
  EXPECT_EQ(list->scalar_type(), ScalarType::Float);
  EXPECT_EQ(sizes(list), (std::vector<int>{2}));
  const auto shaped = make_tensor_ptr({2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(shaped->scalar_type(), ScalarType::Int);
  EXPECT_EQ(strides(shaped), (std::vector<int>{2, 1}));
  EXPECT_EQ(shaped->shape_dynamism(), TensorShapeDynamism::DYNAMIC_BOUND);
  const auto scalar = make_tensor_ptr(2.0);
  EXPECT_EQ(scalar->dim(), 0);
  EXPECT_EQ(scalar->scalar_type(), ScalarType::Double);
  EXPECT_EQ(scalar->shape_dynamism(), TensorShapeDynamism::STATIC);
  EXPECT_EQ(values<uint8_t>(make_tensor_ptr({true, false, true})), (std::vector<uint8_t>{1, 0, 1}));
  EXPECT_EQ(make_tensor_ptr(std::vector<int64_t>{7})->scalar_type(), ScalarType::Long);
}

TEST(TensorPtr, Casts) {
  const auto d = make_tensor_ptr(std::vector<int32_t>{1, -2, 3}, ScalarType::Double);
  EXPECT_EQ(values<double>(d), (std::vector<double>{1, -2, 3}));
  const auto h = clone_tensor_ptr(d, ScalarType::Half);
  EXPECT_EQ(static_cast<float>(h->const_data_ptr<Half>()[1]), -2.0f);
  const auto back = clone_tensor_ptr(h, ScalarType::Float);
  EXPECT_EQ(values<float>(back), (std::vector<float>{1, -2, 3}));
  const auto copy = clone_tensor_ptr(back);
  copy->mutable_data_ptr<float>()[0] = 9;
  EXPECT_EQ(values<float>(back)[0], 1);
  EXPECT_DEATH(clone_tensor_ptr(back, ScalarType::Int), "cannot cast");
  // ExecuTorch lets these pass where torch casts no float to an integer.
  EXPECT_EQ(values<uint32_t>(make_tensor_ptr(std::vector<float>{1, 4294967040.0f}, ScalarType::UInt32)),
            (std::vector<uint32_t>{1, 4294967040u}));
  EXPECT_EQ(values<uint16_t>(clone_tensor_ptr(make_tensor_ptr({65535.5, 0.75}), ScalarType::UInt16)),
            (std::vector<uint16_t>{65535, 0}));
  EXPECT_DEATH(make_tensor_ptr(std::vector<float>{0, 4294967296.0f}, ScalarType::UInt32), "value 1 is 4.29497e\\+09");
  EXPECT_DEATH(make_tensor_ptr(std::vector<double>{-1}, ScalarType::UInt64), "uint64 does not hold");
}

/// Memory of a device, played by the heap.
class HeapDevice final : public DeviceAllocator {
 public:
  Result<void*> allocate(size_t nbytes, DeviceIndex index, size_t) override {
    last_index = index;
    ++held;
    return malloc(nbytes + 1);
  }
  void deallocate(void* memory, DeviceIndex) override {
    --held;
    free(memory);
  }
  Error copy_host_to_device(void* to, const void* from, size_t nbytes, DeviceIndex) override {
    std::memcpy(to, from, nbytes);
    return Error::Ok;
  }
  Error copy_device_to_host(void* to, const void* from, size_t nbytes, DeviceIndex) override {
    std::memcpy(to, from, nbytes);
    return Error::Ok;
  }
  DeviceType device_type() const override { return DeviceType::CUDA; }

  int held = 0, last_index = -1;
};

TEST(TensorPtr, ClonesToADeviceAndBack) {
  static HeapDevice device;
  const auto here = make_tensor_ptr({2, 2}, {1.f, 2.f, 3.f, 4.f}, {1, 0});
  EXPECT_DEATH(clone_tensor_ptr_to(here, DeviceType::CUDA), "no allocator is registered for device type 1");
  EXPECT_DEATH(clone_tensor_ptr_to(here, DeviceType::CPU), "does not copy CPU-to-CPU");
  register_device_allocator(&device);
  EXPECT_DEATH(register_device_allocator(&device), "Allocator already registered");
  {
    const auto there = clone_tensor_ptr_to(here, Device(DeviceType::CUDA, 1));
    EXPECT_EQ(there->device(), Device(DeviceType::CUDA, 1));
    EXPECT_EQ(device.last_index, 1);
    EXPECT_EQ(order(there), (std::vector<int>{1, 0}));
    EXPECT_DEATH(clone_tensor_ptr_to(there, DeviceType::CUDA), "Device-to-device copy is not supported");
    const auto back = clone_tensor_ptr_to(there, DeviceType::CPU);
    EXPECT_TRUE(back->device().is_cpu());
    EXPECT_EQ(values<float>(back), values<float>(here));
    EXPECT_EQ(device.held, 1);
  }
  EXPECT_EQ(device.held, 0);
  EXPECT_DEATH(clone_tensor_ptr_to(make_tensor_ptr({2}, nullptr), DeviceType::CUDA), "Source tensor has no data");
}

TEST(TensorPtr, OwnsOrBorrows) {
  int freed = 0;
  float data[4] = {1, 2, 3, 4};
  {
    const auto t = for_blob(data, {2, 2}).deleter([&](void* p) { freed += p == data; }).make_tensor_ptr();
    const auto view = make_tensor_ptr(t, {4});
    EXPECT_EQ(values<float>(view), (std::vector<float>{1, 2, 3, 4}));
    EXPECT_EQ(freed, 0);
  }
  EXPECT_EQ(freed, 1);
  TensorPtr kept;
  {
    const auto whole = full({3, 2}, 5);
    kept = make_tensor_ptr(whole, {2, 2});
  }
  EXPECT_EQ(values<float>(kept), (std::vector<float>{5, 5, 5, 5}));
  EXPECT_EQ(from_blob(data, {4})->const_data_ptr(), data);
  EXPECT_DEATH(make_tensor_ptr(kept, {5}), "a view of 5 elements exceeds the tensor of 4");
}

TEST(TensorPtr, KnowsItsLayout) {
  std::vector<float> data(24);
  const auto t = make_tensor_ptr({1, 2, 3, 4}, data.data(), {0, 2, 3, 1}, {});
  EXPECT_EQ(strides(t), (std::vector<int>{24, 1, 8, 2}));
  const auto s = from_blob(data.data(), {1, 2, 3, 4}, {24, 1, 8, 2});
  EXPECT_EQ(order(s), (std::vector<int>{0, 2, 3, 1}));
  EXPECT_EQ(strides(zeros_like(s)), strides(s));
  EXPECT_EQ(order(make_tensor_ptr(s)), order(s));
  EXPECT_DEATH(from_blob(data.data(), {2, 3}, {4, 1}), "stride 4 of dimension 0");
  EXPECT_DEATH(make_tensor_ptr({2, 3}, data.data(), {0, 0}, {}), "expected a permutation");
  EXPECT_DEATH(make_tensor_ptr({2}, {1.f, 2.f, 3.f}), "3 values for a tensor of 2");
  EXPECT_DEATH(empty({-1}), "exceed the address space");
}

TEST(TensorPtr, ResizesWithinItsMemory) {
  auto t = zeros({4, 2});
  EXPECT_EQ(resize_tensor_ptr(t, {2, 3}), Error::Ok);
  EXPECT_EQ(t->numel(), 6);
  EXPECT_EQ(resize_tensor_ptr(t, {4, 2}), Error::Ok);
  const test::LogLines log;
  EXPECT_EQ(resize_tensor_ptr(t, {5, 2}), Error::NotSupported);
  EXPECT_EQ(resize_tensor_ptr(t, {8}), Error::NotSupported);
}

TEST(TensorPtr, Fills) {
  EXPECT_EQ(values<int64_t>(full({2}, -3, ScalarType::Long)), (std::vector<int64_t>{-3, -3}));
  EXPECT_EQ(values<float>(ones({2})), (std::vector<float>{1, 1}));
  EXPECT_EQ(values<uint8_t>(full({1}, true, ScalarType::Bool)), (std::vector<uint8_t>{1}));
  EXPECT_EQ(scalar_tensor(4)->dim(), 0);
  EXPECT_EQ(full_like(ones({3}, ScalarType::Short), 2)->scalar_type(), ScalarType::Short);
  EXPECT_EQ(zeros_like(ones({3}), ScalarType::Int)->scalar_type(), ScalarType::Int);
  EXPECT_EQ(static_cast<float>(full({1}, 1.5, ScalarType::BFloat16)->const_data_ptr<BFloat16>()[0]), 1.5f);
  EXPECT_DEATH(full({1}, 300, ScalarType::Byte), "converted to uint8");
  EXPECT_DEATH(full({1}, 1.5, ScalarType::Int), "converted to int32");
}

TEST(TensorPtr, RandomValuesAreInRangeAndDiffer) {
  for (const ScalarType type : {ScalarType::Half, ScalarType::BFloat16, ScalarType::Float}) {
    const auto r = clone_tensor_ptr(rand({1000}, type), ScalarType::Float);
    for (const float v : values<float>(r)) ASSERT_TRUE(v >= 0 && v < 1) << v;
  }
  const auto n = values<float>(randn({4000}));
  double mean = 0, square = 0;
  for (const float v : n) mean += v, square += v * v;
  EXPECT_NEAR(mean / 4000, 0, 0.1);
  EXPECT_NEAR(square / 4000, 1, 0.15);
  std::set<int32_t> seen;
  for (const int32_t v : values<int32_t>(randint(-2, 3, {500}))) seen.insert(v);
  EXPECT_EQ(seen, (std::set<int32_t>{-2, -1, 0, 1, 2}));
  EXPECT_NE(values<float>(rand({8})), values<float>(rand({8})));
  EXPECT_EQ(randint_like(n.empty() ? nullptr : zeros({2}, ScalarType::Long), 5, 6)->const_data_ptr<int64_t>()[1], 5);
}

TEST(TensorAccessor, IndexesByRank) {
  const auto t = make_tensor_ptr({2, 2, 2}, {0.f, 1.f, 2.f, 3.f, 4.f, 5.f, 6.f, 7.f});
  auto a = *make_tensor_accessor<float, 3>(*t);
  EXPECT_EQ(a[1][0][1], 5);
  a[0][1][1] = 9;
  EXPECT_EQ(t->const_data_ptr<float>()[3], 9);
  EXPECT_EQ(a.size(2), 2);
  EXPECT_EQ(a[1].stride(0), 2);
  const auto c = *make_tensor_accessor<const float, 3>(*t);
  EXPECT_EQ(c[1][1][1], 7);
  const test::LogLines log;
  EXPECT_EQ((make_tensor_accessor<float, 2>(*t)).error(), Error::InvalidArgument);
  EXPECT_EQ((make_tensor_accessor<double, 3>(*t)).error(), Error::InvalidArgument);
}

}  // namespace
}  // namespace et
