#include "cli/check/options.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "bundled_program/verify/quantity.h"
#include "cli/run/program_main.h"

namespace et::cli {
namespace {

namespace fs = std::filesystem;

constexpr OptionSpec kCheck[] = {
    {.name = "method", .argument = "NAME", .type = Value::Text, .help = "only the cases of this method"},
    {.name = "case", .argument = "N", .type = Value::Integer, .help = "only this case of each method, from 0"},
    {.name = "data",
     .short_name = 'd',
     .argument = "FILE",
     .type = Value::Text,
     .complete = Complete::File,
     .many = true,
     .help = "external weights (.ptd); those beside a bundle are found without it"},
    {.name = "sidecar",
     .argument = "FILE",
     .type = Value::Text,
     .complete = Complete::File,
     .help =
         "test cases beside the program (.npz); model.cases.npz beside model.bpte or model.pte is found without it"},
    {.name = "policy",
     .argument = "FILE",
     .type = Value::Text,
     .complete = Complete::File,
     .help = "tolerances and limits (.toml); model.policy.toml or policy.toml beside a bundle is found without it"},
    {.name = "rtol",
     .argument = "NUMBER",
     .type = Value::Text,
     .help = "relative tolerance, instead of that of the policy, of an index.json or of the dtype"},
    {.name = "atol", .argument = "NUMBER", .type = Value::Text, .help = "absolute tolerance, likewise"},
    {.name = "timeout",
     .argument = "TIME",
     .type = Value::Text,
     .help = "most that a case may take, e.g. 10s; any time without"},
    {.name = "max-memory",
     .argument = "SIZE",
     .type = Value::Text,
     .help = "most memory that a method may need (planned, method and temporary), e.g. 2MiB"},
    {.name = "jobs",
     .short_name = 'j',
     .argument = "N",
     .type = Value::Integer,
     .fallback = "1",
     .help = "programs that are checked at the same time; 0: one a processor"},
};
constexpr OptionSpec kRun[] = {
    {.name = "iterations",
     .short_name = 'n',
     .argument = "N",
     .type = Value::Integer,
     .fallback = "1",
     .help = "timed executions of each case"},
    {.name = "etdump-dir",
     .argument = "DIR",
     .type = Value::Text,
     .complete = Complete::Directory,
     .help = "write a trace of each program there, for et-inspect"},
    {.name = "log-values", .help = "with --etdump-dir: what every operator writes too, in a .bin beside each trace"},
};
constexpr OptionSpec kPerformance[] = {
    {.name = "baseline",
     .argument = "FILE",
     .type = Value::Text,
     .complete = Complete::File,
     .help = "compare the time of each method's first case (or of --case) with this recording"},
    {.name = "record-baseline",
     .argument = "FILE",
     .type = Value::Text,
     .complete = Complete::File,
     .help = "record such a baseline; entries of other programs stay"},
    {.name = "against",
     .argument = "PATH",
     .type = Value::Text,
     .complete = Complete::File,
     .help = "compare with another program, or with those of the same names in a folder, in turns"},
    {.name = "max-slowdown",
     .argument = "SHARE",
     .type = Value::Text,
     .help = "what a change may cost, instead of the policy's; 5% without either"},
    {.name = "min-effect",
     .argument = "SHARE",
     .type = Value::Text,
     .fallback = "1%",
     .help = "differences below it are none"},
    {.name = "budget",
     .argument = "TIME",
     .type = Value::Text,
     .fallback = "5s",
     .help = "time for one comparison; it ends earlier when the answer is clear"},
    {.name = "clock",
     .argument = "CLOCK",
     .type = Value::Choice,
     .choices = "cpu|wall",
     .fallback = "cpu",
     .complete = Complete::Choices,
     .help = "what is measured: processor time, which other programs do not disturb, or wall time"},
    {.name = "allow-other-host", .help = "compare with a baseline that was recorded on another host all the same"},
    {.name = "fail-on-noise", .help = "too noisy to tell is a failed check"},
};
constexpr OptionSpec kCause[] = {
    {.name = "explain", .help = "for each failed case, name the first operator that diverges from --reference"},
    {.name = "reference",
     .argument = "FILE",
     .type = Value::Text,
     .complete = Complete::File,
     .many = true,
     .help = "a good run for --explain: a program (.pte, .bpte) that is run with the same inputs, or a trace with "
             "logged values (.etdp, its .bin beside it)"},
    {.name = "etrecord",
     .argument = "FILE",
     .type = Value::Text,
     .complete = Complete::File,
     .help = "leads from operators to their graph nodes and Python lines"},
};
constexpr OptionSpec kOutput[] = {
    {.name = "json", .help = "one JSON object with an entry for each case"},
    {.name = "junit",
     .argument = "FILE",
     .type = Value::Text,
     .complete = Complete::File,
     .help = "write a JUnit XML report, too"},
    {.name = "sarif",
     .argument = "FILE",
     .type = Value::Text,
     .complete = Complete::File,
     .help = "write a SARIF 2.1.0 report, too"},
    {.name = "github", .help = "print workflow commands that GitHub shows beside a change"},
    {.name = "store",
     .argument = "FILE",
     .type = Value::Text,
     .complete = Complete::File,
     .help = "keep results and traces in this store, for et-inspect history and the window"},
    {.name = "by-operator", .help = "a table of the operators with the cases that passed and failed"},
    {.name = "verbose", .short_name = 'v', .help = "a line for the cases that passed, too"},
    kVersionOption,
    kManOption,
    kCompletionOption,
};

/// Files of a folder in order of their names, those of its subfolders behind them. Paths are joined as text:
/// std::filesystem takes them apart again and again, which shows with thousands of files.
void collect(const std::string& path, std::vector<std::string>* out, std::map<std::string, bool>* policies) {
  std::error_code ec;
  if (!fs::is_directory(path, ec)) {
    out->push_back(path);
    return;
  }
  std::vector<std::string> files, folders;
  for (const auto& entry : fs::directory_iterator(path, ec)) {
    std::string name = entry.path().native();
    bool& has_policies = (*policies)[name.substr(0, name.rfind('/') + 1)];
    has_policies = has_policies || name.ends_with("policy.toml");
    if (entry.is_directory(ec)) {
      folders.push_back(std::move(name));
    } else if (name.ends_with(".bpte")) {
      files.push_back(std::move(name));
    }
  }
  std::sort(files.begin(), files.end());
  std::sort(folders.begin(), folders.end());
  for (std::string& f : files) out->push_back(std::move(f));
  for (const std::string& f : folders) collect(f, out, policies);
}

Status wrong(const char* option, const Arguments& args, const char* expected) {
  return {Error::InvalidArgument, std::string("--") + option + " " + args.text(option) + ": expected " + expected};
}

bool parse_number(const std::string& text, double* out) {
  char* end = nullptr;
  *out = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == 0 && *out >= 0;
}

Status read_verify(const Arguments& args, bundled::VerifyOptions* out) {
  out->method = args.text("method");
  if (args.given("case")) {
    if (args.integer("case") < 0) return wrong("case", args, "a number from 0 on");
    out->test_case = static_cast<size_t>(args.integer("case"));
  }
  out->data_files = args.list("data");
  out->sidecar = args.text("sidecar");
  if (args.given("rtol") || args.given("atol")) {
    bundled::Tolerance t;
    if (args.given("rtol") && !parse_number(args.text("rtol"), &t.rtol))
      return wrong("rtol", args, "a number from 0 on");
    if (args.given("atol") && !parse_number(args.text("atol"), &t.atol))
      return wrong("atol", args, "a number from 0 on");
    out->tolerance = t;
  }
  if (args.given("policy")) {
    if (Status s = bundled::Policy::open(args.text("policy"), &out->policy); !s.ok()) return s;
  }
  if (args.given("timeout")) {
    out->timeout_s = bundled::parse_seconds(args.text("timeout"));
    if (!out->timeout_s) return wrong("timeout", args, "a time above 0, as 10s or 250ms");
  }
  if (args.given("max-memory")) {
    out->max_memory = bundled::parse_bytes(args.text("max-memory"));
    if (!out->max_memory) return wrong("max-memory", args, "a size, as 4096 or 2MiB");
  }
  const int64_t iterations = args.integer("iterations");
  if (iterations < 1 || iterations > 100000000) return wrong("iterations", args, "1 or more");
  out->iterations = static_cast<uint32_t>(iterations);
  out->log_values = args.flag("log-values");
  return {};
}

Status read_performance(const Arguments& args, CheckOptions* out) {
  out->baseline = args.text("baseline");
  out->record_baseline = args.text("record-baseline");
  out->against = args.text("against");
  out->fail_on_noise = args.flag("fail-on-noise");
  if (args.given("max-slowdown")) {
    out->max_slowdown = bundled::parse_share(args.text("max-slowdown"));
    if (!out->max_slowdown) return wrong("max-slowdown", args, "a share, as 5% or 0.05");
  }
  const auto effect = bundled::parse_share(args.text("min-effect"));
  if (!effect || *effect < 0.001 || *effect >= 1) return wrong("min-effect", args, "a share of at least 0.1%");
  out->perf.min_effect = *effect;
  const auto budget = bundled::parse_seconds(args.text("budget"));
  if (!budget) return wrong("budget", args, "a time above 0, as 4s");
  out->perf.budget_s = *budget;
  perf::clock_of(args.text("clock"), &out->perf.clock);
  out->perf.allow_other_host = args.flag("allow-other-host");
  const bool compares = !out->baseline.empty() || !out->against.empty();
  for (const char* option : {"max-slowdown", "fail-on-noise"}) {
    if (args.given(option) && !compares) {
      return {Error::InvalidArgument, std::string("--") + option + " needs --baseline or --against"};
    }
  }
  if (args.given("allow-other-host") && out->baseline.empty()) {
    return {Error::InvalidArgument, "--allow-other-host needs --baseline"};
  }
  return {};
}

}  // namespace

const OptionSpec kCheckPath = {
    .name = "path",
    .argument = "PATH",
    .type = Value::Text,
    .complete = Complete::File,
    .many = true,
    .required = true,
    .help =
        "bundled programs (.bpte), programs with a side-car of cases (.pte), or folders that are searched for bundles",
};
const OptionGroup kCheckGroup = {"Check", kCheck};
const OptionGroup kCheckRunGroup = {"Execution", kRun};
const OptionGroup kCheckPerformanceGroup = {"Performance", kPerformance};
const OptionGroup kCheckCauseGroup = {"Cause", kCause};
const OptionGroup kCheckOutputGroup = {"Output", kOutput};

Status read_options(const Arguments& args, CheckOptions* out) {
  for (const std::string& path : args.list("path")) {
    const size_t before = out->files.size();
    collect(path, &out->files, &out->verify.policies);
    if (out->files.size() == before) {
      return {Error::AccessFailed, path + ": no bundled programs (.bpte) in this folder"};
    }
  }
  if (Status s = read_verify(args, &out->verify); !s.ok()) return s;
  if (Status s = read_performance(args, out); !s.ok()) return s;
  const int64_t jobs = args.integer("jobs");
  if (jobs < 0 || jobs > 1024) return wrong("jobs", args, "0 to 1024");
  out->jobs = jobs == 0 ? std::max(1u, std::thread::hardware_concurrency()) : static_cast<unsigned>(jobs);
  out->etdump_dir = args.text("etdump-dir");
  if (out->verify.log_values && out->etdump_dir.empty()) {
    return {Error::InvalidArgument, "--log-values needs --etdump-dir"};
  }
  out->explain = args.flag("explain");
  out->references = args.list("reference");
  out->etrecord = args.text("etrecord");
  out->store = args.text("store");
  // Only what is read by machines names programs by their hash.
  out->verify.hash_programs =
      args.flag("json") || !out->store.empty() || !out->record_baseline.empty() || !out->baseline.empty();
  if (args.given("reference") && !out->explain) return {Error::InvalidArgument, "--reference needs --explain"};
  if (args.given("etrecord") && !out->explain && out->store.empty()) {
    return {Error::InvalidArgument, "--etrecord needs --explain or --store"};
  }
  return {};
}

}  // namespace et::cli
