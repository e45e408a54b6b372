#include "cli/check/commands.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "base/interruption.h"
#include "base/scratch_folder.h"
#include "bundled_program/cases/case_source.h"
#include "bundled_program/verify/worker_pool.h"
#include "cli/check/explain.h"
#include "cli/check/found_files.h"
#include "cli/check/options.h"
#include "cli/check/performance.h"
#include "cli/check/report.h"
#include "cli/check/store_results.h"
#include "cli/check/suggest_policy.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/output.h"
#include "runtime/module/log_capture.h"
#include "runtime/platform/platform.h"

namespace et::cli {
namespace {

namespace fs = std::filesystem;

constexpr const OptionGroup* kCheckGroups[] = {&kCheckGroup, &kCheckRunGroup, &kCheckPerformanceGroup,
                                               &kCheckCauseGroup, &kCheckOutputGroup};
constexpr Example kCheckExamples[] = {
    {"model.bpte", "all cases of one bundled program"},
    {"conformance/ --jobs 0 --by-operator", "a folder, with a table by operator"},
    {"models/ --junit results.xml --github", "for CI"},
    {"model.bpte --record-baseline fast.json", "record its speed; later: --baseline fast.json"},
    {"new.bpte --against old.bpte --max-slowdown 3%", "is the new program slower?"},
    {"model.bpte --suggest-policy -o model.policy.toml", "tolerances to start with"},
    {"model.bpte --explain --reference good.pte --etrecord etrecord.bin", "which operator diverges first?"},
};

/// A trace for each file: its own name, with those of its folders where two files share it, and a number where that is
/// not enough.
std::vector<bundled::CheckTask> tasks_of(const CheckOptions& options) {
  std::vector<bundled::CheckTask> tasks;
  if (options.etdump_dir.empty()) {
    for (const std::string& f : options.files) tasks.push_back({f, ""});
    return tasks;
  }
  std::map<std::string, size_t> names;
  std::set<std::string> taken;
  for (const std::string& f : options.files) ++names[fs::path(f).stem().string()];
  for (const std::string& f : options.files) {
    bundled::CheckTask task{f, ""};
    std::string name = fs::path(f).stem().string();
    if (names[name] > 1) {
      name = fs::path(f).lexically_normal().replace_extension().string();
      for (char& c : name) c = c == '/' ? '_' : c;
    }
    std::string own = name;
    for (int n = 2; !taken.insert(own).second; ++n) own = name + "-" + std::to_string(n);
    task.etdump = (fs::path(options.etdump_dir) / (own + ".etdp")).string();
    tasks.push_back(std::move(task));
  }
  return tasks;
}

/// Besides what the command line names: traces in a folder, the job's summary, files beside the bundles.
Status check_files_of_check(const Arguments& args, const CheckOptions& options) {
  std::vector<NamedFile> written = written_files(args), read = read_files(args);
  if (!options.etdump_dir.empty()) {
    const std::vector<NamedFile> traces = trace_files(tasks_of(options), options.etdump_dir);
    written.insert(written.end(), traces.begin(), traces.end());
  }
  const char* summary = std::getenv("GITHUB_STEP_SUMMARY");
  if (args.flag("github") && summary != nullptr && *summary != 0) written.push_back({"GITHUB_STEP_SUMMARY", summary});
  if (replaces_any(written)) {
    const std::vector<NamedFile> beside = files_beside(read);
    read.insert(read.end(), beside.begin(), beside.end());
  }
  return check_written(written, read);
}

/// How much there is to check: cases where they are quickly counted, else files.
struct Amount {
  bool cases = false;
  uint64_t total = 0;
};

Amount amount_of(const CheckOptions& options) {
  constexpr size_t kMostCounted = 200;
  const bundled::VerifyOptions& verify = options.verify;
  Amount out{false, options.files.size()};
  if (!options.progress->active() || options.files.size() > kMostCounted || verify.test_case) return out;
  uint64_t cases = 0;
  for (const std::string& path : options.files) {
    bundled::CaseFile file;
    if (!bundled::CaseFile::open(path, verify.sidecar, &file).ok()) continue;  // the check says why
    for (size_t s = 0; s < file.cases().suite_count(); ++s) {
      if (verify.method.empty() || verify.method == file.cases().method(s)) cases += file.cases().case_count(s);
    }
  }
  return cases == 0 ? out : Amount{true, cases};
}

Status verify(const CheckOptions& options, CheckReport* report) {
  const std::vector<bundled::CheckTask> tasks = tasks_of(options);
  if (!options.etdump_dir.empty()) {
    std::error_code ec;
    fs::create_directories(options.etdump_dir, ec);
    if (ec) return {Error::AccessFailed, options.etdump_dir + ": cannot create: " + ec.message()};
  }
  bundled::PoolOptions pool;
  pool.jobs = options.jobs;
  pool.load_timeout_s = options.verify.timeout_s.value_or(0);
  std::vector<std::vector<bundled::CaseVerdict>> verdicts(tasks.size());
  std::vector<size_t> unfinished;
  ProgressLine& line = *options.progress;
  const Amount amount = amount_of(options);
  const char* const stage = amount.cases ? "checking cases" : "checking files";
  uint64_t done = 0;
  line(stage, 0, amount.total);
  pool.tick = [&line] { line.tick(); };
  const bundled::VerdictSink sink = [&](size_t task, bundled::CaseVerdict&& verdict) {
    if (amount.cases || verdicts[task].empty()) ++done;
    verdicts[task].push_back(std::move(verdict));
    line(stage, done, amount.total);
  };
  const Status status = bundled::check_files(tasks, options.verify, pool, sink, &unfinished);
  if (!status.ok()) return status;
  // In the order of the files, whichever worker was faster.
  for (auto& list : verdicts) {
    for (bundled::CaseVerdict& v : list) report->run.add(std::move(v));
  }
  for (const size_t task : unfinished) report->unfinished.push_back(tasks[task].path);
  report->files = tasks.size();
  return {};
}

/// Nothing could be checked: the input is at fault, no check failed.
bool only_unreadable(const bundled::CheckRun& run) {
  for (const bundled::CaseVerdict& v : run.cases) {
    const bool unreadable = v.failure == bundled::Failure::Io || v.failure == bundled::Failure::Corrupt;
    if (!v.method.empty() || !unreadable) return false;
  }
  return !run.cases.empty();
}

Status write_report(const std::string& path, const std::string& text) {
  Output out;
  Status status = out.open(path);
  if (!status.ok()) return status;
  out.stream() << text;
  return out.finish();
}

/// Where GitHub runs the check it names a file whose text becomes the page of the job.
Status append_summary(const std::string& markdown) {
  const char* path = std::getenv("GITHUB_STEP_SUMMARY");
  if (path == nullptr || *path == 0) return {};
  std::ofstream out(path, std::ios::app);
  out << markdown;
  out.close();
  return out ? Status() : Status(Error::AccessFailed, std::string(path) + ": cannot write");
}

int run_check(const Arguments& args) {
  CheckOptions options;
  if (const Status s = read_options(args, &options); !s.ok()) return fail(s);
  if (const Status s = check_files_of_check(args, options); !s.ok()) return fail(s);
  // The store keeps traces, even when --etdump-dir does not ask for them.
  ScratchFolder traces;
  const bool own_traces = !options.store.empty() && options.etdump_dir.empty();
  if (own_traces) {
    if (const Status s = traces.make(); !s.ok()) return fail(s);
    options.etdump_dir = traces.path();
  }
  runtime_init();
  capture_errors();
  catch_interruptions(OnInterruption::Note, "et-check");
  const auto begin = std::chrono::steady_clock::now();
  ProgressLine line(args, ProgressLine::Drawing::Called);  // workers are forks: there must be one thread
  options.progress = &line;
  CheckReport report;
  report.started = perf::utc_now();
  report.host = etdump::host_text();
  report.fail_on_noise = options.fail_on_noise;
  if (const Status s = verify(options, &report); !s.ok()) return fail(s);
  std::vector<std::string> warnings;
  if (const Status s = check_performance(options, &report, &warnings); !s.ok()) return fail(s);
  for (const std::string& w : warnings) print_warning(args, w);
  if (options.explain) {
    if (const Status s = explain_failures(options, &report); !s.ok()) return fail(s);
  }
  line.end();
  report.interrupted = interruption();
  report.duration_ns =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin).count();

  if (!options.store.empty()) {
    if (const Status s = store_results(options.store, options.etrecord, report); !s.ok()) return fail(s);
    if (own_traces) {
      for (bundled::CaseVerdict& v : report.run.cases) v.etdump.clear();
    }
  }

  const int code = report.interrupted != 0       ? interruption_exit_code(report.interrupted)
                   : report.failed() == 0        ? kExitOk
                   : only_unreadable(report.run) ? kExitInput
                                                 : kExitDifference;
  if (args.given("junit")) {
    if (const Status s = write_report(args.text("junit"), junit_report(report)); !s.ok()) return fail(s);
  }
  if (args.given("sarif")) {
    if (const Status s = write_report(args.text("sarif"), sarif_report(report)); !s.ok()) return fail(s);
  }
  std::string text;
  if (args.flag("github")) {
    const std::string commands = github_report(report);
    // GitHub reads both streams; JSON and files must stay free of workflow commands.
    const bool apart = args.flag("json") || args.given("output");
    if (apart) std::fputs(commands.c_str(), stderr);
    if (!apart) text += commands;
    if (const Status s = append_summary(github_summary(report)); !s.ok()) return fail(s);
  }
  if (args.flag("suggest-policy")) {
    bool covers = true;
    const std::string policy = suggested_policy(report, &covers);
    if (report.interrupted != 0) return write_output(args, policy, code);
    return write_output(args, policy, only_unreadable(report.run) ? kExitInput : covers ? kExitOk : kExitDifference);
  }
  const TextStyle style{args.flag("verbose"), args.flag("by-operator"), use_color(args)};
  text += args.flag("json") ? json_report(report) : text_report(report, style);
  return write_output(args, text, code);
}

}  // namespace

const CommandSpec kCheckCommand = {
    .name = "",
    .summary = "run the test cases of bundled programs",
    .description =
        "Runs every case of the bundled programs and compares the outputs with the expected ones: dtype, shape, and "
        "each "
        "element within a tolerance. Tolerances and limits come from a policy (TOML) next to the model, from the "
        "index.json of a folder of bundles, or from reference/tolerance.json; the default is torch.testing's tolerance "
        "for the dtype. External weights (.ptd) next to a bundle are found without --data.\n\nEach program runs in its "
        "own process: a crash, a timeout (--timeout) or an unreadable file is a failed check, and the remaining "
        "programs "
        "are still checked.\n\nWith --baseline or --against the time of each method is compared with robust "
        "statistics: "
        "the result is 'no difference', 'slower by 4 to 7 %' or 'too noisy to tell', and only a certain slowdown can "
        "fail the check.\n\nPrints one line for each failed check, and a summary line.",
    .positionals = {&kCheckPath, 1},
    .groups = kCheckGroups,
    .examples = kCheckExamples,
    .run = run_check,
};

}  // namespace et::cli
