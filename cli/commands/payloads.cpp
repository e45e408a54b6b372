// `et-inspect payloads TRACE`: what delegate payloads contain.
#include "cli/commands/commands.h"
#include "cli/console.h"
#include "cli/output.h"
#include "cli/trace_source.h"
#include "inspector/report/payload_report.h"

namespace et::cli {
namespace {

constexpr OptionSpec kPayloadsPositionals[] = {kTraceArgument};
constexpr OptionSpec kPayloads[] = {
    kMethodOption,
    {.name = "nodes", .help = "list every node of the payloads, with its graph node and source line"},
};
constexpr OptionGroup kPayloadOptions = {"Payloads", kPayloads};
constexpr const OptionGroup* kPayloadsGroups[] = {&kInputOptions, &kPayloadOptions, &kFormatOptions};
constexpr Example kPayloadsExamples[] = {
    {"payloads -p model.pte", "sizes, memory, tensors and operators of each delegate"},
    {"payloads -e etrecord.bin -p model_ethosu.pte --nodes", "every NPU command that does work"},
    {"payloads -e etrecord.bin -p model_tosa.pte --nodes --format csv",
     "operators and their Python lines, for a script"},
};

int run_payloads(const Arguments& args) {
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
  return status.ok() ? write_trace_output(args, source, text) : fail(status);
}

}  // namespace

constexpr CommandSpec kPayloadsCommand = {
    .name = "payloads",
    .summary = "what delegates contain: sizes, memory, operators, commands",
    .description =
        "Prints what each delegate's payload contains, without running it: blocks and their sizes, required memory,\n"
        "inputs and outputs, operators by type, the command stream of an Ethos-U, and the Python lines it was lowered\n"
        "from. Needs the program; lines and graph nodes also need the ETRecord.",
    .positionals = kPayloadsPositionals,
    .groups = kPayloadsGroups,
    .examples = kPayloadsExamples,
    .run = run_payloads,
};

}  // namespace et::cli
