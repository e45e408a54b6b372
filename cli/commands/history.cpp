// `et-inspect history STORE`: the checks of a store over time.
#include "cli/commands/commands.h"
#include "cli/console.h"
#include "cli/output.h"
#include "inspector/report/check_report.h"

namespace et::cli {
namespace {

constexpr OptionSpec kHistoryPositionals[] = {
    {.name = "store",
     .argument = "STORE",
     .type = Value::Text,
     .complete = Complete::File,
     .required = true,
     .help = "a store with results of et-check"},
};
constexpr OptionSpec history_units() {
  OptionSpec row = kUnitsOption;
  row.choices = "auto|ns|us|ms|s";  // results of checks have no cycles
  return row;
}
constexpr OptionSpec kHistory[] = {
    value_option("file", 0, "FILE",
                 "only checks of this bundled program: its path in the results, or the end of the path"),
    value_option("program", 0, "HASH", "only runs of the program with this SHA-256, or a prefix of it"),
    kMethodOption,
    kCaseOption,
    number_option("last", 0, nullptr, "only the N newest runs of each check"),
    {.name = "failed", .help = "only checks whose newest run failed"},
    {.name = "ops", .help = "also the ops of each check's newest trace, compared with the trace before"},
    history_units(),
};
constexpr OptionGroup kHistoryOptions = {"History", kHistory};
constexpr const OptionGroup* kHistoryGroups[] = {&kHistoryOptions, &kFormatOptions};
constexpr Example kHistoryExamples[] = {
    {"history runs.db", "every check with its runs, oldest first"},
    {"history runs.db --file model.bpte --last 10", "the ten newest runs of one file's checks"},
    {"history runs.db --failed", "what fails now, and since when"},
    {"history runs.db --case 0 --ops", "which op got slower, or introduced the error"},
    {"history runs.db --format csv -o history.csv", "for a script or a spreadsheet"},
};

int run_history(const Arguments& args) {
  inspector::Store store;
  Status status = inspector::Store::open(args.text("store"), inspector::Store::Mode::ReadOnly, &store);
  if (!status.ok()) return fail(status);
  inspector::CheckQuery query;
  query.file = args.text("file");
  query.program = args.text("program");
  query.method = args.text("method");
  if (args.given("case")) query.case_index = args.integer("case");
  query.last = static_cast<size_t>(args.integer("last"));
  query.failed_only = args.flag("failed");
  const inspector::CheckReportOptions options = {.format = args.text("format"),
                                                 .units = args.text("units"),
                                                 .ops = args.flag("ops"),
                                                 .color = use_color(args),
                                                 .width = output_width(args)};
  std::string text;
  status = inspector::write_check_history(store, query, options, &text);
  return status.ok() ? write_output(args, text) : fail(status);
}

}  // namespace

constexpr CommandSpec kHistoryCommand = {
    .name = "history",
    .summary = "check results over time: verdicts, errors, times",
    .description =
        "Lists the runs of each check in a store, oldest first: verdict, largest error, signal-to-noise ratio, median\n"
        "time with its 95 % confidence interval, memory. Results are added by `et-check ... --store`, or by\n"
        "`et-inspect --checks results.json --store`.\n"
        "\n"
        "A change in time is reported relative to the previous run on the same host, and only if the intervals of "
        "both\n"
        "do not overlap; the range is what the intervals allow. It shows that the runs differ, not why: for a careful\n"
        "comparison use et-check --baseline or --against. Intervals need six samples (et-check --iterations).",
    .positionals = kHistoryPositionals,
    .groups = kHistoryGroups,
    .examples = kHistoryExamples,
    .run = run_history,
};

}  // namespace et::cli
