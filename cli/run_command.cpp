// et-run: runs a method of a program, measures it, and writes a trace.
#include "cli/run_command.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include "base/interruption.h"
#include "base/quantity.h"
#include "base/write_file.h"
#include "cli/arguments.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/given_files.h"
#include "cli/program_main.h"
#include "cli/progress.h"
#include "cli/run/failure_place.h"
#include "cli/run/model_run.h"
#include "cli/run/npy.h"
#include "cli/run/run_report.h"
#include "cli/run/trace_file.h"
#include "cli/run/twins.h"
#include "cli/version.h"
#include "cli/written_files.h"
#include "inspector/ingest/folder_files.h"
#include "inspector/store/file_kind.h"
#include "inspector/text/format.h"
#include "inspector/text/words.h"
#include "runtime/module/log_capture.h"
#include "runtime/platform/platform.h"
#include "runtime/threadpool/threadpool.h"

namespace et::cli {
namespace {

constexpr OptionSpec kRunPositionals[] = {
    {.name = "model",
     .argument = "MODEL",
     .type = Value::Text,
     .complete = Complete::File,
     .required = true,
     .unless = "calibrate",
     .help = "a program (.pte), or a bundled program (.bpte), whose test cases then provide the inputs"},
};
constexpr OptionSpec kModel[] = {
    with_help(kMethodOption, "method to run (default: forward, or the only one)"),
    kInputTensorOption,
    kRandomOption,
    with_help(kOnesOption, "inputs of ones (default)"),
    kZerosOption,
    kDataOption,
    kTosaOption,
    kNoNeighboursOption,
    {.name = "fallback",
     .help = "run even if a backend is missing or rejects its part, as far as possible, and name the part of the "
             "graph that stops the run"},
    kEtrecordOption,
    repeated(
        value_option("memory-pools", 0, "ID=BYTES",
                     "size of a memory-planned buffer, e.g. 1=65536 or 1=64KiB (default: what the program asks for)")),
};
constexpr OptionSpec kMeasure[] = {
    kIterationsOption,
    number_option("warmup", 'w', "0", "warm-up iterations, neither timed nor traced"),
    number_option("threads", 't', "1", "number of threads for kernels"),
    {.name = "calibrate",
     .help =
         "without MODEL: measure what this machine does at most, for et-inspect roofline, and keep it for this host "
         "and number of threads (with -o: in that file)"},
    {.name = "counters", .help = "record hardware counters for each operator in the trace, where available"},
};
constexpr OptionSpec kTrace[] = {
    written(file_option("etdump", 0, "write an ETDump (the trace) to this file")),
    written(kDebugBufferOption),
    choice_option("debug-level", 0, "LEVEL", "none|outputs|intermediate", nullptr,
                  "which tensors are logged; default with --debug-buffer: intermediate"),
    {.name = "methods-only", .help = "record no events for individual operators"},
    {.name = "event-notes", .help = "record each operator's output shapes and temporary memory beside its event"},
    value_option("trace-limit", 0, "SIZE", "memory for events, e.g. 64MiB (default: 256MiB)"),
    choice_option("when-full", 0, "POLICY", "stop|ring", "stop",
                  "what to do at the trace limit: keep the oldest events, or the newest"),
    repeated(value_option("label", 0, "KEY=VALUE", "label to store in the trace", Complete::None, Value::Pair)),
    value_option("phase", 0, "NAME", "phase of the runs, e.g. prefill"),
};
constexpr OptionSpec kOutput[] = {
    with_help(kOutputOption, "write output tensors as .npy: out.npy, then out.1.npy and so on"),
    kTextOrJsonOption,
    kJsonOption,
    kColorOption,
    kQuietOption,
    kVersionOption,
    kManOption,
    kCompletionOption,
    kLangOption,
    kHelpOption,
};
constexpr OptionGroup kModelGroup = {"Model", kModel};
constexpr OptionGroup kMeasureGroup = {"Measurement", kMeasure};
constexpr OptionGroup kTraceGroup = {"Trace", kTrace};
constexpr OptionGroup kOutputGroup = {"Output", kOutput};
constexpr const OptionGroup* kRunGroups[] = {&kModelGroup, &kMeasureGroup, &kTraceGroup};
constexpr Example kRunExamples[] = {
    {"model.pte -n 100 -w 10", "latency, with inputs of ones"},
    {"model.pte --input x.npy --etdump trace.etdp", "write a trace for et-inspect"},
    {"--calibrate", "what this machine does at most, for et-inspect roofline"},
    {"model.bpte --etdump trace.etdp --debug-buffer debug.bin", "also log the output of each operator"},
};

using Clock = std::chrono::steady_clock;

double us_since(Clock::time_point begin) {
  return static_cast<double>(std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count()) / 1000;
}

Status parse_pools(const Arguments& args, ModelOptions* options) {
  for (const std::string& text : args.list("memory-pools")) {
    size_t id = 0;
    const size_t sign = std::min(text.find('='), text.size());
    const auto [end, error] = std::from_chars(text.data(), text.data() + sign, id);
    const auto bytes = parse_bytes(std::string_view(text).substr(std::min(sign + 1, text.size())));
    if (error != std::errc() || end != text.data() + sign || !bytes) {
      return {Error::InvalidArgument, "--memory-pools: expected ID=BYTES, got '" + text + "'"};
    }
    options->pools.emplace_back(id, static_cast<size_t>(*bytes));
  }
  return {};
}

std::string output_path(const std::string& path, size_t i, size_t count) {
  if (count == 1 || i == 0) return path;
  const size_t dot = path.ends_with(".npy") ? path.size() - 4 : path.size();
  return path.substr(0, dot) + "." + std::to_string(i) + path.substr(dot);
}

/// What only the loaded program tells: of several outputs only the first has the name that was given, and weights may
/// have been found beside it.
Status check_files_of_run(const Arguments& args, const ModelRun& model) {
  std::vector<NamedFile> written = written_files(args), read = read_files(args);
  const size_t outputs = args.given("output") ? model.method().outputs_size() : 0;
  for (size_t i = 1; i < outputs; ++i) {
    written.push_back({"--output", output_path(args.text("output"), i, outputs)});
  }
  for (const std::string& path : model.found_data()) read.push_back({"external weights", path});
  return check_written(written, read);
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

/// With an ETRecord, or with --fallback, the error is followed by its place in the model.
int fail_in_model(const Arguments& args, const ModelRun& model, const Status& status) {
  const int code = fail(status);
  if (!model.loaded() || model.method().failed_instruction() < 0) return code;
  if (!args.given("etrecord") && !args.flag("fallback")) return code;
  const FailurePlace place = {args.text("model"), args.text("etrecord"), model.method_name(),
                              model.method().failed_instruction(), status.message()};
  std::fputs(failure_text(place).c_str(), stderr);
  return code;
}

/// -e was --etdump once: the file of a trace must not pass for an ETRecord.
Status check_etrecord(const Arguments& args) {
  if (!args.given("etrecord")) return {};
  const std::string path = args.text("etrecord");
  const inspector::FileKind kind = inspector::file_kind(path);
  if (kind == inspector::FileKind::Missing) {
    return {Error::AccessFailed, path + ": cannot open: no such file (--etrecord); --etdump writes a trace"};
  }
  if (kind == inspector::FileKind::ETDump) {
    return {Error::InvalidExternalData, path + ": expected an ETRecord, got an ETDump; --etdump writes a trace"};
  }
  return {};
}

/// Weights that may be found are inputs as well.
Status check_weights_beside(const Arguments& args, const ModelOptions& options) {
  std::vector<inspector::FolderFile> files;
  const bool writes = args.given("output") || args.given("etdump") || args.given("debug-buffer");
  if (!writes || !options.find_data || !inspector::files_of_folder(inspector::folder_prefix(options.path), &files))
    return {};
  std::vector<std::string> weights;
  for (const inspector::FolderFile& f : files) {
    if (f.kind == inspector::FileKind::TensorFile) weights.push_back(f.path);
  }
  return check_found_files(args, weights);
}

Status read_model_options(const Arguments& args, ModelOptions* out) {
  out->path = args.text("model");
  out->method = args.text("method");
  out->inputs = args.list("input");
  out->data_files = args.list("data");
  out->find_data = !args.flag("no-neighbours");
  out->fallback = args.flag("fallback");
  if (args.flag("zeros")) out->fill = Fill::Zeros;
  if (args.given("random")) {
    out->fill = Fill::Random;
    out->seed = static_cast<uint64_t>(args.integer("random"));
  }
  if (args.given("random") + args.flag("ones") + args.flag("zeros") + args.given("input") > 1) {
    return {Error::InvalidArgument, "--input, --random, --ones and --zeros are mutually exclusive"};
  }
  for (const char* name : {"etdump", "debug-buffer", "output"}) {
    if (args.text(name) == "-") {
      return {Error::InvalidArgument, std::string("--") + name + ": expected a file, got '-'"};
    }
  }
  for (const char* name : {"threads", "iterations"}) {
    if (args.integer(name) == 0) {
      return {Error::InvalidArgument, std::string("--") + name + ": expected a positive integer, got '0'"};
    }
  }
  if (Status s = check_etrecord(args); !s.ok()) return s;
  if (Status s = use_twins(args.text("tosa")); !s.ok()) return s;
  if (Status s = check_weights_beside(args, *out); !s.ok()) return s;
  return parse_pools(args, out);
}

/// Warm-up iterations, then the timed ones, until an error or a signal.
Status measure(const Arguments& args, ModelRun* model, etdump::ETDumpGen* trace, Times* times, ProgressLine* line) {
  const int64_t warmup = args.integer("warmup"), iterations = args.integer("iterations");
  const auto show = [&](int64_t i) {
    if (!line->active()) return;
    const bool warm = i < warmup;
    (*line)(warm ? "warming up" : "running", static_cast<uint64_t>(warm ? i : i - warmup),
            static_cast<uint64_t>(warm ? warmup : iterations));
  };
  for (int64_t i = 0; i < warmup + iterations && interruption() == 0; ++i) {
    model->set_traced(i >= warmup);
    show(i);
    for (size_t round = 0; round < model->rounds() && interruption() == 0; ++round) {
      if (Status s = model->prepare(round); !s.ok()) return s;
      const Clock::time_point begin = Clock::now();
      if (Status s = model->execute(); !s.ok()) return s;
      if (i < warmup) continue;
      times->us.push_back(us_since(begin));
      times->sum += times->us.back();
    }
    // The first traced iteration tells how much the others will record.
    if (trace != nullptr && i == warmup && iterations > 1)
      trace->expect_executions(static_cast<uint64_t>(iterations - 1) * model->rounds());
  }
  return {};
}

Calibration calibration = nullptr;

std::string peaks_text(const inspector::MachinePeaks& p, const std::string& path) {
  std::string out = p.cpu + ", " + inspector::plural(p.threads, "thread") + "\n";
  out += "float32  " + inspector::format_real(p.gflops, 1) + " GFLOP/s\n";
  out += "int8     " + inspector::format_real(p.int8_gops, 1) + " GOP/s\n";
  for (const auto& [bytes, speed] : p.bandwidth) {
    out += "memory   " + inspector::format_real(speed, 1) + " GB/s, working set " +
           inspector::format_bytes(static_cast<int64_t>(bytes)) + "\n";
  }
  return out + "written to " + path + "\n";
}

int run_calibrate(const Arguments& args) {
  if (args.given("model")) return fail(kExitUsage, "--calibrate: expected no MODEL, got '" + args.text("model") + "'");
  if (calibration == nullptr) return fail(kExitUsage, "--calibrate: this et-run was built for one model, without it");
  inspector::MachinePeaks peaks;
  const int64_t threads = args.integer("threads");
  if (threads < 1 || !threadpool::get_threadpool()->resize(static_cast<size_t>(threads))) {
    return fail(kExitUsage, "--threads: expected 1 to " + std::to_string(threadpool::kMaxThreads) + ", got '" +
                                args.text("threads") + "'");
  }
  const std::string path =
      args.given("output") ? args.text("output") : inspector::machine_file(inspector::host_name(), threads);
  if (path.empty()) return fail(kExitUsage, "--calibrate: no home folder to keep the result in; -o names a file");
  ProgressLine line(args);
  line("measuring", 0, 0);
  Status status = calibration(&peaks);
  line.end();
  if (status.ok() && !args.given("output")) {
    std::error_code failed;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), failed);
  }
  const std::string text = inspector::machine_text(peaks);
  if (status.ok()) status = write_file(path, {{reinterpret_cast<const uint8_t*>(text.data()), text.size()}});
  return status.ok() ? print_text(args, peaks_text(peaks, path)) : fail(status);
}

int run_run(const Arguments& args) {
  if (args.flag("calibrate")) return run_calibrate(args);
  ModelOptions options;
  if (Status s = read_model_options(args, &options); !s.ok()) return fail(s);
  const auto threads = static_cast<unsigned>(args.integer("threads"));

  runtime_init();
  capture_errors();
  if (!threadpool::get_threadpool()->resize(threads)) {
    return fail(kExitUsage, "--threads: expected at most " + std::to_string(threadpool::kMaxThreads) + ", got '" +
                                args.text("threads") + "'");
  }
  Trace trace;
  if (Status s = open_trace(args, threads, &trace); !s.ok()) return fail(s);
  options.tracer = trace.gen.get();

  ModelRun model;
  ProgressLine line(args);
  line("loading " + options.path, 0, 0);
  const Clock::time_point load_begin = Clock::now();
  Status status = model.load(options);
  const double load_us = us_since(load_begin);
  if (!status.ok()) return fail(status);
  if (Status s = check_files_of_run(args, model); !s.ok()) return fail(s);
  if (Status s = open_debug_buffer(args, &trace); !s.ok()) return fail(s);
  if (!model.found_data().empty()) {
    print_note(args, options.path + ": run with " + inspector::joined(model.found_data(), ", ") +
                         ", found beside it; --no-neighbours runs it alone");
  }
  if (!model.left_out().empty()) print_warning(args, model.left_out());
  describe_program(options.path.c_str(), model.program_bytes(), model.first_data_bytes(), &trace);

  catch_interruptions(OnInterruption::Note, "et-run");
  Times times;
  status = measure(args, &model, trace.gen.get(), &times, &line);
  line.end();
  const int signal = interruption();
  // A trace of a run that failed or was interrupted is worth keeping.
  bool lost = false;
  const Status written = write_trace(args, &trace, &lost);
  if (!status.ok()) return fail_in_model(args, model, status);
  if (!written.ok()) return fail(written);
  std::sort(times.us.begin(), times.us.end());
  if (args.given("output")) {
    if (Status s = write_outputs(args.text("output"), model.method()); !s.ok()) return fail(s);
  }
  RunFacts facts = {load_us, trace.path, threads, signal, 0};
  facts.asked = static_cast<size_t>(args.integer("iterations")) * model.rounds();
  const int code =
      print_text(args, args.flag("json") ? report_json(model, times, facts) : report_text(model, times, facts));
  if (code != kExitOk) return code;
  return signal != 0 ? interruption_exit_code(signal) : lost ? kExitIncomplete : kExitOk;
}

constexpr CommandSpec kCommand = {
    .name = "",
    .summary = "run a model, measure it, trace it",
    .description =
        "Loads a method of a program, runs it, and prints its latency and memory use. With --etdump the run is traced "
        "operator by operator, for et-inspect and for ExecuTorch's own Inspector.\n\nInputs are .npy files, ones, "
        "zeros or random numbers. A bundled program provides its own inputs, and each iteration runs all of its test "
        "cases. Ctrl-C or SIGTERM ends the measurement behind the execution that runs: the trace and the times until "
        "then "
        "are kept, and the exit code is 128 + signal. External weights (.ptd) next to the program are found without "
        "--data. With --etrecord an error also names "
        "the graph nodes and Python lines where the run failed.",
    .positionals = kRunPositionals,
    .groups = kRunGroups,
    .examples = kRunExamples,
    .run = run_run,
    .common = &kOutputGroup,
};
constexpr const CommandSpec* kCommands[] = {&kCommand};
constexpr const char* kRelated[] = {"et-inspect", "et-check"};
constexpr ProgramSpec kProgram = {"et-run", kVersion, kCommands, kRelated};

}  // namespace

const ProgramSpec& et_run(Calibration how) {
  calibration = how;
  return kProgram;
}

}  // namespace et::cli
