// Tries the performance checks: N comparisons of a program with itself, or with a slowdown injected, and what they say.
// One JSON line each, the sums at the end on stderr. perf_trials.py runs the series that docs/performance-checks.md
// shows.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "base/mapped_file.h"
#include "bundled_program/perf/comparison.h"
#include "bundled_program/perf/method_workload.h"
#include "runtime/module/log_capture.h"
#include "runtime/platform/platform.h"

namespace et::perf {
namespace {

constexpr const char* kUsage =
    "usage: et_perf_trials PROGRAM.bpte [--against interleaved|baseline] [--inject FRACTION] [--count N]\n"
    "                      [--budget SECONDS] [--record SECONDS] [--seed N]\n";

struct Settings {
  std::string program;
  std::string against = "interleaved";
  double inject = 0, budget = 5, record = 5;
  uint64_t count = 100, seed = 1;
};

bool parse(int argc, char** argv, Settings* out) {
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name[0] != '-') {
      out->program = name;
      continue;
    }
    if (++i == argc) return false;
    const std::string value = argv[i];
    const double number = std::atof(value.c_str());
    if (name == "--against" && (value == "interleaved" || value == "baseline")) {
      out->against = value;
    } else if (name == "--inject") {
      out->inject = number;
    } else if (name == "--count") {
      out->count = static_cast<uint64_t>(number);
    } else if (name == "--budget") {
      out->budget = number;
    } else if (name == "--record") {
      out->record = number;
    } else if (name == "--seed") {
      out->seed = static_cast<uint64_t>(number);
    } else {
      return false;
    }
  }
  return !out->program.empty();
}

/// Executes a share more often than it is asked to: with 0.05 each twentieth execution is two. Long executions, which
/// are samples of their own, get a part of an execution in arithmetic instead, as long as the share of the last ones.
class MoreWork : public Workload {
 public:
  MoreWork(Workload* inner, double share, double execution_ns) : inner_(inner), share_(share), ns_(execution_ns) {}
  Status make(uint64_t seed, std::unique_ptr<Instance>* out) override {
    std::unique_ptr<Instance> instance;
    if (Status status = inner_->make(seed, &instance); !status.ok()) return status;
    *out = std::make_unique<More>(std::move(instance), share_, ns_ > 10e3);
    return {};
  }
  std::string reason() override { return inner_->reason(); }

 private:
  class More : public Instance {
   public:
    More(std::unique_ptr<Instance> inner, double share, bool spin)
        : inner_(std::move(inner)), share_(share), spin_(spin) {}
    Error run() override {
      if (spin_) {
        const uint64_t started = clock_ns(Clock::Cpu);
        const Error error = inner_->run();
        const uint64_t took = clock_ns(Clock::Cpu) - started;
        const uint64_t end = started + took + static_cast<uint64_t>(share_ * static_cast<double>(took));
        while (clock_ns(Clock::Cpu) < end) continue;
        return error;
      }
      debt_ += share_;
      if (debt_ >= 1) {
        debt_ -= 1;
        if (const Error error = inner_->run(); error != Error::Ok) return error;
      }
      return inner_->run();
    }

   private:
    std::unique_ptr<Instance> inner_;
    double share_, debt_ = 0;
    bool spin_;
  };

  Workload* inner_;
  double share_, ns_;
};

int failed(const Status& status) {
  std::fprintf(stderr, "%s\n", status.message().c_str());
  return 1;
}

/// ns of one execution, roughly.
Status time_once(Workload* workload, double* ns) {
  std::unique_ptr<Instance> instance;
  if (Status status = workload->make(1, &instance); !status.ok()) return status;
  *ns = 1e18;
  for (int i = 0; i < 20; ++i) {
    const uint64_t started = clock_ns(Clock::Cpu);
    if (const Error error = instance->run(); error != Error::Ok) return {error, workload->reason()};
    *ns = std::min(*ns, static_cast<double>(clock_ns(Clock::Cpu) - started));
  }
  return {};
}

int run(const Settings& settings) {
  MappedFile file;
  if (Status status = MappedFile::open(settings.program, &file); !status.ok()) return failed(status);
  bundled::Bundle bundle;
  if (const auto error = bundled::Bundle::open(file.bytes(), &bundle); !error.ok()) {
    return failed(Status::of_file(settings.program, error));
  }
  std::vector<bundled::Value> inputs;
  const bundled::Case test = bundle.suite(0).test_case(0);
  for (uint32_t i = 0; i < test.input_count(); ++i) inputs.push_back(test.input(i));
  MethodWorkload plain(settings.program, bundle.program(), std::string(bundle.suite(0).method()), inputs, nullptr);
  MethodWorkload other = plain;
  double once = 0;
  if (Status status = time_once(&plain, &once); !status.ok()) return failed(status);
  MoreWork more(&plain, settings.inject, once);
  Workload& candidate = settings.inject > 0 ? static_cast<Workload&>(more) : plain;

  std::map<std::string, int> sums;
  for (uint64_t i = 0; i < settings.count; ++i) {
    PerfOptions options;
    options.seed = settings.seed + i;
    options.budget_s = settings.budget;
    PerfResult result;
    Status status;
    if (settings.against == "interleaved") {
      status = compare_interleaved(candidate, other, options, &result);
    } else {
      BaselineEntry entry;
      options.budget_s = settings.record;
      options.seed += 1000000;
      status = record_baseline(other, options, &entry);
      options.seed -= 1000000;
      options.budget_s = settings.budget;
      if (status.ok()) status = compare_with_baseline(candidate, entry, options, &result);
    }
    if (!status.ok()) return failed(status);
    ++sums[verdict_name(result.verdict)];
    std::printf(
        "{\"verdict\": \"%s\", \"ratio\": %.5f, \"low\": %.5f, \"high\": %.5f, \"noise\": %.5f, \"rounds\": %zu, "
        "\"samples\": %zu, \"seconds\": %.2f, \"text\": \"%s\"}\n",
        verdict_name(result.verdict), result.ratio, result.ratio_low, result.ratio_high, result.noise, result.rounds,
        result.samples, result.elapsed_s, result.text.c_str());
    std::fflush(stdout);
  }
  for (const auto& [verdict, count] : sums) std::fprintf(stderr, "%s %d  ", verdict.c_str(), count);
  std::fprintf(stderr, "\n");
  return 0;
}

}  // namespace
}  // namespace et::perf

int main(int argc, char** argv) {
  et::perf::Settings settings;
  if (!et::perf::parse(argc, argv, &settings)) {
    std::fputs(et::perf::kUsage, stderr);
    return 2;
  }
  et::runtime_init();
  et::capture_errors();
  return et::perf::run(settings);
}
