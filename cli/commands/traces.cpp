// `et-inspect traces STORE`: the traces in a store.
#include "cli/commands/commands.h"
#include "cli/console.h"
#include "cli/output.h"
#include "inspector/store/trace_ref.h"
#include "inspector/text/table.h"

namespace et::cli {
namespace {

using inspector::Cell;
using inspector::CellKind;

constexpr OptionSpec kTracesPositionals[] = {
    {.name = "store",
     .argument = "STORE",
     .type = Value::Text,
     .complete = Complete::File,
     .required = true,
     .help = "a store written with --store"},
};
constexpr const OptionGroup* kTracesGroups[] = {&kFormatOptions};
constexpr Example kTracesExamples[] = {
    {"traces runs.db", "the traces with their numbers and names"},
    {"traces runs.db --format json", "for a script"},
};

Cell text_or_null(const std::optional<std::string>& text) { return text ? Cell(*text) : Cell(); }

int run_traces(const Arguments& args) {
  inspector::Store store;
  Status status = inspector::Store::open(args.text("store"), inspector::Store::Mode::ReadOnly, &store);
  if (!status.ok()) return fail(status);
  const std::string format = args.text("format");
  const bool for_people = format == "table" || format == "markdown";

  inspector::Table table;
  table.columns = {{.title = "trace", .key = "trace_id", .right = true},
                   {.title = "name"},
                   {.title = "ETDump", .key = "dump_path", .min_width = 16},
                   {.title = "ETRecord", .key = "record_path", .drop = 2, .min_width = 12},
                   {.title = "program", .key = "program_path", .drop = 3, .min_width = 12},
                   {.title = "methods", .drop = 1},
                   {.title = "executions", .kind = CellKind::Integer},
                   {.title = "events", .kind = CellKind::Integer, .drop = 4},
                   {.title = "time", .key = "execute_time", .right = true},
                   {.title = "problems", .kind = CellKind::Integer}};
  if (!for_people) table.columns.push_back({.title = "unit"});
  for (const inspector::TraceSummary& t : inspector::traces_of(store)) {
    // Traces differ in magnitude, so each time has its own unit; programs get ticks.
    Cell time;
    if (t.execute_time) {
      time = for_people ? Cell(inspector::format_duration_with_unit(static_cast<double>(*t.execute_time), t.unit))
                        : Cell(*t.execute_time);
    }
    std::vector<Cell> cells = {t.id,
                               text_or_null(t.name),
                               text_or_null(t.dump_path),
                               text_or_null(t.record_path),
                               text_or_null(t.program_path),
                               t.methods,
                               t.executions,
                               t.events,
                               time,
                               t.problems};
    if (!for_people) cells.emplace_back(t.unit);
    table.add(std::move(cells));
  }
  std::string text;
  status = table.write({.format = format, .width = output_width(args), .color = use_color(args)}, &text);
  return status.ok() ? write_output(args, text) : fail(status);
}

}  // namespace

constexpr CommandSpec kTracesCommand = {
    .name = "traces",
    .summary = "list the traces in a store",
    .description =
        "Lists the traces in a store. Every command accepts their numbers and names: store.db#3, store.db#name;\n"
        "store.db@latest is the trace added last.",
    .positionals = kTracesPositionals,
    .groups = kTracesGroups,
    .examples = kTracesExamples,
    .run = run_traces,
};

}  // namespace et::cli
