// What older and newer releases write: every form of etrecord/releases.def, and the graph from before a partition.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <sstream>

#include "etrecord/graph_walk.h"
#include "etrecord/inline_delegates.h"
#include "tests/etrecord/support.h"

namespace et::etrecord::test {
namespace {

Record open_bytes(const Bytes& bytes) {
  Record r;
  const Status status = Record::open(bytes, "t", &r);
  EXPECT_TRUE(status.ok()) << status.message();
  return r;
}

Bytes release_file(const std::string& name) {
  return read_file(std::filesystem::path(ET_FIXTURES) / "releases" / name / "etrecord.bin");
}

bool damaged(const Record& r) {
  return std::any_of(r.problems().begin(), r.problems().end(),
                     [](const Problem& p) { return p.severity == Problem::DataLoss || p.severity == Problem::Error; });
}

std::string nameless(const std::string& target, const std::string& outputs) {
  return R"({"target": ")" + target + R"(", "inputs": [], "outputs": )" + outputs + R"(, "metadata": {}})";
}

std::string tensors(std::initializer_list<const char*> names) {
  std::string out = "[";
  for (const char* n : names)
    out += std::string(out.size() > 1 ? ", " : "") + R"({"as_tensor": {"name": ")" + n + "\"}}";
  return out + "]";
}

TEST(Releases, TheTableIsThatOfTheDocument) {
  std::ifstream in(std::string(ET_SOURCE_DIR) + "/docs/releases.md");
  std::stringstream text;
  text << in.rdbuf();
  for (const FormRow& row : forms()) {
    const std::string line =
        std::string("| `") + row.name + "` | " + range_text({row.first, row.last}) + " | " + row.what + " |";
    EXPECT_NE(text.str().find(line), std::string::npos) << "docs/releases.md lacks: " << line;
  }
}

TEST(Releases, FormsTellWhoWroteAFile) {
  FormSet seen;
  EXPECT_EQ(range_text(*releases_of(seen)), "0.5 or newer");
  seen.add(Form::NodesWithName);
  seen.add(Form::EdgeAlone);
  EXPECT_EQ(range_text(*releases_of(seen)), "1.0 to 1.1");
  seen.add(Form::NodesWithoutName);
  EXPECT_FALSE(releases_of(seen)) << "no release writes both";
}

TEST(Releases, RealFilesSayWhoWroteThem) {
  EXPECT_EQ(open_bytes(release_file("0.7.0_conv_portable")).written_by(), "0.5 to 0.7");
  EXPECT_EQ(open_bytes(release_file("0.7.0_conv_xnnpack")).written_by(), "0.6 to 0.7");
  EXPECT_EQ(open_bytes(release_file("1.2.0_conv_int8_xnnpack")).written_by(), "1.2");
  const Bytes today = read_file(artifact("add_mul", "etrecord.bin"));
  EXPECT_EQ(open_bytes(today).written_by(), "1.3 or newer");
  // What a release did not write yet is not missing.
  EXPECT_TRUE(open_bytes(release_file("0.7.0_conv_portable")).problems().empty());
  EXPECT_TRUE(open_bytes(release_file("0.7.0_conv_xnnpack")).problems().empty());
  EXPECT_TRUE(open_bytes(release_file("1.2.0_conv_int8_xnnpack")).problems().empty());
}

TEST(Releases, NodesWithoutNameAreNamedByTheirOutputs) {
  const std::string edge = "executorch.exir.dialects.edge.ops.";
  auto zip = ZipBuilder();
  zip.add("ETRECORD_V0", "").add("debug_handle_map", R"({"forward": {}})");
  std::string text = program_text(
      "[" + nameless(edge + "aten.add.Tensor", tensors({"aten_add_tensor_3"})) + ", " +
      nameless(edge + "aten.native_layer_norm.default",
               tensors({"getitem", "aten_native_layer_norm_default_4_unused_1"})) +
      ", " + nameless(edge + "aten.topk.default", tensors({"getitem_1", "getitem_2"})) + ", " +
      nameless(edge + "aten.topk.default", tensors({"getitem_3", "getitem_4"})) + ", " +
      nameless("torch.ops.higher_order.executorch_call_delegate", R"([{"as_tensors": [{"name": "getitem_5"}]}])") +
      "]");
  text.replace(text.find("\"minor\": 4"), 10, "\"minor\": 3");
  zip.add("edge_dialect_exported_program", text);
  const Record r = open_bytes(zip.finish());
  const Program* p = r.edge_program("forward");
  ASSERT_NE(p, nullptr);
  std::vector<std::string> names;
  for (const Node& n : p->nodes) names.push_back(n.name);
  EXPECT_EQ(names, (std::vector<std::string>{"aten_add_tensor_3", "aten_native_layer_norm_default_4",
                                             "aten_topk_default", "aten_topk_default_1", "executorch_call_delegate"}));
  EXPECT_EQ(getitem_users(p->nodes[1]), 1u);
  EXPECT_FALSE(damaged(r));
  EXPECT_EQ(r.written_by(), "0.5 to 0.7");
}

TEST(Releases, BarePicklesOfTensorsAreRead) {
  const float values[] = {1, 2, 3, 4, 5, 6};
  std::string data(sizeof values, '\0');
  std::memcpy(data.data(), values, sizeof values);
  TorchArchive archive;
  const Bytes bytes = bytes_of(bare_tensor(storage_bytes("FloatStorage", "94051478862048", 6, data), {2, 2}, {3, 2}));
  const Status status = TorchArchive::open(bytes, "t", &archive);
  ASSERT_TRUE(status.ok()) << status.message();
  ASSERT_EQ(archive.root().kind, PickleValue::Kind::Tensor);
  std::vector<uint8_t> out;
  ASSERT_TRUE(archive.root().tensor->contiguous(&out).ok());
  float got[4];
  ASSERT_EQ(out.size(), sizeof got);
  std::memcpy(got, out.data(), sizeof got);
  EXPECT_EQ(std::vector<float>(got, got + 4), (std::vector<float>{1, 3, 4, 6}));
}

TEST(Releases, ReferenceOutputsOf12AreThere) {
  const Bytes bytes = release_file("1.2.0_conv_int8_xnnpack");
  const Record r = open_bytes(bytes);
  EXPECT_FALSE(damaged(r));
  EXPECT_TRUE(r.forms().has(Form::BarePickle));
  TorchArchive outputs, inputs;
  ASSERT_TRUE(r.tensors("reference_outputs", &outputs).ok());
  ASSERT_TRUE(r.tensors("representative_inputs", &inputs).ok());
  const PickleValue* tests = outputs.root().find("forward");
  ASSERT_NE(tests, nullptr);
  ASSERT_FALSE(tests->items.empty());
  std::vector<uint8_t> data;
  ASSERT_TRUE(tests->items[0]->items[0]->tensor->contiguous(&data).ok());
  float sum = 0;
  for (size_t i = 0; i + 4 <= data.size(); i += 4) {
    float v = 0;
    std::memcpy(&v, data.data() + i, 4);
    sum += v;
  }
  EXPECT_EQ(data.size(), 40u);
  EXPECT_NEAR(sum, 1.0f, 0.05f) << "a softmax, quantised";
  ASSERT_EQ(inputs.root().items.size(), 1u);
  EXPECT_EQ(inputs.root().items[0]->tensor->sizes, (std::vector<int64_t>{1, 3, 16, 16}));
}

TEST(Releases, WhatANewerReleaseWritesIsNamedAndTheRestRead) {
  auto zip = ZipBuilder();
  zip.add("ETRECORD_V0", "")
      .add("debug_handle_map", R"({"forward": {"0": 1}})")
      .add("delegate_map", R"({"forward": {}})");
  std::string text = program_text("[" +
                                  node_text("add", "executorch.exir.dialects.edge.ops.aten.add.Tensor",
                                            R"([{"name": "x", "arg": {"as_complex": [1, 2]}}])",
                                            R"({"debug_handle": "1", "custom": "{}", "weight": 3})") +
                                  "]");
  text.replace(text.find("\"minor\": 4"), 10, "\"minor\": 9");
  zip.add("edge_dialect_exported_program/forward", text).add("signing_key", "\x01\x02");
  const Record r = open_bytes(zip.finish());
  EXPECT_FALSE(damaged(r));
  ASSERT_NE(r.edge_program("forward"), nullptr);
  EXPECT_EQ(GraphWalk(*r.edge_program("forward")).nodes_of_handle(1).size(), 1u);
  std::string said;
  for (const Problem& p : r.problems()) said += p.id == "newer-release" ? p.message : "";
  for (const char* what :
       {"node metadata custom", "node metadata weight", "argument as_complex", "schema 5.9", "member signing_key"}) {
    EXPECT_NE(said.find(what), std::string::npos) << what << " in: " << said;
  }
}

TEST(Unpartitioned, HandlesLeadToTheNodesInsideOfTheCalls) {
  const Bytes bytes = release_file("0.7.0_conv_xnnpack");
  const Record r = open_bytes(bytes);
  const Program* stored = r.edge_program("forward");
  ASSERT_NE(stored, nullptr);
  const auto whole = inline_delegates(r.programs(), *stored);
  ASSERT_NE(whole, nullptr);
  const GraphWalk walk(*whole);
  for (const auto& [instruction, handles] : r.debug_handle_map().at("forward")) {
    for (const int64_t h : handles) {
      // 18 and 23 are getitem nodes, which are outputs of their producer here.
      if (h == 18 || h == 23) continue;
      EXPECT_EQ(walk.nodes_of_handle(h).size(), 1u) << instruction << ": " << h;
    }
  }
  // Dataflow goes through the calls: relu → sin outside, relu and sin → add inside, mean outside.
  const int32_t relu = walk.node(0, "aten_relu_default_1"), sine = walk.node(0, "aten_sin_default");
  const int32_t add = walk.node(0, "aten_add_tensor"), mean = walk.node(0, "aten_mean_dim");
  ASSERT_TRUE(relu >= 0 && sine >= 0 && add >= 0 && mean >= 0);
  EXPECT_EQ(walk.consumers_of(relu), (std::vector<int32_t>{sine, add}));
  EXPECT_EQ(walk.producers_of(add), (std::vector<int32_t>{relu, sine}));
  EXPECT_EQ(walk.producers_of(mean), (std::vector<int32_t>{add}));
  EXPECT_TRUE(walk.is_graph_output(0, "aten__softmax_default"));
  EXPECT_GE(whole->nodes[static_cast<size_t>(add)].lowered_in, 0);
  EXPECT_LT(whole->nodes[static_cast<size_t>(sine)].lowered_in, 0);
  ASSERT_NE(whole->fqn("p_stem_conv_weight"), nullptr);
  EXPECT_EQ(*whole->fqn("p_stem_conv_weight"), "stem.conv.weight");
  EXPECT_NE(whole->tensor(0, "aten_convolution_default"), nullptr);
  ASSERT_EQ(whole->signature.outputs.size(), 1u);
  EXPECT_EQ(whole->signature.outputs[0].value, "aten__softmax_default");
}

// A graph of two calls whose insides use the same names, as lowered modules do that were made one by one.
TEST(Unpartitioned, NamesThatMeetAreKeptApart) {
  const auto make = [](const char* in, const char* out) {
    Program p;
    p.kind = ProgramKind::Delegated;
    p.graphs.resize(1);
    p.graphs[0].inputs = {in};
    p.graphs[0].outputs = {out};
    p.graphs[0].nodes = {0, 1};
    for (int i = 0; i < 2; ++i) {
      Node n;
      n.name = i == 0 ? "mul" : out;
      n.debug_handle = i + 1;
      Argument a;
      a.kind = ArgumentKind::Tensor;
      a.strings = {i == 0 ? in : "mul"};
      n.inputs = {a};
      n.outputs = {n.name};
      p.nodes.push_back(n);
    }
    return p;
  };
  std::vector<Program> programs = {Program(), make("x", "getitem"), make("x", "y")};
  Program& top = programs[0];
  top.graphs.resize(1);
  top.graphs[0].inputs = {"x"};
  top.graphs[0].outputs = {"getitem_1"};
  top.graphs[0].nodes = {0, 1};
  top.delegates.resize(2);
  for (int i = 0; i < 2; ++i) {
    top.delegates[static_cast<size_t>(i)].program = i + 1;
    Node n;
    n.name = "call_" + std::to_string(i);
    n.delegate = i;
    Argument module, a;
    module.kind = ArgumentKind::String;
    module.strings = {"Backend"};
    a.kind = ArgumentKind::Tensor;
    a.strings = {i == 0 ? "x" : "getitem"};
    n.inputs = {module, a};
    n.outputs = {i == 0 ? "getitem" : "getitem_1"};
    top.nodes.push_back(n);
  }
  const auto whole = inline_delegates(programs, programs[0]);
  ASSERT_NE(whole, nullptr);
  ASSERT_EQ(whole->nodes.size(), 4u);
  const GraphWalk walk(*whole);
  for (int32_t n = 1; n < 4; ++n) EXPECT_EQ(walk.producers_of(n), (std::vector<int32_t>{n - 1})) << n;
  EXPECT_EQ(walk.nodes_of_handle(2).size(), 2u);
  EXPECT_EQ(whole->graphs[0].outputs, (std::vector<std::string>{"y"}));
  EXPECT_EQ(inline_delegates(programs, *whole), nullptr);
}

TEST(Unpartitioned, ACallThatDoesNotFitItsGraphStays) {
  const Bytes bytes = release_file("0.7.0_conv_xnnpack");
  const Record r = open_bytes(bytes);
  std::vector<Program> programs = r.programs();
  Program stored = *r.edge_program("forward");
  for (DelegateCall& d : stored.delegates) d.program = 1000;
  EXPECT_EQ(inline_delegates(programs, stored), nullptr);
  stored = *r.edge_program("forward");
  for (Node& n : stored.nodes) {
    if (n.delegate >= 0 && n.inputs.size() == 2) n.inputs.pop_back();
  }
  const auto whole = inline_delegates(programs, stored);
  ASSERT_NE(whole, nullptr) << "the call with two arguments is whole";
  size_t calls = 0;
  for (const Node& n : whole->nodes) calls += n.op == "executorch_call_delegate" ? 1 : 0;
  EXPECT_EQ(calls, 3u);
}

}  // namespace
}  // namespace et::etrecord::test
