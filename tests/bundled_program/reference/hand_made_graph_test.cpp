// Graphs that no artefact has: written here as the ETRecord's JSON.
#include <gtest/gtest.h>

#include "bundled_program/cases/tensor_value.h"
#include "bundled_program/reference/reference_run.h"
#include "runtime/module/log_capture.h"
#include "tests/etrecord/support.h"

namespace et::reference {
namespace {

using etrecord::test::Bytes;

std::string tensor(const std::string& name) { return R"({"as_tensor": {"name": ")" + name + R"("}})"; }
std::string argument(const std::string& name, const std::string& value) {
  return R"({"name": ")" + name + R"(", "arg": )" + value + "}";
}
std::string node(const std::string& name, const std::string& target, const std::string& inputs,
                 const std::string& outputs) {
  return R"({"name": ")" + name + R"(", "target": ")" + target + R"(", "inputs": [)" + inputs + R"(], "outputs": [)" +
         outputs + R"(], "metadata": {}})";
}
std::string edge(const std::string& op) { return "executorch.exir.dialects.edge.ops." + op; }

/// `shape` and `strides`: SymInts as JSON.
std::string meta(const std::string& name, int dtype, const std::string& shape, const std::string& strides) {
  return "\"" + name + R"(": {"dtype": )" + std::to_string(dtype) + R"(, "sizes": [)" + shape + R"(], "strides": [)" +
         strides +
         R"(], "requires_grad": false, "device": {"type": "cpu"}, "storage_offset": {"as_int": 0}, "layout": 7})";
}
constexpr int kLong = 5, kFloat = 7, kBool = 12;  // as the ETRecord numbers them
std::string vector(const std::string& name, int dtype, const std::string& size) {
  return meta(name, dtype, size, R"({"as_int": 1})");
}
std::string scalar(const std::string& name, int dtype) { return meta(name, dtype, "", ""); }
const char* const kThree = R"({"as_int": 3})";

std::string graph(const std::string& inputs, const std::string& outputs, const std::string& nodes,
                  const std::string& tensors, const std::string& sym_ints = "") {
  return R"({"inputs": [)" + inputs + R"(], "outputs": [)" + outputs + R"(], "nodes": [)" + nodes +
         R"(], "tensor_values": {)" + tensors + R"(}, "sym_int_values": {)" + sym_ints +
         R"(}, "sym_bool_values": {}, "is_single_tensor_return": false, "custom_obj_values": {}})";
}

/// A record with one graph, whose single input x is float32[3] and whose outputs are these tensors.
class HandMadeGraph : public testing::Test {
 protected:
  void open(const std::string& graph_text, const std::vector<std::string>& outputs, const Limits& limits = {}) {
    std::string specs;
    for (const std::string& name : outputs) {
      specs += (specs.empty() ? "" : ", ") + (R"({"user_output": {"arg": )" + tensor(name) + "}}");
    }
    const std::string program =
        R"({"graph_module": {"graph": )" + graph_text + R"(, "signature": {"input_specs": [{"user_input": {"arg": )" +
        tensor("x") + R"(}}], "output_specs": [)" + specs +
        R"(]}, "module_call_graph": []}, "opset_version": {"aten": 10}, "range_constraints": {}, "schema_version": )"
        R"({"major": 5, "minor": 4}, "dialect": "", "verifiers": ["EDGE"]})";
    etrecord::test::ZipBuilder zip;
    zip.add("ETRECORD_V0", "").add("edge_dialect_exported_program/forward", program);
    zip.add("debug_handle_map", R"({"forward": {}})");
    file_ = zip.finish();
    Status s = etrecord::Record::open(file_, "hand.bin", &record_);
    ASSERT_TRUE(s.ok()) << s.message();
    s = ReferenceRun::open(record_, "forward", limits, &run_);
    ASSERT_TRUE(s.ok()) << s.message();
    capture_errors();
  }
  Status run(const std::vector<float>& x, RunResult* result) {
    const bundled::OwnedTensor input(ScalarType::Float, {static_cast<int32_t>(x.size())},
                                     {reinterpret_cast<const uint8_t*>(x.data()), x.size() * sizeof(float)});
    const bundled::Value value = bundled::tensor_value(input.value);
    return run_->run({&value, 1}, {}, result);
  }
  template <class T>
  std::vector<T> values(const GraphValue& value) {
    const Tensor t = value.tensor->tensor();
    return {t.const_data_ptr<T>(), t.const_data_ptr<T>() + t.numel()};
  }

  Bytes file_;
  etrecord::Record record_;
  std::unique_ptr<ReferenceRun> run_;
};

std::string doubling_loop(const std::string& limit) {
  const std::string condition = graph(
      tensor("x"), tensor("lt"),
      node("s", edge("aten.sum.dim_IntList"),
           argument("self", tensor("x")) + ", " + argument("dim", R"({"as_ints": []})"), tensor("s")) +
          ", " +
          node("lt", edge("aten.lt.Scalar"),
               argument("self", tensor("s")) + ", " + argument("other", R"({"as_int": )" + limit + "}"), tensor("lt")),
      vector("x", kFloat, kThree) + ", " + scalar("s", kFloat) + ", " + scalar("lt", kBool));
  const std::string body =
      graph(tensor("x"), tensor("d"),
            node("d", edge("aten.add.Tensor"), argument("self", tensor("x")) + ", " + argument("other", tensor("x")),
                 tensor("d")),
            vector("x", kFloat, kThree) + ", " + vector("d", kFloat, kThree));
  return graph(
      tensor("x"), tensor("y"),
      node("loop", "torch.ops.higher_order.while_loop",
           argument("", R"({"as_graph": {"name": "condition", "graph": )" + condition + "}}") + ", " +
               argument("", R"({"as_graph": {"name": "body", "graph": )" + body + "}}") + ", " +
               argument("", R"({"as_tensors": [{"name": "x"}]})") + ", " + argument("", R"({"as_tensors": []})"),
           R"({"as_tensors": [{"name": "y"}]})"),
      vector("x", kFloat, kThree) + ", " + vector("y", kFloat, kThree));
}

TEST_F(HandMadeGraph, AWhileLoopRunsUntilItsConditionIsFalse) {
  ASSERT_NO_FATAL_FAILURE(open(doubling_loop("100"), {"y"}));
  RunResult result;
  const Status s = run({1, 2, 4}, &result);
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_EQ(values<float>(result.outputs.at(0)), (std::vector<float>{16, 32, 64}));
}

TEST_F(HandMadeGraph, AnEndlessLoopEnds) {
  Limits limits;
  limits.max_steps = 1000;
  ASSERT_NO_FATAL_FAILURE(open(doubling_loop("100"), {"y"}, limits));
  RunResult result;
  EXPECT_EQ(run({0, 0, 0}, &result).code(), Error::OutOfResources);
  limits = Limits();
  limits.max_seconds = 0.05;
  ASSERT_NO_FATAL_FAILURE(open(doubling_loop("100"), {"y"}, limits));
  const Status s = run({0, 0, 0}, &result);
  EXPECT_EQ(s.code(), Error::OutOfResources);
  EXPECT_NE(s.message().find("longer than"), std::string::npos) << s.message();
}

// Sizes that values decide: x[0] as a number n, arange(2 n + 1), and what is not 0 in x.
TEST_F(HandMadeGraph, NumbersAndSizesComeFromValues) {
  const std::string u = R"({"as_expr": {"expr_str": "2*u0 + 1"}})";
  const std::string v = R"({"as_expr": {"expr_str": "u1"}})";
  const std::string nodes =
      node("first", edge("aten.select_copy.int"),
           argument("self", tensor("x")) + ", " + argument("dim", R"({"as_int": 0})") + ", " +
               argument("index", R"({"as_int": 0})"),
           tensor("first")) +
      ", " +
      node("whole", edge("aten._to_copy.default"),
           argument("self", tensor("first")) + ", " + argument("dtype", R"({"as_scalar_type": 5})"), tensor("whole")) +
      ", " +
      node("n", "torch.ops.aten._local_scalar_dense.default", argument("self", tensor("whole")),
           R"({"as_sym_int": {"as_name": "n"}})") +
      ", " +
      node("twice", "_operator.mul",
           argument("a", R"({"as_sym_int": {"as_name": "n"}})") + ", " + argument("b", R"({"as_int": 2})"),
           R"({"as_sym_int": {"as_name": "twice"}})") +
      ", " +
      node("size", "_operator.add",
           argument("a", R"({"as_sym_int": {"as_name": "twice"}})") + ", " + argument("b", R"({"as_int": 1})"),
           R"({"as_sym_int": {"as_name": "size"}})") +
      ", " +
      node("range", edge("aten.arange.start_step"),
           argument("start", R"({"as_int": 0})") + ", " + argument("end", R"({"as_sym_int": {"as_name": "size"}})"),
           tensor("range")) +
      ", " + node("where", edge("aten.nonzero.default"), argument("self", tensor("x")), tensor("where"));
  const std::string sizes = R"("n": {"as_expr": {"expr_str": "u0"}}, "twice": {"as_expr": {"expr_str": "2*u0"}}, )"
                            R"("size": )" +
                            u;
  ASSERT_NO_FATAL_FAILURE(
      open(graph(tensor("x"), tensor("range") + ", " + tensor("where"), nodes,
                 vector("x", kFloat, kThree) + ", " + scalar("first", kFloat) + ", " + scalar("whole", kLong) + ", " +
                     vector("range", kLong, u) + ", " +
                     meta("where", kLong, v + R"(, {"as_int": 1})", R"({"as_int": 1}, {"as_int": 1})"),
                 sizes),
           {"range", "where"}));
  RunResult result;
  Status s = run({2, 0, 5}, &result);
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_EQ(values<int64_t>(result.outputs.at(0)), (std::vector<int64_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(values<int64_t>(result.outputs.at(1)), (std::vector<int64_t>{0, 2}));
  s = run({-7, 0, 5}, &result);
  EXPECT_EQ(s.code(), Error::InvalidProgram);
  EXPECT_NE(s.message().find("node range"), std::string::npos) << s.message();
  s = run({1e18F, 0, 5}, &result);
  EXPECT_FALSE(s.ok());
}

TEST_F(HandMadeGraph, WhatCannotBeRunIsNamed) {
  struct Case {
    std::string nodes;
    Error code;
    const char* says;
  };
  const std::string x = argument("self", tensor("x"));
  const Case cases[] = {
      {node("y", edge("aten.no_such_operator.default"), x, tensor("y")), Error::OperatorMissing,
       "node y (aten.no_such_operator.default): there is no kernel"},
      {node("y", edge("aten.permute_copy.default"), x, tensor("y")), Error::InvalidProgram, "argument dims is missing"},
      {node("y", edge("aten.neg.default"), argument("self", tensor("z")), tensor("y")), Error::InvalidProgram,
       "no value named z"},
      {node("y", edge("aten.neg.default"), argument("self", R"({"as_string": "x"})"), tensor("y")),
       Error::InvalidProgram, "argument self"},
      {node("y", edge("aten.neg.default"), x, tensor("y") + ", " + tensor("x")), Error::InvalidProgram, "2 outputs"},
      {node("y", edge("aten.neg.default"), x, tensor("unknown")), Error::InvalidProgram,
       "the graph does not say what tensor unknown is"},
      {node("y", "_operator.floordiv", argument("a", R"({"as_int": 1})") + ", " + argument("b", R"({"as_int": 0})"),
            R"({"as_sym_int": {"as_name": "y"}})"),
       Error::InvalidProgram, "node y"},
      {node("y", "torch.ops.higher_order.cond", argument("", tensor("x")), tensor("y")), Error::InvalidProgram,
       "the condition"},
      {node("y", edge("aten.select_copy.int"),
            x + ", " + argument("dim", R"({"as_int": 5})") + ", " + argument("index", R"({"as_int": 0})"), tensor("y")),
       Error::InvalidArgument, "node y"},
  };
  for (const Case& c : cases) {
    ASSERT_NO_FATAL_FAILURE(
        open(graph(tensor("x"), tensor("y"), c.nodes, vector("x", kFloat, kThree) + ", " + vector("y", kFloat, kThree)),
             {"y"}));
    RunResult result;
    const Status s = run({1, 2, 3}, &result);
    EXPECT_EQ(s.code(), c.code) << s.message();
    EXPECT_NE(s.message().find(c.says), std::string::npos) << s.message();
  }
  EXPECT_EQ(run_->missing_operators(), std::vector<std::string>());
  ASSERT_NO_FATAL_FAILURE(open(graph(tensor("x"), tensor("y"), cases[0].nodes, vector("x", kFloat, kThree)), {"y"}));
  EXPECT_EQ(run_->missing_operators(), std::vector<std::string>{"aten.no_such_operator.default"});
}

struct WholeOperator {
  const char* op;
  std::string more;  // arguments
  std::vector<float> y;
};

// What to_edge_transform_and_lower leaves whole; numbers are torch's.
TEST_F(HandMadeGraph, OperatorsThatAreKeptWholeAreWorkedOut) {
  const std::string dim = ", " + argument("dim", R"({"as_int": 0})");
  const WholeOperator operators[] = {
      {"aten.hardswish.default", "", {0, -1.0F / 3, 5.0F / 3}},
      {"aten.hardsigmoid.default", "", {0, 1.0F / 3, 5.0F / 6}},
      {"aten.silu.default", "", {-0.07194484F, -0.26894143F, 1.7615942F}},
      {"aten.mish.default", "", {-0.07259175F, -0.30340144F, 1.9439589F}},
      {"aten.selu.default", "", {-1.7258985F, -1.1113307F, 2.101402F}},
      {"aten.celu.default", ", " + argument("alpha", R"({"as_float": 0.5})"), {-0.49983227F, -0.43233237F, 2}},
      {"aten.softmax.int", dim, {0.0023556F, 0.0473142F, 0.9503302F}},
      {"aten.log_softmax.int", dim, {-6.0509458F, -3.0509458F, -0.0509458F}},
      {"aten.prelu.default", ", " + argument("weight", tensor("w")), {-4, -1, 2}},
      {"aten.pad.default", ", " + argument("pad", R"({"as_ints": [0, 0]})"), {-4, -1, 2}},
      {"aten.reshape.default", ", " + argument("shape", R"({"as_ints": [3]})"), {-4, -1, 2}},
      {"aten.layer_norm.default",
       ", " + argument("normalized_shape", R"({"as_ints": [3]})"),
       {-1.2247438F, 0, 1.2247438F}},
  };
  for (const WholeOperator& o : operators) {
    const bool slope = std::string(o.op).find("prelu") != std::string::npos;
    const std::string ones =
        slope ? node("w", edge("aten.full.default"),
                     argument("size", R"({"as_ints": [1]})") + ", " + argument("fill_value", R"({"as_float": 1.0})"),
                     tensor("w")) +
                    ", "
              : std::string();
    ASSERT_NO_FATAL_FAILURE(
        open(graph(tensor("x"), tensor("y"),
                   ones + node("y", edge(o.op),
                               argument(std::string(o.op).find("layer_norm") != std::string::npos ? "input" : "self",
                                        tensor("x")) +
                                   o.more,
                               tensor("y")),
                   vector("x", kFloat, kThree) + ", " + vector("y", kFloat, kThree) + ", " +
                       vector("w", kFloat, R"({"as_int": 1})")),
             {"y"}));
    EXPECT_TRUE(run_->missing_operators().empty()) << o.op;
    RunResult result;
    const Status s = run({-4, -1, 2}, &result);
    ASSERT_TRUE(s.ok()) << o.op << ": " << s.message();
    const std::vector<float> y = values<float>(result.outputs.at(0));
    for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(y[i], o.y[i], 1e-5) << o.op << " " << i;
  }
}

}  // namespace
}  // namespace et::reference
