// `et-inspect sensitivity ETRECORD`: which layers lose most by quantisation.
#include <algorithm>
#include <cmath>

#include "base/read_double.h"
#include "cli/commands/commands.h"
#include "cli/console.h"
#include "cli/graph_inputs.h"
#include "cli/output.h"
#include "inspector/ingest/ingest.h"
#include "inspector/report/sensitivity_report.h"

namespace et::cli {
namespace {

constexpr OptionSpec kSensitivityPositionals[] = {{.name = "record",
                                                   .argument = "ETRECORD",
                                                   .type = Value::Text,
                                                   .complete = Complete::File,
                                                   .required = true,
                                                   .help = "the ETRecord of a quantised model"}};
constexpr OptionSpec kSensitivity[] = {
    with_help(kMethodOption, "method to run (default: forward, or the only one)"),
    with_default(number_option("top", 'k', nullptr, "only the first N rows; one more row sums up the rest"), "30"),
    value_option("fail-below", 0, "DB", "exit code 1 when a layer alone has a signal-to-noise ratio below this"),
};
constexpr OptionGroup kSensitivityOptions = {"Sensitivity", kSensitivity};
constexpr const OptionGroup* kSensitivityGroups[] = {&kSensitivityOptions, &kGraphInputOptions, &kFormatOptions};
constexpr Example kSensitivityExamples[] = {
    {"sensitivity etrecord.bin", "which layers to leave in floats, for the inputs that the ETRecord keeps"},
    {"sensitivity etrecord.bin --cases model.bpte --case 3 --fail-below 20", "for a test case, in CI"},
};

int run_sensitivity(const Arguments& args) {
  double limit = -HUGE_VAL;
  const std::string given = args.text("fail-below");
  if (args.given("fail-below")) {
    const auto [end, error] = read_double(given.data(), given.data() + given.size(), &limit);
    if (error != std::errc() || end != given.data() + given.size())
      return fail(kExitUsage, "--fail-below: expected a number of decibels, got '" + given + "'");
  }
  inspector::Store store;
  inspector::IngestInputs inputs;
  inspector::IngestResult result;
  inspector::Sensitivity sensitivity;
  inputs.record = args.text("record");
  Status status = inspector::Store::open("", inspector::Store::Mode::Memory, &store);
  if (status.ok()) status = inspector::ingest(store, inputs, {}, &result);
  if (status.ok())
    status = inspector::measure_sensitivity(store, result.trace_id, inputs.record, args.text("method"),
                                            graph_inputs_of(args), {}, &sensitivity);
  const inspector::SensitivityReportOptions options = {.format = args.text("format"),
                                                       .top = args.integer("top", 30),
                                                       .color = use_color(args),
                                                       .width = output_width(args)};
  std::string text;
  if (status.ok()) status = inspector::write_sensitivity(sensitivity, options, &text);
  if (!status.ok()) return fail(status);
  const auto& layers = sensitivity.layers;
  const bool below = std::any_of(layers.begin(), layers.end(), [&](const inspector::QuantisedLayer& layer) {
    return layer.figures.snr_db() < limit || layer.figures.nan_mismatch + layer.figures.inf_mismatch > 0;
  });
  return write_output(args, text, args.given("fail-below") && below ? kExitDifference : kExitOk);
}

}  // namespace

constexpr CommandSpec kSensitivityCommand = {
    .name = "sensitivity",
    .summary = "which layers of a quantised model lose most by quantisation",
    .description =
        "Works out the graph of the ETRecord with each of its quantisations alone, the others left in floats, and\n"
        "compares the method's outputs with those without any: the layers that cost most come first. What is\n"
        "quantised while the model runs (activations) is measured; of weights the ETRecord has no floats, so their\n"
        "cost is estimated by noise of half a step.",
    .positionals = kSensitivityPositionals,
    .groups = kSensitivityGroups,
    .examples = kSensitivityExamples,
    .run = run_sensitivity,
};

}  // namespace et::cli
