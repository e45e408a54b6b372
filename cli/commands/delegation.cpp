// `et-inspect delegation TRACE`: what went into delegates, what stayed outside, and what that costs.
#include "cli/commands/commands.h"
#include "cli/console.h"
#include "cli/output.h"
#include "cli/trace_source.h"
#include "inspector/report/delegation_report.h"

namespace et::cli {
namespace {

constexpr OptionSpec kPositionals[] = {kTraceArgument};
constexpr OptionSpec kDelegation[] = {
    {.name = "method", .argument = "NAME", .type = Value::Text, .help = "only this method; without it all"},
    {.name = "all", .help = "list all operators outside, not the 20 costliest, and those that leave no instruction"},
    kUnitsOption,
};
constexpr OptionGroup kDelegationOptions = {"Delegation", kDelegation};
constexpr const OptionGroup* kGroups[] = {&kInputOptions, &kDelegationOptions, &kFormatOptions};
constexpr Example kExamples[] = {
    {"delegation etdump.etdp -e etrecord.bin -p model.pte", "parts, breaks, and what stayed outside, with times"},
    {"delegation -e etrecord.bin -p model.pte", "the same before anything ran"},
    {"delegation runs.db@latest --format csv -o outside.csv", "for a script or a spreadsheet"},
};

int run(const Arguments& args) {
  TraceSource source;
  Status status = open_trace_source(args, &source);
  if (!status.ok()) return fail(status);
  warn_of_diagnostics(args, source);
  const inspector::DelegationOptions options = {.method = args.text("method"),
                                                .format = args.text("format"),
                                                .units = args.text("units"),
                                                .all = args.flag("all"),
                                                .color = use_color(args),
                                                .width = output_width(args)};
  std::string text;
  status = inspector::write_delegation(source.store, source.trace_id, options, &text);
  return status.ok() ? write_output(args, text, exit_code_of_trace(source)) : fail(status);
}

}  // namespace

constexpr CommandSpec kDelegationCommand = {
    .name = "delegation",
    .summary = "what went into delegates, what stayed outside, and what that costs",
    .description =
        "Prints each method as a map: calls of delegates with the nodes, bytes and time that they take; the kernels\n"
        "between two delegates with what it costs to leave one and come back (time, copies, bytes that cross); and "
        "the\n"
        "operators outside, the costliest first, with what speaks for or against them. The files hold no word of a\n"
        "partitioner: reasons are what differs from the operators that the same program delegated.\n"
        "\n"
        "Nodes and lines need the ETRecord, sizes the program, times the dump; each may be missing.",
    .positionals = kPositionals,
    .groups = kGroups,
    .examples = kExamples,
    .run = run,
};

}  // namespace et::cli
