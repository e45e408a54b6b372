// `et-inspect export TRACE --format F`: the trace for other tools.
#include "inspector/report/exporters.h"

#include "cli/commands/commands.h"
#include "cli/console.h"
#include "cli/export_dataset.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/trace_source.h"
#include "inspector/text/words.h"

namespace et::cli {
namespace {

std::vector<std::string> exporter_names() {
  std::vector<std::string> out;
  for (const inspector::Exporter& e : inspector::exporters()) out.emplace_back(e.name);
  out.emplace_back(kParquet);
  return out;
}

constexpr OptionSpec kExportPositionals[] = {kTraceArgument};
constexpr OptionSpec export_format() {
  OptionSpec row = kFormatOption;
  row.choices = nullptr;
  row.choices_from = exporter_names;
  row.fallback = nullptr;
  return row;
}
constexpr OptionSpec kExport[] = {
    export_format(),
    number_option("max-executions", 0, "0", "export only the first N executions; 0: all"),
    choice_option("stacks", 0, "KIND", "python|ops", nullptr,
                  "stacks of folded, pprof and speedscope: lines of the model (usual in pprof), or ops in the calls "
                  "around them"),
    kSourceMapOption,
};
constexpr OptionSpec kDataset[] = {
    value_option("out", 0, "DIR", "parquet: the data set's folder; traces that it has already are left out",
                 Complete::Directory),
    {.name = "samples",
     .help = "parquet: every measurement, too; without it their sketches, whose percentiles are within 1 %"},
    value_option("device", 0, "NAME",
                 "parquet: device of all traces (default: their label device, else the processor)"),
    value_option("build", 0, "NAME",
                 "parquet: build of all traces (default: their label build, else the program's hash)"),
    value_option(
        "date", 0, "DAY",
        "parquet: day of all traces, as 2026-01-31 (default: their label date, else the ETDump's last change)"),
    file_option("redact", 0, "parquet: hash paths, host names and code with the key in this file"),
};
constexpr OptionGroup kExportOptions = {"Export", kExport};
constexpr OptionGroup kDatasetOptions = {"Data sets", kDataset};
constexpr const OptionGroup* kExportGroups[] = {&kInputOptions, &kExportOptions, &kDatasetOptions};
constexpr Example kExportExamples[] = {
    {"export etdump.etdp -e etrecord.bin --format chrome -o trace.json", "for chrome://tracing and ui.perfetto.dev"},
    {"export runs.db@latest --format html -o report.html", "one HTML file that opens offline"},
    {"export etdump.etdp -o profile.pb.gz", "Python lines and operators, for go tool pprof -http=: profile.pb.gz"},
    {"export --format parquet --out fleet/ runs.db",
     "for pandas, DuckDB, Polars, Spark: adds what fleet/ does not have"},
    {"export runs.db#3 --format folded | flamegraph.pl > flame.svg", "a flame graph"},
};

/// The only exporter with the extension of the output file, nullptr when none or several have it.
const inspector::Exporter* by_ending(const std::string& path) {
  const inspector::Exporter* found = nullptr;
  for (const inspector::Exporter& e : inspector::exporters()) {
    if (!path.ends_with(std::string(".") + e.extension)) continue;
    if (found != nullptr) return nullptr;
    found = &e;
  }
  return found;
}

int run_export(const Arguments& args) {
  if (args.text("format") == kParquet) return export_dataset(args);
  for (const OptionSpec& option : kDataset) {
    if (args.given(option.name)) return fail(kExitUsage, std::string("--") + option.name + " needs --format parquet");
  }
  const inspector::Exporter* exporter =
      args.given("format") ? inspector::find_exporter(args.text("format")) : by_ending(args.text("output"));
  if (exporter == nullptr)
    return fail(kExitUsage, "--format is required: one of " + inspector::joined(exporter_names(), ", ") +
                                "; or an --output with the extension of one");

  if (args.given("stacks") && *exporter->stacks == '\0')
    return fail(kExitUsage,
                std::string("--stacks: ") + exporter->name + " has no stacks; expected folded, pprof or speedscope");

  TraceSource source;
  Status status = open_trace_source(args, &source);
  if (!status.ok()) return fail(status);
  warn_of_diagnostics(args, source);
  Output out;
  status = out.open(args);
  if (!status.ok()) return fail(status);
  ProgressLine line(args);
  line.watch_bytes(std::string("writing ") + exporter->name, [&out] { return out.written(); });
  inspector::ExportOptions options;
  options.max_executions = args.integer("max-executions");
  options.stacks = args.given("stacks") ? args.text("stacks") : exporter->stacks;
  options.source_maps = args.pairs("source-map");
  status = exporter->write(source.store, source.trace_id, options, out.stream());
  line.end();
  if (!status.ok() && !out.reader_gone()) return fail(status);
  status = out.finish();
  return status.ok() ? exit_code_of_trace(source) : fail(status);
}

}  // namespace

constexpr CommandSpec kExportCommand = {
    .name = "export",
    .summary = "write a trace for other tools: Chrome, Perfetto, pprof, speedscope, flame graphs, HTML, Parquet",
    .description =
        "Writes a trace in the format of another tool. Without --format the extension of --output decides, where only "
        "one\n"
        "format has it. Large traces are streamed. parquet takes any number of stores (docs/fleet.md).",
    .positionals = kExportPositionals,
    .groups = kExportGroups,
    .examples = kExportExamples,
    .run = run_export,
};

}  // namespace et::cli
