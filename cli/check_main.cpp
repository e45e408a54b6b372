// et-check: runs the test cases of bundled programs and says which of them fail, and why.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <sstream>

#include "cli/arguments.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/output.h"
#include "cli/run/bundle_run.h"
#include "cli/run/json_text.h"
#include "cli/run/program_main.h"
#include "cli/version.h"
#include "runtime/module/log_capture.h"
#include "runtime/platform/platform.h"

namespace et::cli {
namespace {

namespace fs = std::filesystem;

constexpr OptionSpec kPositionals[] = {
    {.name = "path",
     .argument = "PATH",
     .type = Value::Text,
     .complete = Complete::File,
     .many = true,
     .required = true,
     .help = "bundled programs (.bpte), or folders that are searched for them"},
};
constexpr OptionSpec kCheck[] = {
    {.name = "method", .argument = "NAME", .type = Value::Text, .help = "only the cases of this method"},
    {.name = "data",
     .short_name = 'd',
     .argument = "FILE",
     .type = Value::Text,
     .complete = Complete::File,
     .many = true,
     .help = "external weights (.ptd); those beside a bundle are found without it"},
    {.name = "rtol",
     .argument = "NUMBER",
     .type = Value::Text,
     .help = "relative tolerance, instead of that of an index.json or of the dtype"},
    {.name = "atol", .argument = "NUMBER", .type = Value::Text, .help = "absolute tolerance, likewise"},
};
constexpr OptionSpec kOutput[] = {
    {.name = "json", .help = "one JSON object with an entry for each case"},
    {.name = "by-operator", .help = "a table of the operators with the cases that passed and failed"},
    {.name = "verbose", .short_name = 'v', .help = "a line for the cases that passed, too"},
    kVersionOption,
    kManOption,
    kCompletionOption,
};
constexpr OptionGroup kCheckGroup = {"Check", kCheck};
constexpr OptionGroup kOutputGroup = {"Output", kOutput};
constexpr const OptionGroup* kGroups[] = {&kCheckGroup, &kOutputGroup};
constexpr Example kExamples[] = {
    {"model.bpte", "all cases of one bundled program"},
    {"conformance/ --by-operator", "a folder, with a table by operator"},
    {"--json models/ -o verdicts.json", "for another program"},
};

/// Files of a folder in order of their names, those of its subfolders behind them.
void collect(const fs::path& path, std::vector<std::string>* out) {
  std::error_code ec;
  if (!fs::is_directory(path, ec)) {
    out->push_back(path.string());
    return;
  }
  std::vector<fs::path> files, folders;
  for (const auto& entry : fs::directory_iterator(path, ec)) {
    if (entry.is_directory(ec)) {
      folders.push_back(entry.path());
    } else if (entry.path().extension() == ".bpte") {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  std::sort(folders.begin(), folders.end());
  for (const fs::path& f : files) out->push_back(f.string());
  for (const fs::path& f : folders) collect(f, out);
}

bool parse_number(const Arguments& args, const char* name, double* out) {
  const std::string text = args.text(name);
  char* end = nullptr;
  *out = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == 0 && *out >= 0;
}

std::string as_json(const std::vector<CaseResult>& results, size_t passed) {
  std::string out = "{\n  \"passed\": " + std::to_string(passed) +
                    ",\n  \"failed\": " + std::to_string(results.size() - passed) + ",\n  \"cases\": [";
  bool first = true;
  for (const CaseResult& r : results) {
    out += first ? "\n" : ",\n";
    first = false;
    out += "    {\"file\": " + json_string(r.file) + ", \"method\": " + json_string(r.method) +
           ", \"case\": " + std::to_string(r.test_case) + ", \"passed\": " + (r.passed ? "true" : "false") +
           ", \"reason\": " + (r.passed ? "null" : json_string(r.reason)) +
           ", \"max_abs_error\": " + json_number(r.max_abs_error) + ", \"operators\": [";
    for (size_t i = 0; i < r.operators.size(); ++i) out += (i > 0 ? ", " : "") + json_string(r.operators[i]);
    out += "]}";
  }
  return out + (first ? "]\n}\n" : "\n  ]\n}\n");
}

std::string by_operator(const std::vector<CaseResult>& results) {
  struct Count {
    size_t passed = 0, failed = 0;
  };
  std::map<std::string, Count> table;
  size_t widest = 8;
  for (const CaseResult& r : results) {
    for (const std::string& op : r.operators) {
      ++(r.passed ? table[op].passed : table[op].failed);
      widest = std::max(widest, op.size());
    }
  }
  const auto line = [&](const std::string& name, const std::string& a, const std::string& b) {
    std::string text = name + std::string(widest + 2 - name.size(), ' ');
    text += std::string(a.size() < 6 ? 6 - a.size() : 0, ' ') + a + "  ";
    return text + std::string(b.size() < 6 ? 6 - b.size() : 0, ' ') + b + "\n";
  };
  std::string out = line("operator", "passed", "failed");
  for (const auto& [op, count] : table) out += line(op, std::to_string(count.passed), std::to_string(count.failed));
  return out;
}

int run(const Arguments& args) {
  CheckOptions options;
  options.method = args.text("method");
  options.data_files = args.list("data");
  if (args.given("rtol") || args.given("atol")) {
    bundled::Tolerance t;
    if ((args.given("rtol") && !parse_number(args, "rtol", &t.rtol)) ||
        (args.given("atol") && !parse_number(args, "atol", &t.atol))) {
      return fail(kExitUsage, "--rtol and --atol: expected a number from 0 on");
    }
    options.tolerance = t;
  }
  std::vector<std::string> files;
  for (const std::string& path : args.list("path")) {
    const size_t before = files.size();
    collect(path, &files);
    if (files.size() == before) return fail(kExitInput, path + ": no bundled programs (.bpte) in this folder");
  }
  runtime_init();
  capture_errors();
  Tolerances tolerances;
  std::vector<CaseResult> results;
  for (const std::string& file : files) check_bundle(file, options, &tolerances, &results);
  if (!tolerances.status().ok()) print_warning(args, tolerances.status().message());

  size_t passed = 0;
  for (const CaseResult& r : results) passed += r.passed;
  std::string text;
  if (args.flag("json")) {
    text = as_json(results, passed);
  } else {
    for (const CaseResult& r : results) {
      if (r.passed && !args.flag("verbose")) continue;
      text += r.file + (r.method.empty() ? "" : ": " + r.method + " case " + std::to_string(r.test_case)) + ": " +
              (r.passed ? "passed, largest error " + json_number(r.max_abs_error) : r.reason) + "\n";
    }
    if (args.flag("by-operator")) text += by_operator(results);
    text += std::to_string(passed) + " passed, " + std::to_string(results.size() - passed) + " failed\n";
  }
  return write_output(args, text, passed == results.size() ? kExitOk : kExitDifference);
}

constexpr CommandSpec kCommand = {
    .name = "",
    .summary = "run the test cases of bundled programs",
    .description =
        "Runs every case of the bundled programs and compares the outputs with those that the bundle expects. The "
        "format has no place for tolerances: an index.json beside the files, or reference/tolerance.json beside one of "
        "them, gives them; without either they are those of torch.testing for the dtype.\n\nOne line for each case "
        "that "
        "failed, and the sum. A file that cannot be read counts as a failed case, and the others are run all the same.",
    .positionals = kPositionals,
    .groups = kGroups,
    .examples = kExamples,
    .run = run,
};
constexpr const CommandSpec* kCommands[] = {&kCommand};
constexpr const char* kRelated[] = {"et-inspect", "et-run"};
constexpr ProgramSpec kProgram = {"et-check", kVersion, kCommands, kRelated};

}  // namespace
}  // namespace et::cli

int main(int argc, char** argv) { return et::cli::run_program(et::cli::kProgram, argc, argv); }
