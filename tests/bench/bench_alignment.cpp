// Aligning a payload's nodes with the events of its profile: quadratic in the size of one delegate.
#include <benchmark/benchmark.h>

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "inspector/ingest/payloads/xnnpack/alignment.h"

namespace {

struct Kind {
  const char* node;
  const char* event;  // nullptr: fused, no event of its own
};
constexpr Kind kKinds[] = {
    {"Conv2d", "Convolution (NHWC, F32) IGEMM"},          {"Clamp", nullptr},
    {"FullyConnected", "Fully Connected (NC, F32) GEMM"}, {"Conv2d", "Fully Connected (NC, F32) GEMM"},
    {"StaticTranspose", "Transpose (ND, X32)"},           {"Softmax", "Softmax (NC, F32)"}};

void AlignXnnpack(benchmark::State& state) {
  et::inspector::DelegateFacts delegate;
  delegate.backend = "XnnpackBackend";
  delegate.payload_kind = "xnnpack";
  delegate.readable = true;
  std::deque<std::string> texts;
  std::vector<std::string_view> events;
  for (int64_t i = 0; i < state.range(0); ++i) {
    const Kind& kind = kKinds[static_cast<size_t>(i) % std::size(kKinds)];
    et::inspector::PayloadNode node;
    node.type = kind.node;
    node.debug_handle = i;
    node.inputs = {i};
    node.outputs = {i + 1};
    delegate.nodes.push_back(node);
    if (kind.event == nullptr) continue;
    texts.push_back(std::string(kind.event) + " #" + std::to_string(i));
    events.push_back(texts.back());
  }
  size_t matched = 0;
  for (auto _ : state) {
    const et::inspector::XnnpackMatch match = match_xnnpack(delegate, events);
    matched = match.alignment.matched;
    benchmark::DoNotOptimize(match.host.data());
  }
  if (matched != events.size()) state.SkipWithError("events without a node");
  state.SetComplexityN(state.range(0));
}
BENCHMARK(AlignXnnpack)->Arg(10)->Arg(100)->Arg(1000)->Unit(benchmark::kMicrosecond)->Complexity();

}  // namespace
