#include "cli/check/options.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "base/quantity.h"
#include "cli/run/twins.h"
#include "cli/shared_options.h"
#include "inspector/report/sarif.h"

namespace et::cli {
namespace {

namespace fs = std::filesystem;

constexpr OptionSpec kCheck[] = {
    kMethodOption,
    kCaseOption,
    kDataOption,
    kTosaOption,
    file_option("sidecar", 0,
                "test cases of the program (.npz; default: model.cases.npz next to model.bpte or model.pte)"),
    file_option("policy", 0,
                "tolerances and limits (.toml; default: model.policy.toml or policy.toml next to the bundle)"),
    value_option("rtol", 0, "NUMBER", "relative tolerance, overriding policy, index.json and the default of the dtype"),
    value_option("atol", 0, "NUMBER", "absolute tolerance, likewise"),
    value_option("timeout", 0, "TIME", "per-case timeout, e.g. 10s (default: none)"),
    value_option("max-memory", 0, "SIZE",
                 "limit on the memory of a method (planned, method and temporary), e.g. 2MiB (default: none)"),
    number_option("jobs", 'j', "1", "number of programs to check in parallel; 0 = one per CPU"),
};
constexpr OptionSpec kRun[] = {
    kIterationsOption,
    written(value_option("etdump-dir", 0, "DIR", "write an ETDump of each program to this folder, for et-inspect",
                         Complete::Directory)),
    {.name = "log-values",
     .help = "with --etdump-dir: also log the outputs of every operator, to a .bin next to the ETDump"},
};
constexpr OptionSpec kPerformance[] = {
    file_option("baseline", 0, "compare the time of each method's first case (or of --case) with this baseline"),
    updated(file_option("record-baseline", 0, "record a baseline to this file; entries of other programs are kept")),
    value_option("against", 0, "PATH",
                 "compare with another program, or with the programs of the same names in a folder, interleaved",
                 Complete::File),
    value_option("max-slowdown", 0, "SHARE", "allowed slowdown (default: the policy's, else 5%)"),
    with_default(value_option("min-effect", 0, "SHARE", "ignore smaller differences"), "1%"),
    with_default(value_option("budget", 0, "TIME", "time for one comparison; it ends earlier once the result is clear"),
                 "5s"),
    choice_option("clock", 0, "CLOCK", "cpu|wall", "cpu",
                  "what is measured: CPU time, which other processes do not disturb, or wall-clock time"),
    {.name = "allow-other-host", .help = "compare even with a baseline recorded on another host"},
    {.name = "fail-on-noise", .help = "fail when results are inconclusive"},
};
constexpr OptionSpec kCause[] = {
    {.name = "explain", .help = "for each failed case, name the first operator that diverges from --reference"},
    repeated(file_option("reference", 0,
                         "a good run for --explain: a program (.pte, .bpte), which is run with the same inputs, or an "
                         "ETDump with logged values (.etdp, its .bin next to it)")),
    kEtrecordOption,
    file_option("reference-etrecord", 0,
                "ETRecord of --reference when that is another export of the model, e.g. float32 for int8"),
};
constexpr OptionSpec kOutput[] = {
    kTextOrJsonOption,
    kJsonOption,
    written(file_option("junit", 0, "also write a JUnit XML report")),
    written(file_option("sarif", 0, "also write a SARIF 2.1.0 report")),
    {.name = "github", .help = "print workflow commands, which GitHub shows as annotations"},
    kStoreOption,
    {.name = "suggest-policy",
     .help = "print a policy under which these results pass, with room, in place of the report"},
    {.name = "by-operator", .help = "also print the number of passed and failed cases by operator"},
    {.name = "verbose", .short_name = 'v', .help = "also print a line for each case that passed"},
    kVersionOption,
    kManOption,
    kCompletionOption,
};

/// What a file is called in results, however it was spelt: from the current folder where it is below it, else in full.
/// A check is told from others by it, in stores and baselines. "": the current folder.
std::string result_name(const std::string& path) {
  std::error_code ec;
  const inspector::FilePlace place = inspector::place_of_file(path);
  if (place.relative) return place.path;
  const fs::path here = fs::current_path(ec), full = place.path;
  // The current folder's own path has no symbolic links; that of the file may reach it through one.
  const fs::path real = fs::weakly_canonical(full.parent_path(), ec) / full.filename();
  for (const fs::path& name : {full, real}) {
    if ((name.has_filename() ? name : name.parent_path()) == here) return "";
  }
  const inspector::FilePlace linked = inspector::place_of_file(real.string());
  return linked.relative ? linked.path : place.path;
}

/// Files of a folder in order of their names, those of its subfolders behind them. Paths are joined as text:
/// std::filesystem takes them apart again and again, which shows with thousands of files.
void collect(const std::string& path, std::vector<std::string>* out, std::map<std::string, bool>* policies) {
  std::error_code ec;
  const std::string folder = path.empty() ? "." : path;
  if (!fs::is_directory(folder, ec)) {
    out->push_back(path);
    return;
  }
  std::vector<std::string> files, folders;
  for (const auto& entry : fs::directory_iterator(folder, ec)) {
    std::string name = path.empty() ? entry.path().native().substr(2) : entry.path().native();
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
  return {Error::InvalidArgument,
          std::string("--") + option + ": expected " + expected + ", got '" + args.text(option) + "'"};
}

bool parse_number(const std::string& text, double* out) {
  char* end = nullptr;
  *out = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == 0 && *out >= 0;
}

Status read_verify(const Arguments& args, bundled::VerifyOptions* out) {
  out->method = args.text("method");
  if (args.given("case")) {
    if (args.integer("case") < 0) return wrong("case", args, "a non-negative number");
    out->test_case = static_cast<size_t>(args.integer("case"));
  }
  if (Status s = use_twins(args.text("tosa")); !s.ok()) return s;
  out->data_files = args.list("data");
  out->sidecar = args.text("sidecar");
  if (args.given("rtol") || args.given("atol")) {
    bundled::Tolerance t;
    if (args.given("rtol") && !parse_number(args.text("rtol"), &t.rtol))
      return wrong("rtol", args, "a non-negative number");
    if (args.given("atol") && !parse_number(args.text("atol"), &t.atol))
      return wrong("atol", args, "a non-negative number");
    out->tolerance = t;
  }
  if (args.given("policy")) {
    if (Status s = bundled::Policy::open(args.text("policy"), &out->policy); !s.ok()) return s;
  }
  if (args.given("timeout")) {
    out->timeout_s = parse_seconds(args.text("timeout"));
    if (!out->timeout_s) return wrong("timeout", args, "a positive time such as 10s or 250ms");
  }
  if (args.given("max-memory")) {
    out->max_memory = parse_bytes(args.text("max-memory"));
    if (!out->max_memory) return wrong("max-memory", args, "a size such as 4096 or 2MiB");
  }
  const int64_t iterations = args.integer("iterations");
  if (iterations < 1 || iterations > 100000000) return wrong("iterations", args, "1 to 100000000");
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
    out->max_slowdown = parse_share(args.text("max-slowdown"));
    if (!out->max_slowdown) return wrong("max-slowdown", args, "a share such as 5% or 0.05");
  }
  const auto effect = parse_share(args.text("min-effect"));
  if (!effect || *effect < 0.001 || *effect >= 1) return wrong("min-effect", args, "a share from 0.1% to below 100%");
  out->perf.min_effect = *effect;
  if (out->max_slowdown && *out->max_slowdown <= *effect) {
    const std::string expected =
        "more than --min-effect, the smallest change that counts (" + args.text("min-effect") + ")";
    return wrong("max-slowdown", args, expected.c_str());
  }
  const auto budget = parse_seconds(args.text("budget"));
  if (!budget) return wrong("budget", args, "a positive time such as 4s");
  out->perf.budget_s = *budget;
  perf::clock_of(args.text("clock"), &out->perf.clock);
  out->perf.allow_other_host = args.flag("allow-other-host");
  const bool compares = !out->baseline.empty() || !out->against.empty();
  for (const char* option : {"max-slowdown", "fail-on-noise"}) {
    if (args.given(option) && !compares) {
      return {Error::InvalidArgument, std::string("--") + option + " needs --baseline or --against"};
    }
  }
  std::error_code ec;
  if (!out->against.empty() && !fs::exists(out->against, ec)) {
    return {Error::AccessFailed, out->against + ": cannot open: no such file (--against)"};
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
    .help = "bundled programs (.bpte), programs with a side-car of cases (.pte), or folders to search for bundles",
};
const OptionGroup kCheckGroup = {"Check", kCheck};
const OptionGroup kCheckRunGroup = {"Execution", kRun};
const OptionGroup kCheckPerformanceGroup = {"Performance", kPerformance};
const OptionGroup kCheckCauseGroup = {"Cause", kCause};
const OptionGroup kCheckOutputGroup = {"Output", kOutput};

Status read_options(const Arguments& args, CheckOptions* out) {
  for (const std::string& path : args.list("path")) {
    const size_t before = out->files.size();
    collect(result_name(path), &out->files, &out->verify.policies);
    if (out->files.size() == before) {
      return {Error::AccessFailed, path + ": found no bundled programs (.bpte) in this folder"};
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
  out->reference_etrecord = args.text("reference-etrecord");
  out->store = args.text("store");
  // Only what is read by machines names programs by their hash.
  out->verify.hash_programs =
      args.flag("json") || !out->store.empty() || !out->record_baseline.empty() || !out->baseline.empty();
  if (args.flag("suggest-policy") && args.flag("json")) {
    return {Error::InvalidArgument, "--suggest-policy and --json are mutually exclusive"};
  }
  if (args.given("reference") && !out->explain) return {Error::InvalidArgument, "--reference needs --explain"};
  if (args.given("reference-etrecord") && (!args.given("reference") || !args.given("etrecord"))) {
    return {Error::InvalidArgument, "--reference-etrecord needs --reference and --etrecord"};
  }
  if (args.given("etrecord") && !out->explain && out->store.empty()) {
    return {Error::InvalidArgument, "--etrecord needs --explain or --store"};
  }
  return {};
}

}  // namespace et::cli
