#include "cli/check/performance.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <set>

#include "base/interruption.h"
#include "bundled_program/perf/method_workload.h"
#include "bundled_program/verify/isolated.h"
#include "bundled_program/verify/program_file.h"
#include "bundled_program/verify/wire.h"

namespace et::cli {
namespace {

namespace fs = std::filesystem;
using perf::PerfResult;

template <class Wire, class R>
void members_of_result(Wire& wire, R& r) {
  wire(r.verdict, r.passed, r.median_ns, r.baseline_median_ns, r.ratio, r.ratio_low, r.ratio_high, r.noise, r.rounds,
       r.samples, r.elapsed_s, r.text, r.clock);
}

PerfResult refused(std::string text) {
  PerfResult r;
  r.verdict = PerfResult::Refused;
  r.text = std::move(text);
  return r;
}

/// The program to compare with: itself, or the one of the same name in a folder.
std::string other_program(const std::string& against, const std::string& file) {
  std::error_code ec;
  if (!fs::is_directory(against, ec)) return against;
  return (fs::path(against) / fs::path(file).filename()).string();
}

/// A method with the inputs of one case, ready to be measured; the files stay open with it.
struct Side {
  bundled::ProgramFile file;
  bundled::LoadedCase test;
  std::unique_ptr<perf::MethodWorkload> workload;

  Status open(const std::string& path, const CheckOptions& options) {
    if (auto p = file.open(path, options.verify.sidecar, options.verify.data_files); !p.ok()) {
      return {Error::InvalidExternalData, std::move(p.reason)};
    }
    return {};
  }
  Status load_case(const bundled::CaseVerdict& of) {
    const auto suite = file.cases().find(of.method);
    if (!suite) return {Error::NotFound, of.name() + ": no such case"};
    return file.cases().load(*suite, static_cast<size_t>(of.test_case), &test);
  }
  void make(const std::string& path, const std::string& method, const std::vector<bundled::Value>& inputs) {
    workload = std::make_unique<perf::MethodWorkload>(path, file.bytes(), method, inputs, file.weights());
  }
};

/// What the child process does: measures, and gives the result as bytes.
std::string measure(const CheckOptions& options, const perf::PerfOptions& perf, const bundled::CaseVerdict& of,
                    const perf::BaselineEntry* entry, const std::string& other) {
  PerfResult result;
  Side candidate;
  Side baseline;
  Status status = candidate.open(of.file, options);
  if (status.ok()) status = candidate.load_case(of);
  if (status.ok() && entry == nullptr) status = baseline.open(other, options);
  if (status.ok()) {
    candidate.make(of.file, of.method, candidate.test.inputs);
    if (entry != nullptr) {
      status = perf::compare_with_baseline(*candidate.workload, *entry, perf, &result);
    } else {
      baseline.make(other, of.method, candidate.test.inputs);
      status = perf::compare_interleaved(*candidate.workload, *baseline.workload, perf, &result);
    }
  }
  if (!status.ok()) result = refused(status.message());
  bundled::WireWriter wire;
  members_of_result(wire, result);
  return wire.take();
}

/// As baselines travel: text, which the file's reader checks again.
std::string record(const CheckOptions& options, const bundled::CaseVerdict& of) {
  Side side;
  Status status = side.open(of.file, options);
  if (status.ok()) status = side.load_case(of);
  perf::Baseline baseline;
  if (status.ok()) {
    side.make(of.file, of.method, side.test.inputs);
    perf::BaselineEntry entry;
    status = perf::record_baseline(*side.workload, options.perf, &entry);
    entry.file = of.file;
    entry.program = of.program;
    entry.method = of.method;
    entry.test_case = static_cast<size_t>(of.test_case);
    if (status.ok()) baseline.put(std::move(entry));
  }
  return status.ok() ? "+" + perf::baseline_json(baseline) : "-" + status.message();
}

/// The measurements of one call of check_performance() as one line: none takes longer than its budget.
class Meter {
 public:
  Meter(const CheckOptions& options, const CheckReport& report) : options_(options) {
    std::set<std::pair<std::string, std::string>> methods;
    for (const bundled::CaseVerdict& v : report.run.cases) {
      if (!v.method.empty() && v.passed()) methods.insert({v.file, v.method});
    }
    const size_t each = (options.baseline.empty() ? 0U : 1U) + (options.against.empty() ? 0U : 1U) +
                        (options.record_baseline.empty() ? 0U : 1U);
    all_ = static_cast<double>(std::max<size_t>(each * methods.size(), 1));
  }
  /// The next measurement; its tick.
  std::function<void()> next(const std::string& what) {
    const double before = done_++;
    return [this, what, before, begin = Clock::now()] {
      const double spent = std::chrono::duration<double>(Clock::now() - begin).count();
      const double part = std::min(spent / std::max(options_.perf.budget_s, 0.1), 0.99);
      options_.progress->part("measuring", (before + part) / all_, what);
    };
  }

 private:
  using Clock = std::chrono::steady_clock;
  const CheckOptions& options_;
  double all_ = 1, done_ = 0;
};

double time_allowed(const CheckOptions& options) { return 30 + 20 * options.perf.budget_s; }

}  // namespace

Status check_performance(const CheckOptions& options, CheckReport* report, std::vector<std::string>* warnings) {
  if (options.baseline.empty() && options.against.empty() && options.record_baseline.empty()) return {};
  perf::Baseline baseline;
  if (!options.baseline.empty()) {
    if (Status s = perf::read_baseline(options.baseline, &baseline); !s.ok()) return s;
  }
  perf::Baseline recorded;
  std::error_code ec;
  if (!options.record_baseline.empty() && fs::exists(options.record_baseline, ec)) {
    if (Status s = perf::read_baseline(options.record_baseline, &recorded); !s.ok()) return s;
  }
  bundled::LimitTable limits(options.verify);
  std::set<std::pair<std::string, std::string>> measured;  // file and method
  Meter meter(options, *report);
  for (const bundled::CaseVerdict& of : report->run.cases) {
    if (interruption() != 0) break;  // what is recorded so far is kept
    // The time of a method that does not do its work says nothing.
    if (of.method.empty() || !of.passed() || !measured.insert({of.file, of.method}).second) continue;
    perf::PerfOptions perf = options.perf;
    std::shared_ptr<const bundled::Policy> policy;
    if (limits.policy_of(of.file, &policy).ok() && policy != nullptr) {
      if (const auto allowed = policy->method(of.method).max_slowdown) perf.max_slowdown = *allowed;
    }
    if (options.max_slowdown) perf.max_slowdown = *options.max_slowdown;

    const auto compare = [&](const std::string& against, const perf::BaselineEntry* entry, const std::string& other) {
      PerformanceCheck check{of.file, of.program, of.method, of.test_case, against, perf.max_slowdown, {}};
      if (entry == nullptr && other.empty()) {
        check.result = refused("the baseline has no entry for it; create one with --record-baseline");
      } else {
        const bundled::Isolated child =
            bundled::run_isolated([&] { return measure(options, perf, of, entry, other); }, time_allowed(options),
                                  meter.next(of.file + " " + of.method));
        bundled::WireReader wire(child.value);
        if (child.end == bundled::Isolated::End::Interrupted) return;
        if (child.end == bundled::Isolated::End::Returned) members_of_result(wire, check.result);
        if (child.end != bundled::Isolated::End::Returned || !wire.ok()) check.result = refused(child.reason);
      }
      report->performance.push_back(std::move(check));
    };
    if (!options.baseline.empty()) {
      compare(options.baseline, baseline.find(of.file, of.method, static_cast<size_t>(of.test_case)), "");
    }
    if (!options.against.empty()) {
      const std::string other = other_program(options.against, of.file);
      compare(other, nullptr, other);
    }
    if (!options.record_baseline.empty()) {
      const bundled::Isolated child = bundled::run_isolated([&] { return record(options, of); }, time_allowed(options),
                                                            meter.next(of.file + " " + of.method));
      if (child.end == bundled::Isolated::End::Interrupted) break;
      const std::string problem = child.end != bundled::Isolated::End::Returned ? child.reason
                                  : child.value.starts_with('-')                ? child.value.substr(1)
                                                                                : "";
      if (!problem.empty()) return {Error::Internal, "--record-baseline: " + of.name() + ": " + problem};
      perf::Baseline one;
      if (Status s = perf::parse_baseline(std::string_view(child.value).substr(1), of.name(), &one); !s.ok()) return s;
      for (perf::BaselineEntry& e : one.entries) {
        const std::string doubt = perf::problem_of(e);
        if (!doubt.empty()) warnings->push_back(of.name() + ": " + doubt);
        recorded.put(std::move(e));
      }
    }
  }
  // Nothing recorded before an interruption makes no file.
  const bool writes = !options.record_baseline.empty() && (interruption() == 0 || !recorded.entries.empty());
  return writes ? perf::write_baseline(options.record_baseline, recorded) : Status();
}

}  // namespace et::cli
