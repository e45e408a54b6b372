// Dtypes that ExecuTorch's own tests ask of kernels beyond those of most programs, in our words: complex32, bits16,
// 16-bit floats in distances, integers in images; and tensors that no kernel can take.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "runtime/core/device_allocator.h"
#include "tests/runtime/kernels/held_tensor.h"

namespace et {
namespace {

using kernel_test::Held;
using kernel_test::run;
using kernels::ComplexHalf;

ComplexHalf c(float real, float imag) { return ComplexHalf(Half(real), Half(imag)); }
void expect_complex(const std::vector<ComplexHalf>& got, const std::vector<ComplexHalf>& wanted) {
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_EQ(static_cast<float>(got[i].real), static_cast<float>(wanted[i].real)) << i;
    EXPECT_EQ(static_cast<float>(got[i].imag), static_cast<float>(wanted[i].imag)) << i;
  }
}

TEST(UpstreamDtypes, Complex32IsAddedMultipliedMeasuredAndCopied) {
  Held<ComplexHalf> a({2}, {c(1, 2), c(-3, 4)}), b({2}, {c(0.5f, -1), c(2, 2)}), out({2}, {});
  EValue one(int64_t{1}), none, no(false);
  ASSERT_EQ(run("aten::add.out", {&a.value, &b.value, &one, &out.value}), Error::Ok);
  expect_complex(out.data, {c(1.5f, 1), c(-1, 6)});
  ASSERT_EQ(run("aten::mul.out", {&a.value, &b.value, &out.value}), Error::Ok);
  expect_complex(out.data, {c(2.5f, 0), c(-14, 2)});
  Held<Half> sizes({2}, {});
  ASSERT_EQ(run("aten::abs.out", {&a.value, &sizes.value}), Error::Ok);
  EXPECT_EQ(static_cast<float>(sizes.data[1]), 5.0f);
  ASSERT_EQ(run("aten::clone.out", {&a.value, &none, &out.value}), Error::Ok);
  expect_complex(out.data, a.data);
  Held<std::complex<float>> wide({2}, {});
  ASSERT_EQ(run("aten::_to_copy.out", {&a.value, &no, &none, &wide.value}), Error::Ok);
  EXPECT_EQ(wide.data[1], std::complex<float>(-3, 4));
}

TEST(UpstreamDtypes, Complex32InMatricesAndSums) {
  // [1+i, 2] [3; i] = 3 + 3i + 2i
  Held<ComplexHalf> a({1, 1, 2}, {c(1, 1), c(2, 0)}), b({1, 2, 1}, {c(3, 0), c(0, 1)}), out({1, 1, 1}, {});
  ASSERT_EQ(run("aten::bmm.out", {&a.value, &b.value, &out.value}), Error::Ok);
  expect_complex(out.data, {c(3, 5)});
  EValue zero(int64_t{0}), no(false), none;
  EValue* items[] = {&zero};
  int64_t room[1];
  const BoxedEvalueList<int64_t> list(items, room, 1);
  EValue dims(&list);
  Held<ComplexHalf> matrix({2, 2}, {c(1, 2), c(3, 4), c(5, 6), c(7, 8)}), sums({2}, {});
  ASSERT_EQ(run("aten::sum.IntList_out", {&matrix.value, &dims, &no, &none, &sums.value}), Error::Ok);
  expect_complex(sums.data, {c(6, 8), c(10, 12)});
  // Many small numbers: sums in more digits than float16 has.
  Held<ComplexHalf> many({4096}, std::vector<ComplexHalf>(4096, c(1, -0.5f))), total({}, {});
  ASSERT_EQ(run("aten::sum.IntList_out", {&many.value, &dims, &no, &none, &total.value}), Error::Ok);
  expect_complex(total.data, {c(4096, -2048)});
}

TEST(UpstreamDtypes, Bits16AreQuantisedAsUint16) {
  Held<float> x({3}, {4.0f, -100.0f, 1e9f}), back({3}, {});
  Held<uint16_t> q({3}, {}, ScalarType::Bits16);
  EValue scale(0.5), zero_point(int64_t{108}), low(int64_t{0}), high(int64_t{65535}), below(int64_t{-1}), none;
  EValue dtype(static_cast<int64_t>(ScalarType::Bits16));
  ASSERT_EQ(run("quantized_decomposed::quantize_per_tensor.out",
                {&x.value, &scale, &zero_point, &low, &high, &dtype, &q.value}),
            Error::Ok);
  EXPECT_EQ(q.data, (std::vector<uint16_t>{116, 0, 65535}));
  EXPECT_EQ(run("quantized_decomposed::quantize_per_tensor.out",
                {&x.value, &scale, &zero_point, &below, &high, &dtype, &q.value}),
            Error::InvalidArgument);
  ASSERT_EQ(run("quantized_decomposed::dequantize_per_tensor.out",
                {&q.value, &scale, &zero_point, &low, &high, &dtype, &none, &back.value}),
            Error::Ok);
  EXPECT_EQ(back.data, (std::vector<float>{4.0f, -54.0f, (65535.0f - 108.0f) * 0.5f}));
}

template <class T>
void expect_distances() {
  Held<T> a({2, 2}, {T(0.0f), T(0.0f), T(1.0f), T(1.0f)}), b({1, 2}, {T(3.0f), T(4.0f)}), out({2, 1}, {}),
      pair({1}, {});
  EValue two(2.0), one(1.0), none, infinite(std::numeric_limits<double>::infinity());
  ASSERT_EQ(run("aten::_cdist_forward.out", {&a.value, &b.value, &two, &none, &out.value}), Error::Ok);
  EXPECT_EQ(static_cast<float>(out.data[0]), 5.0f);
  EXPECT_EQ(static_cast<float>(out.data[1]), static_cast<float>(T(std::sqrt(13.0f))));
  ASSERT_EQ(run("aten::_cdist_forward.out", {&a.value, &b.value, &infinite, &none, &out.value}), Error::Ok);
  EXPECT_EQ(static_cast<float>(out.data[1]), 3.0f);
  ASSERT_EQ(run("aten::_pdist_forward.out", {&a.value, &one, &pair.value}), Error::Ok);
  EXPECT_EQ(static_cast<float>(pair.data[0]), 2.0f);
}
TEST(UpstreamDtypes, DistancesOf16BitFloats) {
  expect_distances<Half>();
  expect_distances<BFloat16>();
  // 300 ones: float16 sums up to 2048 exactly, bfloat16 to 256 only.
  Held<BFloat16> zeros({1, 300}, std::vector<BFloat16>(300, BFloat16(0.0f))),
      ones({1, 300}, std::vector<BFloat16>(300, BFloat16(1.0f))), out({1, 1}, {});
  EValue one(1.0), none;
  ASSERT_EQ(run("aten::_cdist_forward.out", {&zeros.value, &ones.value, &one, &none, &out.value}), Error::Ok);
  EXPECT_EQ(static_cast<float>(out.data[0]), 300.0f);
  Held<float> other({1, 300}, {});
  EXPECT_EQ(run("aten::_cdist_forward.out", {&zeros.value, &other.value, &one, &none, &out.value}),
            Error::InvalidArgument);
}

template <class T>
std::vector<T> widened(std::vector<T> row) {
  Held<T> in({1, 1, 1, static_cast<int32_t>(row.size())}, row), out({1, 1, 1, 4}, {});
  EValue height(int64_t{1}), width(int64_t{4}), corners(true), none;
  EValue* items[] = {&height, &width};
  int64_t room[2];
  const BoxedEvalueList<int64_t> list(items, room, 2);
  EValue size(&list);
  EXPECT_EQ(run("aten::upsample_bilinear2d.vec_out", {&in.value, &size, &corners, &none, &out.value}), Error::Ok);
  return out.data;
}
TEST(UpstreamDtypes, ImagesOfIntegersAreInterpolatedAndCut) {
  EXPECT_EQ(widened<int8_t>({1, 4}), (std::vector<int8_t>{1, 2, 3, 4}));
  EXPECT_EQ(widened<int16_t>({-10, 0}), (std::vector<int16_t>{-10, -6, -3, 0}));
  EXPECT_EQ(widened<int32_t>({1, 4}), (std::vector<int32_t>{1, 2, 3, 4}));
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(widened<int64_t>({kMax, kMax}), (std::vector<int64_t>(4, kMax)));
}

TEST(UpstreamDtypes, MixedLinearWithFloatResultAndScalesOfGroups) {
  Held<float> in({1, 3}, {1.0f, 1.5f, 2.0f}), scales({2}, {0.25f, 0.5f}), groups({2, 2}, {0.25f, 1, 0.5f, 2}),
      out({1, 2}, {});
  Held<int8_t> weight({2, 3}, {5, 3, 1, 4, 2, 1});
  EValue none, dtype(static_cast<int64_t>(ScalarType::Float));
  for (EValue* as : {&none, &dtype}) {
    ASSERT_EQ(
        run("quantized_decomposed::mixed_linear.out", {&in.value, &weight.value, &scales.value, &none, as, &out.value}),
        Error::Ok);
    EXPECT_EQ(out.data, (std::vector<float>{2.875f, 4.5f}));
  }
  ASSERT_EQ(run("quantized_decomposed::mixed_linear.out",
                {&in.value, &weight.value, &groups.value, &none, &none, &out.value}),
            Error::Ok);
  EXPECT_EQ(out.data, (std::vector<float>{4.375f, 7.5f}));
}

TEST(UpstreamDtypes, TensorsWithoutStridesOrOfTooManyDimensionsAreRefused) {
  Held<float> a({2, 2}, {1, 2, 3, 4}), out({2, 2}, {});
  int32_t sizes[] = {2, 2};
  uint8_t order[] = {0, 1};
  TensorImpl bare(ScalarType::Float, 2, sizes, a.data.data(), order);
  TensorImpl unordered(ScalarType::Float, 2, sizes, a.data.data());
  EValue bare_value{Tensor(&bare)}, unordered_value{Tensor(&unordered)}, one(int64_t{1}), zero(int64_t{0});
  EXPECT_EQ(run("aten::mul.out", {&bare_value, &a.value, &out.value}), Error::InvalidArgument);
  EXPECT_EQ(run("aten::mul.out", {&a.value, &unordered_value, &out.value}), Error::InvalidArgument);
  EXPECT_EQ(run("aten::add.out", {&a.value, &a.value, &one, &bare_value}), Error::InvalidArgument);
  EValue* items[] = {&a.value, &bare_value};
  Tensor room[2];
  const BoxedEvalueList<Tensor> list(items, room, 2);
  EValue tensors(&list);
  Held<float> joined({4, 2}, {});
  EXPECT_EQ(run("aten::cat.out", {&tensors, &zero, &joined.value}), Error::InvalidArgument);
  Held<float> deep(std::vector<int32_t>(17, 1), {1}), deep_out(std::vector<int32_t>(17, 1), {});
  EXPECT_EQ(run("aten::mul.out", {&deep.value, &deep.value, &deep_out.value}), Error::InvalidArgument);
  // One number needs none.
  float three = 3;
  TensorImpl number(ScalarType::Float, 0, nullptr, &three);
  EValue scalar{Tensor(&number)};
  ASSERT_EQ(run("aten::mul.out", {&a.value, &scalar, &out.value}), Error::Ok);
  EXPECT_EQ(out.data, (std::vector<float>{3, 6, 9, 12}));
}

/// Memory of a device, played by memory of the processor.
class PlayedDevice final : public DeviceAllocator {
 public:
  Result<void*> allocate(size_t, DeviceIndex, size_t) override { return Error::NotSupported; }
  void deallocate(void*, DeviceIndex) override {}
  Error copy_host_to_device(void* to, const void* from, size_t nbytes, DeviceIndex index) override {
    std::memcpy(to, from, nbytes);
    to_device += nbytes;
    last_index = index;
    return result;
  }
  Error copy_device_to_host(void* to, const void* from, size_t nbytes, DeviceIndex index) override {
    std::memcpy(to, from, nbytes);
    to_host += nbytes;
    last_index = index;
    return result;
  }
  DeviceType device_type() const override { return DeviceType::CUDA; }

  size_t to_device = 0, to_host = 0;
  int last_index = -1;
  Error result = Error::Ok;
};

TEST(UpstreamDtypes, CopiesToADeviceAreThoseOfItsAllocator) {
  static PlayedDevice device;
  Held<float> host({3}, {1, 2, 3}), remote({3}, {});
  remote.impl.set_device(Device(DeviceType::CUDA, 1));
  if (get_device_allocator(DeviceType::CUDA) == nullptr) {
    EXPECT_EQ(run("et_copy::_h2d_copy.out", {&host.value, &remote.value}), Error::NotFound);
    register_device_allocator(&device);
  }
  ASSERT_EQ(run("et_copy::_h2d_copy.out", {&host.value, &remote.value}), Error::Ok);
  EXPECT_EQ(remote.data, host.data);
  EXPECT_EQ(device.to_device, 12u);
  EXPECT_EQ(device.last_index, 1);
  host.data.assign(3, 0.0f);
  ASSERT_EQ(run("et_copy::_d2h_copy.out", {&remote.value, &host.value}), Error::Ok);
  EXPECT_EQ(host.data, (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(device.to_host, 12u);
  // The wrong way round, and an allocator that fails.
  EXPECT_EQ(run("et_copy::_h2d_copy.out", {&remote.value, &host.value}), Error::InvalidArgument);
  device.result = Error::Internal;
  EXPECT_EQ(run("et_copy::_d2h_copy.out", {&remote.value, &host.value}), Error::Internal);
  device.result = Error::Ok;
  // A program that was planned for a device, with all of its memory on the processor.
  Held<float> near({3}, {});
  ASSERT_EQ(run("et_copy::_h2d_copy.out", {&host.value, &near.value}), Error::Ok);
  EXPECT_EQ(near.data, host.data);
}

}  // namespace
}  // namespace et
