// The main command: one trace, and where its time went.
#include "inspector/report/main_report.h"

#include "cli/checks_input.h"
#include "cli/commands/commands.h"
#include "cli/console.h"
#include "cli/output.h"
#include "cli/trace_source.h"

namespace et::cli {
namespace {

constexpr OptionSpec trace_or_checks() {
  OptionSpec trace = kTraceArgument;
  trace.unless = "etrecord|pte|checks";
  return trace;
}
constexpr OptionSpec kPositionals[] = {trace_or_checks()};

constexpr OptionSpec kReport[] = {
    {.name = "group-by",
     .short_name = 'g',
     .argument = "KEY",
     .type = Value::Choice,
     .choices = "op|type|module|line|delegate|method",
     .complete = Complete::Choices,
     .help = "one row for all ops of the same operator, type, module, Python line, delegate or method"},
    {.name = "filter",
     .argument = "EXPR",
     .type = Value::Text,
     .help = "only ops that fit all terms, e.g. 'type:convolution share>1'; see above"},
    {.name = "sort",
     .argument = "KEY",
     .type = Value::Choice,
     .choices = "cost|self|total|order|name|count|mean|p50|p99|max",
     .complete = Complete::Choices,
     .help = "order of the rows; without it by cost, in json by order of execution"},
    {.name = "top",
     .short_name = 'n',
     .argument = "N",
     .type = Value::Integer,
     .help = "only the N first rows; one more row sums up the rest"},
    units_option("unit of times in tables"),
    {.name = "samples", .help = "json: every single measurement of every op"},
    {.name = "values", .help = "the logged values of debug events"},
    {.name = "checks",
     .argument = "FILE",
     .type = Value::Text,
     .complete = Complete::File,
     .many = true,
     .help = "results of et-check --json: their verdicts, kept with --store; without TRACE nothing else is shown"},
    {.name = "source-map",
     .argument = "FROM=TO",
     .type = Value::Text,
     .many = true,
     .help = "show source paths that begin with FROM as TO"},
    {.name = "version", .help = "print the versions of program and libraries"},
};
constexpr OptionGroup kReportOptions = {"Report", kReport};
constexpr const OptionGroup* kGroups[] = {&kInputOptions, &kReportOptions, &kFormatOptions};

constexpr Example kExamples[] = {
    {"etdump.etdp --etrecord etrecord.bin", "where the time went: ops, Python lines, delegates"},
    {"etdump.etdp --etrecord etrecord.bin --pte model.pte --group-by line --top 10",
     "the ten most expensive Python lines"},
    {"etdump.etdp -e etrecord.bin --format json --samples -o report.json", "everything, for a script"},
    {"etdump.etdp -e etrecord.bin --store runs.db --name before", "keep the trace in a store under a name"},
    {"runs.db#before --units us", "look at it again, without its files"},
    {"--checks results.json --store runs.db", "verdicts of et-check, kept for `et-inspect history runs.db`"},
    {"--pte model.pte --etrecord etrecord.bin", "a model that has not run yet: what is delegated, and to whom"},
    {"dump.etdp --delegate-clock EthosUBackend=cycles@1GHz", "a delegate that counts cycles of its own clock"},
};

int run(const Arguments& args) {
  if (asks_for_checks_only(args)) return report_checks(args);
  TraceSource source;
  Status status = open_trace_source(args, &source);
  CheckInput checks;
  if (status.ok() && args.given("checks") && !source.imported)
    status = {Error::InvalidArgument, "--checks: goes into a store that is named with --store, not as TRACE"};
  if (status.ok()) status = add_checks(args, source.store, &checks);
  if (!status.ok()) return fail(status);

  inspector::ReportOptions options;
  options.format = args.text("format");
  options.sort = args.text("sort");
  options.group_by = args.text("group-by");
  options.filter = args.text("filter");
  options.units = args.text("units");
  options.top = args.integer("top", -1);
  options.samples = args.flag("samples");
  options.values = args.flag("values");
  options.color = use_color(args);
  options.width = output_width(args);
  options.source_maps = args.pairs("source-map");
  std::string text;
  status = inspector::write_main_report(source.store, source.trace_id, options, &text);
  if (status.ok() && options.format == "table") status = checks_section(args, source.store, checks, &text);
  if (!status.ok()) return fail(status);
  // csv and tsv hold nothing but rows, so the problems go to standard error there.
  if (options.format == "csv" || options.format == "tsv") warn_of_diagnostics(args, source);
  const int code = exit_code_of_trace(source);
  return write_output(args, text, code == kExitOk && checks.failed ? static_cast<int>(kExitDifference) : code);
}

}  // namespace

constexpr CommandSpec kReportCommand = {
    .name = "",
    .summary = "where the time of an ExecuTorch program goes",
    .description =
        "Reads an ETDump, joins it with the ETRecord of its export and with the program, and prints what was run,\n"
        "what it cost per operator, which graph node, Python line and module each operator came from, and which part\n"
        "ran in delegates.\n"
        "\n"
        "TRACE is an ETDump file, or a trace that a store already holds: store.db (its only trace), store.db#3,\n"
        "store.db#name or store.db@latest. A file whose name itself holds # or @ wins when it exists. Without TRACE,\n"
        "--etrecord and --pte show what the model consists of: methods, graph nodes, delegates, without times.\n"
        "\n"
        "EXPR of --filter is a list of terms: a word (in name, type, line or module), key:text, key=text, key>number,\n"
        "key<number, key>=number, key<=number, or !term for the opposite. Keys of text are name, type, module, line, "
        "file,\n"
        "function, backend, method, block, kind and role; keys of numbers are instruction, line, count, share "
        "(percent)\n"
        "and the times self, total, mean, p50, p99 and max (1500, 1.5us, 2ms); delegated=yes picks what ran in "
        "delegates.",
    .positionals = kPositionals,
    .groups = kGroups,
    .examples = kExamples,
    .run = run,
};

}  // namespace et::cli
