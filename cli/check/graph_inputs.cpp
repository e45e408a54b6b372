#include "cli/check/graph_inputs.h"

#include <cstring>

#include "base/mapped_file.h"
#include "bundled_program/cases/npy.h"
#include "cli/run/fill_tensor.h"
#include "cli/run/npy.h"
#include "inspector/text/words.h"

namespace et::cli {
namespace {

using bundled::OwnedTensor;
using etrecord::PickleValue;

/// The user's inputs of the graph.
std::vector<const etrecord::InputSpec*> user_inputs(const etrecord::Program& program) {
  std::vector<const etrecord::InputSpec*> out;
  for (const etrecord::InputSpec& spec : program.signature.inputs) {
    if (spec.kind == etrecord::InputKind::UserInput) out.push_back(&spec);
  }
  return out;
}

class GraphInputReader {
 public:
  GraphInputReader(const Arguments& args, const etrecord::Record& record, const etrecord::Program& program,
                   GraphInputs* out)
      : args_(args), record_(record), program_(program), out_(*out) {}

  Status cases(const std::string& method) {
    auto file = std::make_shared<bundled::CaseFile>();
    const std::string path = args_.text("cases");
    if (Status s = bundled::CaseFile::open(path, "", file.get()); !s.ok()) return s;
    const std::optional<size_t> suite = file->cases().find(method);
    if (!suite) return {Error::NotFound, path + ": method '" + method + "' has no test cases"};
    const auto last = static_cast<size_t>(std::max<int64_t>(args_.integer("case", 0), 0));
    for (size_t c = 0; c <= last; ++c) {
      auto test = std::make_shared<bundled::LoadedCase>();
      if (Status s = file->cases().load(*suite, c, test.get()); !s.ok()) return s;
      out_.executions.push_back(test->inputs);
      out_.owners.push_back(test);
    }
    out_.owners.push_back(file);
    return {};
  }

  Status files() {
    const std::vector<std::string>& paths = args_.list("input");
    size_t tensors = 0;
    for (const etrecord::InputSpec* spec : user_inputs(program_)) tensors += program_.tensor(0, spec->value) != nullptr;
    if (paths.size() != tensors) {
      return {Error::InvalidArgument, "--input: expected " +
                                          inspector::plural(static_cast<int64_t>(tensors), "tensor") + ", got " +
                                          std::to_string(paths.size())};
    }
    for (const std::string& path : paths) {
      auto file = std::make_shared<MappedFile>();
      if (Status s = MappedFile::open(path, file.get()); !s.ok()) return s;
      bundled::NpyArray array;
      if (Status s = bundled::parse_npy(file->bytes(), path, std::nullopt, &array); !s.ok()) return s;
      out_.owners.push_back(file);
      add(bundled::npy_tensor(array));
    }
    return {};
  }

  Status made_up(Fill how) {
    std::mt19937_64 random(static_cast<uint64_t>(args_.integer("random", 0)));
    for (const etrecord::InputSpec* spec : user_inputs(program_)) {
      const etrecord::TensorMeta* meta = program_.tensor(0, spec->value);
      if (meta == nullptr || !meta->dtype_known) return unknown(*spec);
      std::vector<int32_t> sizes;
      for (const etrecord::Dim& d : meta->sizes) {
        if (!d.fixed()) return unknown(*spec);
        sizes.push_back(static_cast<int32_t>(d.value.value_or(0)));
      }
      HostTensor filled(meta->dtype, sizes);
      fill_tensor(&filled, how, &random);
      auto own = std::make_unique<OwnedTensor>(meta->dtype, sizes);
      if (filled.size() > 0) std::memcpy(own->data(), filled.data(), filled.size());
      add(std::move(own));
    }
    return {};
  }

  Status representative() {
    constexpr const char* kMember = "representative_inputs";
    if (!record_.has_member(kMember)) {
      return {Error::NotFound,
              record_.path() + ": it keeps no inputs; say which the run had: --input, --cases, --ones or --random"};
    }
    etrecord::TorchArchive archive;
    if (Status s = record_.tensors(kMember, &archive); !s.ok()) return s;
    return add_items(archive.root());
  }

 private:
  std::vector<bundled::Value>& values() {
    if (out_.executions.empty()) out_.executions.emplace_back();
    return out_.executions.back();
  }
  void add(std::unique_ptr<OwnedTensor> tensor) {
    values().push_back(bundled::tensor_value(tensor->value));
    out_.owners.push_back(std::shared_ptr<const OwnedTensor>(std::move(tensor)));
  }
  Status add_items(const PickleValue& list) {
    for (const PickleValue* item : list.items) {
      if (Status s = add_item(*item); !s.ok()) return s;
    }
    return {};
  }
  Status unknown(const etrecord::InputSpec& spec) const {
    return {Error::InvalidArgument, record_.path() + ": the sizes of input " + spec.value +
                                        " are not fixed; give the run's tensors with --input"};
  }
  Status add_item(const PickleValue& item) {
    switch (item.kind) {
      case PickleValue::Kind::List:
      case PickleValue::Kind::Tuple:
        return add_items(item);
      case PickleValue::Kind::Dict:
        for (const auto& [key, value] : item.entries) {
          if (Status s = add_item(*value); !s.ok()) return s;
        }
        return {};
      case PickleValue::Kind::Tensor: {
        std::vector<uint8_t> rows;
        if (Status s = item.tensor->contiguous(&rows); !s.ok()) return s;
        auto own = std::make_unique<OwnedTensor>(
            item.tensor->dtype, std::vector<int32_t>(item.tensor->sizes.begin(), item.tensor->sizes.end()));
        if (!rows.empty()) std::memcpy(own->data(), rows.data(), rows.size());
        add(std::move(own));
        return {};
      }
      case PickleValue::Kind::Int:
        values().push_back(bundled::int_value(item.integer));
        return {};
      case PickleValue::Kind::Bool:
        values().push_back(bundled::bool_value(item.integer != 0));
        return {};
      case PickleValue::Kind::Float:
        values().push_back(bundled::double_value(item.number));
        return {};
      default:
        return {Error::NotSupported, record_.path() + ": an input that it keeps is neither a tensor nor a number"};
    }
  }

  const Arguments& args_;
  const etrecord::Record& record_;
  const etrecord::Program& program_;
  GraphInputs& out_;
};

}  // namespace

Status read_graph_inputs(const Arguments& args, const etrecord::Record& record, const etrecord::Program& program,
                         const std::string& method, GraphInputs* out) {
  GraphInputReader reader(args, record, program, out);
  if (args.given("case") && !args.given("cases")) {
    return {Error::InvalidArgument, "--case: expected --cases with the bundled program that has it"};
  }
  Status status = args.given("cases")    ? reader.cases(method)
                  : args.given("input")  ? reader.files()
                  : args.given("random") ? reader.made_up(Fill::Random)
                  : args.flag("ones")    ? reader.made_up(Fill::Ones)
                  : args.flag("zeros")   ? reader.made_up(Fill::Zeros)
                                         : reader.representative();
  if (status.ok() && out->executions.empty()) out->executions.emplace_back();  // a method without inputs
  return status;
}

}  // namespace et::cli
