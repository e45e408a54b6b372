// `et-inspect predict PROGRAM`: how large its trace will be.
#include "base/quantity.h"
#include "cli/commands/commands.h"
#include "cli/console.h"
#include "cli/output.h"
#include "cli/program_argument.h"
#include "inspector/report/predict_report.h"

namespace et::cli {
namespace {

constexpr OptionSpec kPredictPositionals[] = {kProgramArgument};
constexpr OptionSpec kPredict[] = {
    with_help(kMethodOption, "method that will run (default: forward, or the only one)"),
    kIterationsOption,
    choice_option("debug-level", 0, "LEVEL", "none|outputs|intermediate", "none", "which tensors will be logged"),
    {.name = "methods-only", .help = "record no events for individual operators"},
    {.name = "event-notes", .help = "record each operator's output shapes and temporary memory beside its event"},
    number_option("trips", 0, "1", "trips of a loop whose end depends on data"),
    value_option("trace-limit", 0, "SIZE", "memory for events, e.g. 64MiB (default: 256MiB)"),
};
constexpr OptionGroup kPredictOptions = {"Trace", kPredict};
constexpr const OptionGroup* kPredictGroups[] = {&kPredictOptions, &kFormatOptions};
constexpr Example kPredictExamples[] = {
    {"predict model.pte -n 1000", "bytes of the ETDump that et-run -n 1000 --etdump writes"},
    {"predict model.pte --debug-level intermediate", "and of the debug buffer with the outputs of all operators"},
};

Status read_options(const Arguments& args, inspector::PredictOptions* out) {
  out->method = args.text("method");
  for (const char* name : {"iterations", "trips"}) {
    if (args.integer(name) < 1) {
      return {Error::InvalidArgument,
              std::string("--") + name + ": expected a positive integer, got '" + args.text(name) + "'"};
    }
  }
  out->iterations = static_cast<uint64_t>(args.integer("iterations"));
  out->trips = static_cast<uint64_t>(args.integer("trips"));
  out->methods_only = args.flag("methods-only");
  out->event_notes = args.flag("event-notes");
  const std::string level = args.text("debug-level");
  out->values = level == "intermediate" ? inspector::LoggedValues::Intermediate
                : level == "outputs"    ? inspector::LoggedValues::Outputs
                                        : inspector::LoggedValues::None;
  if (!args.given("trace-limit")) return {};
  const auto limit = parse_bytes(args.text("trace-limit"));
  if (!limit) {
    return {Error::InvalidArgument,
            "--trace-limit: expected a size such as 4096 or 2MiB, got '" + args.text("trace-limit") + "'"};
  }
  out->trace_limit = *limit;
  return {};
}

int run_predict(const Arguments& args) {
  inspector::PredictOptions asked;
  inspector::ProgramFile file;
  inspector::Prediction prediction;
  std::string text, path;
  Status status = read_options(args, &asked);
  if (status.ok()) status = program_of(args.text("program"), &path);
  if (status.ok()) status = inspector::open_program_file(path, &file);
  if (status.ok()) status = inspector::predict_trace(file, asked, &prediction);
  const inspector::PredictReportOptions options = {
      .format = args.text("format"), .color = use_color(args), .width = output_width(args)};
  if (status.ok()) status = inspector::write_prediction(prediction, asked, options, &text);
  return status.ok() ? write_output(args, text) : fail(status);
}

}  // namespace

constexpr CommandSpec kPredictCommand = {
    .name = "predict",
    .summary = "how large the trace of a program will be, before it is taken",
    .description =
        "Counts the events of an execution from the program's instructions and the payloads of its delegates, and\n"
        "has the tracer write them: bytes of the ETDump that et-run --etdump makes, of the debug buffer, and of the\n"
        "memory that the events take while the program runs. Loops over a known number of items are followed. Where\n"
        "a branch depends on data, the result is a range; where the end of a loop does, --trips says how often it\n"
        "goes round. Shapes that vary count as their upper bounds.",
    .positionals = kPredictPositionals,
    .groups = kPredictGroups,
    .examples = kPredictExamples,
    .run = run_predict,
};

}  // namespace et::cli
