// Payloads that make no sense: refused when they are loaded, with the number of the node or value.
#include <gtest/gtest.h>

#include <functional>

#include "tests/runtime/backends/xnnpack/delegate_run.h"
#include "tests/runtime/backends/xnnpack/payload_builder.h"

namespace et::xnn::testing {
namespace {

using et::testing::ErrorLog;
using U = fb::XNodeUnion;

struct Hostile {
  const char* name;
  Error error;
  const char* message;  // part of it
  std::function<void(PayloadBuilder&)> make;
};

const Hostile kCases[] = {
    {"AttentionIsNotImplemented", Error::NotImplemented, "node 0 (ScaledDotProductAttention)",
     [](PayloadBuilder& p) {
       const uint32_t x = p.input({1, 2, 4, 4}), y = p.output({1, 2, 4, 4});
       p.node(U::XNNScaledDotProductAttention,
              fb::CreateScaledDotProductAttention(p.builder(), x, x, x, x, x, y, 0).Union());
     }},
    {"ANodeThatReadsWhatComesLater", Error::InvalidProgram, "node 0 (Abs): input: value 1 is read before it is written",
     [](PayloadBuilder& p) {
       const uint32_t x = p.input({4}), later = p.internal({4}), out = p.output({4});
       p.unary(U::XNNAbs, later, out);
       p.unary(U::XNNAbs, x, later);
     }},
    {"ANodeThatReadsItself", Error::InvalidProgram, "node 0 (Add): input 2: value 1 is read before",
     [](PayloadBuilder& p) {
       const uint32_t x = p.input({4}), out = p.output({4});
       p.binary(U::XNNAdd, x, out, out);
     }},
    {"AValueWrittenTwice", Error::InvalidProgram, "node 1 (Abs): output: value 1 is written twice",
     [](PayloadBuilder& p) {
       const uint32_t x = p.input({4}), out = p.output({4});
       p.unary(U::XNNAbs, x, out);
       p.unary(U::XNNAbs, x, out);
     }},
    {"AnInputThatIsWritten", Error::InvalidProgram, "is an input of the delegate",
     [](PayloadBuilder& p) {
       const uint32_t x = p.input({4}), y = p.input({4});
       p.unary(U::XNNAbs, x, y);
     }},
    {"AConstantThatIsWritten", Error::InvalidProgram, "is a constant",
     [](PayloadBuilder& p) {
       const uint32_t x = p.input({1}), c = p.constant<float>({1}, {1});
       p.unary(U::XNNAbs, x, c);
     }},
    {"AnOutputThatNobodyWrites", Error::InvalidProgram, "value 1: an output of the delegate that no node writes",
     [](PayloadBuilder& p) {
       const uint32_t x = p.input({4});
       p.output({4});
       p.unary(U::XNNAbs, x, p.internal({4}));
     }},
    {"AConstantThatIsTooShort", Error::InvalidProgram,
     "node 0 (Add): input 2 (value 1): expected 16 bytes of data, got 4",
     [](PayloadBuilder& p) {
       const uint32_t x = p.input({4}), c = p.constant<float>({4}, {1}), out = p.output({4});
       p.binary(U::XNNAdd, x, c, out);
     }},
    {"WeightsThatAreTooShort", Error::InvalidProgram,
     "node 0 (FullyConnected): filter (value 1): expected 48 bytes of data, got 8",
     [](PayloadBuilder& p) {
       const uint32_t x = p.input({1, 4}), w = p.constant<float>({3, 4}, {1, 2}), out = p.output({1, 3});
       p.fully_connected(x, w, kNone, out);
     }},
    {"ABiasOfTheWrongSize", Error::InvalidProgram, "bias: expected 3 values, got shape [2]",
     [](PayloadBuilder& p) {
       const uint32_t x = p.input({1, 2}), w = p.constant<float>({3, 2}, std::vector<float>(6)),
                      b = p.constant<float>({2}, {1, 2}), out = p.output({1, 3});
       p.fully_connected(x, w, b, out);
     }},
    {"WeightsOfATypeThatDoesNotFit", Error::NotSupported, "no GEMM of fp32 with a filter of qint32",
     [](PayloadBuilder& p) {
       const uint32_t x = p.input({1, 2}), w = p.constant<int32_t>({3, 2}, std::vector<int32_t>(6), kQInt32),
                      out = p.output({1, 3});
       p.fully_connected(x, w, kNone, out);
     }},
    {"ANumberOfAnInt8TypeWithoutScale", Error::InvalidProgram, "value 0: qint8 without scale",
     [](PayloadBuilder& p) {
       const uint32_t in = p.input({4}, kQInt8);
       p.unary(U::XNNAbs, in, p.output({4}));
     }},
    {"AScaleOfZero", Error::InvalidProgram, "value 0: scale 0",
     [](PayloadBuilder& p) {
       const uint32_t x = p.quantised({4}, 0.0f, 0, 1);
       p.unary(U::XNNAbs, x, p.quantised({4}, 1.0f, 0, 2));
     }},
    {"AZeroPointOutOfRange", Error::InvalidProgram, "value 0: zero point 300",
     [](PayloadBuilder& p) {
       const uint32_t x = p.quantised({4}, 1.0f, 300, 1);
       p.unary(U::XNNAbs, x, p.quantised({4}, 1.0f, 0, 2));
     }},
    {"TooManyDimensions", Error::NotSupported, "value 0: expected at most 6 dimensions, got 7",
     [](PayloadBuilder& p) {
       const uint32_t in = p.input({1, 1, 1, 1, 1, 1, 1});
       p.unary(U::XNNAbs, in, p.output({1}));
     }},
    {"SizesThatOverflow", Error::InvalidProgram, "value 0: shape [",
     [](PayloadBuilder& p) {
       const uint32_t in = p.input({0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF});
       p.unary(U::XNNAbs, in, p.output({1}));
     }},
    {"ADatatypeThatIsUnknown", Error::NotSupported, "value 0: datatype 99",
     [](PayloadBuilder& p) {
       const uint32_t in = p.input({4}, 99);
       p.unary(U::XNNAbs, in, p.output({4}));
     }},
    {"APermutationThatRepeats", Error::InvalidProgram, "node 0 (StaticTranspose): perm",
     [](PayloadBuilder& p) {
       const std::vector<uint32_t> perm = {0, 0};
       const uint32_t in = p.input({2, 3});
       p.node(U::XNNStaticTranspose,
              fb::CreateStaticTransposeDirect(p.builder(), 2, &perm, in, p.output({3, 2}), 0).Union());
     }},
    {"APermutationThatLeavesTheDimensions", Error::InvalidProgram, "node 0 (StaticTranspose): perm",
     [](PayloadBuilder& p) {
       const std::vector<uint32_t> perm = {1, 5};
       const uint32_t in = p.input({2, 3});
       p.node(U::XNNStaticTranspose,
              fb::CreateStaticTransposeDirect(p.builder(), 2, &perm, in, p.output({3, 2}), 0).Union());
     }},
    {"AConvolutionWithoutGroups", Error::InvalidProgram, "node 0 (Conv2d): groups: expected 1 to 16777216, got 0",
     [](PayloadBuilder& p) {
       const uint32_t x = p.input({1, 4, 4, 2}), w = p.constant<float>({3, 1, 1, 2}, std::vector<float>(6)),
                      out = p.output({1, 4, 4, 3});
       p.node(
           U::XNNConv2d,
           fb::CreateNodeConv(p.builder(), 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 3, 0, 0, 0, x, w, kNone, out, 0).Union());
     }},
    {"AStrideOfZero", Error::InvalidProgram, "subsampling_height: expected 1 to 1048576, got 0",
     [](PayloadBuilder& p) {
       const uint32_t x = p.input({1, 4, 4, 2}), w = p.constant<float>({3, 1, 1, 2}, std::vector<float>(6)),
                      out = p.output({1, 4, 4, 3});
       p.node(
           U::XNNConv2d,
           fb::CreateNodeConv(p.builder(), 0, 0, 0, 0, 1, 1, 0, 1, 1, 1, 2, 3, 1, 0, 0, x, w, kNone, out, 0).Union());
     }},
    {"AFilterOfAnotherShape", Error::InvalidProgram, "filter: expected shape [3x1x1x2], got [3x2]",
     [](PayloadBuilder& p) {
       const uint32_t x = p.input({1, 4, 4, 2}), w = p.constant<float>({3, 2}, std::vector<float>(6)),
                      out = p.output({1, 4, 4, 3});
       p.node(
           U::XNNConv2d,
           fb::CreateNodeConv(p.builder(), 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 3, 1, 0, 0, x, w, kNone, out, 0).Union());
     }},
    {"AWindowOfNothing", Error::InvalidProgram, "pooling_height: expected 1 to",
     [](PayloadBuilder& p) {
       const uint32_t in = p.input({1, 4, 4, 1});
       p.node(U::XNNMaxPooling2d,
              fb::CreateNodePool(p.builder(), 0, 0, 0, 0, 0, 2, 1, 1, 1, 1, in, p.output({1, 3, 3, 1}), 0).Union());
     }},
    {"AnAxisOutside", Error::InvalidProgram, "node 0 (Concatenate2): axis 9",
     [](PayloadBuilder& p) {
       const uint32_t x = p.input({2}), y = p.input({2});
       p.node(U::XNNConcatenate2, fb::CreateNodeCat(p.builder(), 9, x, y, 0, 0, p.output({4}), 0).Union());
     }},
    {"TwoSizesToInfer", Error::InvalidProgram, "node 0 (StaticReshape): new_shape",
     [](PayloadBuilder& p) {
       const std::vector<uint32_t> sizes = {0, 0};
       const uint32_t in = p.input({4});
       p.node(U::XNNStaticReshape,
              fb::CreateStaticReshapeDirect(p.builder(), 2, &sizes, in, p.output({2, 2}), 0).Union());
     }},
};

class HostilePayload : public ::testing::TestWithParam<Hostile> {};

TEST_P(HostilePayload, IsRefusedWithItsPlace) {
  PayloadBuilder p;
  GetParam().make(p);
  const ErrorLog log;
  Delegate d;
  EXPECT_EQ(d.init(p.finish()), GetParam().error) << ErrorLog::text();
  EXPECT_NE(ErrorLog::text().find(GetParam().message), std::string::npos) << ErrorLog::text();
}
INSTANTIATE_TEST_SUITE_P(Xnnpack, HostilePayload, ::testing::ValuesIn(kCases),
                         [](const ::testing::TestParamInfo<Hostile>& row) { return row.param.name; });

TEST(HostilePayload, WhatOnlyTheArgumentsTell) {
  struct Case {
    std::function<void(PayloadBuilder&)> make;
    std::vector<int32_t> in, out;
  };
  const std::vector<uint32_t> big = {0xFFFFFFF0u, 0}, none = {0, 0}, offsets = {3, 0}, sizes = {2, 0}, shape = {5, 0};
  const Case cases[] = {
      // 4 billion columns of padding.
      {[&](PayloadBuilder& p) {
         const uint32_t in = p.input({2, 3});
         p.node(U::XNNStaticConstantPad,
                fb::CreateStaticConstantPadDirect(p.builder(), &big, &none, 0, in, p.output({2, 3}), 0).Union());
       },
       {2, 3},
       {2, 3}},
      // Rows 3 and 4 of 4.
      {[&](PayloadBuilder& p) {
         const uint32_t in = p.input({4, 3});
         p.node(U::XNNStaticSlice,
                fb::CreateStaticSliceDirect(p.builder(), 2, &offsets, &sizes, in, p.output({2, 3}), 0).Union());
       },
       {4, 3},
       {2, 3}},
      // 12 elements as 5 rows.
      {[&](PayloadBuilder& p) {
         const uint32_t in = p.input({4, 3});
         p.node(U::XNNStaticReshape,
                fb::CreateStaticReshapeDirect(p.builder(), 2, &shape, in, p.output({5, 3}), 0).Union());
       },
       {4, 3},
       {5, 3}},
      // An image that becomes 16 million pixels wide and high.
      {[&](PayloadBuilder& p) {
         const uint32_t in = p.input({1, 1, 1, 1});
         p.node(
             U::XNNStaticResizeBilinear2D,
             fb::CreateStaticResizeBilinear2D(p.builder(), 0xFFFFFF, 0xFFFFFF, in, p.output({1, 1, 1, 1}), 0).Union());
       },
       {1, 1, 1, 1},
       {1, 1, 1, 1}},
  };
  for (const Case& c : cases) {
    PayloadBuilder p;
    c.make(p);
    Delegate d;
    ASSERT_EQ(d.init(p.finish()), Error::Ok);
    auto in = TestTensor::floats(c.in, std::vector<float>(64));
    auto out = TestTensor::floats(c.out, std::vector<float>(64));
    const ErrorLog log;
    EXPECT_NE(d.run({in.get(), out.get()}), Error::Ok);
    EXPECT_NE(ErrorLog::text(), "");
  }
}

/// Cuts and flips of a payload that runs with an input of `in` and an output of `out`.
void survive_damage(const std::vector<uint8_t>& good, const std::vector<int32_t>& in, const std::vector<int32_t>& out) {
  const ErrorLog log;
  const BackendOption limit("workspace_limit_mb", 64);
  const auto attempt = [&](const std::vector<uint8_t>& bytes) {
    Delegate d;
    const Error error = d.init(bytes, nullptr, {&limit, 1});
    if (error != Error::Ok) return error;
    auto x = TestTensor::floats(in, std::vector<float>(64, 1.5f));
    auto result = TestTensor::floats(out, std::vector<float>(64));
    return d.run({x.get(), result.get()});
  };
  ASSERT_EQ(attempt(good), Error::Ok) << ErrorLog::text();
  for (size_t n = 0; n < good.size(); n += 3) {
    static_cast<void>(attempt({good.begin(), good.begin() + static_cast<ptrdiff_t>(n)}));
  }
  for (size_t i = 0; i < good.size(); ++i) {
    for (const int flip : {0x01, 0x80, 0xFF}) {
      std::vector<uint8_t> bytes = good;
      bytes[i] = static_cast<uint8_t>(bytes[i] ^ flip);
      static_cast<void>(attempt(bytes));
    }
  }
}

TEST(HostilePayload, EveryCutAndEveryFlippedByteIsSurvived) {
  PayloadBuilder p;
  const uint32_t x = p.input({2, 4}), h = p.dynamic({2, 4}, 1), mid = p.internal({2, 3}), out = p.output({2, 3});
  p.unary(U::XNNConvert, x, h);
  const uint32_t w = p.per_channel<int8_t>({3, 4}, std::vector<int8_t>(12, 3), {0.1f, 0.2f, 0.3f});
  p.fully_connected(h, w, p.constant<float>({3}, {1, 2, 3}), mid);
  p.unary(U::XNNSoftmax, mid, out);
  survive_damage(p.finish(), {2, 4}, {2, 3});
}

TEST(HostilePayload, DamageInWhatRunsAsOneIsSurvived) {
  PayloadBuilder p;
  const auto transpose = [&](uint32_t from, uint32_t to, std::vector<uint32_t> perm) {
    p.node(U::XNNStaticTranspose, fb::CreateStaticTransposeDirect(p.builder(), 4, &perm, from, to, 0).Union());
  };
  const auto pad = [&](uint32_t from, uint32_t to, float fill) {
    const std::vector<uint32_t> edge = {0, 1, 1, 0};
    p.node(U::XNNStaticConstantPad,
           fb::CreateStaticConstantPadDirect(p.builder(), &edge, &edge, fill, from, to, 0).Union());
  };
  const uint32_t x = p.input({1, 2, 3, 3}), turned = p.internal({1, 3, 2, 3}), image = p.internal({1, 3, 3, 2});
  transpose(x, turned, {0, 2, 1, 3});
  transpose(turned, image, {0, 1, 3, 2});
  const uint32_t wide = p.internal({1, 5, 5, 2}), sum = p.internal({1, 3, 3, 2});
  pad(image, wide, 0);
  const uint32_t w = p.constant<float>({2, 3, 3, 2}, std::vector<float>(36, 0.1f));
  p.node(U::XNNConv2d,
         fb::CreateNodeConv(p.builder(), 0, 0, 0, 0, 3, 3, 1, 1, 1, 1, 2, 2, 1, 0, 0, wide, w, kNone, sum, 0).Union());
  const uint32_t gate = p.internal({1, 3, 3, 2}), product = p.internal({1, 3, 3, 2}),
                 bounded = p.internal({1, 3, 3, 2});
  p.unary(U::XNNSigmoid, sum, gate);
  p.binary(U::XNNMultiply, gate, p.constant<float>({2}, {2, 3}), product);
  p.unary(U::XNNClamp, product, bounded, {0, 1});
  const uint32_t framed = p.internal({1, 5, 5, 2}), most = p.internal({1, 2, 2, 2}), out = p.output({1, 2, 2, 2});
  pad(bounded, framed, -std::numeric_limits<float>::infinity());
  p.node(U::XNNMaxPooling2d, fb::CreateNodePool(p.builder(), 0, 0, 0, 0, 2, 2, 2, 2, 1, 1, framed, most, 0).Union());
  p.unary(U::XNNAbs, most, out);
  survive_damage(p.finish(), {1, 2, 3, 3}, {1, 2, 2, 2});
}

// An int8 value that nothing writes, and int32 biases of an int8 and a float node.
TEST(HostilePayload, DamageInWhatUpstreamsExporterGetsWrongIsSurvived) {
  constexpr int16_t kQCInt32 = 7;
  PayloadBuilder p;
  const uint32_t q = p.quantised({2, 4}, 0.1f, 1, 0), y = p.quantised({2, 3}, 0.2f, 0, 0), mid = p.internal({2, 3});
  const uint32_t bias = p.per_channel<int32_t>({3}, {10, 20, 30}, {0.01f, 0.02f, 0.03f}, kQCInt32);
  p.fully_connected(q, p.per_channel<int8_t>({3, 4}, std::vector<int8_t>(12, 3), {0.1f, 0.2f, 0.3f}), bias, y);
  p.unary(U::XNNConvert, y, mid);
  p.fully_connected(mid, p.constant<float>({3, 3}, std::vector<float>(9, 0.5f)), bias, p.add(kFp32, {2, 3}, 0, 1, 2));
  survive_damage(p.finish("XN01", 2), {2, 4}, {2, 3});
}

}  // namespace
}  // namespace et::xnn::testing
