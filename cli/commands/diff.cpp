// `et-inspect diff BEFORE AFTER`: what became slower or faster, and why.
#include "base/quantity.h"
#include "cli/basis_option.h"
#include "cli/commands/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/output.h"
#include "cli/trace_source.h"
#include "inspector/analysis/diff/diff_text.h"
#include "inspector/report/diff_report.h"

namespace et::cli {
namespace {

constexpr OptionSpec diff_traces_argument() {
  OptionSpec row = kTraceArgument;
  row.unless = nullptr;
  row.help =
      "the traces, the old one first: ETDumps with what lies beside them, folders, or traces in a store (store.db#1, "
      "store.db@latest). More than two: each is compared with the first";
  return row;
}
constexpr OptionSpec kDiffPositionals[] = {diff_traces_argument()};
constexpr OptionSpec kDiff[] = {
    kBasisOption,
    kUnitsOption,
    with_default(number_option("top", 'k', nullptr, "only the first N rows; one more row sums up the rest"), "15"),
    value_option("fail-above", 0, "SHARE",
                 "exit code 1 when a method is surely slower by more than this, e.g. 5%; 4 when that cannot be judged"),
};
constexpr OptionGroup kDiffOptions = {"Diff", kDiff};
constexpr const OptionGroup* kDiffGroups[] = {&kInputOptions, &kDiffOptions, &kFormatOptions};
constexpr Example kDiffExamples[] = {
    {"diff old/etdump.etdp new/etdump.etdp", "which ops explain the difference"},
    {"diff runs.db#1 runs.db@latest --fail-above 5% --format markdown", "for a pull request, in CI"},
    {"diff portable/ xnnpack/", "what a delegate brings, fused operators beside the chains they replace"},
};

struct DiffInput {
  TraceSource source;
  inspector::DiffSource facts;
};

Status open_input(const Arguments& args, const std::string& word, DiffInput* out) {
  const Arguments one = args.with("trace", {word});
  Status status = open_trace_source(one, &out->source);
  if (!status.ok()) return status;
  warn_of_diagnostics(one, out->source);
  return inspector::diff_source(out->source.store, out->source.trace_id, word, &out->facts);
}

bool too_slow(const inspector::TraceDiff& diff, double limit) {
  for (const inspector::DiffMethod& m : diff.methods) {
    if (m.verdict == inspector::DiffVerdict::Slower && m.low.value_or(1) > 1 + limit) return true;
  }
  return false;
}

/// Methods that may be slower by more than the limit, where the executions do not say.
std::string not_judged(const inspector::TraceDiff& diff, double limit) {
  std::string names;
  for (const inspector::DiffMethod& m : diff.methods) {
    const bool unsure = m.verdict == inspector::DiffVerdict::TooFew || m.verdict == inspector::DiffVerdict::Unclear;
    const bool no_times = m.lacks_basis() || (m.before == 0) != (m.after == 0);
    if (unsure && (no_times || (m.before > 0 && m.after > (1 + limit) * m.before)))
      names += (names.empty() ? "" : ", ") + (m.name.empty() ? std::string("(method not known)") : m.name);
  }
  return names;
}

int run_diff(const Arguments& args) {
  const std::vector<std::string>& words = args.list("trace");
  if (words.size() < 2) return fail(kExitUsage, "diff: expected two traces, the old one first; got one");
  if (args.given("store")) return fail(kExitUsage, "--store: diff keeps nothing; import the traces first");
  std::optional<double> limit;
  if (args.given("fail-above")) {
    limit = parse_share(args.text("fail-above"));
    if (!limit)
      return fail(kExitUsage,
                  "--fail-above: expected a share such as 5% or 0.05, got '" + args.text("fail-above") + "'");
  }
  std::optional<inspector::Basis> basis;
  Status status = read_basis(args, &basis);
  DiffInput before;
  if (status.ok()) status = open_input(args, words.front(), &before);
  if (!status.ok()) return fail(status);
  inspector::DiffReportOptions options;
  options.format = args.text("format");
  options.units = args.text("units");
  options.top = args.integer("top", 15);
  options.color = use_color(args);
  options.width = output_width(args);
  if (words.size() > 2 && options.format != "table" && options.format != "markdown")
    return fail(kExitUsage,
                "--format " + options.format + ": expected two traces, got " + std::to_string(words.size()));
  std::string text;
  int code = exit_code_of_trace(before.source);
  for (size_t i = 1; i < words.size(); ++i) {
    DiffInput after;
    inspector::TraceDiff diff;
    inspector::TraceChanges changes;
    status = open_input(args, words[i], &after);
    if (status.ok())
      status = inspector::diff_traces(before.source.store, before.source.trace_id, after.source.store,
                                      after.source.trace_id, {.basis = basis.value_or(inspector::Basis{})}, &diff);
    if (status.ok())
      status = inspector::compare_traces(before.source.store, before.source.trace_id, after.source.store,
                                         after.source.trace_id, &changes);
    if (!text.empty()) text += "\n";
    if (status.ok()) status = inspector::write_diff(diff, changes, before.facts, after.facts, options, &text);
    if (!status.ok()) return fail(status);
    if (code == kExitOk) code = exit_code_of_trace(after.source);
    if (code == kExitOk && limit && too_slow(diff, *limit)) code = kExitDifference;
    // A gate that cannot judge is not green.
    if (const std::string names = limit ? not_judged(diff, *limit) : ""; code == kExitOk && !names.empty()) {
      print_warning(args, "--fail-above: " + names +
                              (inspector::without_times(diff).empty()
                                   ? ": slower by more than that, but too few executions, or too much scatter, to be "
                                     "sure"
                                   : ": one trace has no times"));
      code = kExitIncomplete;
    }
  }
  return write_output(args, text, code);
}

}  // namespace

constexpr CommandSpec kDiffCommand = {
    .name = "diff",
    .summary = "what became slower or faster between two traces, and which ops explain it",
    .description =
        "Compares two traces of one model: builds, devices, delegates, quantisations. Ops that do the work of the same "
        "graph\n"
        "nodes are one row, whatever runs them; nodes are the same by operator, module, line and order, so renamed and "
        "moved\n"
        "ones are found. The rows add up to the difference of the executions. What is delegated, the memory plan and "
        "the\n"
        "size of the program are compared where ETRecord and program are there. 'slower' and 'faster' are said only "
        "where "
        "the\n"
        "95 % intervals of the two medians do not overlap and the change matters (2 % of the op, 0.1 % of the "
        "execution).",
    .positionals = kDiffPositionals,
    .groups = kDiffGroups,
    .examples = kDiffExamples,
    .run = run_diff,
};

}  // namespace et::cli
