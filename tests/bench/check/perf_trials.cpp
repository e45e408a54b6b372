// Raw rounds, one line each.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "bundled_program/perf/method_workload.h"
#include "bundled_program/perf/sampler.h"
#include "runtime/format/mapped_file.h"
#include "runtime/module/log_capture.h"
#include "runtime/platform/platform.h"

int main(int argc, char** argv) {
  using namespace et;
  using namespace et::perf;
  runtime_init();
  capture_errors();
  const std::string path = argv[1];
  const double seconds = argc > 2 ? atof(argv[2]) : 10;
  format::MappedFile file;
  if (Status s = format::MappedFile::open(path, &file); !s.ok()) return fprintf(stderr, "%s\n", s.message().c_str()), 1;
  bundled::Bundle bundle;
  if (auto e = bundled::Bundle::open(file.bytes(), &bundle); !e.ok()) return 1;
  std::vector<bundled::Value> inputs;
  const bundled::Case c = bundle.suite(0).test_case(0);
  for (uint32_t i = 0; i < c.input_count(); ++i) inputs.push_back(c.input(i));
  MethodWorkload w(path, bundle.program(), std::string(bundle.suite(0).method()), inputs, nullptr);
  Machine machine;
  Sampler sampler(&w, &w, &machine, [] { return clock_ns(Clock::Cpu); }, argc > 3 ? atoi(argv[3]) : 1);
  if (Status s = sampler.calibrate(); !s.ok()) return fprintf(stderr, "%s\n", s.message().c_str()), 1;
  fprintf(stderr, "batch %llu blocks %zu\n", (unsigned long long)sampler.batch(), sampler.blocks());
  const uint64_t t0 = clock_ns(Clock::Wall);
  while (true) {
    const double t = double(clock_ns(Clock::Wall) - t0) * 1e-9;
    if (t > seconds) break;
    Round r;
    if (Status s = sampler.round(&r); !s.ok()) return fprintf(stderr, "%s\n", s.message().c_str()), 1;
    printf("%.3f %.1f %.1f %.1f %.1f %.0f %.0f\n", t, r.slot[0], r.slot[1], r.slot[2], r.slot[3], r.compute, r.memory);
    fflush(stdout);
  }
}
