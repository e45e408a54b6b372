// The main command: one trace, and where its time went.
#include "inspector/report/main_report.h"

#include "cli/basis_option.h"
#include "cli/checks_input.h"
#include "cli/commands/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/input_files.h"
#include "cli/output.h"
#include "cli/trace_source.h"
#include "inspector/report/program_report.h"

namespace et::cli {
namespace {

constexpr OptionSpec trace_or_checks() {
  OptionSpec trace = kTraceArgument;
  trace.unless = "etrecord|pte|checks";
  return trace;
}
constexpr OptionSpec kReportPositionals[] = {trace_or_checks()};

constexpr OptionSpec kReport[] = {
    choice_option(
        "group-by", 'g', "KEY", "op|type|module|line|frame|delegate|method|phase", nullptr,
        "one row for all ops of the same operator, type, module, Python line, line of the stack (with what it "
        "calls), delegate, method or phase (load, init, execute)"),
    kFilterOption,
    choice_option("sort", 0, "KEY", "cost|self|total|order|name|count|mean|p50|p99|max", nullptr,
                  "sort order of the rows (default: cost; in JSON: order of execution)"),
    number_option("top", 'k', nullptr, "only the first N rows; one more row sums up the rest"),
    kUnitsOption,
    kBasisOption,
    {.name = "samples", .help = "in JSON: every individual measurement of every op"},
    {.name = "values", .help = "the logged values of debug events"},
    repeated(file_option("checks", 0,
                         "results of et-check --json: show their verdicts, and keep them with --store; without TRACE "
                         "nothing else is shown")),
    kSourceMapOption,
    kVersionOption,
    kManOption,
    kCompletionOption,
};
constexpr OptionGroup kReportOptions = {"Report", kReport};
constexpr const OptionGroup* kReportGroups[] = {&kInputOptions, &kReportOptions, &kFormatOptions};

constexpr Example kReportExamples[] = {
    {"etdump.etdp", "where the time went: ops, Python lines, delegates; with the ETRecord and program beside it"},
    {"model.pte etrecord.bin etdump.etdp --group-by line --top 10", "the ten most expensive Python lines"},
    {"etdump.etdp -e etrecord.bin --format json --samples -o report.json", "everything, for a script"},
    {"etdump.etdp -e etrecord.bin --store runs.db --name before", "keep the trace in a store under a name"},
    {"model.pte", "what a program takes, gives and needs"},
    {"runs.db#before --units us", "show it again, without its files"},
    {"--checks results.json --store runs.db", "keep the verdicts of et-check for `et-inspect history runs.db`"},
    {"--pte model.pte --etrecord etrecord.bin",
     "a model before its first run: what is delegated, and to which backend"},
    {"etdump.etdp --delegate-clock EthosUBackend=cycles@1GHz",
     "a delegate whose events are in cycles of its own clock"},
};

int report_program(const Arguments& args, const std::string& path) {
  std::string text;
  const Status status = inspector::write_program_report(
      path, {.format = args.text("format"), .color = use_color(args), .width = output_width(args)}, &text);
  return status.ok() ? write_output(args, text) : fail(status);
}

int run_report(const Arguments& args) {
  if (asks_for_checks_only(args)) return report_checks(args);
  const std::string program = lone_program(args);
  if (!program.empty() && !args.given("checks")) return report_program(args, program);
  TraceSource source;
  source.without_file = inspector::Store::Mode::Report;
  Status status = open_trace_source(args, &source);
  CheckInput checks;
  if (status.ok() && args.given("checks") && !source.imported)
    status = {Error::InvalidArgument,
              "--checks: cannot be added to the store given as TRACE; name the store with --store instead"};
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
  if (status.ok()) status = read_basis(args, &options.basis);
  if (!status.ok()) return fail(status);
  std::string text;
  status = inspector::write_main_report(source.store, source.trace_id, options, &text);
  if (status.ok() && options.format == "table") status = checks_section(args, source.store, checks, &text);
  if (!status.ok()) return fail(status);
  // csv and tsv have nothing but rows, so the problems go to standard error there.
  if (options.format == "csv" || options.format == "tsv") warn_of_diagnostics(args, source);
  const int code = exit_code_of_trace(source);
  return write_output(args, text, code == kExitOk && checks.failed ? static_cast<int>(kExitDifference) : code);
}

}  // namespace

constexpr CommandSpec kReportCommand = {
    .name = "",
    .summary = "where the time of an ExecuTorch program goes",
    .description =
        "Reads an ETDump, joins it with the ETRecord of its export and with the program, and prints what ran, what it\n"
        "cost per operator, which graph node, Python line and module each operator came from, and what ran in "
        "delegates.\n"
        "\n"
        "TRACE is the files of a run in any order, or a folder with them: an ETDump, its ETRecord, its program, its "
        "debug\n"
        "buffer. They are known by what is in them. ETRecord and program are also found beside the ETDump, unless "
        "they\n"
        "belong to another model; a line says what was found. '-' is standard input.\n"
        "\n"
        "Or TRACE is a trace in a store: store.db (its only trace), store.db#3, store.db#name or store.db@latest. An\n"
        "existing file whose name contains # or @ takes precedence.\n"
        "\n"
        "A program alone shows its methods with the types and shapes of their inputs and outputs, delegates, "
        "operators,\n"
        "constants and planned memory. --etrecord and --pte without an ETDump show what the model consists of: "
        "methods,\n"
        "graph nodes, delegates, without times.\n"
        "\n"
        "EXPR of --filter is a list of terms separated by spaces: a word (in name, type, line or module), key:text,\n"
        "key=text, key>number, key<number, key>=number, key<=number, or !term for the opposite. Text keys are name, "
        "type,\n"
        "module, line, file, function, backend, method, block, kind and role; numeric keys are instruction, line, "
        "count,\n"
        "share (percent) and the times self, total, mean, p50, p99 and max (1500, 1.5us, 2ms); delegated=yes selects "
        "what\n"
        "ran in delegates.",
    .positionals = kReportPositionals,
    .groups = kReportGroups,
    .examples = kReportExamples,
    .run = run_report,
};

}  // namespace et::cli
