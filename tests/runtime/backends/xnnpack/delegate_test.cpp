// What a delegate does around its operators: arguments, shapes, memory, sharing, options, events.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/backends/xnnpack/graph/executor.h"
#include "runtime/backends/xnnpack/graph/weight_cache.h"
#include "runtime/core/half.h"
#include "tests/runtime/backends/xnnpack/delegate_run.h"
#include "tests/runtime/backends/xnnpack/payload_builder.h"
#include "tests/runtime/backends/xnnpack/recorder.h"

namespace et::xnn::testing {
namespace {

using et::testing::ErrorLog;
using U = fb::XNodeUnion;
constexpr float kInf = std::numeric_limits<float>::infinity();

/// relu(x + y) as an Add and a Clamp behind it.
std::vector<uint8_t> add_clamp() {
  PayloadBuilder p;
  const uint32_t x = p.input({2, 3}), y = p.input({3}), sum = p.internal({2, 3}), out = p.output({2, 3});
  p.binary(U::XNNAdd, x, y, sum);
  p.unary(U::XNNClamp, sum, out, {0, kInf}, 7);
  return p.finish();
}

TEST(XnnpackDelegate, RunsAndFreesThePayload) {
  Delegate d;
  ASSERT_EQ(d.init(add_clamp()), Error::Ok);
  EXPECT_FALSE(d.payload_kept());
  auto x = TestTensor::floats({2, 3}, {1, -2, 3, -4, 5, -6});
  auto y = TestTensor::floats({3}, {1, 1, 1});
  auto out = TestTensor::floats({2, 3}, std::vector<float>(6));
  ASSERT_EQ(d.run({x.get(), y.get(), out.get()}), Error::Ok);
  EXPECT_EQ(out->data<float>(), (std::vector<float>{2, 0, 4, 0, 6, 0}));
}

TEST(XnnpackDelegate, DenormalNumbersAreZeroWhileItRuns) {
  Delegate d;
  ASSERT_EQ(d.init(add_clamp()), Error::Ok);
  const float tiny = 1e-40f;
  auto x = TestTensor::floats({2, 3}, std::vector<float>(6, tiny));
  auto y = TestTensor::floats({3}, {tiny, 1, 0});
  auto out = TestTensor::floats({2, 3}, std::vector<float>(6, 5));
  ASSERT_EQ(d.run({x.get(), y.get(), out.get()}), Error::Ok);
#if defined(__SSE__) || defined(__aarch64__)
  EXPECT_EQ(out->data<float>(), (std::vector<float>{0, 1, 0, 0, 1, 0}));
#endif
  const volatile float again = tiny;
  EXPECT_GT(again + again, 0.0f) << "the caller's mode is as it was";
}

TEST(XnnpackDelegate, OneEventForWhatIsFusedOneEachWhenValuesAreLogged) {
  Delegate d;
  Recorder tracer;
  ASSERT_EQ(d.init(add_clamp(), &tracer), Error::Ok);
  auto x = TestTensor::floats({2, 3}, {1, -2, 3, -4, 5, -6});
  auto y = TestTensor::floats({3}, {1, 1, 1});
  auto out = TestTensor::floats({2, 3}, std::vector<float>(6));
  ASSERT_EQ(d.run({x.get(), y.get(), out.get()}, &tracer), Error::Ok);
  EXPECT_EQ(tracer.names(), (std::vector<std::string>{"Add + Clamp (F32, 2x3, 3->2x3) node 0+1"}));
  ASSERT_EQ(tracer.events.back().nodes.size(), 2u);
  EXPECT_EQ(tracer.events.back().nodes[0], (format::DelegateNode{0, format::kNoDebugHandle}));
  EXPECT_EQ(tracer.events.back().nodes[1], (format::DelegateNode{1, 7}));
  EXPECT_TRUE(tracer.events.back().in_order);

  tracer.events.clear();
  tracer.set_event_tracer_debug_level(EventTracerDebugLogLevel::kIntermediateOutputs);
  ASSERT_EQ(d.run({x.get(), y.get(), out.get()}, &tracer), Error::Ok);
  EXPECT_EQ(tracer.names(), (std::vector<std::string>{"Add (F32, 2x3, 3->2x3) node 0", "Clamp (F32, 2x3) node 1"}));
  EXPECT_EQ(tracer.values["Add (F32, 2x3, 3->2x3) node 0"], (std::vector<float>{2, -1, 4, -3, 6, -5}));
  EXPECT_EQ(tracer.values["Clamp (F32, 2x3) node 1"], (std::vector<float>{2, 0, 4, 0, 6, 0}));
}

/// An int8 convolution (of 2 x 2 pixels, 3 channels) and a Clamp behind it.
std::vector<uint8_t> int8_clamp(U type) {
  PayloadBuilder p;
  const uint32_t x = p.quantised({1, 2, 2, 3}, 0.5f, 1, 1), y = p.quantised({1, 2, 2, 3}, 0.25f, -2, 0);
  const uint32_t out = p.quantised({1, 2, 2, 3}, 0.25f, -2, 2);
  std::vector<int8_t> w(type == U::XNNDepthwiseConv2d ? 3 : 9);
  for (size_t i = 0; i < w.size(); ++i) w[i] = static_cast<int8_t>(40 * i - 70);
  const std::vector<float> scales = {0.02f, 0.03f, 0.04f};
  if (type == U::XNNDepthwiseConv2d) {
    const uint32_t f = p.per_channel<int8_t>({1, 1, 1, 3}, w, {0.03f});
    p.node(type,
           fb::CreateNodeConv(p.builder(), 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 3, 0, 0, x, f, kNone, y, 0).Union());
  } else if (type == U::XNNConv2d) {
    const uint32_t f = p.per_channel<int8_t>({3, 1, 1, 3}, w, scales);
    p.node(type,
           fb::CreateNodeConv(p.builder(), 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 3, 3, 1, 0, 0, x, f, kNone, y, 0).Union());
  } else {
    p.fully_connected(x, p.per_channel<int8_t>({3, 3}, w, scales), kNone, y);
  }
  p.unary(U::XNNClamp, y, out, {-1, 1});
  return p.finish();
}

TEST(XnnpackDelegate, AnInt8ProductLogsItsOwnOutputUnbounded) {
  for (const U type : {U::XNNFullyConnected, U::XNNConv2d, U::XNNDepthwiseConv2d}) {
    SCOPED_TRACE(static_cast<int>(type));
    Delegate d;
    ASSERT_EQ(d.init(int8_clamp(type)), Error::Ok);
    std::vector<int8_t> data(12);
    for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<int8_t>(20 * i - 120);
    TestTensor x(ScalarType::Char, {1, 2, 2, 3}, data), out(ScalarType::Char, {1, 2, 2, 3}, std::vector<int8_t>(12));
    Recorder tracer;
    ASSERT_EQ(d.run({&x, &out}, &tracer), Error::Ok);
    const std::vector<int8_t> fused = out.data<int8_t>();
    EXPECT_EQ(tracer.names().size(), 1u);
    tracer.set_event_tracer_debug_level(EventTracerDebugLogLevel::kIntermediateOutputs);
    ASSERT_EQ(d.run({&x, &out}, &tracer), Error::Ok);
    EXPECT_EQ(out.data<int8_t>(), fused);
    ASSERT_EQ(tracer.values.size(), 2u);
    std::vector<float> own, bounded;
    for (const auto& [name, values] : tracer.values) (name.rfind("Clamp", 0) == 0 ? bounded : own) = values;
    size_t outside = 0;
    for (size_t i = 0; i < own.size(); ++i) {
      EXPECT_EQ(bounded[i], std::clamp(own[i], -6.0f, 2.0f));
      if (own[i] != bounded[i]) ++outside;
    }
    EXPECT_GT(outside, 4u);
  }
}

TEST(XnnpackDelegate, PackingIsTraced) {
  PayloadBuilder p;
  const uint32_t x = p.input({2, 2}), w = p.constant<float>({1, 2}, {1, 2}), out = p.output({2, 1});
  p.fully_connected(x, w, kNone, out);
  Delegate d;
  Recorder tracer;
  ASSERT_EQ(d.init(p.finish(), &tracer), Error::Ok);
  EXPECT_EQ(tracer.names(format::DelegatePhase::Init),
            (std::vector<std::string>{"Pack Fully Connected (F32, 2x2->1) node 0"}));
}

TEST(XnnpackDelegate, ShapesFollowTheInputsAndArePlannedOnlyWhenTheyChange) {
  Delegate d;
  Recorder tracer;
  ASSERT_EQ(d.init(add_clamp()), Error::Ok);
  auto y = TestTensor::floats({3}, {1, 2, 3});
  auto out = TestTensor::floats({2, 3}, std::vector<float>(6));
  auto whole = TestTensor::floats({2, 3}, {1, 1, 1, 1, 1, 1});
  auto row = TestTensor::floats({1, 3}, {5, 5, 5});
  for (int i = 0; i < 3; ++i) ASSERT_EQ(d.run({whole.get(), y.get(), out.get()}, &tracer), Error::Ok);
  EXPECT_EQ(tracer.names(format::DelegatePhase::Plan).size(), 1u);
  ASSERT_EQ(d.run({row.get(), y.get(), out.get()}, &tracer), Error::Ok);
  EXPECT_EQ(out->sizes(), (std::vector<int32_t>{1, 3}));
  EXPECT_EQ(out->data<float>(), (std::vector<float>{6, 7, 8}));
  EXPECT_EQ(tracer.names(format::DelegatePhase::Plan).size(), 2u);
  // The names are those of the bounds, so that all runs are of one operator.
  EXPECT_EQ(tracer.names().front(), tracer.names().back());
}

TEST(XnnpackDelegate, TellsWhichArgumentIsWrong) {
  Delegate d;
  ASSERT_EQ(d.init(add_clamp()), Error::Ok);
  auto x = TestTensor::floats({2, 3}, std::vector<float>(6));
  auto bad = TestTensor::floats({2, 2}, std::vector<float>(4));
  auto y = TestTensor::floats({3}, std::vector<float>(3));
  auto out = TestTensor::floats({2, 3}, std::vector<float>(6));
  TestTensor ints(ScalarType::Int, {2, 3}, std::vector<int32_t>(6));
  const ErrorLog log;
  EXPECT_EQ(d.run({x.get(), y.get()}), Error::InvalidArgument);
  EXPECT_NE(ErrorLog::text().find("argument 2"), std::string::npos) << ErrorLog::text();
  EXPECT_EQ(d.run({&ints, y.get(), out.get()}), Error::InvalidArgument);
  EXPECT_EQ(d.run({bad.get(), y.get(), out.get()}), Error::InvalidArgument);
  EXPECT_NE(ErrorLog::text().find("node 0 (Add)"), std::string::npos) << ErrorLog::text();
  EXPECT_EQ(d.run({x.get(), y.get(), bad.get()}), Error::NotSupported);
  EValue number(int64_t{3});
  EXPECT_EQ(d.run_values({&number, y->value(), out->value()}), Error::InvalidArgument);
  // And it still works.
  EXPECT_EQ(d.run({x.get(), y.get(), out.get()}), Error::Ok);
}

TEST(XnnpackDelegate, EmptyTensors) {
  Delegate d;
  ASSERT_EQ(d.init(add_clamp()), Error::Ok);
  auto x = TestTensor::floats({0, 3}, {});
  auto y = TestTensor::floats({3}, std::vector<float>(3));
  auto out = TestTensor::floats({2, 3}, std::vector<float>(6));
  ASSERT_EQ(d.run({x.get(), y.get(), out.get()}), Error::Ok);
  EXPECT_EQ(out->sizes(), (std::vector<int32_t>{0, 3}));
}

TEST(XnnpackDelegate, LegacyInputsAreQuantisedWhileItRuns) {
  PayloadBuilder p;
  const uint32_t x = p.add(kFp32, {2, 4}, 0, 0, 1, kQInt8);
  const uint32_t w = p.per_channel<int8_t>({2, 4}, {100, 0, 0, 0, 0, 50, 0, 0}, {0.01f, 0.02f});
  const uint32_t out = p.add(kFp32, {2, 2}, 0, 1, 2);
  p.fully_connected(x, w, kNone, out);
  Delegate d;
  ASSERT_EQ(d.init(p.finish("XN00", 2)), Error::Ok);
  auto in = TestTensor::floats({2, 4}, {1, 2, 3, 4, -1, 0.5f, 2, -3});
  auto result = TestTensor::floats({2, 2}, std::vector<float>(4));
  ASSERT_EQ(d.run({in.get(), result.get()}), Error::Ok);
  const std::vector<float> want = {1, 2, -1, 0.5f};
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(result->data<float>()[i], want[i], 0.02f);
}

TEST(XnnpackDelegate, IndicesAreWidened) {
  PayloadBuilder p;
  const uint32_t x = p.input({1, 2, 2, 1}), out = p.output({1, 1, 1, 1}), where = p.output({1, 1, 1, 1}, kInt32);
  p.node(U::XNNArgMaxPooling2d, fb::CreateArgMaxPooling2d(p.builder(), 0, 0, 0, 0, 2, 2, x, out, where, 0).Union());
  Delegate d;
  ASSERT_EQ(d.init(p.finish()), Error::Ok);
  auto in = TestTensor::floats({1, 2, 2, 1}, {1, 7, 9, 3});
  auto most = TestTensor::floats({1, 1, 1, 1}, {0});
  TestTensor place(ScalarType::Long, {1, 1, 1, 1}, std::vector<int64_t>{-1});
  ASSERT_EQ(d.run({in.get(), most.get(), &place}), Error::Ok);
  EXPECT_EQ(most->data<float>()[0], 9);
  EXPECT_EQ(place.data<int64_t>()[0], 2);
}

TEST(XnnpackDelegate, WholeNumbersWrapAround) {
  PayloadBuilder p;
  const uint32_t x = p.input({3}, kInt32), y = p.input({3}, kInt32), sum = p.internal({3}, kInt32),
                 out = p.output({3}, kInt32);
  p.binary(U::XNNAdd, x, y, sum);
  p.unary(U::XNNNegate, sum, out);
  Delegate d;
  ASSERT_EQ(d.init(p.finish()), Error::Ok);
  TestTensor a(ScalarType::Int, {3}, std::vector<int32_t>{1, INT32_MAX, -7});
  TestTensor b(ScalarType::Int, {3}, std::vector<int32_t>{2, 1, 7});
  TestTensor result(ScalarType::Int, {3}, std::vector<int32_t>(3));
  ASSERT_EQ(d.run({&a, &b, &result}), Error::Ok);
  EXPECT_EQ(result.data<int32_t>(), (std::vector<int32_t>{-3, INT32_MIN, 0}));
}

TEST(XnnpackDelegate, BFloat16ProductsAreRoundedOnce) {
  const auto bits = [](std::vector<float> v) {
    std::vector<uint16_t> out;
    for (const float x : v) out.push_back(BFloat16(x).x);
    return out;
  };
  PayloadBuilder p;
  const int16_t bf16 = 14;
  const uint32_t x = p.input({1, 3}, bf16), w = p.constant<uint16_t>({2, 3}, bits({1, 0.5f, 2, -1, 3, 0.25f}), bf16),
                 bias = p.constant<uint16_t>({2}, bits({256, 1}), bf16), out = p.output({1, 2}, bf16);
  p.fully_connected(x, w, bias, out);
  Delegate d;
  ASSERT_EQ(d.init(p.finish()), Error::Ok);
  TestTensor in(ScalarType::BFloat16, {1, 3}, bits({1, 2, 3}));
  TestTensor result(ScalarType::BFloat16, {1, 2}, bits({0, 0}));
  ASSERT_EQ(d.run({&in, &result}), Error::Ok);
  // 264 and 6.75; a sum rounded to bfloat16 on the way would lose the small terms next to 256.
  EXPECT_EQ(result.data<uint16_t>(), bits({264, 6.75f}));
}

TEST(XnnpackDelegate, UnsignedQuantisedValues) {
  constexpr int16_t kQUInt8 = 4;
  PayloadBuilder p;
  const uint32_t x = p.input({3}), q = p.quantised({3}, 0.5f, 128, 0, kQUInt8),
                 h = p.quantised({3}, 0.25f, 10, 0, kQUInt8), out = p.output({3});
  p.unary(U::XNNConvert, x, q);
  p.unary(U::XNNClamp, q, h, {0, kInf});
  p.unary(U::XNNConvert, h, out);
  Delegate d;
  ASSERT_EQ(d.init(p.finish()), Error::Ok);
  auto in = TestTensor::floats({3}, {1.2f, -3, 1000});
  auto result = TestTensor::floats({3}, std::vector<float>(3));
  ASSERT_EQ(d.run({in.get(), result.get()}), Error::Ok);
  EXPECT_EQ(result->data<float>(), (std::vector<float>{1, 0, 61.25f}));  // (255 - 10) · 0.25
}

TEST(XnnpackDelegate, ValuesThatAreArgumentsTwice) {
  // The same value read twice, and a result that goes out and on.
  PayloadBuilder p;
  const uint32_t x = p.input({4}), out = p.output({4}), more = p.output({4});
  p.binary(U::XNNMultiply, x, x, out);
  p.unary(U::XNNNegate, out, more);
  Delegate d;
  ASSERT_EQ(d.init(p.finish()), Error::Ok);
  auto in = TestTensor::floats({4}, {1, 2, 3, 4});
  auto a = TestTensor::floats({4}, std::vector<float>(4)), b = TestTensor::floats({4}, std::vector<float>(4));
  ASSERT_EQ(d.run({in.get(), a.get(), b.get()}), Error::Ok);
  EXPECT_EQ(a->data<float>(), (std::vector<float>{1, 4, 9, 16}));
  EXPECT_EQ(b->data<float>(), (std::vector<float>{-1, -4, -9, -16}));
}

TEST(XnnpackDelegate, PackedWeightsAreShared) {
  const auto payload = [] {
    PayloadBuilder p;
    const uint32_t x = p.input({2, 2}), w = p.constant<float>({1, 2}, {3, 5}), out = p.output({2, 1});
    p.fully_connected(x, w, kNone, out);
    return p.finish();
  }();
  const uint64_t before = WeightCache::shared().hits();
  Delegate first, second, apart;
  ASSERT_EQ(first.init(payload), Error::Ok);
  EXPECT_EQ(WeightCache::shared().hits(), before);
  ASSERT_EQ(second.init(payload), Error::Ok);
  EXPECT_EQ(WeightCache::shared().hits(), before + 1);
  const BackendOption off("weight_cache_enabled", false);
  ASSERT_EQ(apart.init(payload, nullptr, {&off, 1}), Error::Ok);
  EXPECT_EQ(WeightCache::shared().hits(), before + 1);
}

TEST(XnnpackDelegate, WinogradIsAnOption) {
  constexpr int32_t kSide = 12, kChannels = 16;
  PayloadBuilder p;
  const uint32_t x = p.input({1, kSide, kSide, kChannels}), out = p.output({1, kSide, kSide, kChannels});
  const auto numbers = [](size_t n) {
    std::vector<float> v(n);
    for (size_t i = 0; i < n; ++i) v[i] = static_cast<float>(i * 37 % 101) / 50.0f - 1.0f;
    return v;
  };
  const uint32_t filter = p.constant<float>({kChannels, 3, 3, kChannels}, numbers(9 * kChannels * kChannels));
  p.node(U::XNNConv2d, fb::CreateNodeConv(p.builder(), 1, 1, 1, 1, 3, 3, 1, 1, 1, 1, kChannels, kChannels, 1, 0, 0, x,
                                          filter, kNone, out, 0)
                           .Union());
  const auto payload = p.finish();
  const auto result = [&](bool winograd) {
    const BackendOption option("winograd_enabled", winograd);
    Delegate d;
    EXPECT_EQ(d.init(payload, nullptr, {&option, 1}), Error::Ok);
    const size_t size = kSide * kSide * kChannels;
    const auto image = TestTensor::floats({1, kSide, kSide, kChannels}, numbers(size));
    const auto to = TestTensor::floats({1, kSide, kSide, kChannels}, std::vector<float>(size));
    EXPECT_EQ(d.run({image.get(), to.get()}), Error::Ok);
    return to->data<float>();
  };
  const auto fast = result(true), direct = result(false);
  EXPECT_NE(fast, direct);
  for (size_t i = 0; i < direct.size(); ++i) ASSERT_NEAR(fast[i], direct[i], 1e-4) << i;
  BackendOption read("winograd_enabled");
  ASSERT_EQ(get_option("XnnpackBackend", {&read, 1}), Error::Ok);
  EXPECT_TRUE(*read.get<bool>());
}

TEST(XnnpackDelegate, Options) {
  BackendOption mode("workspace_sharing_mode", 2);
  EXPECT_EQ(set_option("XnnpackBackend", {&mode, 1}), (static_cast<void>(backend()), Error::Ok));
  BackendOption read("workspace_sharing_mode");
  ASSERT_EQ(get_option("XnnpackBackend", {&read, 1}), Error::Ok);
  EXPECT_EQ(*read.get<int>(), 2);
  EXPECT_FALSE(read.get<bool>().ok());
  mode.set(0);
  ASSERT_EQ(set_option("XnnpackBackend", {&mode, 1}), Error::Ok);
  const ErrorLog log;
  mode.set(3);
  EXPECT_EQ(set_option("XnnpackBackend", {&mode, 1}), Error::InvalidArgument);
  mode.set(true);
  EXPECT_EQ(set_option("XnnpackBackend", {&mode, 1}), Error::InvalidArgument);
  EXPECT_EQ(set_option("NoBackend", {&mode, 1}), Error::NotFound);
  const BackendOption unknown("something_else", 5);
  EXPECT_EQ(set_option("XnnpackBackend", {&unknown, 1}), Error::Ok);
  Delegate d;
  EXPECT_EQ(d.init(add_clamp(), nullptr, {&mode, 1}), Error::InvalidArgument);
}

TEST(XnnpackDelegate, SharedWorkspacesDoNotMixDelegates) {
  for (const int mode : {0, 1, 2}) {
    const BackendOption sharing("workspace_sharing_mode", mode);
    // A chain whose intermediate values lie in the workspace.
    PayloadBuilder p;
    const uint32_t x = p.input({64}), a = p.internal({64}), b = p.internal({64}), out = p.output({64});
    p.unary(U::XNNSquare, x, a);
    p.unary(U::XNNNegate, a, b);
    p.binary(U::XNNAdd, a, b, out);
    const std::vector<uint8_t> payload = p.finish();
    Delegate first, second;
    ASSERT_EQ(first.init(payload, nullptr, {&sharing, 1}), Error::Ok);
    ASSERT_EQ(second.init(payload, nullptr, {&sharing, 1}), Error::Ok);
    auto in = TestTensor::floats({64}, std::vector<float>(64, 3.0f));
    auto result = TestTensor::floats({64}, std::vector<float>(64, 1.0f));
    for (int i = 0; i < 2; ++i) {
      ASSERT_EQ(first.run({in.get(), result.get()}), Error::Ok);
      ASSERT_EQ(second.run({in.get(), result.get()}), Error::Ok);
      EXPECT_EQ(result->data<float>(), std::vector<float>(64, 0.0f)) << "mode " << mode;
    }
  }
}

TEST(XnnpackDelegate, TheWorkspaceHasALimit) {
  PayloadBuilder p;
  const uint32_t x = p.input({1}), big = p.internal({1024, 1024}), sum = p.internal({1024, 1024});
  const uint32_t out = p.output({1024, 1024});
  p.binary(U::XNNAdd, x, p.constant<float>({1024, 1}, std::vector<float>(1024, 1.0f)), big);
  p.binary(U::XNNAdd, big, p.constant<float>({1, 1024}, std::vector<float>(1024, 1.0f)), sum);
  p.unary(U::XNNSoftmax, sum, out);
  // 1024 x 1, then 1024 x 1024.
  const BackendOption limit("workspace_limit_mb", 1);
  Delegate d;
  ASSERT_EQ(d.init(p.finish(), nullptr, {&limit, 1}), Error::Ok);
  auto in = TestTensor::floats({1, 2048}, std::vector<float>(2048));
  auto result = TestTensor::floats({1024, 1024}, std::vector<float>(1024 * 1024));
  const ErrorLog log;
  EXPECT_EQ(d.run({in.get(), result.get()}), Error::InvalidArgument);  // [1024, 2048] and [1, 1024]
  auto wide = TestTensor::floats({1, 1024}, std::vector<float>(1024));
  EXPECT_EQ(d.run({wide.get(), result.get()}), Error::MemoryAllocationFailed);
  EXPECT_NE(ErrorLog::text().find("limit"), std::string::npos) << ErrorLog::text();
}

}  // namespace
}  // namespace et::xnn::testing
