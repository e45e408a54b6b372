// `et-inspect source TRACE`: Python lines annotated with their cost.
#include "inspector/report/source_report.h"

#include "cli/basis_option.h"
#include "cli/commands/commands.h"
#include "cli/console.h"
#include "cli/output.h"
#include "cli/trace_source.h"

namespace et::cli {
namespace {

constexpr OptionSpec kSourcePositionals[] = {kTraceArgument};
constexpr OptionSpec kSource[] = {
    {.name = "file",
     .argument = "PATH",
     .type = Value::Text,
     .complete = Complete::File,
     .help = "only source files whose path is PATH or ends with /PATH"},
    kSourceMapOption,
    number_option("context", 'C', "3", "number of lines to show around lines with a cost, if the source file is found"),
    kUnitsOption,
    kBasisOption,
};
constexpr OptionGroup kSourceOptions = {"Source", kSource};
constexpr const OptionGroup* kSourceGroups[] = {&kInputOptions, &kSourceOptions, &kFormatOptions};
constexpr Example kSourceExamples[] = {
    {"source etdump.etdp --etrecord etrecord.bin --pte model.pte", "what each Python line costs"},
    {"source runs.db@latest --file models.py --source-map /src=. --context 5", "one file, found in this folder"},
};

int run_source(const Arguments& args) {
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
  if (status.ok()) status = read_basis(args, &options.basis);
  if (!status.ok()) return fail(status);
  std::string text;
  status = inspector::write_source(source.store, source.trace_id, options, &text);
  return status.ok() ? write_trace_output(args, source, text) : fail(status);
}

}  // namespace

constexpr CommandSpec kSourceCommand = {
    .name = "source",
    .summary = "show Python source annotated with its cost",
    .description =
        "Prints the model's source files with the time attributed to each line. Needs the ETRecord. Source files are\n"
        "looked up at the paths in the ETRecord, as --source-map changes them; without the files the lines stored in "
        "the\n"
        "ETRecord are shown.",
    .positionals = kSourcePositionals,
    .groups = kSourceGroups,
    .examples = kSourceExamples,
    .run = run_source,
};

}  // namespace et::cli
