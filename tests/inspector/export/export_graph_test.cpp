#include <algorithm>
#include <sstream>

#include "inspector/analysis/graph/graph_model.h"
#include "inspector/report/graph_report.h"
#include "tests/inspector/export/export_store.h"

// Graphviz and fontconfig keep memory until the process ends.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libfontconfig\nleak:libgvc\nleak:libcgraph\n"; }

namespace et::inspector {
namespace {

std::string graph_of(const Store& store, const GraphOptions& options = {}) {
  std::ostringstream out;
  const Status s = write_graph(store, 1, options, out);
  EXPECT_TRUE(s.ok()) << s.message();
  return out.str();
}

/// y = relu(x @ w) by a delegate, between two kernels; split has two results.
void fill_graph(ExportStore* x) {
  x->value("input", 0, "p_w", {}, "parameter", "w");
  x->value("input", 1, "x", {}, "user_input");
  const int64_t a = x->node("aten_add_tensor", "aten.add.Tensor", "self=x, other=1, alpha=2", "/src/m.py", 3, 1);
  const int64_t m = x->node("aten_mm_default", "aten.mm.default", "self=aten_add_tensor, mat2=p_w", "/src/m.py", 4, 2);
  const int64_t r = x->node("aten_relu_default", "aten.relu.default", "self=aten_mm_default", "/src/m.py", 4, 3);
  const int64_t s = x->node("aten_split", "aten.split_with_sizes_copy.default",
                            "self=aten_relu_default, split_sizes=[1, 1], dim=1", "/src/m.py", 5, 4);
  x->value("result", 0, "getitem", s);
  x->value("result", 1, "getitem_1", s);
  x->value("output", 0, "getitem_1", {}, "user_output");
  x->edge(a, m, "aten_add_tensor");
  x->edge(m, r, "aten_mm_default");
  x->edge(r, s, "aten_relu_default");
  x->run("INSERT INTO raw_delegate(id, trace, method, ordinal, backend) VALUES(1, 1, 1, 0, 'XnnpackBackend')");
  x->instruction(0, "KernelCall", "aten::add.out", 0, "[1]");
  x->instruction(1, "DelegateCall", "", 1, "[2, 3]");
  x->instruction(2, "KernelCall", "aten::split_with_sizes_copy.out", 0, "[4]");
  x->finish();
}

TEST(GraphText, HasTheLayoutOfPrintDelegatedGraph) {
  ExportStore x;
  fill_graph(&x);
  EXPECT_EQ(
      graph_of(x.store),
      "graph():\n"
      "  %x : [num_users=1] = placeholder[target=x]\n"
      "  %aten_add_tensor : [num_users=1] = "
      "call_function[target=executorch.exir.dialects.edge._ops.aten.add.Tensor](args = (%x, 1), kwargs = "
      "{alpha: 2})\n"
      "  %lowered_module_0 : [num_users=1] = get_attr[target=lowered_module_0]\n"
      "    backend_id: XnnpackBackend\n"
      "    lowered graph():\n"
      "      %p_w : [num_users=1] = placeholder[target=p_w]\n"
      "      %aten_add_tensor : [num_users=1] = placeholder[target=aten_add_tensor]\n"
      "      %aten_mm_default : [num_users=1] = "
      "call_function[target=executorch.exir.dialects.edge._ops.aten.mm.default](args = "
      "(%aten_add_tensor, %p_w), kwargs = {})\n"
      "      %aten_relu_default : [num_users=1] = "
      "call_function[target=executorch.exir.dialects.edge._ops.aten.relu.default](args = "
      "(%aten_mm_default,), kwargs = {})\n"
      "      return [aten_relu_default]\n"
      "  %executorch_call_delegate : [num_users=1] = "
      "call_function[target=torch.ops.higher_order.executorch_call_delegate](args = "
      "(%lowered_module_0, %aten_add_tensor), kwargs = {})\n"
      "  %getitem_2 : [num_users=1] = call_function[target=operator.getitem](args = (%executorch_call_delegate, 0), "
      "kwargs = {})\n"
      "  %aten_split : [num_users=1] = "
      "call_function[target=executorch.exir.dialects.edge._ops.aten.split_with_sizes_copy.default](args = (%getitem_2, "
      "[1, 1], 1), kwargs = {})\n"
      "  %getitem_1 : [num_users=1] = call_function[target=operator.getitem](args = (%aten_split, 1), kwargs = {})\n"
      "  return (getitem_1,)\n");
}

TEST(GraphText, ControlFlowBodiesArePrintedBelowTheirOperator) {
  ExportStore x;
  x.value("input", 0, "x", {}, "user_input");
  x.node("cond", "higher_order.cond", "x, submodule_0, [x]");
  x.node("aten_sin_default", "aten.sin.default", "self=x", "", 0, {}, "", "submodule_0");
  x.value("input", 0, "x", {}, "", "", "submodule_0");
  x.value("output", 0, "aten_sin_default", {}, "", "", "submodule_0");
  x.value("output", 0, "cond");
  x.finish();
  const std::string text = graph_of(x.store);
  EXPECT_NE(text.find("  %submodule_0 : [num_users=1] = get_attr[target=submodule_0]\n    graph():\n      %x : "
                      "[num_users=1] = placeholder"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("(args = (%x, %submodule_0, [%x]), kwargs = {})"), std::string::npos) << text;
}

GraphModel model_of(const Store& store) {
  GraphModel m;
  OpTable table;
  Status s = load_op_table(store, 1, {}, &table);
  if (s.ok()) s = load_graph(store, table, "forward", "edge", &m);
  EXPECT_TRUE(s.ok()) << s.message();
  return m;
}

std::vector<std::string> names(const GraphModel& m, const GraphPart& part) {
  std::vector<std::string> out;
  for (const int32_t n : part.nodes) out.push_back(m.nodes[static_cast<size_t>(n)].name);
  return out;
}

// An unrolled loop: every node has the same handle, kernels and delegates take turns.
TEST(GraphParts, NodesOfASharedHandleGoWhereTheirReadersNeedThem) {
  ExportStore x;
  x.value("input", 0, "x", {}, "user_input");
  x.node("linear", "aten.linear.default", "input=x", "", 0, 3);
  x.node("slice_0", "aten.slice_copy.Tensor", "self=linear", "", 0, 3);
  x.node("slice_1", "aten.slice_copy.Tensor", "self=linear", "", 0, 3);
  x.node("squeeze_0", "aten.squeeze_copy.dims", "self=slice_0", "", 0, 3);
  x.node("add_0", "aten.add.Tensor", "self=slice_1, other=squeeze_0", "", 0, 3);
  x.node("squeeze_1", "aten.squeeze_copy.dims", "self=add_0", "", 0, 3);
  x.value("output", 0, "squeeze_1");
  x.run("INSERT INTO raw_delegate(id, trace, method, ordinal, backend) VALUES(1,1,1,0,'B'),(2,1,1,1,'B')");
  x.instruction(0, "DelegateCall", "", 1, "[3, 3]");
  x.instruction(1, "KernelCall", "aten::squeeze_copy.dims_out", 0, "[3]");
  x.instruction(2, "DelegateCall", "", 2, "[3, 3]");
  x.instruction(3, "KernelCall", "aten::squeeze_copy.dims_out", 0, "[3]");
  x.finish();
  const GraphModel m = model_of(x.store);
  ASSERT_EQ(m.parts.size(), 2u);
  EXPECT_EQ(names(m, m.parts[0]), (std::vector<std::string>{"linear", "slice_0"}));
  EXPECT_EQ(names(m, m.parts[1]), (std::vector<std::string>{"slice_1", "add_0"}));
  EXPECT_FALSE(m.parts[0].guessed);
  EXPECT_FALSE(m.parts[1].guessed);
}

TEST(GraphParts, AChoiceThatHandlesLeaveOpenIsCalledAGuess) {
  ExportStore x;
  x.value("input", 0, "x", {}, "user_input");
  x.node("add_0", "aten.add.Tensor", "self=x", "", 0, 3);
  x.node("add_1", "aten.add.Tensor", "self=x", "", 0, 3);
  x.value("output", 0, "add_0");
  x.value("output", 1, "add_1");
  x.run("INSERT INTO raw_delegate(id, trace, method, ordinal, backend) VALUES(1,1,1,0,'B')");
  x.instruction(0, "DelegateCall", "", 1, "[3]");
  x.instruction(1, "KernelCall", "aten::add.out", 0, "[3]");
  x.finish();
  const GraphModel m = model_of(x.store);
  ASSERT_EQ(m.parts.size(), 1u);
  EXPECT_EQ(m.parts[0].nodes.size(), 1u);
  EXPECT_TRUE(m.parts[0].guessed);
}

TEST(GraphParts, WithoutAProgramTheEventsTellWhatWasDelegated) {
  ExportStore x;
  x.node("mm", "aten.mm.default", "self=x", "", 0, 2);
  const int64_t b = x.block();
  const int64_t o = x.op(b, {.name = "DELEGATE_CALL", .kind = "delegate_call", .instruction = 0, .backend = "B"});
  x.run("UPDATE raw_op SET debug_handles = '[2]'");
  x.sample(o, x.execution(b), 0, 50);
  x.finish();
  const GraphModel m = model_of(x.store);
  ASSERT_EQ(m.parts.size(), 1u);
  EXPECT_EQ(m.parts[0].backend, "B");
  EXPECT_EQ(m.parts[0].ns, 50);
  EXPECT_EQ(names(m, m.parts[0]), (std::vector<std::string>{"mm"}));
}

TEST(GraphArguments, AreSplitAtTheirOuterCommasOnly) {
  const auto a = split_arguments("self=x, size=[1, 2], mode=\"a, \\\"b=c\", 3.5, dtype=float32");
  ASSERT_EQ(a.size(), 5u);
  EXPECT_EQ(a[0].name, "self");
  EXPECT_EQ(a[1].text, "[1, 2]");
  EXPECT_EQ(a[2].text, "\"a, \\\"b=c\"");
  EXPECT_EQ(a[3].name, "");
  EXPECT_EQ(a[4].text, "float32");
  EXPECT_TRUE(split_arguments("").empty());
  const auto ids = identifiers("[x, 1e5, \"y\", s0_1 + 2]");
  EXPECT_EQ(ids, (std::vector<std::string_view>{"x", "s0_1"}));
}

TEST(GraphDot, ColoursByCostAndKeepsNamesApart) {
  ExportStore x;
  const int64_t n = x.node("a\"b\\", "aten.add.Tensor", "self=x");
  x.run("UPDATE raw_node SET module_path = " + std::to_string(x.store.intern("block.conv")));
  const int64_t b = x.block();
  const int64_t o = x.op(b, {.name = "OPERATOR_CALL", .instruction = 0});
  x.sample(o, x.execution(b), 0, 100);
  x.link(o, n);
  x.finish();
  const std::string dot = graph_of(x.store, {.format = "dot"});
  EXPECT_NE(dot.find("a\\\"b\\\\"), std::string::npos) << dot;
  EXPECT_NE(dot.find("fillcolor=\"#e6503c\""), std::string::npos) << "the hottest node is red\n" << dot;
  EXPECT_NE(dot.find("label=\"block.conv\""), std::string::npos) << dot;
  EXPECT_NE(dot.find("(100.0%)"), std::string::npos) << dot;
}

TEST(GraphDot, DelegatesAreClustersWhenTheyColourTheGraph) {
  ExportStore x;
  fill_graph(&x);
  const std::string dot = graph_of(x.store, {.format = "dot", .color_by = "delegate"});
  EXPECT_NE(dot.find("label=\"lowered_module_0 XnnpackBackend"), std::string::npos) << dot;
  EXPECT_NE(dot.find("label=\"float32[2, 3]\""), std::string::npos) << dot;
}

TEST(GraphSvg, IsDrawnOrSaysWhatToInstall) {
  ExportStore x;
  fill_graph(&x);
  std::ostringstream out;
  const Status s = write_graph(x.store, 1, {.format = "svg"}, out);
  if (s.ok()) {
    EXPECT_NE(out.str().find("</svg>"), std::string::npos);
    EXPECT_NE(out.str().find("aten.relu.default"), std::string::npos);
  } else {
    EXPECT_EQ(s.code(), Error::NotSupported);
    EXPECT_NE(s.message().find("libgraphviz-dev"), std::string::npos) << s.message();
  }
}

TEST(GraphReport, SaysWhatThereIsWhenAskedForSomethingElse) {
  ExportStore x;
  std::ostringstream out;
  Status s = write_graph(x.store, 1, {}, out);
  EXPECT_EQ(s.code(), Error::NotFound);
  EXPECT_NE(s.message().find("ETRecord"), std::string::npos) << s.message();
  fill_graph(&x);
  s = write_graph(x.store, 1, {.method = "encode"}, out);
  EXPECT_EQ(s.code(), Error::InvalidArgument);
  EXPECT_NE(s.message().find("forward"), std::string::npos) << s.message();
  EXPECT_EQ(write_graph(x.store, 1, {.format = "png"}, out).code(), Error::InvalidArgument);
  EXPECT_EQ(write_graph(x.store, 1, {.color_by = "age"}, out).code(), Error::InvalidArgument);
  EXPECT_EQ(write_graph(x.store, 1, {.graph = "other"}, out).code(), Error::InvalidArgument);
  EXPECT_EQ(write_graph(x.store, 5, {}, out).code(), Error::NotFound);
}

// A store may claim anything: values that read each other, bodies inside of themselves.
TEST(GraphReport, ACircleInTheGraphEnds) {
  ExportStore x;
  x.node("a", "aten.add.Tensor", "self=b, other=c");
  x.node("b", "aten.add.Tensor", "self=a");
  x.node("c", "higher_order.cond", "c, c");
  x.node("d", "higher_order.cond", "c", "", 0, {}, "", "c");
  x.node("e", "higher_order.cond", "c", "", 0, {}, "", "c/c");
  x.finish();
  for (const char* format : {"text", "dot"}) EXPECT_FALSE(graph_of(x.store, {.format = format}).empty());
}

}  // namespace
}  // namespace et::inspector
