// Payloads that upstream's exporter gets wrong: conversions that it loses, a bias that nodes of different types share.
#include <gtest/gtest.h>

#include "runtime/format/xnnpack_faults.h"
#include "tests/runtime/backends/xnnpack/delegate_run.h"
#include "tests/runtime/backends/xnnpack/payload_builder.h"

namespace et::xnn::testing {
namespace {

using et::testing::ErrorLog;
using U = fb::XNodeUnion;
constexpr int16_t kQCInt32 = 7;
constexpr uint32_t kOutput = 2;

const std::vector<float> kX = {0.3f, -1.2f, 2, 0.7f, -0.1f, 0.9f};

/// Quantised values from `x` on: a layer from 3 to 2.
void int8_layer(PayloadBuilder& p, uint32_t x, uint32_t out) {
  const uint32_t w = p.per_channel<int8_t>({2, 3}, {30, -40, 50, 7, 90, -100}, {0.01f, 0.02f});
  const uint32_t y = p.quantised({2, 2}, 0.05f, 1, 0);
  p.fully_connected(x, w, kNone, y);
  p.unary(U::XNNConvert, y, out);
}

/// As it should be.
std::vector<float> sound_result() {
  PayloadBuilder p;
  const uint32_t x = p.input({2, 3}), q = p.quantised({2, 3}, 0.02f, -3, 0);
  p.unary(U::XNNConvert, x, q);
  int8_layer(p, q, p.output({2, 2}));
  Delegate d;
  EXPECT_EQ(d.init(p.finish()), Error::Ok);
  auto in = TestTensor::floats({2, 3}, kX), out = TestTensor::floats({2, 2}, std::vector<float>(4));
  EXPECT_EQ(d.run({in.get(), out.get()}), Error::Ok);
  return out->data<float>();
}

TEST(XnnpackExportFaults, ALostConversionIsTakenFromTheArgumentWithoutAValue) {
  PayloadBuilder p;
  const uint32_t q = p.quantised({2, 3}, 0.02f, -3, 0);
  int8_layer(p, q, p.add(kFp32, {2, 2}, 0, 1, kOutput));
  Delegate d;
  ErrorLog log;
  ASSERT_EQ(d.init(p.finish("XN01", 2)), Error::Ok) << log.text();
  EXPECT_NE(log.text().find("XNNPACK value 0: int8, and nothing writes it: argument 0 is quantised"), std::string::npos)
      << log.text();
  auto in = TestTensor::floats({2, 3}, kX), out = TestTensor::floats({2, 2}, std::vector<float>(4));
  ASSERT_EQ(d.run({in.get(), out.get()}), Error::Ok);
  const std::vector<float> sound = sound_result();
  EXPECT_EQ(out->data<float>(), sound);
  // Other sizes than those of the payload, and what is no float.
  auto row = TestTensor::floats({1, 3}, {kX[3], kX[4], kX[5]});
  ASSERT_EQ(d.run({row.get(), out.get()}), Error::Ok);
  EXPECT_EQ(out->data<float>(), std::vector<float>(sound.begin() + 2, sound.end()));
  TestTensor integers(ScalarType::Char, {2, 3}, std::vector<int8_t>(6));
  EXPECT_EQ(d.run({&integers, out.get()}), Error::InvalidArgument);
  EXPECT_NE(log.text().find("argument 0"), std::string::npos) << log.text();
}

TEST(XnnpackExportFaults, ALostConversionIsTakenFromTheInputThatOthersRead) {
  PayloadBuilder p;
  const uint32_t x = p.input({2, 3}), other = p.input({2, 2}), q = p.quantised({2, 3}, 0.02f, -3, 0);
  p.unary(U::XNNAbs, x, p.output({2, 3}));
  p.unary(U::XNNAbs, other, p.output({2, 2}));
  int8_layer(p, q, p.output({2, 2}));
  Delegate d;
  ASSERT_EQ(d.init(p.finish()), Error::Ok);
  auto in = TestTensor::floats({2, 3}, kX), second = TestTensor::floats({2, 2}, std::vector<float>(4)),
       abs = TestTensor::floats({2, 3}, kX), abs2 = TestTensor::floats({2, 2}, std::vector<float>(4)),
       out = TestTensor::floats({2, 2}, std::vector<float>(4));
  ASSERT_EQ(d.run({in.get(), second.get(), abs.get(), abs2.get(), out.get()}), Error::Ok);
  EXPECT_EQ(out->data<float>(), sound_result());
}

TEST(XnnpackExportFaults, AValueThatMayBeSeveralArgumentsIsAnError) {
  PayloadBuilder unassigned;
  int8_layer(unassigned, unassigned.quantised({2, 3}, 0.02f, -3, 0), unassigned.add(kFp32, {2, 2}, 0, 2, kOutput));
  PayloadBuilder alike;
  const uint32_t a = alike.input({2, 3}), b = alike.input({2, 3});
  alike.binary(U::XNNAdd, a, b, alike.output({2, 3}));
  int8_layer(alike, alike.quantised({2, 3}, 0.02f, -3, 0), alike.output({2, 2}));
  for (const std::vector<uint8_t>& payload : {unassigned.finish("XN01", 3), alike.finish()}) {
    Delegate d;
    ErrorLog log;
    EXPECT_EQ(d.init(payload), Error::InvalidProgram);
    EXPECT_NE(log.text().find("is read before it is written"), std::string::npos) << log.text();
  }
}

TEST(XnnpackExportFaults, FloatNodesTakeABiasInInt32) {
  for (const bool depthwise : {false, true}) {
    SCOPED_TRACE(depthwise);
    std::vector<float> results[2];
    for (const bool whole : {false, true}) {
      PayloadBuilder p;
      const uint32_t x = p.input({1, 1, 1, 2}), out = p.output({1, 1, 1, 2});
      const uint32_t bias = whole ? p.per_channel<int32_t>({2}, {-3, 1000}, {0.5f, 0.25f}, kQCInt32)
                                  : p.constant<float>({2}, {-1.5f, 250});
      if (depthwise) {
        const uint32_t w = p.constant<float>({1, 1, 1, 2}, {2, 3});
        p.node(
            U::XNNDepthwiseConv2d,
            fb::CreateNodeConv(p.builder(), 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 0, 0, x, w, bias, out, 0).Union());
      } else {
        p.fully_connected(x, p.constant<float>({2, 2}, {2, 3, 4, 5}), bias, out);
      }
      Delegate d;
      ErrorLog log;
      ASSERT_EQ(d.init(p.finish()), Error::Ok) << log.text();
      EXPECT_EQ(log.text().find("a bias in int32") != std::string::npos, whole) << log.text();
      auto in = TestTensor::floats({1, 1, 1, 2}, {1, 10}), to = TestTensor::floats({1, 1, 1, 2}, {0, 0});
      ASSERT_EQ(d.run({in.get(), to.get()}), Error::Ok);
      results[whole] = to->data<float>();
    }
    EXPECT_EQ(results[0], results[1]);
    EXPECT_EQ(results[0], depthwise ? (std::vector<float>{0.5f, 280}) : (std::vector<float>{30.5f, 304}));
  }
}

TEST(XnnpackExportFaults, AreSeenInThePayload) {
  PayloadBuilder p;
  const uint32_t x = p.input({2, 3}), lost = p.quantised({2, 3}, 0.02f, -3, 0), y = p.quantised({2, 1}, 0.05f, 1, 0);
  const uint32_t bias = p.per_channel<int32_t>({1}, {700}, {0.0002f}, kQCInt32);
  p.fully_connected(lost, p.per_channel<int8_t>({1, 3}, {1, 2, 3}, {0.01f}), bias, y);
  p.fully_connected(x, p.constant<float>({1, 3}, {1, 2, 3}), bias, p.output({2, 1}));
  p.fully_connected(x, p.constant<float>({1, 3}, {1, 2, 3}), kNone, p.output({2, 1}));
  p.unary(U::XNNConvert, y, p.output({2, 1}));
  const std::vector<uint8_t> bytes = p.finish();
  const et::testing::AlignedBytes aligned(bytes);
  format::XnnpackPayload payload;
  ASSERT_TRUE(format::XnnpackPayload::open({aligned.data(), bytes.size()}, &payload).ok());
  EXPECT_EQ(format::unwritten_values(payload), std::vector<uint32_t>{lost});
  EXPECT_EQ(format::float_nodes_with_int32_bias(payload), std::vector<uint32_t>{1});
}

TEST(XnnpackExportFaults, ABiasWithTheScaleOfAnotherNodeIsTold) {
  for (const float scale : {0.0002f, 0.0009f}) {
    PayloadBuilder p;
    const uint32_t x = p.quantised({2, 3}, 0.02f, 0, 1), out = p.quantised({2, 1}, 0.05f, 0, kOutput);
    p.fully_connected(x, p.per_channel<int8_t>({1, 3}, {1, 2, 3}, {0.01f}),
                      p.per_channel<int32_t>({1}, {700}, {scale}, kQCInt32), out);
    Delegate d;
    ErrorLog log;
    ASSERT_EQ(d.init(p.finish()), Error::Ok);
    const bool told = log.text().find(
                          "node 0 (FullyConnected): the bias was quantised for another node: its scale is "
                          "0.0009, of input and filter 0.0002") != std::string::npos;
    EXPECT_EQ(told, scale == 0.0009f) << log.text();
  }
}

}  // namespace
}  // namespace et::xnn::testing
