// `et-inspect graph TRACE`: the lowered graph as text, DOT or SVG.
#include "inspector/report/graph_report.h"

#include <sstream>

#include "cli/basis_option.h"
#include "cli/commands/commands.h"
#include "cli/console.h"
#include "cli/output.h"
#include "cli/trace_source.h"

namespace et::cli {
namespace {

constexpr OptionSpec kGraphPositionals[] = {kTraceArgument};
constexpr OptionSpec kGraph[] = {
    {.name = "format",
     .short_name = 'f',
     .argument = "FORMAT",
     .type = Value::Choice,
     .choices = "text|dot|svg|json",
     .fallback = "text",
     .complete = Complete::Choices,
     .help = "output format"},
    kJsonOption,
    {.name = "color-by",
     .argument = "WHAT",
     .type = Value::Choice,
     .choices = "cost|delegate|none",
     .fallback = "cost",
     .complete = Complete::Choices,
     .help = "what the colours in dot and svg show"},
    kMethodOption,
    kBasisOption,
    {.name = "graph",
     .argument = "NAME",
     .type = Value::Text,
     .fallback = "edge",
     .help = "graph of the ETRecord to print: edge, exported, or the name of another one"},
};
constexpr OptionGroup kGraphOptions = {"Graph", kGraph};
constexpr const OptionGroup* kGraphGroups[] = {&kInputOptions, &kGraphOptions};
constexpr Example kGraphExamples[] = {
    {"graph etdump.etdp -e etrecord.bin -p model.pte", "the graph as text, with delegated parts inlined"},
    {"graph runs.db#1 --format svg --color-by delegate -o graph.svg", "a drawing, coloured by delegate"},
};

int run_graph(const Arguments& args) {
  TraceSource source;
  Status status = open_trace_source(args, &source);
  if (!status.ok()) return fail(status);
  warn_of_diagnostics(args, source);
  inspector::GraphOptions options;
  options.format = args.text("format");
  options.color_by = args.text("color-by");
  options.method = args.text("method");
  options.graph = args.text("graph");
  options.color = use_color(args);
  status = read_basis(args, &options.basis);
  if (!status.ok()) return fail(status);
  Output out;
  status = out.open(args);
  if (!status.ok()) return fail(status);
  status = inspector::write_graph(source.store, source.trace_id, options, out.stream());
  if (!status.ok() && !out.reader_gone()) return fail(status);
  status = out.finish();
  return status.ok() ? exit_code_of_trace(source) : fail(status);
}

}  // namespace

constexpr CommandSpec kGraphCommand = {
    .name = "graph",
    .summary = "print or draw the lowered graph, coloured by cost or delegate",
    .description =
        "Prints the ETRecord's graph with its delegated parts: as text, as Graphviz source (dot), as a drawing "
        "(svg), or as JSON: nodes with what they read, their times, lines and delegates.",
    .positionals = kGraphPositionals,
    .groups = kGraphGroups,
    .examples = kGraphExamples,
    .run = run_graph,
};

}  // namespace et::cli
