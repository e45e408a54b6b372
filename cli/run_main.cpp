// et-run: runs a method of a program, measures it, and writes a trace.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>

#include "cli/arguments.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/run/failure_place.h"
#include "cli/run/json_text.h"
#include "cli/run/model_run.h"
#include "cli/run/npy.h"
#include "cli/run/program_main.h"
#include "cli/version.h"
#include "etdump/file_data_sink.h"
#include "etdump/host_info_posix.h"
#include "etdump/perf_counters_posix.h"
#include "runtime/format/sha256.h"
#include "runtime/format/write_file.h"
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

struct Times {
  std::vector<double> us;
  double sum = 0;
  double at(double share) const {
    if (us.empty()) return 0;
    const auto i = static_cast<size_t>(share * static_cast<double>(us.size() - 1) + 0.5);
    return us[i];
  }
};

using Clock = std::chrono::steady_clock;

double us_since(Clock::time_point begin) {
  return static_cast<double>(std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count()) / 1000;
}

std::string json_us(double us) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.3f", us);
  return text;
}

uint64_t resident_bytes() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    uint64_t kib = 0;
    if (word == "VmRSS:" && status >> kib) return kib * 1024;
  }
  return 0;
}

/// The tracer with all that the options ask of it.
struct Trace {
  std::unique_ptr<etdump::ETDumpGen> gen;
  std::optional<etdump::FileDataSink> sink;
  std::optional<etdump::PerfCounters> counters;
  std::string path;
};

Status open_trace(const Arguments& args, unsigned threads, Trace* trace) {
  if (!args.given("etdump")) {
    for (const char* option : {"debug-buffer", "debug-level", "counters", "label", "phase", "methods-only"}) {
      if (args.given(option)) return {Error::InvalidArgument, std::string("--") + option + " needs --etdump"};
    }
    return {};
  }
  trace->path = args.text("etdump");
  trace->gen = std::make_unique<etdump::ETDumpGen>();
  etdump::ETDumpGen& gen = *trace->gen;
  if (args.given("trace-limit")) gen.set_max_bytes(static_cast<size_t>(args.integer("trace-limit")));
  gen.set_full_policy(args.text("when-full") == "ring" ? etdump::FullPolicy::Ring : etdump::FullPolicy::Stop);
  if (args.flag("methods-only")) gen.set_event_tracer_profiling_level(EventTracerProfilingLevel::kProfileMethodOnly);
  gen.set_wants_event_notes(true);
  gen.set_producer((std::string("et-inspect runtime ") + kVersion).c_str());
  etdump::set_host_info(gen, "et::kernels", threads);
  for (const auto& [key, value] : args.pairs("label")) {
    if (!gen.add_label(key.c_str(), value.c_str())) return {Error::InvalidArgument, "--label: too many labels"};
  }
  if (args.given("phase")) gen.set_phase(args.text("phase").c_str());
  std::string level = args.text("debug-level");
  if (level.empty()) level = args.given("debug-buffer") ? "intermediate" : "none";
  if (level != "none" && !args.given("debug-buffer")) {
    return {Error::InvalidArgument, "--debug-level " + level + " needs --debug-buffer"};
  }
  if (args.given("debug-buffer")) {
    Result<etdump::FileDataSink> sink = etdump::FileDataSink::create(args.text("debug-buffer").c_str());
    if (!sink.ok()) return {sink.error(), args.text("debug-buffer") + ": cannot be written"};
    trace->sink.emplace(std::move(*sink));
    gen.set_data_sink(&*trace->sink);
    gen.set_event_tracer_debug_level(level == "intermediate" ? EventTracerDebugLogLevel::kIntermediateOutputs
                                     : level == "outputs"    ? EventTracerDebugLogLevel::kProgramOutputs
                                                             : EventTracerDebugLogLevel::kNoLogging);
  }
  if (args.flag("counters")) {
    trace->counters.emplace();
    if (!trace->counters->problem().empty()) print_warning(args, "--counters: " + trace->counters->problem());
    if (trace->counters->available()) gen.set_counter_reader(&*trace->counters);
  }
  return {};
}

Status write_trace(const Arguments& args, Trace* trace) {
  if (trace->gen == nullptr) return {};
  const etdump::LossCounts lost = trace->gen->losses();
  const etdump::ETDumpResult dump = trace->gen->get_etdump_data();
  if (dump.buf == nullptr) return {Error::OutOfResources, trace->path + ": no event was recorded"};
  const Status status = format::write_file(trace->path, {{static_cast<const uint8_t*>(dump.buf), dump.size}});
  std::free(dump.buf);
  if (trace->sink && !trace->sink->close()) return {Error::AccessFailed, args.text("debug-buffer") + ": disk full"};
  if (lost.events > 0) {
    print_warning(args, std::to_string(lost.events) + " events did not fit; --trace-limit gives more memory");
  }
  if (lost.values > 0) print_warning(args, std::to_string(lost.values) + " values could not be logged");
  return status;
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

std::string report_json(const ModelRun& run, const Times& t, double load_us, const Trace& trace, unsigned threads,
                        bool interrupted) {
  std::string out = "{\n  \"method\": " + json_string(run.method_name());
  const auto field = [&](const char* name, const std::string& value) {
    out += std::string(",\n  \"") + name + "\": " + value;
  };
  field("iterations", std::to_string(t.us.size()));
  field("min_us", json_us(t.at(0)));
  field("p50_us", json_us(t.at(0.5)));
  field("p90_us", json_us(t.at(0.9)));
  field("mean_us", json_us(t.us.empty() ? 0 : t.sum / static_cast<double>(t.us.size())));
  field("load_us", json_us(load_us));
  field("threads", std::to_string(threads));
  field("interrupted", interrupted ? "true" : "false");
  field("resident_bytes", std::to_string(resident_bytes()));
  field("etdump", trace.path.empty() ? "null" : json_string(trace.path));
  out += ",\n  \"arenas\": [";
  bool first = true;
  for (const ModelRun::Arena& a : run.arenas()) {
    out += first ? "\n" : ",\n";
    first = false;
    out += "    {\"name\": " + json_string(a.name) + ", \"capacity\": " + std::to_string(a.capacity) +
           ", \"high_water\": " + std::to_string(a.high_water) + "}";
  }
  return out + "\n  ]\n}\n";
}

std::string thousands(uint64_t n) {
  std::string digits = std::to_string(n);
  for (size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

std::string report_text(const ModelRun& run, const Times& t, double load_us, const Trace& trace) {
  char line[256];
  std::snprintf(line, sizeof(line), "%s: %zu iteration%s, load %.1f us\n", run.method_name().c_str(), t.us.size(),
                t.us.size() == 1 ? "" : "s", load_us);
  std::string out = line;
  std::snprintf(line, sizeof(line), "latency (us)   min %.1f   p50 %.1f   p90 %.1f   mean %.1f\n", t.at(0), t.at(0.5),
                t.at(0.9), t.us.empty() ? 0 : t.sum / static_cast<double>(t.us.size()));
  out += line;
  out += "memory (bytes)\n";
  for (const ModelRun::Arena& a : run.arenas()) {
    std::snprintf(line, sizeof(line), "  %-12s %14s used at most", a.name.c_str(), thousands(a.high_water).c_str());
    out += line;
    if (a.capacity > 0) out += " of " + thousands(a.capacity);
    out += "\n";
  }
  if (!trace.path.empty()) out += "trace: " + trace.path + "\n";
  return out;
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
    return fail(kExitUsage, "--threads: at most " + std::to_string(threadpool::kMostThreads));
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
  if (trace.gen != nullptr) {
    const auto hash = format::sha256(model.program_bytes());
    std::array<uint8_t, 32> data_hash{};
    etdump::ProgramFacts facts;
    facts.sha256 = hash;
    if (!model.first_data_bytes().empty()) {
      data_hash = format::sha256(model.first_data_bytes());
      facts.data_sha256 = data_hash;
    }
    facts.bytes = model.program_bytes().size();
    facts.path = options.path.c_str();
    trace.gen->set_program(facts);
  }

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
  const std::string text = args.flag("json") ? report_json(model, times, load_us, trace, threads, g_stop)
                                             : report_text(model, times, load_us, trace);
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
