// What reading and checking one event of an ETDump costs, without any store.
#include <benchmark/benchmark.h>

#include "base/mapped_file.h"
#include "etdump/reader.h"
#include "tests/bench/bench_trace.h"

namespace {

void ReadEvents(benchmark::State& state) {
  const et::bench::TemporaryTrace trace(4000);
  et::MappedFile file;
  et::etdump::Reader reader;
  if (!et::MappedFile::open(trace.path(), &file).ok() || !et::etdump::Reader::open(file.bytes(), &reader).ok()) {
    state.SkipWithError("the trace cannot be read");
    return;
  }
  uint64_t read = 0;
  for (auto _ : state) {
    uint64_t ticks = 0;
    for (size_t r = 0; r < reader.run_count(); ++r) {
      et::etdump::Run run;
      et::etdump::Event event;
      if (!reader.run(r, &run)) continue;
      for (size_t i = 0; i < run.event_count(); ++i) {
        if (!run.event(i, &event)) continue;
        ticks += event.end - event.start;
        ++read;
      }
    }
    benchmark::DoNotOptimize(ticks);
  }
  if (read != trace.events() * state.iterations()) state.SkipWithError("events are missing");
  state.SetItemsProcessed(static_cast<int64_t>(read));
}
BENCHMARK(ReadEvents)->Unit(benchmark::kMillisecond);

}  // namespace
