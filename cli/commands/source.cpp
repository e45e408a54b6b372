// `et-inspect source TRACE`: Python lines with their cost beside them.
#include "inspector/report/source_report.h"

#include "cli/commands/commands.h"
#include "cli/console.h"
#include "cli/output.h"
#include "cli/trace_source.h"

namespace et::cli {
namespace {

constexpr OptionSpec kPositionals[] = {kTraceArgument};
constexpr OptionSpec kSource[] = {
    {.name = "file",
     .argument = "PATH",
     .type = Value::Text,
     .complete = Complete::File,
     .help = "only source files whose path is PATH or ends in /PATH"},
    {.name = "source-map",
     .argument = "FROM=TO",
     .type = Value::Text,
     .many = true,
     .help = "find source files that the record places under FROM under TO"},
    {.name = "context",
     .short_name = 'C',
     .argument = "N",
     .type = Value::Integer,
     .fallback = "3",
     .help = "lines shown around lines with cost, when the file is there"},
    kUnitsOption,
};
constexpr OptionGroup kSourceOptions = {"Source", kSource};
constexpr const OptionGroup* kGroups[] = {&kInputOptions, &kSourceOptions, &kFormatOptions};
constexpr Example kExamples[] = {
    {"source etdump.etdp --etrecord etrecord.bin --pte model.pte", "what each Python line costs"},
    {"source runs.db@latest --file models.py --source-map /src=. --context 5", "one file, found below this folder"},
};

int run(const Arguments& args) {
  TraceSource source;
  Status status = open_trace_source(args, &source);
  if (!status.ok()) return fail(status);
  warn_of_diagnostics(args, source);
  inspector::SourceOptions options;
  options.file = args.text("file");
  options.format = args.text("format");
  options.source_maps = args.pairs("source-map");
  options.context = static_cast<int>(std::min<int64_t>(args.integer("context"), 1'000'000));
  options.color = use_color(args);
  options.width = output_width(args);
  options.units = args.text("units");
  std::string text;
  status = inspector::write_source(source.store, source.trace_id, options, &text);
  return status.ok() ? write_output(args, text, exit_code_of_trace(source)) : fail(status);
}

}  // namespace

constexpr CommandSpec kSourceCommand = {
    .name = "source",
    .summary = "show Python lines with their cost beside them",
    .description =
        "Prints the source files of the model with the time that each line is charged with. Needs the ETRecord; "
        "source\n"
        "files are read where the record says, or where --source-map leads; without them the record's own lines are "
        "shown.",
    .positionals = kPositionals,
    .groups = kGroups,
    .examples = kExamples,
    .run = run,
};

}  // namespace et::cli
