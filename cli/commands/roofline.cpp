// `et-inspect roofline TRACE`: what each op achieved against what the machine can do.
#include "inspector/report/roofline_report.h"

#include <optional>

#include "cli/basis_option.h"
#include "cli/commands/commands.h"
#include "cli/console.h"
#include "cli/machine_options.h"
#include "cli/output.h"

namespace et::cli {
namespace {

constexpr OptionSpec kRooflinePositionals[] = {kTraceArgument};
constexpr OptionSpec kRoofline[] = {
    kBasisOption,
    kUnitsOption,
    with_default(number_option("top", 'k', nullptr, "only the first N rows; one more row sums up the rest"), "20"),
    kDimOption,
    kMachineOption,
};
constexpr OptionGroup kRooflineOptions = {"Roofline", kRoofline};
constexpr const OptionGroup* kRooflineGroups[] = {&kInputOptions, &kRooflineOptions, &kFormatOptions};
constexpr Example kRooflineExamples[] = {
    {"roofline etdump.etdp --etrecord etrecord.bin",
     "GFLOP/s and GB/s of each op, against the best of the trace; with its roof once et-run --calibrate ran here"},
    {"roofline pixel/ --machine pixel.toml", "a trace of a device, with the device's peaks"},
};

int run_roofline(const Arguments& args) {
  WorkSource work;
  inspector::Roofline roofline;
  std::string text;
  Status status = open_work_source(args, &work);
  if (status.ok()) status = inspector::calm_roofline(work.source.store, work.table, work.peaks(), work.dims, &roofline);
  std::optional<inspector::SeenPeaks> seen;
  if (status.ok() && !work.has_machine) seen = inspector::best_rates(roofline);
  if (seen) inspector::hold_against(seen->peaks, &roofline);
  std::vector<inspector::MeasuredCounts> measured;
  if (status.ok()) measured = inspector::measured_counts(work.source.store, work.table, roofline);
  const inspector::RooflineReportOptions options = {.format = args.text("format"),
                                                    .units = args.text("units"),
                                                    .top = args.integer("top", 20),
                                                    .color = use_color(args),
                                                    .width = output_width(args),
                                                    .measured = &measured,
                                                    .seen = seen ? &*seen : nullptr};
  if (status.ok()) status = inspector::write_roofline(roofline, work.peaks(), work.trace.cpu, options, &text);
  return status.ok() ? write_trace_output(args, work.source, text) : fail(status);
}

}  // namespace

constexpr CommandSpec kRooflineCommand = {
    .name = "roofline",
    .summary = "operations and bytes of each op, what it achieved, and what the machine could",
    .description =
        "Counts operations and bytes from the shapes of the graph nodes (a multiplication and an addition are one "
        "each; a\n"
        "fused kernel reads and writes only what crosses its border) and divides them by the time of the op. With the\n"
        "machine's peaks each op has a roof: 'compute' or 'memory' says which, 'overhead' that there is less to do "
        "than\n"
        "calling it costs. Caches count: the bandwidth is that of a working set of the op's size.\n"
        "Without the peaks ops are held against the best rates that the trace has: the machine reaches at least these, "
        "so a\n"
        "part of them is a most.",
    .positionals = kRooflinePositionals,
    .groups = kRooflineGroups,
    .examples = kRooflineExamples,
    .run = run_roofline,
};

}  // namespace et::cli
