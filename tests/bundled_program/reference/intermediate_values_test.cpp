// The values between: against what the runtime's own kernels compute in the program, instruction by instruction, and
// against what upstream's exported graph computes in Python.
#include <gtest/gtest.h>
#include <simdjson.h>

#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "bundled_program/cases/npy.h"
#include "bundled_program/compare.h"
#include "bundled_program/reference/operator_schema.h"
#include "bundled_program/verify/method_runner.h"
#include "bundled_program/verify/program_file.h"
#include "etrecord/graph_walk.h"
#include "runtime/module/log_capture.h"
#include "tests/bundled_program/reference/support.h"

namespace et::reference::test {
namespace {

using bundled::Comparison;
using bundled::LoadedCase;

/// A copy of a tensor with its values.
struct Copy {
  std::vector<int32_t> sizes;
  std::vector<uint8_t> dim_order, data;
  ScalarType type = ScalarType::Float;

  explicit Copy(const Tensor& t)
      : sizes(t.sizes().begin(), t.sizes().end()),
        dim_order(t.dim_order().begin(), t.dim_order().end()),
        data(t.const_data_ptr<uint8_t>(), t.const_data_ptr<uint8_t>() + t.nbytes()),
        type(t.scalar_type()) {}
  bundled::TensorValue value() const { return {type, sizes, dim_order, data}; }
};

/// Keeps what each kernel writes, with the instruction and the kernel's name.
class KernelLog : public EventTracer {
 public:
  struct Entry {
    uint32_t instruction;
    std::string kernel;  // "add.out"
    std::vector<Copy> outputs;
  };
  std::vector<Entry> entries;

  KernelLog() { set_event_tracer_debug_level(EventTracerDebugLogLevel::kIntermediateOutputs); }

  // The values that a kernel wrote come first, then the event that names it.
  Result<bool> log_evalue(const EValue& value, LoggedEValueType type) override {
    if (type != LoggedEValueType::kIntermediateOutput) return true;
    if (value.isTensor()) written_.emplace_back(value.toTensor());
    if (value.isTensorList()) {
      for (const Tensor& t : value.toTensorList()) written_.emplace_back(t);
    }
    return true;
  }
  void log_profiling(const char* name, ChainID, DebugHandle instruction, Timestamp, Timestamp) override {
    constexpr std::string_view kMark = "native_call_";
    const std::string_view event = name == nullptr ? "" : name;
    if (event.starts_with(kMark)) entries.push_back({instruction, std::string(event.substr(kMark.size())), written_});
    written_.clear();
  }
  EventTracerEntry start_profiling(const char*, ChainID, DebugHandle) override { return {}; }
  void end_profiling(EventTracerEntry) override {}

  void create_event_block(const char*) override {}
  EventTracerEntry start_profiling_delegate(const char*, DelegateDebugIntId) override { return {}; }
  void end_profiling_delegate(EventTracerEntry, const void*, size_t) override {}
  void log_profiling_delegate(const char*, DelegateDebugIntId, Timestamp, Timestamp, const void*, size_t) override {}
  AllocatorID track_allocator(const char*) override { return 1; }
  void track_allocation(AllocatorID, size_t) override {}
  using EventTracer::log_intermediate_output_delegate;
  Result<bool> log_intermediate_output_delegate(const char*, DelegateDebugIntId, const EValue&) override {
    return true;
  }
  void set_delegation_intermediate_output_filter(EventTracerFilterBase*) override {}

 private:
  std::vector<Copy> written_;
};

std::string without_namespace(std::string_view kernel) {
  const size_t colons = kernel.find("::");
  return std::string(colons == std::string_view::npos ? kernel : kernel.substr(colons + 2));
}

/// Values of the nodes of the method's graph by name, outputs in order.
using NodeValues = std::map<std::string, std::vector<Copy>>;

Sink collect(NodeValues* out) {
  return [out](const NodeValue& v) {
    if (v.program.kind == etrecord::ProgramKind::Edge && v.node.graph == 0) (*out)[v.node.name].emplace_back(v.tensor);
    return true;
  };
}

bool same_shapes(const std::vector<Copy>& a, const std::vector<Copy>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Copy& x, const Copy& y) { return x.type == y.type && x.sizes == y.sizes; });
}

class PortablePrograms : public testing::TestWithParam<Artifact> {};

// The record's graph and the program run the same kernels on the same values: each instruction that came from a node
// writes what the node gives.
TEST_P(PortablePrograms, InstructionsWriteWhatTheirNodesGive) {
  const Artifact& a = GetParam();
  Loaded files;
  ASSERT_NO_FATAL_FAILURE(files.open(a));
  capture_errors();
  bundled::ProgramFile program;
  if (const auto problem = program.open(a.bundle, "", {}); !problem.ok()) GTEST_SKIP() << problem.reason;
  const bundled::CaseSource& cases = files.cases.cases();
  size_t compared = 0, without_node = 0, executed = 0;
  double worst = 0;
  for (size_t suite = 0; suite < cases.suite_count(); ++suite) {
    const std::string method(cases.method(suite));
    const auto handles = files.record.debug_handle_map().find(method);
    if (handles == files.record.debug_handle_map().end()) continue;
    std::unique_ptr<ReferenceRun> reference;
    ASSERT_TRUE(ReferenceRun::open(files.record, method, Limits(), &reference).ok());
    const etrecord::GraphWalk walk(reference->program());
    bundled::MethodRunner runner(program.program(), method);
    KernelLog log;
    if (const auto problem = runner.load(program.weights(), &log); !problem.ok()) GTEST_SKIP() << problem.reason;
    for (size_t i = 0; i < cases.case_count(suite); ++i) {
      LoadedCase test;
      ASSERT_TRUE(cases.load(suite, i, &test).ok());
      log.entries.clear();
      if (!runner.set_inputs(test).ok()) continue;  // a shape that the program was not planned for
      if (!runner.execute().ok()) continue;
      ++executed;
      NodeValues values;
      RunResult result;
      const Status s = reference->run(test.inputs, collect(&values), &result);
      ASSERT_TRUE(s.ok()) << s.message();

      std::set<int32_t> taken;
      for (const KernelLog::Entry& entry : log.entries) {
        const auto of_instruction = handles->second.find(entry.instruction);
        if (of_instruction == handles->second.end() || of_instruction->second.size() != 1) {
          ++without_node;
          continue;
        }
        // Several nodes share a handle: the next one that becomes this kernel.
        const etrecord::Node* node = nullptr;
        for (int32_t n : walk.nodes_of_handle(of_instruction->second[0])) {
          const etrecord::Node& candidate = reference->program().nodes[static_cast<size_t>(n)];
          const OperatorSchema* schema = find_schema(candidate.qualified_op);
          if (schema == nullptr || without_namespace(schema->kernel) != entry.kernel) continue;
          // A view that costs nothing in the program is no call of a kernel there: shapes tell which one this is.
          if (!same_shapes(values[candidate.name], entry.outputs) || !taken.insert(n).second) continue;
          node = &candidate;
          break;
        }
        if (node == nullptr || node->graph != 0) {
          ++without_node;
          continue;
        }
        const std::vector<Copy>& want = values[node->name];
        ASSERT_EQ(entry.outputs.size(), want.size()) << node->name;
        for (size_t o = 0; o < want.size(); ++o) {
          const Copy& got = entry.outputs[o];
          const auto tensor = OwnTensor::make(got.type, got.sizes, got.dim_order, UINT64_MAX, nullptr);
          if (!got.data.empty()) std::memcpy(tensor->data(), got.data.data(), got.data.size());
          const Comparison c = bundled::compare(tensor->tensor(), want[o].value(), {0, 1e-5});
          EXPECT_TRUE(c.passed()) << cases.place(suite, i) << " instruction " << entry.instruction << ", node "
                                  << node->name << " output " << o << ": " << mismatch_name(c.mismatch)
                                  << ", largest error " << c.max_abs_error;
          worst = std::max(worst, c.max_abs_error);
          ++compared;
        }
      }
    }
  }
  RecordProperty("compared", std::to_string(compared));
  EXPECT_TRUE(executed > 0 || !files.record.has_debug_handle_map());
  RecordProperty("without_node", std::to_string(without_node));
  RecordProperty("largest_error", std::to_string(worst));
}

INSTANTIATE_TEST_SUITE_P(All, PortablePrograms, testing::ValuesIn(artifacts()), test_name);

/// Artefacts for which upstream's own numbers are there: reference/aot_intermediates.npz and .json.
std::vector<Artifact> with_upstream_values() {
  std::vector<Artifact> some;
  for (const Artifact& a : artifacts()) {
    const auto folder = std::filesystem::path(a.bundle).parent_path() / "reference";
    if (std::filesystem::exists(folder / "aot_intermediates.npz")) some.push_back(a);
  }
  return some;
}

class UpstreamValues : public testing::TestWithParam<Artifact> {};

TEST_P(UpstreamValues, LastNodeOfAHandleGivesWhatTheExportedGraphDoes) {
  const Artifact& a = GetParam();
  const std::string base = (std::filesystem::path(a.bundle).parent_path() / "reference" / "aot_intermediates").string();
  Loaded files;
  ASSERT_NO_FATAL_FAILURE(files.open(a));
  simdjson::dom::parser parser;
  simdjson::dom::element document;
  ASSERT_EQ(parser.load(base + ".json").get(document), simdjson::SUCCESS);
  MappedFile npz;
  ASSERT_TRUE(MappedFile::open(base + ".npz", &npz).ok());
  ZipReader arrays;
  ASSERT_TRUE(ZipReader::open(npz.bytes(), base, {}, &arrays).ok());

  const std::string method(files.cases.cases().method(0));
  LoadedCase test;
  ASSERT_TRUE(files.cases.cases().load(0, 0, &test).ok());
  std::unique_ptr<ReferenceRun> run;
  ASSERT_TRUE(ReferenceRun::open(files.record, method, Limits(), &run).ok());
  NodeValues values;
  RunResult result;
  const Status s = run->run(test.inputs, collect(&values), &result);
  ASSERT_TRUE(s.ok()) << s.message();

  size_t compared = 0, other_shape = 0;
  double worst = 0;
  for (simdjson::dom::element entry : document["nodes"]) {
    std::vector<std::string> names;
    if (entry["arrays"].is_null()) continue;  // too large to be kept there
    for (simdjson::dom::element name : entry["arrays"]) names.emplace_back(std::string_view(name));
    const std::vector<Copy>* got = nullptr;
    std::string node;
    for (simdjson::dom::element name : entry["edge_nodes"]) {
      const auto it = values.find(std::string(std::string_view(name)));
      if (it != values.end()) {
        got = &it->second;
        node = it->first;
      }
    }
    if (got == nullptr || got->size() != names.size()) {
      ++other_shape;  // a call that the export takes apart, such as an LSTM
      continue;
    }
    for (size_t i = 0; i < names.size(); ++i) {
      ZipBytes bytes;
      if (!arrays.read(names[i] + ".npy", &bytes).ok()) continue;
      bundled::NpyArray array;
      std::optional<ScalarType> type;
      if ((*got)[i].type == ScalarType::BFloat16) type = ScalarType::BFloat16;
      if (!bundled::parse_npy(bytes.bytes, names[i], type, &array).ok()) continue;
      const auto want = bundled::npy_tensor(array);
      if (want->value.scalar_type != (*got)[i].type || want->sizes != (*got)[i].sizes) {
        ++other_shape;
        continue;
      }
      const auto tensor = OwnTensor::make((*got)[i].type, (*got)[i].sizes, (*got)[i].dim_order, UINT64_MAX, nullptr);
      std::memcpy(tensor->data(), (*got)[i].data.data(), (*got)[i].data.size());
      const auto plain = OwnTensor::make((*got)[i].type, (*got)[i].sizes, {}, UINT64_MAX, nullptr);
      copy_elements(tensor->tensor(), plain->tensor());
      const Comparison c = bundled::compare(plain->tensor(), want->value, {1e-4, 1e-5});
      EXPECT_TRUE(c.passed()) << node << " output " << i << ": " << mismatch_name(c.mismatch) << ", largest error "
                              << c.max_abs_error << ", " << c.outside << " of " << c.elements << " outside";
      worst = std::max(worst, c.max_abs_error);
      ++compared;
    }
  }
  EXPECT_GT(compared, 0u);
  RecordProperty("compared", std::to_string(compared));
  RecordProperty("other_shape", std::to_string(other_shape));
  RecordProperty("largest_error", std::to_string(worst));
}

INSTANTIATE_TEST_SUITE_P(All, UpstreamValues, testing::ValuesIn(with_upstream_values()), test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(UpstreamValues);

}  // namespace
}  // namespace et::reference::test
