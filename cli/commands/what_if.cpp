// `et-inspect what-if TRACE`: what delegating, better kernels or fewer copies could win at most.
#include "cli/basis_option.h"
#include "cli/commands/commands.h"
#include "cli/console.h"
#include "cli/machine_options.h"
#include "cli/output.h"
#include "inspector/report/scenarios_report.h"

namespace et::cli {
namespace {

constexpr OptionSpec kWhatIfPositionals[] = {kTraceArgument};
constexpr OptionSpec kWhatIf[] = {
    kBasisOption, kUnitsOption, kFilterOption, kDimOption, kMachineOption,
};
constexpr OptionGroup kWhatIfOptions = {"What if", kWhatIf};
constexpr const OptionGroup* kWhatIfGroups[] = {&kInputOptions, &kWhatIfOptions, &kFormatOptions};
constexpr Example kWhatIfExamples[] = {
    {"what-if run/", "bounds for delegating, copies and the runtime; with roofs once et-run --calibrate ran here"},
    {"what-if run/ --filter type:softmax", "only of the softmaxes"},
};

int run_what_if(const Arguments& args) {
  WorkSource work;
  inspector::Filter filter;
  inspector::Scenarios scenarios;
  std::string text;
  Status status = inspector::Filter::parse(args.text("filter"), &filter);
  if (status.ok()) status = open_work_source(args, &work);
  if (status.ok())
    status = inspector::scenarios(work.source.store, work.table, filter, work.peaks(), work.dims, &scenarios);
  const inspector::ScenariosReportOptions options = {.format = args.text("format"),
                                                     .units = args.text("units"),
                                                     .color = use_color(args),
                                                     .width = output_width(args)};
  if (status.ok()) status = inspector::write_scenarios(scenarios, options, &text);
  return status.ok() ? write_trace_output(args, work.source, text) : fail(status);
}

}  // namespace

constexpr CommandSpec kWhatIfCommand = {
    .name = "what-if",
    .summary = "what delegating, better kernels or fewer copies could win at most",
    .description =
        "Bounds for an execution: if the ops outside of delegates were delegated, if every op reached the peaks of\n"
        "the machine (et-run --calibrate), if copies and changes of layout went away, if the runtime took no time.\n"
        "Each says what it takes for granted. Nothing is faster than that; what a change really wins, 'et-inspect\n"
        "diff' measures.",
    .positionals = kWhatIfPositionals,
    .groups = kWhatIfGroups,
    .examples = kWhatIfExamples,
    .run = run_what_if,
};

}  // namespace et::cli
