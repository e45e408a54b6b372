// `et-inspect payloads TRACE`: what lies inside of delegates.
#include "cli/commands/commands.h"
#include "cli/console.h"
#include "cli/output.h"
#include "cli/trace_source.h"
#include "inspector/report/payload_report.h"

namespace et::cli {
namespace {

constexpr OptionSpec kPositionals[] = {kTraceArgument};
constexpr OptionSpec kPayloads[] = {
    {.name = "method", .argument = "NAME", .type = Value::Text, .help = "only this method; without it all"},
    {.name = "nodes", .help = "list each node of the payloads, with the graph node and the line that it leads to"},
};
constexpr OptionGroup kPayloadOptions = {"Payloads", kPayloads};
constexpr const OptionGroup* kGroups[] = {&kInputOptions, &kPayloadOptions, &kFormatOptions};
constexpr Example kExamples[] = {
    {"payloads -p model.pte", "sizes, memory, tensors and operators of each delegate"},
    {"payloads -e etrecord.bin -p model_ethosu.pte --nodes", "each command of the NPU that does work"},
    {"payloads -e etrecord.bin -p model_tosa.pte --nodes --format csv",
     "operators and their Python lines, for a script"},
};

int run(const Arguments& args) {
  TraceSource source;
  Status status = open_trace_source(args, &source);
  if (!status.ok()) return fail(status);
  warn_of_diagnostics(args, source);
  const inspector::PayloadOptions options = {.method = args.text("method"),
                                             .format = args.text("format"),
                                             .nodes = args.flag("nodes"),
                                             .color = use_color(args),
                                             .width = output_width(args)};
  std::string text;
  status = inspector::write_payloads(source.store, source.trace_id, options, &text);
  return status.ok() ? write_output(args, text, exit_code_of_trace(source)) : fail(status);
}

}  // namespace

constexpr CommandSpec kPayloadsCommand = {
    .name = "payloads",
    .summary = "what lies inside of delegates: sizes, memory, operators, commands",
    .description =
        "Prints what each delegate's payload says without being run: its blocks and sizes, the memory that it needs, "
        "its\n"
        "inputs and outputs, its operators by type, for an Ethos-U the commands of its stream, and the Python lines "
        "that\n"
        "it stands for. It needs the program; lines and graph nodes need the ETRecord.",
    .positionals = kPositionals,
    .groups = kGroups,
    .examples = kExamples,
    .run = run,
};

}  // namespace et::cli
