// `et-inspect export TRACE --format F`: the trace for other tools.
#include "inspector/report/exporters.h"

#include "cli/commands/commands.h"
#include "cli/console.h"
#include "cli/output.h"
#include "cli/trace_source.h"

namespace et::cli {
namespace {

std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const inspector::Exporter& e : inspector::exporters()) out.emplace_back(e.name);
  return out;
}

constexpr OptionSpec kPositionals[] = {kTraceArgument};
constexpr OptionSpec kExport[] = {
    {.name = "format",
     .short_name = 'f',
     .argument = "FORMAT",
     .type = Value::Choice,
     .choices_from = names,
     .complete = Complete::Choices,
     .help = "what to write; without it, the ending of --output says it"},
    {.name = "max-executions",
     .argument = "N",
     .type = Value::Integer,
     .fallback = "0",
     .help = "only the first N executions, 0 for all"},
    {.name = "source-map",
     .argument = "FROM=TO",
     .type = Value::Text,
     .many = true,
     .help = "find source files that the record places under FROM under TO"},
};
constexpr OptionGroup kExportOptions = {"Export", kExport};
constexpr const OptionGroup* kGroups[] = {&kInputOptions, &kExportOptions};
constexpr Example kExamples[] = {
    {"export etdump.etdp -e etrecord.bin --format chrome -o trace.json", "for chrome://tracing and ui.perfetto.dev"},
    {"export runs.db@latest --format html -o report.html", "one HTML file that opens offline"},
    {"export runs.db#3 --format folded | flamegraph.pl > flame.svg", "a flame graph"},
};

/// The only exporter with the ending of the output file, nullptr when none or several have it.
const inspector::Exporter* by_ending(const std::string& path) {
  const inspector::Exporter* found = nullptr;
  for (const inspector::Exporter& e : inspector::exporters()) {
    if (!path.ends_with(std::string(".") + e.extension)) continue;
    if (found != nullptr) return nullptr;
    found = &e;
  }
  return found;
}

std::string catalogue() {
  std::string out;
  for (const inspector::Exporter& e : inspector::exporters()) out += (out.empty() ? "" : ", ") + std::string(e.name);
  return out;
}

int run(const Arguments& args) {
  const inspector::Exporter* exporter =
      args.given("format") ? inspector::find_exporter(args.text("format")) : by_ending(args.text("output"));
  if (exporter == nullptr) return fail(kExitUsage, "--format: say which one: " + catalogue());

  TraceSource source;
  Status status = open_trace_source(args, &source);
  if (!status.ok()) return fail(status);
  warn_of_diagnostics(args, source);
  Output out;
  status = out.open(args);
  if (!status.ok()) return fail(status);
  inspector::ExportOptions options;
  options.max_executions = args.integer("max-executions");
  options.source_maps = args.pairs("source-map");
  status = exporter->write(source.store, source.trace_id, options, out.stream());
  if (!status.ok() && !out.reader_gone()) return fail(status);
  status = out.finish();
  return status.ok() ? exit_code_of_trace(source) : fail(status);
}

}  // namespace

constexpr CommandSpec kExportCommand = {
    .name = "export",
    .summary = "write a trace for other tools: Chrome, Perfetto, speedscope, flame graphs, HTML",
    .description = "Writes one trace in the format of another tool. Large traces are written as they are read.",
    .positionals = kPositionals,
    .groups = kGroups,
    .examples = kExamples,
    .run = run,
};

}  // namespace et::cli
