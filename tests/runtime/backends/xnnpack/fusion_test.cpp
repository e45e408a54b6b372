// What runs as one operator: the same bits as node by node, one event for all of its nodes.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "runtime/core/half.h"
#include "tests/runtime/backends/xnnpack/delegate_run.h"
#include "tests/runtime/backends/xnnpack/payload_builder.h"
#include "tests/runtime/backends/xnnpack/recorder.h"

namespace et::xnn::testing {
namespace {

using U = fb::XNodeUnion;
using Tensors = std::vector<std::unique_ptr<TestTensor>>;
constexpr float kInf = std::numeric_limits<float>::infinity();

std::vector<float> numbers(size_t n, uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> value(-3, 3);
  std::vector<float> v(n);
  for (float& x : v) x = value(random);
  return v;
}

struct Both {
  std::vector<std::string> fused, alone;  // names of the events
  std::vector<std::vector<format::DelegateNode>> nodes;
};

/// Runs with and without fusion; `outputs` of the arguments, the last ones, must have the same bits.
template <class T>
Both run_both(const std::vector<uint8_t>& payload, Tensors& arguments, size_t outputs) {
  const et::testing::ErrorLog log;
  Both result;
  Delegate d;
  EXPECT_EQ(d.init(payload), Error::Ok) << et::testing::ErrorLog::text();
  std::vector<TestTensor*> all;
  for (const auto& t : arguments) all.push_back(t.get());
  Recorder fused, alone;
  alone.set_event_tracer_debug_level(EventTracerDebugLogLevel::kIntermediateOutputs);
  std::vector<std::vector<T>> first;
  EXPECT_EQ(d.run(all, &fused), Error::Ok) << et::testing::ErrorLog::text();
  for (size_t i = all.size() - outputs; i < all.size(); ++i) first.push_back(all[i]->data<T>());
  EXPECT_EQ(d.run(all, &alone), Error::Ok) << et::testing::ErrorLog::text();
  for (size_t i = 0; i < outputs; ++i) {
    const std::vector<T> second = all[all.size() - outputs + i]->data<T>();
    EXPECT_EQ(first[i].size(), second.size());
    EXPECT_EQ(std::memcmp(first[i].data(), second.data(), second.size() * sizeof(T)), 0) << "output " << i;
  }
  result.fused = fused.names();
  result.alone = alone.names();
  for (const Recorder::Event& e : fused.events) {
    if (e.phase == format::DelegatePhase::Run) result.nodes.push_back(e.nodes);
  }
  return result;
}

/// A graph of random elementwise nodes over [7, 3000]; other shapes broadcast to it. Some values are outputs.
template <class T>
void run_random_graph(uint32_t seed, int16_t type, ScalarType scalar, size_t* events, size_t* nodes) {
  std::mt19937 random(seed);
  const auto pick = [&](size_t n) { return static_cast<size_t>(random() % n); };
  const std::vector<std::vector<uint32_t>> shapes = {{7, 3000}, {3000}, {7, 1}, {1}, {7, 3000}};
  constexpr U kUnary[] = {U::XNNAbs, U::XNNSigmoid, U::XNNSin,  U::XNNClamp,     U::XNNTanh,
                          U::XNNExp, U::XNNSquare,  U::XNNGelu, U::XNNHardswish, U::XNNFloor};
  constexpr U kBinary[] = {U::XNNAdd, U::XNNSubtract, U::XNNMultiply, U::XNNMinimum, U::XNNMaximum};
  PayloadBuilder p;
  Tensors arguments;
  std::vector<uint32_t> small, large;
  for (size_t i = 0; i < shapes.size(); ++i) {
    const uint32_t v = p.input(shapes[i], type);
    (shapes[i] == shapes[0] ? large : small).push_back(v);
    int64_t n = 1;
    for (const uint32_t d : shapes[i]) n *= d;
    std::vector<T> data;
    for (const float x : numbers(static_cast<size_t>(n), seed * 7 + static_cast<uint32_t>(i))) data.push_back(T(x));
    arguments.push_back(
        std::make_unique<TestTensor>(scalar, std::vector<int32_t>(shapes[i].begin(), shapes[i].end()), data));
  }
  const size_t count = 4 + pick(12);
  size_t outputs = 0;
  for (size_t i = 0; i < count; ++i) {
    const bool out = i + 1 == count || pick(6) == 0;
    // Mostly what was made last, so that values have few readers.
    const auto any = [&] { return pick(3) == 0 ? large[pick(large.size())] : large.back(); };
    const uint32_t a = any(), b = pick(2) == 0 ? small[pick(small.size())] : any();
    const uint32_t v = out ? p.output(shapes[0], type) : p.internal(shapes[0], type);
    const Bounds bounds = pick(3) == 0 ? Bounds{-1.5f, 2} : Bounds{};
    if (pick(2) == 0) {
      const U node = kUnary[pick(std::size(kUnary))];
      p.unary(node, a, v, node == U::XNNClamp ? bounds : Bounds{});
    } else {
      const bool swap = pick(2) == 0;
      p.binary(kBinary[pick(3)], swap ? b : a, swap ? a : b, v, bounds);
    }
    large.push_back(v);
    if (!out) continue;
    ++outputs;
    arguments.push_back(
        std::make_unique<TestTensor>(scalar, std::vector<int32_t>{7, 3000}, std::vector<T>(size_t{7} * 3000)));
  }
  const Both both = run_both<T>(p.finish(), arguments, outputs);
  *events += both.fused.size();
  *nodes += both.alone.size();
}

TEST(XnnpackFusion, RandomElementwiseGraphsHaveTheSameBits) {
  size_t events = 0, nodes = 0;
  for (uint32_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    run_random_graph<float>(seed, kFp32, ScalarType::Float, &events, &nodes);
    if (seed % 4 == 0) run_random_graph<Half>(seed, kFp16, ScalarType::Half, &events, &nodes);
    if (seed % 4 == 1) run_random_graph<BFloat16>(seed, kBf16, ScalarType::BFloat16, &events, &nodes);
  }
  EXPECT_LT(2 * events, nodes) << "hardly anything was fused";
}

TEST(XnnpackFusion, AChainIsOneEventOfAllItsNodes) {
  PayloadBuilder p;
  const uint32_t x = p.input({2, 3}), scale = p.input({3});
  const uint32_t product = p.internal({2, 3}), bounded = p.internal({2, 3}), gate = p.internal({2, 3});
  const uint32_t out = p.output({2, 3});
  p.binary(U::XNNMultiply, x, scale, product);
  p.unary(U::XNNClamp, product, bounded, {-1, 1}, 5);
  p.unary(U::XNNSigmoid, bounded, gate, {}, 6);
  p.binary(U::XNNMultiply, bounded, gate, out);
  Tensors arguments;
  arguments.push_back(TestTensor::floats({2, 3}, numbers(6, 1)));
  arguments.push_back(TestTensor::floats({3}, numbers(3, 2)));
  arguments.push_back(TestTensor::floats({2, 3}, std::vector<float>(6)));
  const Both both = run_both<float>(p.finish(), arguments, 1);
  EXPECT_EQ(both.fused,
            (std::vector<std::string>{"Multiply + Clamp + Sigmoid + Multiply (F32, 2x3, 3->2x3) node 0+1+2+3"}));
  EXPECT_EQ(both.alone.size(), 4u);
  ASSERT_EQ(both.nodes[0].size(), 4u);
  EXPECT_EQ(both.nodes[0][1], (format::DelegateNode{1, 5}));
  EXPECT_EQ(both.nodes[0][2], (format::DelegateNode{2, 6}));
}

TEST(XnnpackFusion, ValuesThatOthersReadStay) {
  PayloadBuilder p;
  const uint32_t x = p.input({2, 2}), a = p.internal({2, 2}), b = p.output({2, 2}), c = p.output({2, 2});
  p.unary(U::XNNExp, x, a);
  p.unary(U::XNNSoftmax, a, b);
  p.unary(U::XNNAbs, a, c);
  Tensors arguments;
  for (int i = 0; i < 3; ++i) arguments.push_back(TestTensor::floats({2, 2}, numbers(4, 3)));
  EXPECT_EQ(run_both<float>(p.finish(), arguments, 2).fused.size(), 3u);
}

TEST(XnnpackFusion, AChainFallsApartWhereASizeOfOneIsRepeated) {
  PayloadBuilder p;
  const uint32_t x = p.input({5}), y = p.input({5}), a = p.internal({5}), out = p.output({5});
  p.unary(U::XNNAbs, x, a);
  p.binary(U::XNNAdd, a, y, out);
  Delegate d;
  ASSERT_EQ(d.init(p.finish()), Error::Ok);
  auto y5 = TestTensor::floats({5}, {1, 2, 3, 4, 5});
  auto sum = TestTensor::floats({5}, std::vector<float>(5));
  auto one = TestTensor::floats({1}, {-10});
  auto five = TestTensor::floats({5}, {-1, -2, -3, -4, -5});
  for (int i = 0; i < 2; ++i) {
    Recorder tracer;
    ASSERT_EQ(d.run({one.get(), y5.get(), sum.get()}, &tracer), Error::Ok);
    EXPECT_EQ(sum->data<float>(), (std::vector<float>{11, 12, 13, 14, 15}));
    EXPECT_EQ(tracer.names().size(), 2u);
    tracer.events.clear();
    ASSERT_EQ(d.run({five.get(), y5.get(), sum.get()}, &tracer), Error::Ok);
    EXPECT_EQ(sum->data<float>(), (std::vector<float>{2, 4, 6, 8, 10}));
    EXPECT_EQ(tracer.names().size(), 1u);
  }
}

void transpose(PayloadBuilder& p, uint32_t in, uint32_t out, std::vector<uint32_t> perm) {
  const auto rank = static_cast<uint32_t>(perm.size());
  p.node(U::XNNStaticTranspose, fb::CreateStaticTransposeDirect(p.builder(), rank, &perm, in, out, 0).Union());
}

TEST(XnnpackFusion, TransposesThatCancelAreAViewAndOthersMerge) {
  PayloadBuilder p;
  const uint32_t x = p.input({2, 3, 4, 5}), e = p.internal({2, 3, 4, 5});
  p.unary(U::XNNSoftmax, x, e);
  const uint32_t wide = p.internal({2, 4, 5, 3}), back = p.internal({2, 3, 4, 5}), same = p.output({2, 3, 4, 5});
  transpose(p, e, wide, {0, 2, 3, 1});
  transpose(p, wide, back, {0, 3, 1, 2});
  p.unary(U::XNNSoftmax, back, same);
  const uint32_t a = p.internal({3, 2, 4, 5}), b = p.internal({5, 3, 2, 4}), c = p.output({4, 5, 3, 2});
  transpose(p, e, a, {1, 0, 2, 3});
  transpose(p, a, b, {3, 0, 1, 2});
  transpose(p, b, c, {3, 0, 1, 2});
  Tensors arguments;
  arguments.push_back(TestTensor::floats({2, 3, 4, 5}, numbers(120, 4)));
  arguments.push_back(TestTensor::floats({2, 3, 4, 5}, std::vector<float>(120)));
  arguments.push_back(TestTensor::floats({4, 5, 3, 2}, std::vector<float>(120)));
  const Both both = run_both<float>(p.finish(), arguments, 2);
  ASSERT_EQ(both.fused.size(), 4u);
  EXPECT_EQ(both.fused[1], "Transpose + StaticTranspose (ND, X32, 2x3x4x5) node 2+1");
  EXPECT_EQ(both.nodes[3].size(), 3u);
}

TEST(XnnpackFusion, ATransposeThatIsAnOutputStays) {
  PayloadBuilder p;
  const uint32_t x = p.input({2, 3}), t = p.output({3, 2}), back = p.output({2, 3});
  transpose(p, x, t, {1, 0});
  transpose(p, t, back, {1, 0});
  Tensors arguments;
  arguments.push_back(TestTensor::floats({2, 3}, numbers(6, 5)));
  arguments.push_back(TestTensor::floats({3, 2}, std::vector<float>(6)));
  arguments.push_back(TestTensor::floats({2, 3}, std::vector<float>(6)));
  EXPECT_EQ(run_both<float>(p.finish(), arguments, 2).fused.size(), 2u);
  EXPECT_EQ(arguments[2]->data<float>(), arguments[0]->data<float>());
}

void pad(PayloadBuilder& p, uint32_t in, uint32_t out, float fill, uint32_t channels_behind = 0) {
  const std::vector<uint32_t> before = {0, 1, 2, 0}, behind = {0, 3, 0, channels_behind};
  p.node(U::XNNStaticConstantPad,
         fb::CreateStaticConstantPadDirect(p.builder(), &before, &behind, fill, in, out, 0).Union());
}

/// A pad of 1, 2 (top, left) and 3, 0 in front of a 3 x 3 convolution of 4 channels with a padding of its own.
Both run_padded(bool depthwise, float fill) {
  PayloadBuilder p;
  const uint32_t x = p.input({1, 6, 5, 4}), padded = p.internal({1, 10, 7, 4}), out = p.output({1, 10, 7, 4});
  pad(p, x, padded, fill);
  const uint32_t bias = p.constant<float>({4}, numbers(4, 7));
  if (depthwise) {
    const uint32_t w = p.constant<float>({1, 3, 3, 4}, numbers(36, 6));
    p.node(
        U::XNNDepthwiseConv2d,
        fb::CreateNodeConv(p.builder(), 1, 1, 1, 1, 3, 3, 1, 1, 1, 1, 1, 1, 4, 0, 0, padded, w, bias, out, 0).Union());
  } else {
    const uint32_t w = p.constant<float>({4, 3, 3, 4}, numbers(144, 6));
    p.node(
        U::XNNConv2d,
        fb::CreateNodeConv(p.builder(), 1, 1, 1, 1, 3, 3, 1, 1, 1, 1, 4, 4, 1, 0, 0, padded, w, bias, out, 0).Union());
  }
  Tensors arguments;
  arguments.push_back(TestTensor::floats({1, 6, 5, 4}, numbers(120, 8)));
  arguments.push_back(TestTensor::floats({1, 10, 7, 4}, std::vector<float>(280)));
  return run_both<float>(p.finish(), arguments, 1);
}

TEST(XnnpackFusion, ZerosAroundAnImageArePaddingOfTheConvolution) {
  for (const bool depthwise : {false, true}) {
    SCOPED_TRACE(depthwise);
    const Both both = run_padded(depthwise, 0);
    ASSERT_EQ(both.fused.size(), 1u);
    EXPECT_NE(both.fused[0].find("+ StaticConstantPad"), std::string::npos) << both.fused[0];
    EXPECT_EQ(both.nodes[0].size(), 2u);
    EXPECT_EQ(run_padded(depthwise, 0.5f).fused.size(), 2u);
  }
}

TEST(XnnpackFusion, ZerosAroundAQuantisedImageToo) {
  PayloadBuilder p;
  const uint32_t x = p.quantised({1, 6, 5, 2}, 0.1f, 7, 1), padded = p.quantised({1, 10, 7, 2}, 0.1f, 7, 0);
  const uint32_t out = p.quantised({1, 8, 5, 1}, 0.2f, -3, 2);
  pad(p, x, padded, 0);
  std::vector<int8_t> w(18);
  for (size_t i = 0; i < w.size(); ++i) w[i] = static_cast<int8_t>(11 * i - 90);
  const uint32_t filter = p.per_channel<int8_t>({1, 3, 3, 2}, w, {0.05f});
  p.node(U::XNNConv2d,
         fb::CreateNodeConv(p.builder(), 0, 0, 0, 0, 3, 3, 1, 1, 1, 1, 2, 1, 1, 0, 0, padded, filter, kNone, out, 0)
             .Union());
  Tensors arguments;
  std::vector<int8_t> image(60);
  for (size_t i = 0; i < image.size(); ++i) image[i] = static_cast<int8_t>(37 * i);
  arguments.push_back(std::make_unique<TestTensor>(ScalarType::Char, std::vector<int32_t>{1, 6, 5, 2}, image));
  arguments.push_back(
      std::make_unique<TestTensor>(ScalarType::Char, std::vector<int32_t>{1, 8, 5, 1}, std::vector<int8_t>(40)));
  EXPECT_EQ(run_both<int8_t>(p.finish(), arguments, 1).fused.size(), 1u);
}

TEST(XnnpackFusion, TheLeastValueAroundAnImageIsPaddingOfAMaximum) {
  for (const float fill : {-kInf, 0.0f}) {
    PayloadBuilder p;
    const uint32_t x = p.input({1, 6, 5, 3}), padded = p.internal({1, 10, 7, 3}), out = p.output({1, 5, 3, 3});
    pad(p, x, padded, fill);
    p.node(U::XNNMaxPooling2d, fb::CreateNodePool(p.builder(), 0, 0, 0, 0, 2, 2, 2, 2, 1, 1, padded, out, 0).Union());
    Tensors arguments;
    arguments.push_back(TestTensor::floats({1, 6, 5, 3}, numbers(90, 9)));
    arguments.push_back(TestTensor::floats({1, 5, 3, 3}, std::vector<float>(45)));
    EXPECT_EQ(run_both<float>(p.finish(), arguments, 1).fused.size(), fill == 0 ? 2u : 1u);
  }
}

/// x (int8) dequantised, through SiLU, quantised; `more(p, floats, gate)` may read what is between.
template <class More>
Both run_quantised_silu(const More& more, size_t outputs = 1) {
  const std::vector<int32_t> sizes = {3, 100};
  PayloadBuilder p;
  const uint32_t x = p.quantised({3, 100}, 0.1f, 7, 1), floats = p.internal({3, 100}), again = p.internal({3, 100});
  const uint32_t gate = p.internal({3, 100}), product = p.internal({3, 100}),
                 out = p.quantised({3, 100}, 0.05f, -60, 2);
  p.unary(U::XNNConvert, x, floats);
  p.unary(U::XNNConvert, x, again);
  p.unary(U::XNNSigmoid, floats, gate);
  p.binary(U::XNNMultiply, again, gate, product);
  p.unary(U::XNNConvert, product, out);
  Tensors arguments;
  std::vector<int8_t> codes(300);
  for (size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<int8_t>(i);
  arguments.push_back(std::make_unique<TestTensor>(ScalarType::Char, sizes, codes));
  arguments.push_back(std::make_unique<TestTensor>(ScalarType::Char, sizes, std::vector<int8_t>(300)));
  more(p, gate, arguments);
  return run_both<int8_t>(p.finish(), arguments, outputs);
}

TEST(XnnpackFusion, WhatStandsBetweenTwoConvertsIsATable) {
  const Both both = run_quantised_silu([](PayloadBuilder&, uint32_t, Tensors&) {});
  ASSERT_EQ(both.fused.size(), 1u);
  EXPECT_NE(both.fused[0].find("Convert + Convert + Sigmoid + Multiply + Convert ("), std::string::npos)
      << both.fused[0];
  EXPECT_EQ(both.nodes[0].size(), 5u);
}

TEST(XnnpackFusion, NoTableWhereSomethingElseReadsOrIsRead) {
  const auto second_reader = [](PayloadBuilder& p, uint32_t gate, Tensors& arguments) {
    p.unary(U::XNNConvert, gate, p.quantised({3, 100}, 0.01f, 0, 2));
    arguments.push_back(
        std::make_unique<TestTensor>(ScalarType::Char, std::vector<int32_t>{3, 100}, std::vector<int8_t>(300)));
  };
  EXPECT_GT(run_quantised_silu(second_reader, 2).fused.size(), 2u);

  PayloadBuilder p;
  const uint32_t x = p.quantised({4}, 0.1f, 7, 1), y = p.quantised({4}, 0.2f, 0, 1);
  const uint32_t a = p.internal({4}), b = p.internal({4}), sum = p.internal({4}), out = p.quantised({4}, 0.3f, 1, 2);
  p.unary(U::XNNConvert, x, a);
  p.unary(U::XNNConvert, y, b);
  p.binary(U::XNNAdd, a, b, sum);
  p.unary(U::XNNConvert, sum, out);
  Tensors arguments;
  for (int i = 0; i < 3; ++i) {
    arguments.push_back(std::make_unique<TestTensor>(ScalarType::Char, std::vector<int32_t>{4},
                                                     std::vector<int8_t>{-128, 3, static_cast<int8_t>(9 * i), 127}));
  }
  EXPECT_EQ(run_both<int8_t>(p.finish(), arguments, 1).fused.size(), 4u);
}

}  // namespace
}  // namespace et::xnn::testing
