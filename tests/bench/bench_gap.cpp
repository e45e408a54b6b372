// The figures of two tensors of 1 MB, and how that compares with only copying them: what memory allows.
#include <benchmark/benchmark.h>

#include <cstring>
#include <random>
#include <vector>

#include "inspector/analysis/gap/figures.h"

namespace {

constexpr size_t kElements = 1 << 18;
constexpr size_t kTensors = 64;  // more than caches hold

std::vector<std::vector<float>> tensors(unsigned seed, float error) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<std::vector<float>> out(kTensors, std::vector<float>(kElements));
  for (auto& t : out) {
    for (float& v : t) v = normal(random);
  }
  std::uniform_real_distribution<float> off(-error, error);
  for (auto& t : out) {
    for (float& v : t) v += error > 0 ? off(random) : 0;
  }
  return out;
}

std::span<const uint8_t> bytes(const std::vector<float>& v) {
  return {reinterpret_cast<const uint8_t*>(v.data()), v.size() * sizeof(float)};
}

void set_bytes(benchmark::State& state) {
  state.SetBytesProcessed(static_cast<int64_t>(2 * kElements * sizeof(float)) * state.iterations());
}

void TensorGap(benchmark::State& state) {
  const auto want = tensors(1, 0), got = tensors(1, state.range(0) == 0 ? 0 : 1e-3F);
  size_t at = 0;
  for (auto _ : state) {
    et::inspector::GapFigures figures;
    et::inspector::measure_gap(et::ScalarType::Float, bytes(got[at % kTensors]), et::ScalarType::Float,
                               bytes(want[at % kTensors]), &figures);
    benchmark::DoNotOptimize(figures);
    ++at;
  }
  set_bytes(state);
}
BENCHMARK(TensorGap)->ArgName("different")->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);

void TensorCopies(benchmark::State& state) {
  const auto a = tensors(1, 0), b = tensors(2, 0);
  std::vector<float> to(kElements);
  size_t at = 0;
  for (auto _ : state) {
    std::memcpy(to.data(), a[at % kTensors].data(), kElements * sizeof(float));
    benchmark::ClobberMemory();
    std::memcpy(to.data(), b[at % kTensors].data(), kElements * sizeof(float));
    benchmark::ClobberMemory();
    ++at;
  }
  set_bytes(state);
}
BENCHMARK(TensorCopies)->Unit(benchmark::kMicrosecond);

}  // namespace
