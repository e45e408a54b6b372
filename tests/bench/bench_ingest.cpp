// The import into a store in memory, and its part that only moves samples into the store.
#include <benchmark/benchmark.h>

#include "inspector/ingest/dump/sample_buffer.h"
#include "inspector/ingest/ingest.h"
#include "inspector/store/store.h"
#include "tests/bench/bench_trace.h"

namespace {

using et::inspector::Store;

void IngestIntoMemory(benchmark::State& state) {
  const et::bench::TemporaryTrace trace(static_cast<uint64_t>(state.range(0)));
  et::inspector::IngestInputs inputs;
  inputs.dump = trace.path();
  for (auto _ : state) {
    Store store;
    et::inspector::IngestResult result;
    if (!Store::open("", Store::Mode::Memory, &store).ok() || !ingest(store, inputs, {}, &result).ok()) {
      state.SkipWithError("the import failed");
      return;
    }
  }
  state.SetItemsProcessed(static_cast<int64_t>(trace.events()) * static_cast<int64_t>(state.iterations()));
}
// The first is all fixed cost: schema, statements, one execution.
BENCHMARK(IngestIntoMemory)->Arg(1)->Arg(4000)->Unit(benchmark::kMillisecond);

void WriteSamples(benchmark::State& state) {
  constexpr size_t kOps = 25;
  constexpr int64_t kEach = 4000;
  for (auto _ : state) {
    Store store;
    if (!Store::open("", Store::Mode::Memory, &store).ok()) {
      state.SkipWithError("no store");
      return;
    }
    et::inspector::Transaction transaction(store);
    et::inspector::SampleBuffer buffer(store);
    for (size_t op = 0; op < kOps; ++op) buffer.declare(op, static_cast<int64_t>(op) + 1);
    for (int64_t i = 0; i < kEach; ++i) {
      for (size_t op = 0; op < kOps; ++op) buffer.add(op, {i, 1'000'000 + i * 50'000, 1'000 + i % 700});
    }
    buffer.seal();
    if (!buffer.write().ok() || !transaction.commit().ok()) state.SkipWithError("writing failed");
  }
  state.SetItemsProcessed(static_cast<int64_t>(kOps) * kEach * static_cast<int64_t>(state.iterations()));
}
BENCHMARK(WriteSamples)->Unit(benchmark::kMillisecond);

void OpenNewStore(benchmark::State& state) {
  for (auto _ : state) {
    Store store;
    if (!Store::open("", Store::Mode::Memory, &store).ok()) state.SkipWithError("no store");
    benchmark::DoNotOptimize(store.db());
  }
}
BENCHMARK(OpenNewStore)->Unit(benchmark::kMicrosecond);

}  // namespace
