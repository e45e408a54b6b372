// et-check reference: the value of each node of an ETRecord's graph, worked out without PyTorch.
#include <map>
#include <optional>

#include "base/mapped_file.h"
#include "base/zip_writer.h"
#include "bundled_program/cases/npy.h"
#include "bundled_program/reference/reference_run.h"
#include "cli/arguments.h"
#include "cli/check/commands.h"
#include "cli/check/graph_inputs.h"
#include "cli/check/node_values.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/program_main.h"
#include "inspector/analysis/gap/tensor_files.h"
#include "inspector/text/format.h"
#include "inspector/text/words.h"

namespace et::cli {
namespace {

using inspector::LoggedValue;
using inspector::open_tensor_files;
using inspector::tensor_name;

constexpr OptionSpec kReferencePositionals[] = {
    {.name = "record",
     .argument = "ETRECORD",
     .type = Value::Text,
     .complete = Complete::File,
     .required = true,
     .help = "the ETRecord of an export"},
};
constexpr OptionSpec kReferenceInputs[] = {
    with_help(kMethodOption, "method to run (default: forward, or the only one)"),
    kInputTensorOption,
    kCasesOption,
    kCaseOption,
    kRandomOption,
    kOnesOption,
    kZerosOption,
    file_option("feed", 0, "each node is fed what this archive has for the nodes before it, not what they gave"),
};
constexpr OptionSpec kReferenceOutput[] = {
    written(value_option("output", 'o', "FILE.npz", "archive to write: an array a value, by the names of the nodes",
                         Complete::File)),
    kColorOption,
    with_help(kQuietOption, "print nothing but errors"),
    kLangOption,
    kHelpOption,
};
constexpr OptionGroup kReferenceInputGroup = {"Inputs (default: those that the ETRecord keeps)", kReferenceInputs};
constexpr OptionGroup kReferenceOutputGroup = {"Output", kReferenceOutput};
constexpr const OptionGroup* kReferenceGroups[] = {&kReferenceInputGroup};
constexpr Example kReferenceExamples[] = {
    {"reference etrecord.bin -o eager.npz", "what each node gives for the ETRecord's own inputs"},
    {"reference etrecord.bin --ones -o ones.npz", "for the inputs that et-run has by default"},
};

/// A name for each value: nodes of loops and of bodies come again.
class ValueNames {
 public:
  std::string next(const reference::NodeValue& v) {
    return tensor_name(v.node.name, v.output, seen_[{v.node.name, v.output}]++);
  }

 private:
  std::map<std::pair<std::string, uint32_t>, int64_t> seen_;
};

struct NamedValue {
  std::string name, array;
};

class GraphRecorder {
 public:
  Status open(const Arguments& args) {
    const std::string path = args.text("record");
    if (Status s = MappedFile::open(path, &file_); !s.ok()) return s;
    if (Status s = etrecord::Record::open(file_.bytes(), path, &record_); !s.ok()) return s;
    method_ = args.text("method");
    if (method_.empty()) {
      const std::vector<std::string> methods = record_.methods();
      method_ = methods.size() == 1 ? methods.front() : "forward";
    }
    if (Status s = reference::ReferenceRun::open(record_, method_, {}, &run_); !s.ok()) return s;
    if (Status s = read_graph_inputs(args, record_, run_->program(), method_, &inputs_); !s.ok()) return s;
    return args.given("feed") ? open_tensor_files(args.text("feed"), {}, &fed_) : Status();
  }

  Status run() {
    for (size_t i = 0; i < fed_.values.size(); ++i) fed_places_.emplace(fed_.values[i].name, i);
    for (const std::vector<bundled::Value>& inputs : inputs_.executions) {
      reference::Sink sink;
      if (&inputs == &inputs_.executions.back()) {
        sink = [this](const reference::NodeValue& v) { return keep(v); };
      }
      reference::RunResult result;
      if (Status s = run_->run(inputs, sink, &result); !s.ok()) return s;
    }
    return problem_;
  }

  Status write(const std::string& path) const {
    ZipWriter zip;
    if (Status s = zip.create(path); !s.ok()) return s;
    for (const NamedValue& v : values_) {
      const std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(v.array.data()), v.array.size());
      if (Status s = zip.add(v.name + ".npy", bytes, false); !s.ok()) return s;
    }
    return zip.close();
  }
  size_t count() const { return values_.size(); }

 private:
  bool keep(const reference::NodeValue& v) {
    std::string name = names_.next(v);
    if (v.is_number) return true;
    const LoggedValue value = value_of(v.tensor);
    ScalarType type{};
    if (scalar_type_of(value.dtype, &type) && bundled::npy_knows(type))
      values_.push_back({name, bundled::npy_header(type, value.shape) + value.data});
    const auto by = fed_places_.find(name);
    if (by == fed_places_.end()) return true;
    LoggedValue fed = fed_.values[by->second];
    std::span<const uint8_t> bytes;
    problem_ = fed_.read(by->second, &bytes);
    if (!problem_.ok()) return false;
    fed.data.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    put_value(fed, v.tensor);
    return true;
  }

  MappedFile file_;
  etrecord::Record record_;
  std::string method_;
  std::unique_ptr<reference::ReferenceRun> run_;
  GraphInputs inputs_;
  inspector::GapSide fed_;
  std::map<std::string, size_t> fed_places_;
  ValueNames names_;
  std::vector<NamedValue> values_;
  Status problem_;
};

int run_reference(const Arguments& args) {
  const std::string path = args.text("output");
  if (path.empty()) return fail(kExitUsage, "missing --output: name the archive to write, e.g. -o reference.npz");
  GraphRecorder recorder;
  Status status = recorder.open(args);
  if (status.ok()) status = recorder.run();
  if (status.ok()) status = recorder.write(path);
  if (!status.ok()) return fail(status);
  if (args.flag("quiet")) return kExitOk;
  return print_text(args, path + ": " + inspector::plural(static_cast<int64_t>(recorder.count()), "value") + "\n");
}

}  // namespace

const CommandSpec kReferenceCommand = {
    .name = "reference",
    .summary = "work out what each node of an ETRecord's graph gives",
    .description =
        "Runs the graph of an ETRecord as it was before anything was delegated, one node after the other, with the "
        "portable kernels and without PyTorch, and writes each value as an array named by its node: NODE, NODE.1 for "
        "a second output, NODE@1 for a second trip of a loop. et-inspect gap compares traces with such archives, and "
        "runs this command when it is given none.",
    .positionals = kReferencePositionals,
    .groups = kReferenceGroups,
    .examples = kReferenceExamples,
    .run = run_reference,
    .common = &kReferenceOutputGroup,
};

}  // namespace et::cli
