// TOSA operators lead to the graph's nodes, with and without the locations that the export may keep.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "inspector/ingest/payloads/link_payloads.h"
#include "inspector/ingest/payloads/tosa/tosa_kind.h"

namespace et::inspector {
namespace {

struct Lowered {
  Lowered(const std::string& program_path, const std::string& record_path, bool locations) {
    EXPECT_TRUE(Store::open("", Store::Mode::Memory, &store).ok());
    inputs.program = std::string(ET_FIXTURES) + program_path;
    inputs.record = std::string(ET_FIXTURES) + record_path;
    EXPECT_TRUE(program.load(context).ok());
    EXPECT_TRUE(record.load(context).ok());
    for (PayloadNode& n : delegate().nodes) {
      if (!locations) n.location.clear();
    }
    link_payloads(program, record);
  }

  DelegateFacts& delegate() { return program.method("forward")->delegates[0]; }
  std::string node_of(size_t op) {
    const PayloadNode& n = delegate().nodes[op];
    return n.links.empty() ? "" : record.graph("forward")->node(n.links[0].node).name;
  }
  /// Node of the operator that makes this tensor.
  std::string maker_of(const std::string& tensor, Via* via) {
    for (size_t o = 0; o < delegate().nodes.size(); ++o) {
      const PayloadNode& n = delegate().nodes[o];
      if (!n.label.starts_with(tensor + ":") || n.links.empty()) continue;
      *via = n.links[0].via;
      return node_of(o);
    }
    return "";
  }

  Store store;
  IngestInputs inputs;
  Progress progress;
  ImportContext context{store, inputs, progress, {}, 0, false, payload_kinds()};
  ProgramImport program;
  RecordImport record;
};

constexpr const char* kProgram = "/tosa/lowered.pte";
constexpr const char* kRecord = "/tosa/lowered.etrecord";

// The lowering numbers names anew: its aten_convolution_default is the graph's first linear layer.
TEST(LinkTosa, NamesOfTheLoweringAreNotTakenForThoseOfTheGraph) {
  Lowered l(kProgram, kRecord, false);
  Via via{};
  EXPECT_EQ(l.maker_of("tosa_conv2d_default", &via), "aten_linear_default");
  EXPECT_EQ(via, Via::PayloadNode) << "its bias has the name of the graph's parameter";
  EXPECT_EQ(l.maker_of("tosa_depthwise_conv2d_default", &via), "aten_convolution_default");
  EXPECT_EQ(l.maker_of("tosa_conv2d_default_1", &via), "aten_linear_default_1");
  EXPECT_EQ(l.maker_of("tosa_conv2d_default_2", &via), "aten_convolution_default_1");
}

TEST(LinkTosa, OrderAndDataFlowTellEqualOperatorsApart) {
  Lowered l(kProgram, kRecord, false);
  Via via{};
  EXPECT_EQ(l.maker_of("tosa_exp_default", &via), "aten_exp_default");
  EXPECT_EQ(via, Via::Dataflow);
  EXPECT_EQ(l.maker_of("tosa_exp_default_1", &via), "aten_exp_default_1");
  EXPECT_EQ(l.maker_of("tosa_exp_default_2", &via), "aten__softmax_default");
  EXPECT_EQ(l.maker_of("tosa_reciprocal_default", &via), "aten__softmax_default");
}

// What the export knows is the measure: only layout changes, which passes move about, may be charged to a neighbour.
TEST(LinkTosa, AgreesWithTheLocationsOfTheExport) {
  Lowered without(kProgram, kRecord, false), with(kProgram, kRecord, true);
  size_t compared = 0, exact = 0;
  for (size_t o = 0; o < with.delegate().nodes.size(); ++o) {
    const PayloadNode& n = with.delegate().nodes[o];
    if (n.type.starts_with("CONST") || n.type == "RESHAPE" || n.type == "TRANSPOSE") continue;
    EXPECT_EQ(without.node_of(o), with.node_of(o)) << "operator " << o << ", " << n.label;
    EXPECT_FALSE(with.node_of(o).empty()) << "operator " << o;
    ++compared;
    exact += !n.links.empty() && n.links[0].via == Via::PayloadNode ? 1 : 0;
  }
  EXPECT_EQ(compared, 14u);
  EXPECT_EQ(exact, compared);
}

TEST(LinkTosa, ScalingsGoWithWhatTheyFinishOrPrepare) {
  Lowered l("/artifacts/tosa_int8/program.pte", "/artifacts/tosa_int8/etrecord.bin", false);
  Via via{};
  EXPECT_EQ(l.maker_of("tosa_rescale_default_1", &via), "aten_convolution_default") << "INT32 to INT8 behind it";
  EXPECT_EQ(via, Via::Dataflow);
  EXPECT_EQ(l.maker_of("tosa_rescale_default_6", &via), "aten_add_tensor") << "INT8 to INT32 before it";
  EXPECT_EQ(l.maker_of("tosa_rescale_default_12", &via), "aten_linear_default");
  for (size_t o = 0; o < l.delegate().nodes.size(); ++o) {
    if (l.delegate().nodes[o].type.starts_with("CONST")) continue;
    EXPECT_NE(l.node_of(o), "") << o;
  }
}

// The quantisation around the delegate runs in kernels, whatever handle it shares.
TEST(LinkTosa, WhatStandsOutsideIsNotLinked) {
  Lowered l("/artifacts/tosa_int8/program.pte", "/artifacts/tosa_int8/etrecord.bin", false);
  for (const PayloadNode& n : l.delegate().nodes) {
    for (const Link& k : n.links) {
      const std::string& name = l.record.graph("forward")->node(k.node).name;
      EXPECT_NE(name, "quantized_decomposed_quantize_per_tensor_default");
      EXPECT_NE(name, "quantized_decomposed_dequantize_per_tensor_default_11");
    }
  }
}

// A record of another model: fewer links, no wrong memory.
TEST(LinkTosa, RecordOfAnotherModel) {
  Lowered l("/artifacts/tosa_int8/program.pte", kRecord, true);
  for (const PayloadNode& n : l.delegate().nodes) {
    for (const Link& k : n.links) {
      EXPECT_LT(static_cast<size_t>(k.node), l.record.graph("forward")->program->nodes.size());
    }
  }
}

TEST(TosaOrigin, ReadsTheNewestStepOnly) {
  TosaOrigin o;
  EXPECT_TRUE(tosa_origin(
      R"({"torch_info": {"node_trace": [{"name": "mul", "graph_id": 5}, {"name": "x", "graph_id": 6}]}})", &o));
  EXPECT_EQ(o.name, "mul");
  EXPECT_EQ(o.graph_id, 5);
  for (const char* bad :
       {"", "{", "[]", R"({"torch_info": {"node_trace": "No node trace available."}})",
        R"({"torch_info": {"node_trace": []}})", R"({"torch_info": {"node_trace": [{"name": 1}]}})"}) {
    EXPECT_FALSE(tosa_origin(bad, &o)) << bad;
  }
}

}  // namespace
}  // namespace et::inspector
