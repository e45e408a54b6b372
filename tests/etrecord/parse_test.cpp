// How texts, JSON and layouts are read: what a user sees of source lines, modules, arguments and older records.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/json.h"
#include "base/json_text.h"
#include "etrecord/graph_walk.h"
#include "etrecord/program_json.h"
#include "tests/etrecord/support.h"

namespace et::etrecord::test {
namespace {

Program parse(const std::string& text, std::vector<Problem>* problems = nullptr) {
  std::vector<Program> out(1);
  out[0].member = "p";
  const Status status = parse_program(text, {}, &out, problems);
  EXPECT_TRUE(status.ok()) << status.message();
  return std::move(out[0]);
}

TEST(StackTrace, FramesKeepFileLineFunctionAndCode) {
  const auto frames = parse_stack_trace(
      "File \"/src/a b.py\", line 3, in forward\n    y = f(\n      x)\n  File \"C:\\x\", line 9\", line 12, in "
      "<lambda>\n"
      "    File \"not a frame\", line 1, in code\n  File \"/no/code.py\", line 7, in g\n  File \"/m.py\", line 8\n    "
      "z\n    ^^~~\n");
  ASSERT_EQ(frames.size(), 4u);
  EXPECT_EQ(frames[0].file, "/src/a b.py");
  EXPECT_EQ(frames[0].line, 3);
  EXPECT_EQ(frames[0].function, "forward");
  EXPECT_EQ(frames[0].code, "y = f(\n  x)");
  EXPECT_EQ(frames[1].file, "C:\\x\", line 9");
  EXPECT_EQ(frames[1].line, 12);
  EXPECT_EQ(frames[1].function, "<lambda>");
  EXPECT_EQ(frames[1].code, "File \"not a frame\", line 1, in code");
  EXPECT_EQ(frames[2].code, "");
  EXPECT_EQ(frames[3].function, "");
  EXPECT_EQ(frames[3].code, "z");
}

TEST(StackTrace, NonsenseGivesNoFrames) {
  // Recursion, as Python shortens it; a number from a file is no promise.
  const auto recursion = parse_stack_trace(
      "  File \"m.py\", line 3, in f\n    return f(x)\n  [Previous line repeated 2 more times]\n  File \"m.py\", line "
      "4, "
      "in f\n    return x\n");
  ASSERT_EQ(recursion.size(), 4U);
  EXPECT_EQ(recursion[2].line, 3);
  EXPECT_EQ(recursion[2].code, "return f(x)");
  EXPECT_EQ(recursion[3].line, 4);
  EXPECT_EQ(parse_stack_trace("File \"m.py\", line 3, in f\n  [Previous line repeated 999999999 more times]\n").size(),
            1000U);
  EXPECT_TRUE(parse_stack_trace("").empty());
  EXPECT_TRUE(parse_stack_trace("Traceback (most recent call last):\n  x\n").empty());
  EXPECT_TRUE(parse_stack_trace("File \"").empty());
  EXPECT_TRUE(parse_stack_trace("File \"x\", line , in f").empty());
  EXPECT_EQ(parse_stack_trace("File \"x\", line 99999999999999999999, in f")[0].line, 0);
}

TEST(ModuleStack, SplitsAtCommasOutsideBrackets) {
  const auto m = parse_module_stack(
      "L__self__,,__main__.M;L__self___layers_0,getattr(L['self'], 'a,b')[0],torch.nn.Linear;k,p[(1, 2)],t[int, str]");
  ASSERT_EQ(m.size(), 3u);
  EXPECT_EQ(m[0].key, "L__self__");
  EXPECT_EQ(m[0].path, "");
  EXPECT_EQ(m[0].type, "__main__.M");
  EXPECT_EQ(m[1].path, "getattr(L['self'], 'a,b')[0]");
  EXPECT_EQ(m[1].type, "torch.nn.Linear");
  EXPECT_EQ(m[2].type, "t[int, str]");
  EXPECT_TRUE(parse_module_stack("").empty());
  EXPECT_EQ(parse_module_stack("only")[0].key, "only");
  EXPECT_EQ(parse_module_stack("a,b[,c,d")[0].type, "d");  // unbalanced: all commas
  EXPECT_EQ(parse_module_stack("a,b[,c,d")[0].path, "b[,c");
}

// What passes make for no module has an entry that torch's checks ask for.
TEST(ModuleStack, WhatSaysThatThereIsNoModuleIsNone) {
  const std::string none = "_empty_nn_module_stack_from_metadata_hook";
  EXPECT_TRUE(parse_module_stack(none + "," + none + "," + none).empty());
  EXPECT_TRUE(parse_module_stack(none).empty());
  const auto m = parse_module_stack("L__self__,,M;" + none + "," + none + "," + none + ";k,mlp,torch.nn.Linear");
  ASSERT_EQ(m.size(), 2u);
  EXPECT_EQ(m[0].type, "M");
  EXPECT_EQ(m[1].path, "mlp");
  EXPECT_EQ(parse_module_stack("k," + none + "_2,t")[0].path, none + "_2");
}

TEST(PythonJson, BareNonFiniteNumbersAreReadAndStringsLeftAlone) {
  const std::string inputs =
      R"([{"name": "min", "arg": {"as_float": -Infinity}}, {"name": "max", "arg": {"as_float": Infinity}},)"
      R"( {"name": "n", "arg": {"as_floats": [NaN, 1e400, 1.5, 3]}},)"
      R"( {"name": "s", "arg": {"as_string": "NaN, -Infinity and \"Infinity\" \\"}}])";
  const Program p = parse(program_text("[" + node_text("a", "torch.ops.aten.clamp.default", inputs) + "]"));
  const auto& in = p.nodes[0].inputs;
  EXPECT_EQ(in[0].floats[0], -std::numeric_limits<double>::infinity());
  EXPECT_EQ(in[1].floats[0], std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(in[2].floats[0]));
  EXPECT_TRUE(std::isinf(in[2].floats[1]));
  EXPECT_EQ(in[2].floats[3], 3.0);
  EXPECT_EQ(in[3].strings[0], "NaN, -Infinity and \"Infinity\" \\");
  EXPECT_EQ(in[0].text(), "-inf");
  EXPECT_EQ(in[2].text(), "[nan, inf, 1.5, 3.0]");
}

TEST(PythonJson, RewritingTouchesNothingButWhatPythonAdded) {
  EXPECT_EQ(rewrite_python_json(R"({"NaN": NaN, "a": [-Infinity,Infinity], "b": -1.5e3})"),
            R"({"NaN": "NaN", "a": ["-Infinity","Infinity"], "b": -1.5e3})");
  EXPECT_EQ(rewrite_python_json(R"(["\ud83d\ude00", "\ud800", "\udc00x", "\\ud800"])"),
            R"(["\ud83d\ude00", "\ufffd", "\ufffdx", "\\ud800"])");
  EXPECT_EQ(rewrite_python_json("[9223372036854775807, 9223372036854775808, 1e999]"),
            R"([9223372036854775807, "9223372036854775808", "1e999"])");
  EXPECT_EQ(rewrite_python_json("\"open"), "\"open");
  EXPECT_EQ(rewrite_python_json("\"open\\"), "\"open\\");
}

TEST(PythonJson, StrictDocumentsAreNotRewritten) {
  JsonDocument d;
  ASSERT_TRUE(d.parse(R"({"a": "NaN Infinity"})", "m", 100).ok());
  EXPECT_FALSE(d.rewritten());
  ASSERT_TRUE(d.parse(R"({"a": NaN})", "m", 100).ok());
  EXPECT_TRUE(d.rewritten());
}

TEST(PythonJson, ErrorsNameMemberOffsetAndWhatWasExpected) {
  const std::pair<const char*, const char*> cases[] = {
      {"{\"a\": 1,}", "m: JSON at byte 8: expected a key in quotes"},
      {"{\"a\" 1}", "m: JSON at byte 5: expected ':'"},
      {"[1 2]", "m: JSON at byte 3: expected ',' or ']'"},
      {"[1, 2", "m: JSON at byte 5: expected more text"},
      {"{\"a\": Nan}", "m: JSON at byte 6: expected a value"},
      {"[\"a\\q\"]", "m: JSON at byte 3: expected a valid escape"},
      {"[\"abc", "m: JSON at byte 1: expected a closing quote"},
      {"1 2", "m: JSON at byte 2: expected the end of the document"},
      {"", "m: JSON at byte 0: expected more text"},
      {"[[[[1]]]]", "m: JSON at byte 3: expected nesting of at most 3 levels"},
  };
  for (const auto& [text, message] : cases) {
    JsonDocument d;
    const Status status = d.parse(text, "m", 3);
    EXPECT_FALSE(status.ok());
    EXPECT_NE(status.message().find(message), std::string::npos) << status.message();
  }
}

TEST(Ops, AreNamedAsTheInspectorNamesThem) {
  const auto op = [](const std::string& target) {
    const Program p = parse(program_text("[" + node_text("a", target) + "]"));
    return p.nodes[0].op + " | " + p.nodes[0].qualified_op;
  };
  EXPECT_EQ(op("executorch.exir.dialects.edge.ops.aten.add.Tensor"), "aten.add.Tensor | aten.add.Tensor");
  EXPECT_EQ(op("torch.ops.aten.sym_size.int"), "sym_size.int | aten.sym_size.int");
  EXPECT_EQ(op("torch.ops.higher_order.cond"), "cond | cond");
  EXPECT_EQ(op("_operator.ge"), "ge | ge");
  EXPECT_EQ(op("torch.sym_max"), "sym_max | sym_max");
}

TEST(Arguments, AllKindsAreRead) {
  const std::string inputs =
      R"([{"name": "a", "arg": {"as_tensor": {"name": "x"}}}, {"name": "b", "arg": {"as_tensors": [{"name": "y"}, {"name": "z"}]}},)"
      R"( {"name": "c", "arg": {"as_optional_tensors": [{"as_tensor": {"name": "w"}}, {"as_none": []}]}},)"
      R"( {"name": "d", "arg": {"as_sym_ints": [{"as_name": "s"}, {"as_int": 4}]}}, {"name": "e", "arg": {"as_sym_bool": {"as_bool": true}}},)"
      R"( {"name": "f", "arg": {"as_scalar_type": 7}}, {"name": "g", "arg": {"as_scalar_type": 13}}, {"name": "h", "arg": {"as_memory_format": 2}},)"
      R"( {"name": "i", "arg": {"as_layout": 7}}, {"name": "j", "arg": {"as_device": {"type": "cuda", "index": 1}}},)"
      R"( {"name": "k", "arg": {"as_bools": [true, false]}}, {"name": "l", "arg": {"as_custom_obj": {"name": "o", "class_fqn": "q.Q"}}},)"
      R"( {"name": "m", "arg": {"as_operator": "mul"}}, {"name": "n", "arg": {"as_none": []}}, {"name": "o", "arg": {"as_strings": ["p"]}},)"
      R"( {"name": "p", "arg": {"as_int": true}}])";
  const Program p = parse(program_text("[" + node_text("a", "torch.ops.aten.f.default", inputs) + "]"));
  const auto& in = p.nodes[0].inputs;
  const char* texts[] = {"x",       "[y, z]", "[w, None]",     "[s, 4]", "True", "float32", "bfloat16", "channels_last",
                         "strided", "cuda:1", "[True, False]", "o",      "mul",  "None",    "[\"p\"]",  "1"};
  ASSERT_EQ(in.size(), std::size(texts));
  for (size_t i = 0; i < in.size(); ++i) EXPECT_EQ(in[i].text(), texts[i]) << i;
  EXPECT_EQ(in[2].tensor_names(), std::vector<std::string>{"w"});
  EXPECT_EQ(in[3].tensor_names(), std::vector<std::string>{"s"});
  EXPECT_EQ(in[5].scalar_type, ScalarType::Float);
  EXPECT_EQ(in[6].scalar_type, ScalarType::BFloat16);
}

TEST(Tensors, HaveProgramDtypesAndSymbolicSizes) {
  const Program p = parse(program_text(
      "[]",
      R"(, "tensor_values": {"x": {"dtype": 5, "sizes": [{"as_int": 2}, {"as_expr": {"expr_str": "s0 + 1", "hint": {"as_int": 4}}}],)"
      R"( "strides": [{"as_expr": {"expr_str": "s0 + 1"}}, {"as_int": 1}], "requires_grad": true, "device": {"type": "cpu"}, "layout": 7},)"
      R"( "y": {"dtype": 0, "sizes": [], "strides": []}}, "sym_bool_values": {"b": {"as_bool": true}})"));
  const TensorMeta* x = p.tensor(0, "x");
  ASSERT_NE(x, nullptr);
  EXPECT_EQ(x->dtype, ScalarType::Long);
  EXPECT_TRUE(x->sizes[0].fixed());
  EXPECT_EQ(x->sizes[1].expr, "s0 + 1");
  EXPECT_EQ(x->sizes[1].value, 4);
  EXPECT_FALSE(x->strides[0].value.has_value());
  EXPECT_FALSE(p.tensor(0, "y")->dtype_known);
  EXPECT_EQ(p.tensor(0, "z"), nullptr);
  EXPECT_EQ(p.tensor(7, "x"), nullptr);
  EXPECT_EQ(p.graphs[0].sym_bools.at("b"), "True");
}

TEST(Provenance, FromNodeFollowsTheLastOfEachList) {
  const std::string from =
      R"([{\"name\": \"other\", \"graph_id\": 9, \"from_node\": []}, {\"name\": \"b\", \"target\": \"t\", \"graph_id\": 2, )"
      R"(\"pass_name\": \"P\", \"action\": \"create+replace\", \"from_node\": [{\"name\": \"x\", \"graph_id\": 8, \"from_node\": []}, )"
      R"({\"name\": \"a\", \"graph_id\": 140060662172752, \"from_node\": []}]}])";
  const Program p = parse(program_text(
      "[" + node_text("n", "torch.ops.aten.add.Tensor", "[]", R"({"from_node": ")" + from + R"("})") + "]"));
  ASSERT_EQ(p.nodes[0].from.size(), 2u);
  EXPECT_EQ(p.nodes[0].from[0].name, "b");
  EXPECT_EQ(p.nodes[0].from[0].action, "create+replace");
  EXPECT_EQ(p.nodes[0].from[1].name, "a");
  EXPECT_EQ(p.nodes[0].from[1].graph_id, 140060662172752);
}

TEST(Walk, ProducersConsumersAndGetitemUsers) {
  const std::string split =
      R"({"name": "split", "target": "torch.ops.aten.split.Tensor", "inputs": [{"name": "self", "arg": {"as_tensor": {"name": "x"}}}],)"
      R"( "outputs": [{"as_tensors": [{"name": "getitem"}, {"name": "split_unused_1"}, {"name": "getitem_1"}]}], "metadata": {}})";
  const std::string add = node_text(
      "add", "torch.ops.aten.add.Tensor",
      R"([{"name": "a", "arg": {"as_tensor": {"name": "getitem"}}}, {"name": "b", "arg": {"as_tensor": {"name": "getitem"}}}])");
  const Program p = parse(program_text("[" + split + ", " + add + "]"));
  const GraphWalk walk(p);
  EXPECT_EQ(walk.producer(0, "getitem_1"), 0);
  EXPECT_EQ(walk.producer(0, "x"), -1);
  EXPECT_EQ(walk.consumers(0, "x"), std::vector<int32_t>{0});
  EXPECT_EQ(walk.consumers(0, "getitem"), std::vector<int32_t>{1});
  EXPECT_EQ(walk.producers_of(1), std::vector<int32_t>{0});
  EXPECT_EQ(walk.consumers_of(0), std::vector<int32_t>{1});
  EXPECT_EQ(walk.node(0, "add"), 1);
  EXPECT_EQ(getitem_users(p.nodes[0]), 2u);
  EXPECT_EQ(getitem_users(p.nodes[1]), 0u);
  EXPECT_TRUE(walk.consumers(3, "x").empty());
  EXPECT_TRUE(walk.nodes_of_handle(1).empty());
}

TEST(Walk, TwoHandlesForOneExportedNodeAreAConflict) {
  const auto from = [](const char* handle) {
    return std::string(R"({"debug_handle": ")") + handle +
           R"(", "from_node": "[{\"name\": \"linear\", \"graph_id\": 5, \"from_node\": []}]"})";
  };
  const Program edge =
      parse(program_text("[" + node_text("a", "t", "[]", from("1")) + "," + node_text("b", "t", "[]", from("2")) + "," +
                         node_text("c", "t", "[]", R"({"debug_handle": "3"})") + "]"));
  const Program exported = parse(program_text("[" + node_text("linear", "t") + "]"));
  const auto back = propagate_handles(edge, exported, 5);
  EXPECT_EQ(back.handle[0], 1);
  ASSERT_EQ(back.conflicts.size(), 1u);
  EXPECT_EQ(back.unmatched, std::vector<int64_t>{3});
  EXPECT_FALSE(back.complete());
  EXPECT_EQ(back.exported_of_edge[1], std::vector<int32_t>{0});
}

Record open_record(ZipBuilder zip) {
  static std::vector<Bytes> kept;
  kept.reserve(1000);
  kept.push_back(zip.finish());
  Record record;
  const Status status = Record::open(kept.back(), "r.bin", &record);
  EXPECT_TRUE(status.ok()) << status.message();
  return record;
}

TEST(Layouts, OneMethodIsStoredAsForwardWhateverItsName) {
  ZipBuilder zip;
  zip.add("ETRECORD_V0", "").add("edge_dialect_exported_program/forward", program_text("[]"));
  zip.add("debug_handle_map", R"({"encode": {"0": 1}})");
  const Record r = open_record(zip);
  EXPECT_EQ(r.methods(), std::vector<std::string>{"encode"});
  EXPECT_NE(r.edge_program("encode"), nullptr);
  EXPECT_EQ(r.edge_program("decode"), nullptr);
}

TEST(Layouts, EdgeProgramWithoutMethodOfOlderExporters) {
  ZipBuilder zip;
  zip.add("ETRECORD_V0", "").add("edge_dialect_exported_program", program_text("[]"));
  zip.add("edge_dialect_exported_program_state_dict", "").add("debug_handle_map", R"({"forward": {"0": 1}})");
  const Record r = open_record(zip);
  ASSERT_NE(r.edge_program("forward"), nullptr);
  EXPECT_EQ(r.programs().size(), 1u);
  EXPECT_TRUE(has_problem(r, "delegate-map-missing"));
  EXPECT_TRUE(has_problem(r, "num-outputs-map-missing"));
  EXPECT_FALSE(has_problem(r, "debug-handle-map-missing"));
}

TEST(Layouts, ExtraGraphsAndUnknownMembers) {
  auto zip = small_record();
  zip.add("after_pass/forward", program_text("[]")).add("after_pass/forward_state_dict", "");
  zip.add("notes.txt", "hello");
  const Record r = open_record(zip);
  ASSERT_EQ(r.programs().size(), 2u);
  EXPECT_EQ(r.programs()[1].kind, ProgramKind::Extra);
  EXPECT_EQ(r.programs()[1].graph_name, "after_pass");
  EXPECT_TRUE(has_problem(r, "newer-release"));
}

TEST(Layouts, AMethodMayBeCalledLikeACompanion) {
  ZipBuilder zip;
  zip.add("ETRECORD_V0", "").add("edge_dialect_exported_program/get_constants", program_text("[]"));
  zip.add("edge_dialect_exported_program/get_constants_constants", "");
  zip.add("debug_handle_map", R"({"get_constants": {}})");
  const Record r = open_record(zip);
  EXPECT_EQ(r.programs().size(), 1u);
  EXPECT_NE(r.edge_program("get_constants"), nullptr);
}

TEST(Maps, KeepOrderRepeatsAndNulls) {
  ZipBuilder zip;
  zip.add("ETRECORD_V0", "").add("edge_dialect_exported_program/forward", program_text("[]"));
  zip.add("debug_handle_map", R"({"forward": {"1": [1, 2, 3, 3, 3], "0": 4, "x": 1, "2": "no"}})");
  zip.add(
      "delegate_map",
      R"({"forward": {"1": {"name": "B", "delegate_map": {"12": [5], "1": [6, 7]}}, "2": {"name": "C", "delegate_map": null},)"
      R"( "3": {"name": "D", "delegate_map": {}}}})");
  zip.add("instruction_id_to_num_outs_map", R"({"forward": {"1": 2, "2": -1}})");
  zip.add("export_graph_id", "140060662172752");
  const Record r = open_record(zip);
  EXPECT_EQ(r.debug_handle_map().at("forward").at(1), (std::vector<int64_t>{1, 2, 3, 3, 3}));
  EXPECT_EQ(r.debug_handle_map().at("forward").at(0), (std::vector<int64_t>{4}));
  const auto& d = r.delegate_map().at("forward");
  EXPECT_EQ(d.at(1).map[0].first, "12");
  EXPECT_EQ(d.at(1).map[1].second, (std::vector<int64_t>{6, 7}));
  EXPECT_FALSE(d.at(2).has_map);
  EXPECT_TRUE(d.at(3).has_map);
  EXPECT_EQ(r.num_outputs_map().at("forward").size(), 1u);
  EXPECT_EQ(r.export_graph_id(), 140060662172752);
  EXPECT_TRUE(has_problem(r, "map-entry-unreadable"));
}

TEST(Maps, OfDuplicateKeysTheLastCounts) {
  ZipBuilder zip;
  zip.add("ETRECORD_V0", "").add("debug_handle_map", R"({"f": {"0": 9, "5": 5}, "f": {"0": 1, "0": 2}})");
  const Record r = open_record(zip);
  EXPECT_EQ(r.debug_handle_map().at("f").size(), 1u);
  EXPECT_EQ(r.debug_handle_map().at("f").at(0), std::vector<int64_t>{2});
  EXPECT_TRUE(has_problem(r, "map-duplicate-key"));
}

TEST(TorchArchives, StridedTensorsComeOutRowMajor) {
  std::vector<float> values = {0, 1, 2, 3, 4, 5, 6, 7};
  Bytes data(values.size() * 4);
  std::memcpy(data.data(), values.data(), data.size());
  const Bytes zip = torch_zip(PickleBuilder().tensor("FloatStorage", "0", 8, 1, {2, 3}, {1, 2}).stop(), {{"0", data}});
  TorchArchive archive;
  ASSERT_TRUE(TorchArchive::open(zip, "t", &archive).ok());
  Bytes out;
  ASSERT_TRUE(archive.root().tensor->contiguous(&out).ok());
  std::vector<float> got(6);
  ASSERT_EQ(out.size(), 24u);
  std::memcpy(got.data(), out.data(), 24);
  EXPECT_EQ(got, (std::vector<float>{1, 3, 5, 2, 4, 6}));
}

// _rebuild_from_type_v2(what makes the tensor, class, its arguments, attributes): how torch.save writes a tensor that
// somebody gave an attribute, as the transformers package does.
PickleBuilder tensor_with_attributes(const std::string& function) {
  return PickleBuilder()
      .global("torch._tensor", "_rebuild_from_type_v2")
      .raw("(")
      .global("torch._utils", function)
      .global("torch", "Tensor")
      .raw("(")
      .storage("FloatStorage", "0", 2)
      .number(0)
      .tuple({2})
      .tuple({1})
      .raw("\x89")
      .global("collections", "OrderedDict")
      .raw(")Rt}")
      .text("_is_hf_initialized")
      .raw("\x88stR");
}

TEST(TorchArchives, TensorsWithAttributesAreTensors) {
  const float values[] = {3, 5};
  Bytes data(sizeof(values));
  std::memcpy(data.data(), values, sizeof(values));
  const Bytes zip = torch_zip(tensor_with_attributes("_rebuild_tensor_v2").stop(), {{"0", data}});
  TorchArchive archive;
  const Status status = TorchArchive::open(zip, "t", &archive);
  ASSERT_TRUE(status.ok()) << status.message();
  ASSERT_NE(archive.root().tensor, nullptr);
  Bytes out;
  ASSERT_TRUE(archive.root().tensor->contiguous(&out).ok());
  EXPECT_EQ(out, data);
}

TEST(TorchArchives, ATensorWithAttributesIsNotMadeByAnything) {
  TorchArchive archive;
  const Status status = TorchArchive::open(
      torch_zip(tensor_with_attributes("_rebuild_wrapper_subclass").stop(), {{"0", Bytes(8)}}), "t", &archive);
  EXPECT_EQ(status.code(), Error::NotSupported) << status.message();
}

TEST(TorchArchives, TensorsWithoutDataAreMarked) {
  const std::string json =
      R"({"dtype": 7, "sizes": [{"as_int": 2}], "strides": [{"as_int": 1}], "requires_grad": false, "device": {"type": "cpu"}, "layout": 7})";
  const auto p = PickleBuilder()
                     .global("executorch.exir.serde.export_serialize", "_reconstruct_fake_tensor")
                     .raw("(")
                     .global("_codecs", "encode")
                     .text(json)
                     .text("latin1")
                     .raw("\x86R\x89tR")
                     .stop();
  const Bytes zip = torch_zip(p);
  TorchArchive archive;
  const Status status = TorchArchive::open(zip, "t", &archive);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_TRUE(archive.root().tensor->fake);
  EXPECT_EQ(archive.root().tensor->sizes, std::vector<int64_t>{2});
  Bytes out;
  EXPECT_EQ(archive.root().tensor->contiguous(&out).code(), Error::NotSupported);
}

TEST(TorchArchives, DictsListsAndNumbersOfAllSizes) {
  const auto p = PickleBuilder().raw("}(").text("a").raw("]").text("b").number(-5).text("c").raw("K\x07");
  PickleBuilder q = p;
  q.text("d").raw(std::string_view("G\x3f\xf8\0\0\0\0\0\0", 9)).text("e").raw("N").text("f").raw("\x88");
  q.text("g").raw(std::string_view("\x8a\x09\0\0\0\0\0\0\0\0\x01", 11)).raw("u");
  const Bytes zip = torch_zip(q.stop());
  TorchArchive archive;
  const Status status = TorchArchive::open(zip, "t", &archive);
  ASSERT_TRUE(status.ok()) << status.message();
  const PickleValue& r = archive.root();
  EXPECT_EQ(r.find("b")->integer, -5);
  EXPECT_EQ(r.find("c")->integer, 7);
  EXPECT_EQ(r.find("d")->number, 1.5);
  EXPECT_EQ(r.find("e")->kind, PickleValue::Kind::None);
  EXPECT_EQ(r.find("f")->integer, 1);
  EXPECT_EQ(r.find("g")->text, "000000000000000001");
  EXPECT_EQ(r.find("missing"), nullptr);
}

}  // namespace
}  // namespace et::etrecord::test
