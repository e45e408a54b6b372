#include "bundled_program/verify/verify.h"

#include <chrono>
#include <cstdio>
#include <filesystem>

#include "base/interruption.h"
#include "bundled_program/verify/case_trace.h"
#include "bundled_program/verify/method_runner.h"
#include "bundled_program/verify/program_file.h"

namespace et::bundled {
namespace {

using Clock = std::chrono::steady_clock;
using Problem = MethodRunner::Problem;

std::string memory_text(uint64_t used, uint64_t allowed) {
  return "needs " + std::to_string(used) + " bytes of memory, " + std::to_string(allowed) + " are allowed";
}

/// The cases of one suite.
class SuiteCheck {
 public:
  SuiteCheck(const ProgramFile& file, const std::string& path, uint32_t suite, const VerifyOptions& options,
             const Policy* policy, LimitTable* limits, CaseTrace* trace)
      : file_(file),
        path_(path),
        suite_(suite),
        options_(options),
        policy_(policy),
        limits_(limits),
        trace_(trace),
        runner_(file.program(), std::string(file.cases().method(suite))),
        method_limits_(limits->method(policy, runner_.name())) {}

  double timeout_s() const { return method_limits_.timeout_s.value_or(0); }

  CaseVerdict known(size_t index) const {
    CaseVerdict v;
    v.file = path_;
    if (options_.hash_programs) v.program = file_.sha256();
    v.method = runner_.name();
    v.test_case = static_cast<int64_t>(index);
    v.operators = runner_.operators();
    v.backends = runner_.backends();
    return v;
  }

  CaseVerdict check(size_t index) {
    CaseVerdict v = known(index);
    Problem p = loaded();
    LoadedCase test;
    if (p.ok()) {
      if (const Status s = file_.cases().load(suite_, index, &test); !s.ok()) p = {failure_of(s), s.message()};
    }
    if (p.ok()) p = run(&runner_, index, test, &v);
    if (p.ok()) {
      p = runner_.compare(
          test,
          [&](uint32_t i, ScalarType dtype) { return limits_->output(path_, policy_, v.method, index, i, dtype); },
          &v.outputs);
      const Problem again = iterate(index, test, &v);
      if (p.ok()) p = again;
    }
    v.memory_bytes = runner_.memory_bytes();
    if (p.ok() && method_limits_.max_memory && v.memory_bytes > *method_limits_.max_memory) {
      p = {Failure::Memory, memory_text(v.memory_bytes, *method_limits_.max_memory)};
    }
    v.failure = p.failure;
    v.reason = std::move(p.reason);
    return v;
  }

 private:
  Problem loaded() {
    if (!load_) load_ = runner_.load(file_.weights(), trace_->tracer());
    return *load_;
  }

  Problem run(MethodRunner* runner, size_t index, const LoadedCase& test, CaseVerdict* v) {
    if (Problem p = runner->set_inputs(test); !p.ok()) return p;
    trace_->set_case(index);
    const Clock::time_point begin = Clock::now();
    Problem p = runner->execute();
    const auto time = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count();
    if (!p.ok()) return p;
    ++v->iterations;
    if (v->samples_ns.size() < CaseVerdict::kMaxSamples) v->samples_ns.push_back(time);
    return {};
  }

  // Further executions have their own method object: those of a stateful program would change what the next case
  // starts from.
  Problem iterate(size_t index, const LoadedCase& test, CaseVerdict* v) {
    if (options_.iterations <= 1) return {};
    if (!repeated_) {
      repeated_.emplace(file_.program(), runner_.name());
      if (Problem p = repeated_->load(file_.weights(), trace_->tracer()); !p.ok()) return p;
    }
    for (uint32_t i = 1; i < options_.iterations && interruption() == 0; ++i) {
      if (Problem p = run(&*repeated_, index, test, v); !p.ok()) {
        p.reason = "iteration " + std::to_string(i + 1) + ": " + p.reason;
        return p;
      }
    }
    return {};
  }

  const ProgramFile& file_;
  const std::string& path_;
  uint32_t suite_;
  const VerifyOptions& options_;
  const Policy* policy_;
  LimitTable* limits_;
  CaseTrace* trace_;
  MethodRunner runner_;
  MethodLimits method_limits_;
  std::optional<Problem> load_;
  std::optional<MethodRunner> repeated_;
};

/// What keeps the file's cases from being run at all.
Problem nothing_to_run(const std::string& path, const ProgramFile& file, const VerifyOptions& options) {
  const CaseSource& cases = file.cases();
  if (!options.method.empty()) {
    const std::optional<size_t> suite = cases.find(options.method);
    if (!suite) {
      const bool is_method = file.program().method_meta(options.method.c_str()).ok();
      return {Failure::Method,
              path + ": " +
                  (is_method ? "method '" + options.method + "' has no test cases"
                             : "no method '" + options.method + "', the program has " + file.method_list())};
    }
    if (options.test_case && *options.test_case >= cases.case_count(*suite)) {
      return {Failure::Method, path + ": method '" + options.method + "' has " +
                                   std::to_string(cases.case_count(*suite)) + " test cases, no case " +
                                   std::to_string(*options.test_case)};
    }
  }
  size_t selected = 0;
  for (size_t s = 0; s < cases.suite_count(); ++s) {
    const size_t count = cases.case_count(s);
    selected += options.test_case ? *options.test_case < count : count;
  }
  if (cases.total() == 0) return {Failure::Method, path + ": there are no test cases"};
  if (selected == 0) return {Failure::Method, path + ": no method has a case " + std::to_string(*options.test_case)};
  return {};
}

}  // namespace

CaseVerdict failed_file(const std::string& path, Failure failure, std::string reason) {
  CaseVerdict v;
  v.file = path;
  v.failure = failure;
  v.reason = std::move(reason);
  return v;
}

Failure failure_of(const Status& status) {
  switch (status.code()) {
    case Error::Ok:
      return Failure::None;
    case Error::AccessFailed:
    case Error::NotFound:
      return Failure::Io;
    case Error::MemoryAllocationFailed:
      return Failure::Memory;
    default:
      return Failure::Corrupt;
  }
}

// One look into a folder instead of two for each of its files.
bool LimitTable::has_policies(const std::string& bundle) {
  const size_t slash = bundle.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : bundle.substr(0, slash + 1);
  if (const auto known = options_.policies.find(folder); known != options_.policies.end()) return known->second;
  const auto [it, is_new] = folders_.try_emplace(folder, false);
  if (!is_new) return it->second;
  std::error_code ec;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ec)) {
    it->second = it->second || entry.path().filename().string().ends_with("policy.toml");
  }
  return it->second;
}

Status LimitTable::policy_of(const std::string& bundle, std::shared_ptr<const Policy>* out) {
  *out = options_.policy;
  if (*out != nullptr || !has_policies(bundle)) return {};
  const std::string path = Policy::path_beside(bundle);
  if (path.empty()) return {};
  std::shared_ptr<const Policy>& known = policies_[path];
  if (known == nullptr) {
    if (Status s = Policy::open(path, &known); !s.ok()) return s;
  }
  *out = known;
  return {};
}

OutputLimit LimitTable::output(const std::string& bundle, const Policy* policy, const std::string& method,
                               size_t test_case, uint32_t i, ScalarType dtype) {
  OutputLimit limit;
  limit.tolerance = default_tolerance(dtype);
  limit.from = "dtype";
  if (const auto side = side_.find(bundle, method, test_case, i)) {
    limit.tolerance = side->tolerance;
    limit.from = side->from;
  }
  if (policy != nullptr) policy->apply(method, test_case, i, dtype, &limit);
  if (options_.tolerance) {
    limit.tolerance = *options_.tolerance;
    limit.from = "--rtol/--atol";
  }
  return limit;
}

MethodLimits LimitTable::method(const Policy* policy, const std::string& name) const {
  MethodLimits out;
  if (policy != nullptr) out = policy->method(name);
  if (!out.max_memory) out.max_memory = options_.max_memory;
  if (!out.timeout_s) out.timeout_s = options_.timeout_s;
  return out;
}

bool verify_file(const std::string& path, const std::string& etdump, const VerifyOptions& options, const Start& start,
                 LimitTable* limits, VerifyListener* listener) {
  std::shared_ptr<const Policy> policy;
  if (const Status s = limits->policy_of(path, &policy); !s.ok()) {
    return listener->done(failed_file(path, failure_of(s), s.message())), true;
  }
  ProgramFile file;
  if (ProgramFile::Problem p = file.open(path, options.sidecar, options.data_files); !p.ok()) {
    return listener->done(failed_file(path, p.failure, std::move(p.reason))), true;
  }
  if (Problem p = nothing_to_run(path, file, options); !p.ok()) {
    CaseVerdict v = failed_file(path, p.failure, std::move(p.reason));
    if (options.hash_programs) v.program = file.sha256();
    return listener->done(std::move(v)), true;
  }
  CaseTrace trace;
  if (const Status s = trace.open(etdump, start.part, options.log_values, file, path); !s.ok()) {
    return listener->done(failed_file(path, failure_of(s), s.message())), true;
  }
  const CaseSource& cases = file.cases();
  bool whole = true;
  for (uint32_t s = start.suite; s < cases.suite_count() && whole; ++s) {
    if (!options.method.empty() && options.method != cases.method(s)) continue;
    SuiteCheck suite(file, path, s, options, policy.get(), limits, &trace);
    for (uint32_t c = s == start.suite ? start.test_case : 0; c < cases.case_count(s) && whole; ++c) {
      if (options.test_case && *options.test_case != c) continue;
      whole = interruption() == 0;
      if (!whole) break;
      listener->begin({s, c, start.part}, suite.known(c), suite.timeout_s());
      CaseVerdict v = suite.check(c);
      v.etdump = trace.path();
      v.debug_buffer = trace.debug_buffer();
      listener->done(std::move(v));
    }
  }
  if (const Status s = trace.close(); !s.ok()) listener->done(failed_file(path, failure_of(s), s.message()));
  return whole;
}

}  // namespace et::bundled
