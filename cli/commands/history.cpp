// `et-inspect history STORE`: the checks of a store over time.
#include "cli/commands/commands.h"
#include "cli/console.h"
#include "cli/output.h"
#include "inspector/report/check_report.h"

namespace et::cli {
namespace {

constexpr OptionSpec kPositionals[] = {
    {.name = "store",
     .argument = "STORE",
     .type = Value::Text,
     .complete = Complete::File,
     .required = true,
     .help = "a store that results of et-check were added to"},
};
constexpr OptionSpec kHistory[] = {
    {.name = "file",
     .argument = "FILE",
     .type = Value::Text,
     .help = "only checks of this bundled program: its path in the results, or the end of it"},
    {.name = "program",
     .argument = "HASH",
     .type = Value::Text,
     .help = "only runs of the program with this SHA-256, or one that begins so"},
    {.name = "method", .argument = "NAME", .type = Value::Text, .help = "only checks of this method"},
    {.name = "case", .argument = "N", .type = Value::Integer, .help = "only the test case of this number, from 0"},
    {.name = "last", .argument = "N", .type = Value::Integer, .help = "only the N newest runs of each check"},
    {.name = "failed", .help = "only checks whose newest run failed"},
    {.name = "ops", .help = "the ops of each check's newest trace, against those of the trace before"},
    {.name = "units",
     .short_name = 'u',
     .argument = "UNIT",
     .type = Value::Choice,
     .choices = "auto|ns|us|ms|s",
     .fallback = "auto",
     .complete = Complete::Choices,
     .help = "unit of times in tables"},
};
constexpr OptionGroup kHistoryOptions = {"History", kHistory};
constexpr const OptionGroup* kGroups[] = {&kHistoryOptions, &kFormatOptions};
constexpr Example kExamples[] = {
    {"history runs.db", "every check with its runs, oldest first"},
    {"history runs.db --file model.bpte --last 10", "the ten newest runs of one file's checks"},
    {"history runs.db --failed", "what fails now, and since when"},
    {"history runs.db --case 0 --ops", "which op became slower, or carries the error"},
    {"history runs.db --format csv -o history.csv", "for a script or a spreadsheet"},
};

int run(const Arguments& args) {
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
    .summary = "verdicts, errors and times of checks over time",
    .description =
        "Lists the runs of each check in a store, oldest first: verdict, largest error, signal to noise ratio, median\n"
        "time with its 95 % confidence interval, memory. Results get into a store with `et-check ... --store`, or "
        "with\n"
        "`et-inspect --checks results.json --store`.\n"
        "\n"
        "A change of time is said against the run before on the same host, and only when the intervals of both do not\n"
        "overlap; the range is what the intervals leave open. It says that the runs differ, not why: et-check's\n"
        "--baseline and --against measure with care for that. Intervals need six samples (et-check --iterations).",
    .positionals = kPositionals,
    .groups = kGroups,
    .examples = kExamples,
    .run = run,
};

}  // namespace et::cli
