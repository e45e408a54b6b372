// Statistics of one op's samples: the mean, the deviation and four percentiles of N durations.
#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "inspector/match/statistics.h"

namespace {

std::vector<int64_t> durations(int64_t n) {
  std::mt19937_64 random(1);
  std::lognormal_distribution<double> shape(8.0, 0.3);
  std::vector<int64_t> out;
  for (int64_t i = 0; i < n; ++i) out.push_back(static_cast<int64_t>(shape(random)));
  return out;
}

void SampleStatistics(benchmark::State& state) {
  const std::vector<int64_t> all = durations(state.range(0));
  for (auto _ : state) {
    std::vector<int64_t> values = all;
    benchmark::DoNotOptimize(et::inspector::sample_statistics(values));
  }
  state.SetItemsProcessed(state.range(0) * static_cast<int64_t>(state.iterations()));
}
BENCHMARK(SampleStatistics)->Arg(20)->Arg(20'000)->Arg(1'000'000)->Unit(benchmark::kMicrosecond);

void Percentile(benchmark::State& state) {
  const std::vector<int64_t> all = durations(state.range(0));
  for (auto _ : state) {
    std::vector<int64_t> values = all;
    benchmark::DoNotOptimize(et::inspector::percentile(values, 0.99));
  }
  state.SetItemsProcessed(state.range(0) * static_cast<int64_t>(state.iterations()));
}
BENCHMARK(Percentile)->Arg(20'000)->Unit(benchmark::kMicrosecond);

}  // namespace
