// Logged tensors: every element type, strides, and nothing read outside the buffer.
#include "etdump/debug_buffer.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace et::etdump {
namespace {

struct Spec {
  ScalarType dtype = ScalarType::Float;
  std::vector<int64_t> sizes, strides;
  int64_t offset = 0;

  TensorInfo info() const { return {dtype, static_cast<int8_t>(dtype), sizes, strides, offset}; }
};

template <class T>
std::vector<uint8_t> bytes_of(const std::vector<T>& values) {
  std::vector<uint8_t> out(values.size() * sizeof(T));
  if (!out.empty()) std::memcpy(out.data(), values.data(), out.size());
  return out;
}

template <class T>
double one(ScalarType dtype, T stored) {
  const auto bytes = bytes_of(std::vector<T>{stored});
  return element_as_double(dtype, bytes.data());
}

TEST(DebugBuffer, ElementsOfEveryTypeAreRead) {
  EXPECT_EQ(one<uint8_t>(ScalarType::Byte, 200), 200);
  EXPECT_EQ(one<int8_t>(ScalarType::Char, -100), -100);
  EXPECT_EQ(one<int16_t>(ScalarType::Short, -30000), -30000);
  EXPECT_EQ(one<int32_t>(ScalarType::Int, INT32_MIN), INT32_MIN);
  EXPECT_EQ(one<int64_t>(ScalarType::Long, -(int64_t{1} << 53)), -9007199254740992.0);
  EXPECT_EQ(one<uint16_t>(ScalarType::UInt16, 65535), 65535);
  EXPECT_EQ(one<uint32_t>(ScalarType::UInt32, 4294967295u), 4294967295.0);
  EXPECT_EQ(one<uint64_t>(ScalarType::UInt64, uint64_t{1} << 63), 9223372036854775808.0);
  EXPECT_EQ(one<uint16_t>(ScalarType::Bits16, 0xfffe), 65534);
  EXPECT_EQ(one<uint8_t>(ScalarType::Bool, 2), 1);
  EXPECT_EQ(one<int8_t>(ScalarType::QInt8, -3), -3);
  EXPECT_EQ(one<uint8_t>(ScalarType::QUInt8, 253), 253);
  EXPECT_EQ(one<int32_t>(ScalarType::QInt32, -3), -3);
  EXPECT_EQ(one<float>(ScalarType::Float, 0.1f), 0.1f);
  EXPECT_EQ(one<double>(ScalarType::Double, 0.1), 0.1);
  EXPECT_EQ(one<uint16_t>(ScalarType::Half, 0x3c00), 1);
  EXPECT_EQ(one<uint16_t>(ScalarType::Half, 0xc100), -2.5);
  EXPECT_EQ(one<uint16_t>(ScalarType::Half, 0x0001), std::ldexp(1, -24));
  EXPECT_EQ(one<uint16_t>(ScalarType::Half, 0x7bff), 65504);
  EXPECT_EQ(one<uint16_t>(ScalarType::Half, 0xfc00), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(one<uint16_t>(ScalarType::Half, 0x7e00)));
  EXPECT_EQ(one<uint16_t>(ScalarType::BFloat16, 0x3fc0), 1.5);
  EXPECT_EQ(one<uint16_t>(ScalarType::BFloat16, 0xff80), -std::numeric_limits<double>::infinity());
  EXPECT_EQ((one<std::array<float, 2>>(ScalarType::ComplexFloat, {3, -4})), 5);
  EXPECT_EQ((one<std::array<double, 2>>(ScalarType::ComplexDouble, {5, 12})), 13);
  EXPECT_EQ((one<std::array<uint16_t, 2>>(ScalarType::ComplexHalf, {0x4200, 0x4400})), 5);
}

TEST(DebugBuffer, TheFloat8KindsDifferInBiasNanAndInfinity) {
  EXPECT_EQ(one<uint8_t>(ScalarType::Float8_e5m2, 0x3c), 1);
  EXPECT_EQ(one<uint8_t>(ScalarType::Float8_e5m2, 0x7b), 57344);
  EXPECT_TRUE(std::isinf(one<uint8_t>(ScalarType::Float8_e5m2, 0x7c)));
  EXPECT_TRUE(std::isnan(one<uint8_t>(ScalarType::Float8_e5m2, 0x7f)));
  EXPECT_EQ(one<uint8_t>(ScalarType::Float8_e4m3fn, 0x38), 1);
  EXPECT_EQ(one<uint8_t>(ScalarType::Float8_e4m3fn, 0x7e), 448);
  EXPECT_TRUE(std::isnan(one<uint8_t>(ScalarType::Float8_e4m3fn, 0xff)));
  EXPECT_EQ(one<uint8_t>(ScalarType::Float8_e4m3fn, 0x01), std::ldexp(1, -9));
  EXPECT_EQ(one<uint8_t>(ScalarType::Float8_e5m2fnuz, 0x40), 1);
  EXPECT_EQ(one<uint8_t>(ScalarType::Float8_e5m2fnuz, 0x7f), 57344);
  EXPECT_TRUE(std::isnan(one<uint8_t>(ScalarType::Float8_e5m2fnuz, 0x80)));
  EXPECT_EQ(one<uint8_t>(ScalarType::Float8_e4m3fnuz, 0x40), 1);
  EXPECT_EQ(one<uint8_t>(ScalarType::Float8_e4m3fnuz, 0x7f), 240);
  EXPECT_EQ(one<uint8_t>(ScalarType::Float8_e4m3fnuz, 0xc0), -1);
  EXPECT_TRUE(std::isnan(one<uint8_t>(ScalarType::Float8_e4m3fnuz, 0x80)));
}

TEST(DebugBuffer, ChannelsLastTensorsAreNotScrambled) {
  // [1, 2, 2, 2] in memory order N H W C; value = 100·c + 10·h + w.
  const auto bytes = bytes_of(std::vector<float>{0, 100, 1, 101, 10, 110, 11, 111});
  const Spec spec{ScalarType::Float, {1, 2, 2, 2}, {8, 1, 4, 2}, 0};
  TensorView view;
  ASSERT_EQ(DebugBuffer(bytes).open(spec.info(), &view), TensorFault::None);
  EXPECT_FALSE(view.contiguous());
  const std::vector<double> wanted{0, 1, 10, 11, 100, 101, 110, 111};
  std::vector<double> got(20);
  got.resize(view.read(0, got));
  EXPECT_EQ(got, wanted);
  for (uint64_t i = 0; i < 8; ++i) EXPECT_EQ(view.at(i), wanted[i]);
  std::vector<double> tail(3);
  EXPECT_EQ(view.read(6, tail), 2u);
  EXPECT_EQ(tail[0], 110);
  std::vector<uint8_t> dense(view.byte_count());
  ASSERT_TRUE(view.copy_dense(dense));
  EXPECT_EQ(dense, bytes_of(std::vector<float>{0, 1, 10, 11, 100, 101, 110, 111}));
  EXPECT_FALSE(view.copy_dense(std::span<uint8_t>(dense).first(31)));
  EXPECT_EQ(view.at(8), 0);
}

TEST(DebugBuffer, SummariesAreRight) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  const auto bytes = bytes_of(std::vector<float>{nan, -2, 4, 1, 7, 2});
  TensorSummary s = summarise(DebugBuffer(bytes), Spec{ScalarType::Float, {2, 3}, {3, 1}, 0}.info());
  EXPECT_EQ(s.fault, TensorFault::None);
  EXPECT_EQ(s.numel, 6u);
  EXPECT_EQ(s.nan_count, 1u);
  EXPECT_EQ(s.inf_count, 0u);
  EXPECT_EQ(s.min, -2);
  EXPECT_EQ(s.max, 7);
  EXPECT_EQ(s.sum, 12);
  EXPECT_EQ(s.sum_abs, 16);
  EXPECT_EQ(s.mean, 2.4);
  ASSERT_EQ(s.first_count, 4u);
  EXPECT_TRUE(std::isnan(s.first[0]));
  EXPECT_EQ(s.first[3], 1);
  s = summarise(DebugBuffer(bytes_of(std::vector<float>{1, inf})), Spec{ScalarType::Float, {2}, {1}, 0}.info());
  EXPECT_EQ(s.inf_count, 1u);
  EXPECT_EQ(s.max, inf);
  EXPECT_EQ(s.first_count, 2u);
  std::vector<float> many(5000, 0.5f);
  EXPECT_EQ(summarise(DebugBuffer(bytes_of(many)), Spec{ScalarType::Float, {50, 100}, {100, 1}, 0}.info()).sum, 2500);
}

TEST(DebugBuffer, ScalarsAndEmptyTensorsAreFine) {
  const auto bytes = bytes_of(std::vector<int64_t>{5, 6});
  TensorView view;
  EXPECT_EQ(DebugBuffer(bytes).open(Spec{ScalarType::Long, {}, {}, 8}.info(), &view), TensorFault::None);
  EXPECT_EQ(view.numel(), 1u);
  EXPECT_EQ(view.at(0), 6);
  EXPECT_EQ(DebugBuffer(bytes).open(Spec{ScalarType::Long, {3, 0}, {1, 1}, -1}.info(), &view), TensorFault::None);
  EXPECT_EQ(view.numel(), 0u);
  EXPECT_TRUE(view.copy_dense({}));
  EXPECT_EQ(DebugBuffer(bytes).open(Spec{ScalarType::Long, {INT64_MAX, 0}, {}, -1}.info(), &view), TensorFault::None);
  EXPECT_EQ(summarise(DebugBuffer({}), Spec{ScalarType::Long, {0}, {1}, -1}.info()).fault, TensorFault::None);
}

TEST(DebugBuffer, NothingIsReadOutsideTheBuffer) {
  const std::vector<uint8_t> bytes(64);
  const DebugBuffer buffer(bytes);
  TensorView view;
  auto open = [&](const Spec& spec) { return buffer.open(spec.info(), &view); };
  constexpr int64_t kBig = int64_t{1} << 62;
  EXPECT_EQ(open({ScalarType::Float, {16}, {1}, 0}), TensorFault::None);
  EXPECT_EQ(open({ScalarType::Float, {17}, {1}, 0}), TensorFault::OutOfBuffer);
  EXPECT_EQ(open({ScalarType::Float, {16}, {1}, 1}), TensorFault::OutOfBuffer);
  EXPECT_EQ(open({ScalarType::Float, {1}, {1}, INT64_MAX}), TensorFault::OutOfBuffer);
  EXPECT_EQ(open({ScalarType::Float, {1}, {1}, -2}), TensorFault::BadOffset);
  EXPECT_EQ(open({ScalarType::Float, {1}, {1}, -1}), TensorFault::NotStored);
  EXPECT_EQ(open({ScalarType::Float, {-1}, {1}, 0}), TensorFault::BadSizes);
  EXPECT_EQ(open({ScalarType::Float, {kBig, 4}, {4, 1}, 0}), TensorFault::BadSizes);
  EXPECT_EQ(open({ScalarType::ComplexDouble, {kBig}, {1}, 0}), TensorFault::BadSizes);
  EXPECT_EQ(open({ScalarType::Float, {2, 2}, {-2, 1}, 0}), TensorFault::BadStrides);
  EXPECT_EQ(open({ScalarType::Float, {2, 2}, {1}, 0}), TensorFault::BadStrides);
  EXPECT_EQ(open({ScalarType::Float, {2, 2}, {3, 1}, 0}), TensorFault::BadStrides);
  EXPECT_EQ(open({ScalarType::Float, {3, 2}, {INT64_MAX, 1}, 0}), TensorFault::BadStrides);
  EXPECT_EQ(open({ScalarType::Float, {1, 2}, {INT64_MAX, 1}, 0}), TensorFault::None) << "no step is ever taken there";
  EXPECT_EQ(open({static_cast<ScalarType>(99), {1}, {1}, 0}), TensorFault::UnknownType);
  EXPECT_EQ(open({static_cast<ScalarType>(-7), {1}, {1}, 0}), TensorFault::UnknownType);
  EXPECT_EQ(open({ScalarType::Float, std::vector<int64_t>(65, 1), {}, 0}), TensorFault::BadSizes);
  EXPECT_EQ(open({ScalarType::Float, {4}, {0}, 0}), TensorFault::None) << "one value seen four times";
  EXPECT_EQ(summarise(buffer, Spec{ScalarType::Float, {17}, {1}, 0}.info()).fault, TensorFault::OutOfBuffer);
  EXPECT_STREQ(tensor_fault_text(TensorFault::OutOfBuffer), "runs past the end of the debug buffer");
}

}  // namespace
}  // namespace et::etdump
