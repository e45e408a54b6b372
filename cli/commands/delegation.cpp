// `et-inspect delegation TRACE`: what was delegated, what was not, and what that costs.
#include "cli/basis_option.h"
#include "cli/commands/commands.h"
#include "cli/console.h"
#include "cli/output.h"
#include "cli/trace_source.h"
#include "inspector/report/delegation_report.h"

namespace et::cli {
namespace {

constexpr OptionSpec kDelegationPositionals[] = {kTraceArgument};
constexpr OptionSpec kDelegation[] = {
    kMethodOption,
    {.name = "all",
     .help = "list all non-delegated operators, not only the 20 most expensive, and those without an instruction"},
    kUnitsOption,
    kBasisOption,
};
constexpr OptionGroup kDelegationOptions = {"Delegation", kDelegation};
constexpr const OptionGroup* kDelegationGroups[] = {&kInputOptions, &kDelegationOptions, &kFormatOptions};
constexpr Example kDelegationExamples[] = {
    {"delegation etdump.etdp -e etrecord.bin -p model.pte",
     "delegates, graph breaks and non-delegated operators, with times"},
    {"delegation -e etrecord.bin -p model.pte", "the same before the first run, without times"},
    {"delegation runs.db@latest --format csv -o delegation.csv", "for a script or a spreadsheet"},
};

int run_delegation(const Arguments& args) {
  TraceSource source;
  Status status = open_trace_source(args, &source);
  if (!status.ok()) return fail(status);
  warn_of_diagnostics(args, source);
  inspector::DelegationOptions options = {.method = args.text("method"),
                                          .format = args.text("format"),
                                          .units = args.text("units"),
                                          .all = args.flag("all"),
                                          .color = use_color(args),
                                          .width = output_width(args)};
  if (status.ok()) status = read_basis(args, &options.basis);
  if (!status.ok()) return fail(status);
  std::string text;
  status = inspector::write_delegation(source.store, source.trace_id, options, &text);
  return status.ok() ? write_trace_output(args, source, text) : fail(status);
}

}  // namespace

constexpr CommandSpec kDelegationCommand = {
    .name = "delegation",
    .summary = "what was delegated, what was not, and what that costs",
    .description =
        "Prints each method as a map: delegate calls with their nodes, bytes and time; the kernels between two "
        "delegates\n"
        "(a graph break) with the cost of leaving one and entering the next (time, copies, bytes transferred); and "
        "the\n"
        "non-delegated operators, most expensive first, with likely reasons. The files do not record the "
        "partitioner's\n"
        "decisions: reasons are differences to the operators that the same program did delegate.\n"
        "\n"
        "Nodes and lines need the ETRecord, sizes the program, times the ETDump; any of them may be missing.",
    .positionals = kDelegationPositionals,
    .groups = kDelegationGroups,
    .examples = kDelegationExamples,
    .run = run_delegation,
};

}  // namespace et::cli
