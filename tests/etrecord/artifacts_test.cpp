// The real records against what the exporter's own tools say about them.
#include <gtest/gtest.h>
#include <simdjson.h>

#include <chrono>
#include <cstring>
#include <map>
#include <set>

#include "etrecord/graph_walk.h"
#include "tests/etrecord/support.h"

namespace et::etrecord::test {
namespace {

namespace dom = simdjson::dom;

struct Opened {
  Bytes bytes;
  Record record;
  Status status;
};

std::unique_ptr<Opened> open_case(const std::string& name) {
  auto o = std::make_unique<Opened>();
  o->bytes = read_file(artifact(name, "etrecord.bin"));
  o->status = Record::open(o->bytes, name, &o->record);
  return o;
}

std::vector<int64_t> handles_of(dom::element e) {
  std::vector<int64_t> out;
  if (e.is_int64()) return {e.get_int64().value()};
  if (e.is_array()) {
    for (const auto h : e.get_array()) out.push_back(h.get_int64().value());
  }
  return out;
}

TEST(ETRecordArtifacts, EveryRecordOpensWithoutLossButTheOneWhoseWriterFailed) {
  const auto names = cases();
  if (names.empty()) GTEST_SKIP() << "no artefacts";
  for (const auto& name : names) {
    const auto o = open_case(name);
    ASSERT_TRUE(o->status.ok()) << name << ": " << o->status.message();
    if (name == "control_flow_constants") {
      EXPECT_TRUE(has_problem(o->record, "debug-handle-map-missing"));
      EXPECT_NE(o->record.exported_program(), nullptr);
      continue;
    }
    EXPECT_TRUE(o->record.problems().empty()) << name << ": " << o->record.problems()[0].message;
    for (const auto& method : o->record.methods()) EXPECT_NE(o->record.edge_program(method), nullptr) << name << method;
  }
}

TEST(ETRecordArtifacts, EveryTensorMemberReads) {
  for (const auto& name : cases()) {
    const auto o = open_case(name);
    for (const auto& m : o->record.zip().members()) {
      const bool tensors = m.name == "reference_outputs" || m.name == "representative_inputs" ||
                           m.name.ends_with("_state_dict") || m.name.ends_with("_constants") ||
                           m.name.ends_with("_example_inputs");
      if (!tensors || m.size == 0) continue;
      TorchArchive archive;
      const Status status = o->record.tensors(m.name, &archive);
      ASSERT_TRUE(status.ok()) << name << ": " << status.message();
      for (const auto& [path, t] : archive.tensors()) {
        if (t->fake) continue;
        std::vector<uint8_t> data;
        ASSERT_TRUE(t->contiguous(&data).ok());
        ASSERT_EQ(data.size(), static_cast<size_t>(t->numel()) * element_size(t->dtype)) << name << " " << path;
      }
    }
  }
}

// Op types, stack traces and module hierarchies that upstream's Inspector attached to events.
TEST(ETRecordArtifacts, NodesOfHandlesAreThoseThatTheInspectorShows) {
  size_t events = 0, nodes = 0;
  for (const auto& name : cases()) {
    const auto path = artifact(name, "reference/inspector.json");
    if (path.empty()) continue;
    const auto o = open_case(name);
    const Program* edge = o->record.edge_program("forward");
    if (edge == nullptr) continue;
    const GraphWalk walk(*edge);
    dom::parser parser;
    const dom::element root = parser.load(path.string());
    const auto traces = root["stack_trace_table"].get_array().value();
    const auto modules = root["module_hierarchy_table"].get_array().value();
    for (const auto block : root["event_blocks"].get_array()) {
      for (const auto event : block["events"].get_array()) {
        if (!event["op_types"].is_array() || event["op_types"].get_array().size() == 0) continue;
        ++events;
        std::vector<std::string> ops;
        std::map<std::string, const Node*> linked;
        for (const int64_t handle : handles_of(event["debug_handles"])) {
          for (const int32_t n : walk.nodes_of_handle(handle)) {
            const Node& node = edge->nodes[static_cast<size_t>(n)];
            ops.push_back(node.op);
            linked[node.name] = &node;
          }
        }
        std::vector<std::string> expected;
        for (const auto op : event["op_types"].get_array()) expected.emplace_back(op.get_string().value());
        ASSERT_EQ(ops, expected) << name;
        for (const auto [key, index] : event["stack_traces"].get_object()) {
          const std::string node(key.substr(0, key.size() - 1));  // upstream's graph names end in "_"
          ASSERT_TRUE(linked.count(node)) << name << " " << node;
          if (index.is_null()) continue;
          const auto trace = traces.at(static_cast<size_t>(index.get_int64().value()));
          if (trace.is_string()) {
            EXPECT_EQ(linked[node]->stack_trace, trace.get_string().value()) << name;
          }
          ++nodes;
        }
        for (const auto [key, index] : event["module_hierarchy"].get_object()) {
          const Node* node = linked[std::string(key.substr(0, key.size() - 1))];
          if (index.is_null() || node == nullptr) continue;
          const dom::element hierarchy = modules.at(static_cast<size_t>(index.get_int64().value()));
          if (!hierarchy.is_object()) continue;
          size_t i = 0;
          for (const auto [module, entry] : hierarchy.get_object()) {
            if (module == "_empty_nn_module_stack_from_metadata_hook") continue;  // it says that there is none
            ASSERT_LT(i, node->modules.size()) << name;
            EXPECT_EQ(node->modules[i].key, module);
            EXPECT_EQ(node->modules[i].path, entry.at(0).get_string().value());
            EXPECT_EQ(node->modules[i].type, entry.at(1).get_string().value());
            ++i;
          }
          EXPECT_EQ(i, node->modules.size()) << name;
        }
        EXPECT_EQ(event["stack_traces"].get_object().size(), linked.size());
      }
    }
  }
  if (events == 0) GTEST_SKIP() << "no reference/inspector.json";
  RecordProperty("events", static_cast<int>(events));
  EXPECT_GT(nodes, 0u);
}

TEST(ETRecordArtifacts, FramesCoverTheWholeStackTrace) {
  for (const auto& name : cases()) {
    const auto o = open_case(name);
    for (const Program& p : o->record.programs()) {
      for (const Node& n : p.nodes) {
        if (n.stack_trace.empty()) continue;
        std::string text;
        for (const Frame& f : n.frames) {
          text += (text.empty() ? "" : "\n  ") + ("File \"" + f.file + "\", line " + std::to_string(f.line)) + ", in " +
                  f.function + (f.code.empty() ? "" : "\n    " + f.code);
        }
        std::string_view stored = n.stack_trace;
        while (stored.ends_with('\n')) stored.remove_suffix(1);
        ASSERT_EQ(text, stored) << name << " " << n.name;
      }
    }
  }
}

TEST(ETRecordArtifacts, HandlesCarriedBackMeetTheExportedNodesOfTheNumericGap) {
  size_t rows = 0;
  for (const auto& name : cases()) {
    const auto path = artifact(name, "reference/aot_intermediates.json");
    if (path.empty()) continue;
    const auto o = open_case(name);
    const Program* exported = o->record.exported_program();
    const Program* edge = o->record.edge_program("forward");
    ASSERT_TRUE(exported != nullptr && edge != nullptr) << name;
    const auto back = propagate_handles(*edge, *exported, o->record.export_graph_id().value_or(0));
    EXPECT_TRUE(back.complete()) << name;
    dom::parser parser;
    const dom::element root = parser.load(path.string());
    EXPECT_EQ(root["graph"].get_string().value(), "exported_program");
    for (const auto row : root["nodes"].get_array()) {
      const auto handles = handles_of(row["debug_handle"]);
      ASSERT_EQ(handles.size(), 1u);
      if (handles[0] == 0) continue;  // upstream's number for nodes without one
      std::vector<std::string> of_exported, expected, edge_names, edge_expected;
      std::string op;
      for (size_t i = 0; i < exported->nodes.size(); ++i) {
        if (back.handle[i] != handles[0]) continue;
        of_exported.push_back(exported->nodes[i].name);
        if (exported->nodes[i].name == row["node"].get_string().value()) op = exported->nodes[i].qualified_op;
      }
      for (const auto n : row["nodes_with_this_handle"].get_array()) expected.emplace_back(n.get_string().value());
      EXPECT_EQ(of_exported, expected) << name;
      EXPECT_EQ(op, row["op"].get_string().value()) << name;
      const GraphWalk walk(*edge);
      for (const int32_t n : walk.nodes_of_handle(handles[0])) {
        edge_names.push_back(edge->nodes[static_cast<size_t>(n)].name);
      }
      for (const auto n : row["edge_nodes"].get_array()) {
        const std::string node(n.get_string().value());
        // torch's getitem nodes are outputs of their producer here.
        if (node.rfind("getitem", 0) != 0 && node.find("_unused_") == std::string::npos) edge_expected.push_back(node);
      }
      EXPECT_EQ(edge_names, edge_expected) << name;
      ++rows;
    }
  }
  if (rows == 0) GTEST_SKIP() << "no reference/aot_intermediates.json";
}

// "<f4", (2, 3) and the data of one array of an .npz whose members are stored.
struct Npy {
  std::string descr;
  std::vector<int64_t> shape;
  Bytes data;
};

Npy parse_npy(std::span<const uint8_t> b) {
  Npy out;
  const size_t length = b[6] == 1 ? b[8] | b[9] << 8 : b[8] | b[9] << 8 | b[10] << 16;
  const size_t start = b[6] == 1 ? 10 : 12;
  const std::string header(reinterpret_cast<const char*>(b.data()) + start, length);
  const size_t d = header.find("'descr': '") + 10;
  out.descr = header.substr(d, header.find('\'', d) - d);
  size_t s = header.find("'shape': (") + 10;
  while (header[s] != ')') {
    char* end = nullptr;
    out.shape.push_back(std::strtoll(header.c_str() + s, &end, 10));
    s = static_cast<size_t>(end - header.c_str());
    while (header[s] == ',' || header[s] == ' ') ++s;
  }
  out.data.assign(b.begin() + static_cast<std::ptrdiff_t>(start + length), b.end());
  return out;
}

TEST(ETRecordArtifacts, ReferenceOutputsAndInputsAreThoseOfTheBundle) {
  size_t compared = 0;
  for (const auto& name : cases()) {
    const auto path = artifact(name, "reference/outputs.npz");
    if (path.empty()) continue;
    const auto o = open_case(name);
    const Bytes npz = read_file(path);
    ZipReader arrays;
    ASSERT_TRUE(ZipReader::open(npz, name, {}, &arrays).ok());
    TorchArchive outputs, inputs;
    if (!o->record.has_member("reference_outputs")) continue;
    ASSERT_TRUE(o->record.tensors("reference_outputs", &outputs).ok());
    ASSERT_TRUE(o->record.tensors("representative_inputs", &inputs).ok());
    const auto check = [&](const std::string& array, const PickleValue& value) {
      if (value.kind != PickleValue::Kind::Tensor || arrays.find(array) == nullptr) return;
      ZipBytes bytes;
      ASSERT_TRUE(arrays.read(array, &bytes).ok());
      const Npy npy = parse_npy(bytes.bytes);
      std::vector<uint8_t> data;
      ASSERT_TRUE(value.tensor->contiguous(&data).ok());
      EXPECT_EQ(value.tensor->sizes, npy.shape) << name << " " << array;
      EXPECT_EQ(data, npy.data) << name << " " << array;
      ++compared;
    };
    for (const auto& [method, tests] : outputs.root().entries) {
      for (size_t t = 0; t < tests->items.size(); ++t) {
        const PickleValue& values = *tests->items[t];
        for (size_t i = 0; i < values.items.size(); ++i) {
          check(method->text + "__" + std::to_string(t) + "__expected__" + std::to_string(i) + ".npy",
                *values.items[i]);
        }
      }
    }
    for (size_t i = 0; i < inputs.root().items.size(); ++i) {
      check("forward__0__in__" + std::to_string(i) + ".npy", *inputs.root().items[i]);
    }
  }
  if (compared == 0) GTEST_SKIP() << "no reference/outputs.npz";
}

TEST(ETRecordArtifacts, ShapesOfParametersAgreeWithTheStateDict) {
  size_t compared = 0;
  for (const auto& name : cases()) {
    const auto o = open_case(name);
    for (const Program& p : o->record.programs()) {
      TorchArchive archive;
      if (p.kind == ProgramKind::Delegated || !o->record.has_member(p.member + "_state_dict")) continue;
      if (!o->record.tensors(p.member + "_state_dict", &archive).ok()) continue;
      if (archive.root().entries.empty()) continue;  // a slim fixture
      for (const InputSpec& spec : p.signature.inputs) {
        if (spec.kind != InputKind::Parameter) continue;
        const PickleValue* value = archive.root().find(spec.target);
        ASSERT_NE(value, nullptr) << name << " " << spec.target;
        const TensorMeta* meta = p.tensor(0, spec.value);
        if (value->kind != PickleValue::Kind::Tensor || meta == nullptr) continue;
        ASSERT_TRUE(meta->dtype_known);
        EXPECT_EQ(meta->dtype, value->tensor->dtype);
        ASSERT_EQ(meta->sizes.size(), value->tensor->sizes.size());
        for (size_t i = 0; i < meta->sizes.size(); ++i) EXPECT_EQ(meta->sizes[i].value, value->tensor->sizes[i]);
        ++compared;
      }
    }
  }
  if (compared == 0) GTEST_SKIP() << "no artefacts with parameters";
}

TEST(ETRecordArtifacts, ControlFlowBodiesAreThereWithTheirHandles) {
  const auto path = artifact("control_flow_cond", "etrecord.bin");
  if (path.empty()) GTEST_SKIP();
  const auto o = open_case("control_flow_cond");
  const Program* edge = o->record.edge_program("forward");
  ASSERT_NE(edge, nullptr);
  ASSERT_EQ(edge->graphs.size(), 3u);
  EXPECT_EQ(edge->nodes[2].op, "cond");
  EXPECT_EQ(edge->nodes[2].subgraphs, (std::vector<int32_t>{1, 2}));
  EXPECT_EQ(edge->graphs[1].parent_node, 2);
  EXPECT_EQ(edge->nodes[3].op, "aten.sin.default");
  EXPECT_EQ(edge->nodes[3].graph, 1);
  const GraphWalk walk(*edge);
  ASSERT_EQ(walk.nodes_of_handle(5).size(), 1u);
  EXPECT_EQ(edge->nodes[static_cast<size_t>(walk.nodes_of_handle(5)[0])].name, "aten_sin_default");
  // Bodies have no id of their own in the record: matched by name within the same call's body.
  const auto back = propagate_handles(*edge, *o->record.exported_program(), *o->record.export_graph_id());
  EXPECT_TRUE(back.complete());
  EXPECT_EQ(back.matched_in_bodies.size(), 5u);
}

TEST(ETRecordArtifacts, MethodsHaveTheirOwnMaps) {
  if (artifact("multi_method_no_forward", "etrecord.bin").empty()) GTEST_SKIP();
  const auto o = open_case("multi_method_no_forward");
  EXPECT_EQ(o->record.methods(), (std::vector<std::string>{"decode", "encode"}));
  ASSERT_NE(o->record.edge_program("encode"), nullptr);
  EXPECT_EQ(o->record.edge_program("encode")->method, "encode");
  EXPECT_EQ(o->record.edge_program("forward"), nullptr);
  EXPECT_EQ(o->record.debug_handle_map().size(), 2u);
}

TEST(ETRecordArtifacts, LoweredModulesAreReadToTheInnermost) {
  if (artifact("demo_nested", "etrecord.bin").empty()) GTEST_SKIP();
  const auto o = open_case("demo_nested");
  const Program* edge = o->record.edge_program("forward");
  ASSERT_EQ(edge->delegates.size(), 1u);
  EXPECT_EQ(edge->delegates[0].backend_id, "ExecutorBackend");
  EXPECT_FALSE(edge->delegates[0].payload.empty());
  const Program& inner = o->record.programs()[static_cast<size_t>(edge->delegates[0].program)];
  ASSERT_EQ(inner.delegates.size(), 2u);
  EXPECT_EQ(inner.delegates[0].backend_id, "BackendWithCompilerDemo");
  EXPECT_FALSE(o->record.programs()[static_cast<size_t>(inner.delegates[1].program)].nodes.empty());
}

TEST(ETRecordArtifacts, DelegateMapsKeepNullEmptyAndFilledApart) {
  if (artifact("demo_backend", "etrecord.bin").empty() || artifact("tosa_int8", "etrecord.bin").empty()) GTEST_SKIP();
  const auto demo = open_case("demo_backend");
  const auto& entries = demo->record.delegate_map().at("forward");
  ASSERT_FALSE(entries.empty());
  EXPECT_TRUE(entries.begin()->second.has_map);
  EXPECT_EQ(entries.begin()->second.name, "BackendWithCompilerDemo");
  EXPECT_EQ(entries.begin()->second.map[0], (std::pair<std::string, std::vector<int64_t>>{"1", {1}}));
  const auto tosa = open_case("tosa_int8");
  EXPECT_FALSE(tosa->record.delegate_map().at("forward").begin()->second.has_map);
}

}  // namespace
}  // namespace et::etrecord::test
