// `et-inspect findings TRACE`: what makes the program slow or large, and what to do about it.
#include "inspector/report/findings_report.h"

#include "base/quantity.h"
#include "cli/basis_option.h"
#include "cli/commands/commands.h"
#include "cli/console.h"
#include "cli/machine_options.h"
#include "cli/output.h"
#include "cli/trace_source.h"
#include "cli/version.h"

namespace et::cli {
namespace {

constexpr OptionSpec kFindingsPositionals[] = {kTraceArgument};
constexpr OptionSpec findings_format() {
  OptionSpec row = kFormatOption;
  row.choices = "table|json|csv|tsv|markdown|sarif";
  return row;
}
constexpr OptionSpec kFindings[] = {
    kBasisOption,
    findings_format(),
    kJsonOption,
    kMachineOption,
    value_option("most", 0, "SHARE", "exit code 1 when a finding could win more than this of an execution, e.g. 20%"),
};
constexpr OptionGroup kFindingsOptions = {"Findings", kFindings};
constexpr const OptionGroup* kFindingsGroups[] = {&kInputOptions, &kFindingsOptions};
constexpr Example kFindingsExamples[] = {
    {"findings etdump.etdp --etrecord etrecord.bin --pte model.pte", "what to change in the model or its export"},
    {"findings pixel/ --machine pixel.toml", "a trace of a device, with the device's peaks"},
    {"findings run/ --format sarif -o findings.sarif", "on the lines of the model, for code review"},
};

int run_findings(const Arguments& args) {
  std::optional<double> most;
  if (args.given("most")) {
    most = parse_share(args.text("most"));
    if (!most) return fail(kExitUsage, "--most: expected a share such as 20% or 0.2, got '" + args.text("most") + "'");
  }
  std::optional<inspector::Basis> basis;
  TraceSource source;
  inspector::MachinePeaks machine;
  const bool has_machine = args.given("machine");
  Status status = read_basis(args, &basis);
  if (status.ok() && has_machine) status = inspector::read_machine(args.text("machine"), &machine);
  if (status.ok()) status = open_trace_source(args, &source);
  if (!status.ok()) return fail(status);
  warn_of_diagnostics(args, source);
  inspector::OpTable shown;
  std::vector<inspector::Advice> advice;
  status =
      inspector::load_shown_ops(source.store, source.trace_id, {.basis = basis.value_or(inspector::Basis{})}, &shown);
  inspector::AdviceNotes notes;
  if (status.ok())
    status = inspector::find_advice(source.store, shown, &advice, has_machine ? &machine : nullptr, &notes);
  std::vector<inspector::Finding> measurement;
  if (status.ok()) status = inspector::find_findings(source.store, shown, &measurement, nullptr);
  std::string text;
  const std::string trace = args.given("trace") ? args.list("trace").front() : "";
  const inspector::FindingsReportOptions options = {.format = args.flag("json") ? "json" : args.text("format"),
                                                    .color = use_color(args),
                                                    .width = output_width(args),
                                                    .version = kVersion,
                                                    .trace = trace,
                                                    .measurement = &measurement,
                                                    .notes = &notes};
  if (status.ok()) status = inspector::write_findings(advice, shown, options, &text);
  if (!status.ok()) return fail(status);
  double execution = 0;
  for (const inspector::OpBlock& b : shown.blocks) execution += b.kind == "execute" ? b.cost : 0;
  int code = exit_code_of_trace(source);
  for (const inspector::Advice& a : advice) {
    if (code == kExitOk && most && !a.open && a.most_ns > *most * execution) code = kExitDifference;
  }
  return write_trace_output(args, source, text, code);
}

}  // namespace

constexpr CommandSpec kFindingsCommand = {
    .name = "findings",
    .summary = "what makes the program slow, large or hungry for memory, and what to do about it",
    .description =
        "One finding a rule, what would win the most first: what was found with its numbers, the most it could win and "
        "what\n"
        "that takes for granted, the place in the model, and what to change there or at export. SARIF has them on the "
        "lines\n"
        "of the model. Behind them: executions that stand out, the cold start, time without a line (all of it: "
        "doctor).",
    .positionals = kFindingsPositionals,
    .groups = kFindingsGroups,
    .examples = kFindingsExamples,
    .run = run_findings,
};

}  // namespace et::cli
