// `et-inspect memory PROGRAM|TRACE`: arenas, peaks, who holds them, and the pools to give to an application.
#include "inspector/report/memory_report.h"

#include "cli/commands/commands.h"
#include "cli/console.h"
#include "cli/input_files.h"
#include "cli/output.h"
#include "cli/trace_source.h"

namespace et::cli {
namespace {

constexpr OptionSpec memory_trace_argument() {
  OptionSpec row = kTraceArgument;
  row.help = "a program (.pte, .bpte), or a trace with its program, which also has the marks of the run time";
  return row;
}
constexpr OptionSpec kMemoryPositionals[] = {memory_trace_argument()};
constexpr OptionSpec memory_format() {
  OptionSpec row = kFormatOption;
  row.choices = "table|json|csv|tsv|markdown|cpp";
  return row;
}
constexpr OptionSpec kMemory[] = {
    memory_format(),
    kJsonOption,
    with_default(number_option("top", 'k', nullptr, "only the first N rows; one more row sums up the rest"), "10"),
};
constexpr OptionGroup kMemoryOptions = {"Memory", kMemory};
constexpr const OptionGroup* kMemoryGroups[] = {&kInputOptions, &kMemoryOptions};
constexpr Example kMemoryExamples[] = {
    {"memory model.pte", "arenas, their peaks, and the tensors that make them"},
    {"memory etdump.etdp --pte model.pte --etrecord etrecord.bin", "with the marks of the run time, and Python lines"},
    {"memory etdump.etdp --pte model.pte --format cpp -o pools.h", "buffers for an application on a device, to paste"},
};

int run_memory(const Arguments& args) {
  TraceSource source;
  inspector::MemoryPlan plan;
  std::string text;
  Arguments own = args;
  if (const std::string path = lone_program(args); !path.empty()) own = args.with("trace", {}).with("pte", {path});
  Status status = open_trace_source(own, &source);
  if (status.ok()) status = inspector::load_memory_plan(source.store, source.trace_id, &plan);
  if (!status.ok()) return fail(status);
  warn_of_diagnostics(own, source);
  std::string program;
  {
    inspector::Statement st = source.store.query("SELECT program_path FROM traces WHERE trace_id = ?1");
    st.bind_all(source.trace_id);
    if (st.step() && !st.is_null(0)) program = st.str(0);
  }
  const inspector::MemoryReportOptions options = {.format = args.flag("json") ? "json" : args.text("format"),
                                                  .top = args.integer("top", 10),
                                                  .color = use_color(args),
                                                  .width = output_width(args),
                                                  .program = program.substr(program.rfind('/') + 1)};
  status = inspector::write_memory(plan, options, &text);
  return status.ok() ? write_trace_output(args, source, text) : fail(status);
}

}  // namespace

constexpr CommandSpec kMemoryCommand = {
    .name = "memory",
    .summary = "what a program needs at run time: arenas, peaks, who holds them, pools as C++",
    .description =
        "Shows the memory-planned arenas of each method: what they ask for, the most that their tensors need at once "
        "(no plan\n"
        "needs less), the tensors alive then with what writes them, and beside it constants, delegates and, from a "
        "trace of\n"
        "et-run, the marks of the allocators. --format cpp writes buffers of the exact sizes.",
    .positionals = kMemoryPositionals,
    .groups = kMemoryGroups,
    .examples = kMemoryExamples,
    .run = run_memory,
};

}  // namespace et::cli
