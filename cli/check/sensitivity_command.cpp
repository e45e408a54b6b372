// et-check sensitivity: what a graph gives with each of its quantisations alone. et-inspect sensitivity runs it.
#include <deque>

#include "base/mapped_file.h"
#include "base/zip_writer.h"
#include "bundled_program/cases/npy.h"
#include "bundled_program/reference/bypass.h"
#include "bundled_program/reference/reference_run.h"
#include "cli/arguments.h"
#include "cli/check/commands.h"
#include "cli/check/graph_inputs.h"
#include "cli/check/node_values.h"
#include "cli/check/quantised_regions.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/program_main.h"
#include "cli/progress.h"
#include "inspector/analysis/gap/tensor_files.h"
#include "inspector/text/words.h"

namespace et::cli {
namespace {

constexpr OptionSpec kSensitivityPositionals[] = {
    {.name = "record",
     .argument = "ETRECORD",
     .type = Value::Text,
     .complete = Complete::File,
     .required = true,
     .help = "the ETRecord of an export"},
};
constexpr OptionSpec kSensitivityInputs[] = {
    with_help(kMethodOption, "method to run (default: forward, or the only one)"),
    kInputTensorOption,
    kCasesOption,
    kCaseOption,
    kRandomOption,
    kOnesOption,
    kZerosOption,
};
constexpr OptionSpec kSensitivityOutput[] = {
    written(value_option("output", 'o', "FILE.npz",
                         "archive to write: the method's outputs for each run, by the node that quantises",
                         Complete::File)),
    kColorOption,
    with_help(kQuietOption, "print nothing but errors"),
    kLangOption,
    kHelpOption,
};
constexpr OptionGroup kSensitivityInputGroup = {"Inputs (default: those that the ETRecord keeps)", kSensitivityInputs};
constexpr OptionGroup kSensitivityOutputGroup = {"Output", kSensitivityOutput};
constexpr const OptionGroup* kSensitivityGroups[] = {&kSensitivityInputGroup};
constexpr Example kSensitivityExamples[] = {
    {"sensitivity etrecord.bin -o alone.npz", "for the ETRecord's own inputs; et-inspect sensitivity ranks them"},
};

class SensitivityRun {
 public:
  Status open(const Arguments& args) {
    const std::string path = args.text("record");
    if (Status s = MappedFile::open(path, &file_); !s.ok()) return s;
    if (Status s = etrecord::Record::open(file_.bytes(), path, &record_); !s.ok()) return s;
    std::string method = args.text("method");
    if (method.empty()) {
      const std::vector<std::string> methods = record_.methods();
      method = methods.size() == 1 ? methods.front() : "forward";
    }
    if (Status s = reference::ReferenceRun::open(record_, method, {}, &run_); !s.ok()) return s;
    if (Status s = read_graph_inputs(args, record_, run_->program(), method, &inputs_); !s.ok()) return s;
    regions_ = quantised_regions(record_, run_->program());
    if (!regions_.empty()) return {};
    return {Error::NotFound, path + ": method " + method +
                                 ": nothing is quantised in its graph: no node quantises and dequantises again, and "
                                 "none dequantises a constant; export the quantised model with its ETRecord"};
  }

  /// "float", "quantised", then each region alone.
  Status run(const std::string& path, ProgressLine* line) {
    ZipWriter zip;
    if (Status s = zip.create(path); !s.ok()) return s;
    size_t done = 0;
    const auto one = [&](const QuantisedRegion* alone, const std::string& name) {
      (*line)("working out", done++, regions_.size() + 2);
      const reference::Bypass bypass = all_but(alone);
      return add(name, &bypass, &zip);
    };
    Status s = one(nullptr, "float");
    if (s.ok()) s = add("quantised", nullptr, &zip);
    for (size_t i = 0; i < regions_.size() && s.ok(); ++i)
      s = one(&regions_[i], (regions_[i].weights ? "weights:" : "activations:") + regions_[i].named_by()->name);
    line->end();
    return s.ok() ? zip.close() : s;
  }
  size_t count() const { return regions_.size(); }

 private:
  reference::Bypass all_but(const QuantisedRegion* alone) const {
    reference::Bypass out;
    for (const QuantisedRegion& region : regions_) {
      if (&region == alone || region.weights) continue;
      for (const etrecord::Node* node : region.dequantising) out.pairs[node] = region.quantising;
    }
    if (alone != nullptr && alone->weights) out.disturbed = alone->dequantising.front();
    return out;
  }

  Status add(const std::string& name, const reference::Bypass* bypass, ZipWriter* zip) {
    run_->reset();
    run_->set_bypass(bypass);
    reference::RunResult result;
    for (const std::vector<bundled::Value>& inputs : inputs_.executions) {
      if (Status s = run_->run(inputs, {}, &result); !s.ok()) return s;
    }
    run_->set_bypass(nullptr);
    for (size_t i = 0; i < result.outputs.size(); ++i) {
      if (result.outputs[i].kind != reference::GraphValue::Kind::Tensor) continue;
      const inspector::LoggedValue value = value_of(result.outputs[i].tensor->tensor());
      ScalarType type{};
      if (!scalar_type_of(value.dtype, &type) || !bundled::npy_knows(type)) continue;
      const std::string& array = arrays_.emplace_back(bundled::npy_header(type, value.shape) + value.data);
      const std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(array.data()), array.size());
      const std::string member = inspector::tensor_name(name, static_cast<int64_t>(i), 0);
      if (Status s = zip->add(member + ".npy", bytes, false); !s.ok()) return s;
    }
    return {};
  }

  MappedFile file_;
  etrecord::Record record_;
  std::unique_ptr<reference::ReferenceRun> run_;
  GraphInputs inputs_;
  std::vector<QuantisedRegion> regions_;
  std::deque<std::string> arrays_;  // read when the archive is closed
};

int run_sensitivity(const Arguments& args) {
  const std::string path = args.text("output");
  if (path.empty()) return fail(kExitUsage, "missing --output: name the archive to write, e.g. -o alone.npz");
  SensitivityRun run;
  ProgressLine line(args);
  Status status = run.open(args);
  if (status.ok()) status = run.run(path, &line);
  if (!status.ok()) return fail(status);
  if (args.flag("quiet")) return kExitOk;
  return print_text(args, path + ": " + inspector::plural(static_cast<int64_t>(run.count()), "quantisation") + "\n");
}

}  // namespace

const CommandSpec kCheckSensitivityCommand = {
    .name = "sensitivity",
    .summary = "work out what an ETRecord's graph gives with each of its quantisations alone",
    .description =
        "Runs the graph of an ETRecord without any of its quantisations, with all of them, and with each one alone, "
        "and writes what the method gives each time: arrays float, quantised, activations:NODE (what is quantised and "
        "dequantised while the graph runs) and weights:NODE (a constant that is dequantised: its float is not in the "
        "ETRecord, so noise of half a step stands for what rounding took away), .1 and so on behind the name of a "
        "second output. et-inspect sensitivity runs this command and ranks what it wrote.",
    .positionals = kSensitivityPositionals,
    .groups = kSensitivityGroups,
    .examples = kSensitivityExamples,
    .run = run_sensitivity,
    .common = &kSensitivityOutputGroup,
};

}  // namespace et::cli
