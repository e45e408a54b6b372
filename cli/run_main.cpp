// et-run: runs a method of a program, measures it, and writes a trace.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>

#include "cli/arguments.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/run/failure_place.h"
#include "cli/run/model_run.h"
#include "cli/run/npy.h"
#include "cli/run/program_main.h"
#include "cli/run/run_report.h"
#include "cli/run/trace_file.h"
#include "cli/version.h"
#include "runtime/module/log_capture.h"
#include "runtime/platform/platform.h"
#include "runtime/threadpool/threadpool.h"

namespace et::cli {
namespace {

constexpr OptionSpec kPositionals[] = {
    {.name = "model",
     .argument = "MODEL",
     .type = Value::Text,
     .complete = Complete::File,
     .required = true,
     .help = "program (.pte), or bundled program (.bpte), whose own test cases are the inputs then"},
};
constexpr OptionSpec kModel[] = {
    {.name = "method",
     .short_name = 'm',
     .argument = "NAME",
     .type = Value::Text,
     .help = "method to run; forward, or the only one, by default"},
    {.name = "input",
     .short_name = 'i',
     .argument = "FILE",
     .type = Value::Text,
     .complete = Complete::File,
     .many = true,
     .help = "a tensor as .npy; one for each tensor input, in their order"},
    {.name = "random", .argument = "SEED", .type = Value::Integer, .help = "inputs from a generator with this seed"},
    {.name = "ones", .help = "inputs of ones (the default)"},
    {.name = "zeros", .help = "inputs of zeros"},
    {.name = "data",
     .short_name = 'd',
     .argument = "FILE",
     .type = Value::Text,
     .complete = Complete::File,
     .many = true,
     .help = "external weights (.ptd)"},
    {.name = "fallback",
     .help = "run also when a backend is missing or refuses its part, as far as that is possible, and say which part "
             "of the "
             "graph stops it"},
    {.name = "etrecord",
     .argument = "FILE",
     .type = Value::Text,
     .complete = Complete::File,
     .help = "leads from what fails to graph nodes and Python lines"},
    {.name = "memory-pools",
     .argument = "ID=BYTES",
     .type = Value::Text,
     .many = true,
     .help = "size of a planned arena, e.g. 1=65536; the default is what the program asks for"},
};
constexpr OptionSpec kMeasure[] = {
    {.name = "iterations",
     .short_name = 'n',
     .argument = "N",
     .type = Value::Integer,
     .fallback = "1",
     .help = "measured iterations"},
    {.name = "warmup",
     .short_name = 'w',
     .argument = "N",
     .type = Value::Integer,
     .fallback = "0",
     .help = "iterations before, neither measured nor traced"},
    {.name = "threads",
     .short_name = 't',
     .argument = "N",
     .type = Value::Integer,
     .fallback = "1",
     .help = "threads that kernels may use"},
    {.name = "counters", .help = "hardware counters for each operator in the trace, where the machine has them"},
};
constexpr OptionSpec kTrace[] = {
    {.name = "etdump",
     .short_name = 'e',
     .argument = "FILE",
     .type = Value::Text,
     .complete = Complete::File,
     .help = "write the trace here"},
    {.name = "debug-buffer",
     .short_name = 'b',
     .argument = "FILE",
     .type = Value::Text,
     .complete = Complete::File,
     .help = "write logged tensors here"},
    {.name = "debug-level",
     .argument = "LEVEL",
     .type = Value::Choice,
     .choices = "none|outputs|intermediate",
     .complete = Complete::Choices,
     .help = "which values are logged; intermediate when there is a debug buffer"},
    {.name = "methods-only", .help = "no events of single operators"},
    {.name = "trace-limit",
     .argument = "BYTES",
     .type = Value::Integer,
     .help = "memory for events; 256 MiB by default"},
    {.name = "when-full",
     .argument = "POLICY",
     .type = Value::Choice,
     .choices = "stop|ring",
     .fallback = "stop",
     .complete = Complete::Choices,
     .help = "what to do when that is used up: keep the oldest events, or the newest"},
    {.name = "label", .argument = "FROM=TO", .type = Value::Text, .many = true, .help = "key=value kept in the trace"},
    {.name = "phase", .argument = "NAME", .type = Value::Text, .help = "phase of the runs, e.g. prefill"},
};
constexpr OptionSpec kOutput[] = {
    {.name = "output",
     .short_name = 'o',
     .argument = "FILE",
     .type = Value::Text,
     .complete = Complete::File,
     .help = "write output tensors as .npy: out.npy, and out.1.npy and so on when there are several"},
    {.name = "json", .help = "the figures as one JSON object"},
    {.name = "color",
     .argument = "WHEN",
     .type = Value::Choice,
     .choices = "auto|always|never",
     .fallback = "auto",
     .complete = Complete::Choices,
     .help = "colours of the help"},
    {.name = "quiet", .short_name = 'q', .help = "no warnings on standard error"},
    kVersionOption,
    kManOption,
    kCompletionOption,
    {.name = "help", .short_name = 'h', .help = "show this help"},
};
constexpr OptionGroup kModelGroup = {"Model", kModel};
constexpr OptionGroup kMeasureGroup = {"Measurement", kMeasure};
constexpr OptionGroup kTraceGroup = {"Trace", kTrace};
constexpr OptionGroup kOutputGroup = {"Output", kOutput};
constexpr const OptionGroup* kGroups[] = {&kModelGroup, &kMeasureGroup, &kTraceGroup};
constexpr Example kExamples[] = {
    {"model.pte -n 100 -w 10", "latency with inputs of ones"},
    {"model.pte --input x.npy --etdump trace.etdp", "a trace for et-inspect"},
    {"model.bpte --etdump trace.etdp --debug-buffer debug.bin", "with the values that each operator wrote"},
};

std::atomic<bool> g_stop = false;

// The first Ctrl-C ends the measurement and writes the trace, the second ends the program.
void on_interrupt(int) {
  g_stop = true;
  std::signal(SIGINT, SIG_DFL);
}

using Clock = std::chrono::steady_clock;

double us_since(Clock::time_point begin) {
  return static_cast<double>(std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count()) / 1000;
}

Status parse_pools(const Arguments& args, ModelOptions* options) {
  for (const std::string& text : args.list("memory-pools")) {
    size_t id = 0;
    size_t bytes = 0;
    char rest = 0;
    if (std::sscanf(text.c_str(), "%zu=%zu%c", &id, &bytes, &rest) != 2) {
      return {Error::InvalidArgument, "--memory-pools: expected ID=BYTES, got '" + text + "'"};
    }
    options->pools.emplace_back(id, bytes);
  }
  return {};
}

std::string output_path(const std::string& path, size_t i, size_t count) {
  if (count == 1 || i == 0) return path;
  const size_t dot = path.ends_with(".npy") ? path.size() - 4 : path.size();
  return path.substr(0, dot) + "." + std::to_string(i) + path.substr(dot);
}

Status write_outputs(const std::string& path, const Method& method) {
  for (size_t i = 0; i < method.outputs_size(); ++i) {
    const EValue& v = method.get_output(i);
    if (!v.isTensor()) continue;
    if (v.toTensor().const_data_ptr() == nullptr && v.toTensor().nbytes() > 0) continue;
    if (Status s = write_npy(output_path(path, i, method.outputs_size()), v.toTensor()); !s.ok()) return s;
  }
  return {};
}

/// With a record, or where the user wants to know what stops the run, the error is followed by its place in the model.
int fail_in_model(const Arguments& args, const ModelRun& model, const Status& status) {
  const int code = fail(status);
  if (!model.loaded() || model.method().failed_instruction() < 0) return code;
  if (!args.given("etrecord") && !args.flag("fallback")) return code;
  const FailurePlace place = {args.text("model"), args.text("etrecord"), model.method_name(),
                              model.method().failed_instruction(), status.message()};
  std::fputs(failure_text(place).c_str(), stderr);
  return code;
}

int run(const Arguments& args) {
  ModelOptions options;
  options.path = args.text("model");
  options.method = args.text("method");
  options.inputs = args.list("input");
  options.data_files = args.list("data");
  options.fallback = args.flag("fallback");
  if (args.flag("zeros")) options.fill = Fill::Zeros;
  if (args.given("random")) {
    options.fill = Fill::Random;
    options.seed = static_cast<uint64_t>(args.integer("random"));
  }
  if (args.given("random") + args.flag("ones") + args.flag("zeros") + args.given("input") > 1) {
    return fail(kExitUsage, "--input, --random, --ones and --zeros exclude each other");
  }
  if (Status s = parse_pools(args, &options); !s.ok()) return fail(s);
  const auto threads = static_cast<unsigned>(args.integer("threads"));
  if (threads == 0) return fail(kExitUsage, "--threads: expected 1 or more");
  const int64_t iterations = args.integer("iterations");
  if (iterations == 0) return fail(kExitUsage, "--iterations: expected 1 or more");

  runtime_init();
  capture_errors();
  if (!threadpool::get_threadpool()->resize(threads)) {
    return fail(kExitUsage, "--threads: at most " + std::to_string(threadpool::kMaxThreads));
  }
  Trace trace;
  if (Status s = open_trace(args, threads, &trace); !s.ok()) return fail(s);
  options.tracer = trace.gen.get();

  ModelRun model;
  const Clock::time_point load_begin = Clock::now();
  Status status = model.load(options);
  const double load_us = us_since(load_begin);
  if (!status.ok()) return fail(status);
  if (!model.left_out().empty()) print_warning(args, model.left_out());
  describe_program(options.path.c_str(), model.program_bytes(), model.first_data_bytes(), &trace);

  std::signal(SIGINT, on_interrupt);
  Times times;
  const int64_t warmup = args.integer("warmup");
  for (int64_t i = 0; i < warmup + iterations && !g_stop && status.ok(); ++i) {
    model.set_traced(i >= warmup);
    for (size_t round = 0; round < model.rounds() && !g_stop && status.ok(); ++round) {
      status = model.prepare(round);
      if (!status.ok()) break;
      const Clock::time_point begin = Clock::now();
      status = model.execute();
      if (i < warmup || !status.ok()) continue;
      times.us.push_back(us_since(begin));
      times.sum += times.us.back();
    }
  }
  // A trace of a run that failed or was interrupted is worth keeping.
  const Status written = write_trace(args, &trace);
  if (!status.ok()) return fail_in_model(args, model, status);
  if (!written.ok()) return fail(written);
  std::sort(times.us.begin(), times.us.end());
  if (args.given("output")) {
    if (Status s = write_outputs(args.text("output"), model.method()); !s.ok()) return fail(s);
  }
  const std::string text = args.flag("json") ? report_json(model, times, load_us, trace.path, threads, g_stop)
                                             : report_text(model, times, load_us, trace.path);
  return print_text(args, text);
}

constexpr CommandSpec kCommand = {
    .name = "",
    .summary = "run a model, measure it, trace it",
    .description =
        "Loads a method of a program, runs it, and prints how long it took and what memory it used. With --etdump the "
        "run is traced operator by operator, for et-inspect and for upstream's Inspector.\n\nInputs are .npy files, "
        "ones, zeros or random numbers; a bundled program brings its own, and each iteration runs all of its cases. "
        "Ctrl-C ends the measurement early and still writes a valid trace.",
    .positionals = kPositionals,
    .groups = kGroups,
    .examples = kExamples,
    .run = run,
    .common = &kOutputGroup,
};
constexpr const CommandSpec* kCommands[] = {&kCommand};
constexpr const char* kRelated[] = {"et-inspect", "et-check"};
constexpr ProgramSpec kProgram = {"et-run", kVersion, kCommands, kRelated};

}  // namespace
}  // namespace et::cli

int main(int argc, char** argv) { return et::cli::run_program(et::cli::kProgram, argc, argv); }
