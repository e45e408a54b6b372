// Every real program and tensor file reads as the flatbuffer that upstream's own tools decode from it (plan.json).
#include <gtest/gtest.h>
#include <simdjson.h>

#include "base/mapped_file.h"
#include "runtime/format/program.h"
#include "runtime/format/tensor_file.h"
#include "tests/runtime/format/corpus.h"
#include "tests/runtime/format/walk_all.h"

namespace et::format {
namespace {

namespace dom = simdjson::dom;

int64_t integer(dom::element e) { return int64_t(e); }
std::string text(dom::element e) { return std::string(std::string_view(e)); }
std::vector<dom::element> list(dom::element e) {
  std::vector<dom::element> items;
  if (!e.is_null()) {
    for (dom::element item : dom::array(e)) items.push_back(item);
  }
  return items;
}
size_t count(dom::element e) { return e.is_null() ? 0 : dom::array(e).size(); }

template <class T>
void expect_list(dom::element expected, const T& actual, size_t actual_size, const std::string& what) {
  ASSERT_EQ(count(expected), actual_size) << what;
  uint32_t i = 0;
  for (dom::element e : list(expected)) {
    EXPECT_EQ(integer(e), static_cast<int64_t>(actual[i])) << what << "[" << i << "]";
    ++i;
  }
}

void expect_tensor(dom::element e, const TensorView& t, const std::string& at) {
  EXPECT_EQ(integer(e["scalar_type"]), static_cast<int64_t>(t.scalar_type())) << at;
  expect_list(e["sizes"], t.sizes(), t.sizes().size(), at + ".sizes");
  expect_list(e["dim_order"], t.dim_order(), t.dim_order().size(), at + ".dim_order");
  EXPECT_EQ(bool(e["requires_grad"]), t.requires_grad()) << at;
  EXPECT_EQ(integer(e["data_buffer_idx"]), static_cast<int64_t>(t.data_buffer_idx())) << at;
  EXPECT_EQ(integer(e["shape_dynamism"]), static_cast<int64_t>(t.shape_dynamism())) << at;
  const dom::element a = e["allocation_info"];
  ASSERT_EQ(!a.is_null(), t.has_allocation()) << at;
  if (!a.is_null()) {
    EXPECT_EQ(integer(a["memory_id"]), static_cast<int64_t>(t.allocation().memory_id)) << at;
    const uint64_t offset = static_cast<uint64_t>(integer(a["memory_offset_high"])) << 32 |
                            static_cast<uint64_t>(integer(a["memory_offset_low"]));
    EXPECT_EQ(offset, t.allocation().offset) << at;
  }
  const dom::element extra = e["extra_tensor_info"];
  if (extra.is_null()) {
    EXPECT_EQ(t.fully_qualified_name(), "") << at;
    EXPECT_FALSE(t.is_external()) << at;
  } else {
    const dom::element fqn = extra["fully_qualified_name"];
    EXPECT_EQ(fqn.is_null() ? std::string() : text(fqn), std::string(t.fully_qualified_name())) << at;
    EXPECT_EQ(integer(extra["location"]) == 1, t.is_external()) << at;
    EXPECT_EQ(integer(extra["device_type"]), int64_t{t.device_type()}) << at;
    EXPECT_EQ(integer(extra["device_index"]), int64_t{t.device_index()}) << at;
  }
  const bool in_file = t.data() == TensorData::ConstantSegment || t.data() == TensorData::ConstantInline ||
                       t.data() == TensorData::PlannedInitialised;
  EXPECT_EQ(t.constant_data().size(), in_file ? t.nbytes() : 0) << at << " " << tensor_data_name(t.data());
}

void expect_value(dom::element e, const Value& v, const std::string& at) {
  const dom::element val = e["val"];
  EXPECT_EQ(text(e["val_type"]), value_kind_name(v.kind())) << at;
  switch (v.kind()) {
    case ValueKind::Null:
      break;
    case ValueKind::Int:
      EXPECT_EQ(integer(val["int_val"]), v.as_int()) << at;
      break;
    case ValueKind::Bool:
      EXPECT_EQ(bool(val["bool_val"]), v.as_bool()) << at;
      break;
    case ValueKind::Double: {
      double d = 0;
      if (val["double_val"].get(d) == simdjson::SUCCESS) {
        EXPECT_EQ(d, v.as_double()) << at;
      }
      break;
    }
    case ValueKind::String:
      EXPECT_EQ(text(val["string_val"]), std::string(v.as_string())) << at;
      break;
    case ValueKind::Tensor:
      expect_tensor(val, v.as_tensor(), at);
      break;
    case ValueKind::IntList:
    case ValueKind::TensorList:
    case ValueKind::OptionalTensorList:
      expect_list(val["items"], v.indices(), v.indices().size(), at + ".items");
      break;
    case ValueKind::DoubleList: {
      ASSERT_EQ(count(val["items"]), v.doubles().size()) << at;
      size_t i = 0;
      for (dom::element d : list(val["items"])) EXPECT_EQ(double(d), v.doubles()[i++]) << at;
      break;
    }
    case ValueKind::BoolList: {
      ASSERT_EQ(count(val["items"]), v.bools().size()) << at;
      size_t i = 0;
      for (dom::element b : list(val["items"])) EXPECT_EQ(bool(b), v.bools()[i++] != 0) << at;
      break;
    }
  }
}

void expect_instruction(dom::element e, const Instruction& ins, const std::string& at) {
  const dom::element a = e["instr_args"];
  EXPECT_EQ(text(e["instr_args_type"]), instruction_kind_name(ins.kind())) << at;
  switch (ins.kind()) {
    case InstructionKind::None:
      FAIL() << at;
      break;
    case InstructionKind::KernelCall:
      EXPECT_EQ(integer(a["op_index"]), ins.op_index()) << at;
      expect_list(a["args"], ins.args(), ins.args().size(), at + ".args");
      break;
    case InstructionKind::DelegateCall:
      EXPECT_EQ(integer(a["delegate_index"]), ins.delegate_index()) << at;
      expect_list(a["args"], ins.args(), ins.args().size(), at + ".args");
      break;
    case InstructionKind::MoveCall:
      EXPECT_EQ(integer(a["move_from"]), ins.move_from()) << at;
      EXPECT_EQ(integer(a["move_to"]), ins.move_to()) << at;
      break;
    case InstructionKind::JumpFalseCall:
      EXPECT_EQ(integer(a["cond_value_index"]), ins.cond_value_index()) << at;
      EXPECT_EQ(integer(a["destination_instruction"]), ins.destination()) << at;
      break;
    case InstructionKind::FreeCall:
      EXPECT_EQ(integer(a["value_index"]), ins.value_index()) << at;
      break;
  }
}

void expect_delegate(dom::element e, const Delegate& d, const std::string& at) {
  EXPECT_EQ(text(e["id"]), std::string(d.id())) << at;
  EXPECT_EQ(integer(e["processed"]["location"]) == 1, d.payload_in_segment()) << at;
  EXPECT_EQ(integer(e["processed"]["index"]), static_cast<int64_t>(d.payload_index())) << at;
  ASSERT_EQ(count(e["compile_specs"]), d.compile_spec_count()) << at;
  uint32_t k = 0;
  for (dom::element s : list(e["compile_specs"])) {
    EXPECT_EQ(text(s["key"]), std::string(d.compile_spec(k).key)) << at;
    if (s["value"].is_array()) {
      expect_list(s["value"], d.compile_spec(k).value, d.compile_spec(k).value.size(), at + ".compile_specs");
    }
    ++k;
  }
}

void expect_method(dom::element e, const Method& m) {
  const std::string name(m.name());
  EXPECT_EQ(text(e["name"]), name);
  EXPECT_EQ(text(e["container_meta_type"]["encoded_inp_str"]), std::string(m.encoded_inputs()));
  EXPECT_EQ(text(e["container_meta_type"]["encoded_out_str"]), std::string(m.encoded_outputs()));
  expect_list(e["inputs"], m.inputs(), m.inputs().size(), name + ".inputs");
  expect_list(e["outputs"], m.outputs(), m.outputs().size(), name + ".outputs");
  expect_list(e["non_const_buffer_sizes"], m.buffer_sizes(), m.buffer_sizes().size(), name + ".buffers");
  ASSERT_EQ(count(e["values"]), m.value_count());
  uint32_t i = 0;
  for (dom::element v : list(e["values"])) expect_value(v, m.value(i), name + ".value " + std::to_string(i)), ++i;
  ASSERT_EQ(count(e["operators"]), m.operator_count());
  i = 0;
  for (dom::element o : list(e["operators"])) {
    EXPECT_EQ(text(o["name"]), std::string(m.operator_name(i).name));
    EXPECT_EQ(text(o["overload"]), std::string(m.operator_name(i).overload));
    ++i;
  }
  ASSERT_EQ(count(e["delegates"]), m.delegate_count());
  i = 0;
  for (dom::element d : list(e["delegates"])) {
    expect_delegate(d, m.delegate(i), name + ".delegate " + std::to_string(i));
    ++i;
  }
  ASSERT_EQ(count(e["chains"]), m.chain_count());
  uint32_t c = 0;
  for (dom::element chain : list(e["chains"])) {
    ASSERT_EQ(count(chain["instructions"]), m.chain(c).instruction_count());
    EXPECT_EQ(count(chain["stacktrace"]) != 0, m.chain(c).has_stack_traces());
    i = 0;
    for (dom::element ins : list(chain["instructions"])) {
      expect_instruction(ins, m.chain(c).instruction(i), name + ".instruction " + std::to_string(i));
      ++i;
    }
    ++c;
  }
}

void expect_program(dom::element e, const Program& p) {
  EXPECT_EQ(integer(e["version"]), static_cast<int64_t>(p.version()));
  ASSERT_EQ(count(e["execution_plan"]), p.method_count());
  uint32_t i = 0;
  for (dom::element m : list(e["execution_plan"])) {
    expect_method(m, p.method(i));
    EXPECT_TRUE(p.method(text(m["name"])).valid());
    ++i;
  }
  ASSERT_EQ(count(e["segments"]), p.segment_count());
  i = 0;
  for (dom::element s : list(e["segments"])) {
    EXPECT_EQ(integer(s["offset"]), static_cast<int64_t>(p.segment(i).offset));
    EXPECT_EQ(integer(s["size"]), static_cast<int64_t>(p.segment(i).bytes.size()));
    ++i;
  }
  ASSERT_EQ(count(e["named_data"]), p.named_data_count());
  i = 0;
  for (dom::element n : list(e["named_data"])) {
    EXPECT_EQ(text(n["key"]), std::string(p.named_data(i).key));
    EXPECT_EQ(integer(n["segment_index"]), static_cast<int64_t>(p.named_data(i).segment_index));
    ++i;
  }
}

TEST(Plan, EveryRealProgramReadsAsUpstreamDecodesIt) {
  const auto files = testing::corpus_files("plan.json", ".none");
  if (files.empty()) GTEST_SKIP() << "no artefacts";
  size_t compared = 0;
  for (const auto& plan : files) {
    const auto program_path = plan.parent_path().parent_path() / "program.pte";
    if (!std::filesystem::exists(program_path)) continue;
    SCOPED_TRACE(program_path.string());
    MappedFile file;
    const Status status = MappedFile::open(program_path.string(), &file);
    ASSERT_TRUE(status.ok()) << status.message();
    Program program;
    const FileError error = Program::open(file.bytes(), &program);
    ASSERT_TRUE(error.ok()) << Status::of_file(program_path.string(), error).message();
    dom::parser parser;
    dom::element json;
    ASSERT_EQ(parser.load(plan.string()).get(json), simdjson::SUCCESS);
    EXPECT_EQ(integer(json["file_size"]), static_cast<int64_t>(file.bytes().size()));
    const dom::element header = json["extended_header"];
    ASSERT_EQ(!header.is_null(), program.header().present);
    if (program.header().present) {
      EXPECT_EQ(integer(header["length"]), static_cast<int64_t>(program.header().length));
      EXPECT_EQ(integer(header["program_size"]), static_cast<int64_t>(program.header().program_size));
      EXPECT_EQ(integer(header["segment_base_offset"]), static_cast<int64_t>(program.header().segment_base_offset));
      EXPECT_EQ(integer(header["segment_data_size"]), static_cast<int64_t>(program.header().segment_data_size));
    }
    expect_program(json["program"], program);
    const ProgramAccounting a = program.accounting();
    EXPECT_EQ(a.header + a.flatbuffer + a.segments + a.padding + a.trailing, a.file) << "bytes are lost";
    EXPECT_EQ(a.trailing, 0u);
    testing::Walker walker;
    walker.program(program);
    if (::testing::Test::HasFatalFailure()) return;
    ++compared;
  }
  EXPECT_GE(compared, 20u);
  RecordProperty("programs", static_cast<int>(compared));
}

TEST(Plan, EveryPayloadOfTheRealProgramsHasAReaderThatOpensIt) {
  for (const auto& path : testing::corpus_files("program.pte", ".none")) {
    SCOPED_TRACE(path.string());
    MappedFile file;
    ASSERT_TRUE(MappedFile::open(path.string(), &file).ok());
    Program program;
    ASSERT_TRUE(Program::open(file.bytes(), &program).ok());
    for (uint32_t m = 0; m < program.method_count(); ++m) {
      for (uint32_t d = 0; d < program.method(m).delegate_count(); ++d) {
        testing::Walker walker;
        const Delegate delegate = program.method(m).delegate(d);
        walker.payload(delegate.id(), delegate.payload());
        EXPECT_GE(walker.payloads(), 1u) << delegate.id() << " " << d;
      }
    }
  }
}

TEST(Plan, ExternalTensorsAreFoundByNameWithTheirLayout) {
  const auto dir = testing::find_case("external_weights");
  if (dir.empty()) GTEST_SKIP() << "no artefacts";
  MappedFile program_file, tensor_path;
  ASSERT_TRUE(MappedFile::open((dir / "program.pte").string(), &program_file).ok());
  ASSERT_TRUE(MappedFile::open((dir / "_default_external_constant.ptd").string(), &tensor_path).ok());
  Program program;
  TensorFile tensors;
  ASSERT_TRUE(Program::open(program_file.bytes(), &program).ok());
  ASSERT_TRUE(TensorFile::open(tensor_path.bytes(), &tensors).ok());
  uint32_t external = 0;
  const Method m = program.method("forward");
  for (uint32_t i = 0; i < m.value_count(); ++i) {
    const TensorView t = m.value(i).as_tensor();
    if (t.data() != TensorData::External) continue;
    TensorFileEntry e;
    ASSERT_TRUE(tensors.find(t.fully_qualified_name(), &e)) << t.fully_qualified_name();
    ASSERT_TRUE(e.has_layout);
    EXPECT_EQ(e.layout.scalar_type, t.scalar_type());
    EXPECT_TRUE(std::equal(e.layout.sizes.begin(), e.layout.sizes.end(), t.sizes().begin(), t.sizes().end()));
    EXPECT_EQ(e.layout.nbytes, t.nbytes());
    EXPECT_GE(e.bytes.size(), t.nbytes());
    ++external;
  }
  EXPECT_EQ(external, tensors.entry_count());
  EXPECT_GE(external, 3u);
}

TEST(Plan, EveryRealTensorFileOpens) {
  for (const auto& path : testing::corpus_files("-", ".ptd")) {
    SCOPED_TRACE(path.string());
    MappedFile file;
    ASSERT_TRUE(MappedFile::open(path.string(), &file).ok());
    TensorFile tensors;
    const FileError error = TensorFile::open(file.bytes(), &tensors);
    ASSERT_TRUE(error.ok()) << Status::of_file(path.string(), error).message();
    EXPECT_GT(tensors.entry_count(), 0u);
    for (uint32_t i = 0; i < tensors.entry_count(); ++i) EXPECT_FALSE(tensors.entry(i).bytes.empty());
  }
}

}  // namespace
}  // namespace et::format
