// What findings once said and a reader of the model called wrong: each has a test that it is said no more, and that the
// rule still speaks where it is right.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "inspector/analysis/advice/consumers.h"
#include "inspector/analysis/advice/slow_shapes.h"
#include "tests/inspector/analysis/advised.h"

namespace et::inspector {
namespace {

using test::Advised;

bool says(const Advice* a, const std::string& text) {
  return a != nullptr && a->what_to_do.find(text) != std::string::npos;
}

// Events of whole microseconds are cut: three of them may hide almost 3 µs of work.
TEST(AdviceWrongOnce, WorkThatIsCutToWholeMicrosecondsIsNoCostOfCalling) {
  EXPECT_EQ(Advised("partial_delegation").of("small-delegates"), nullptr);
  const Advised exact("partial_delegation", {"UPDATE raw_op SET resolution_limited = 0"});
  ASSERT_NE(exact.of("small-delegates"), nullptr);
  EXPECT_EQ(exact.of("small-delegates")->text.find("at least"), std::string::npos);
  // Far above what the cut can hide.
  const Advised large(
      "partial_delegation",
      {"UPDATE raw_op_cost SET warm_median = warm_median + 30000 WHERE op IN (SELECT id FROM raw_op WHERE "
       "kind = 'delegate_call')"});
  ASSERT_NE(large.of("small-delegates"), nullptr);
  EXPECT_NE(large.of("small-delegates")->text.find("at least "), std::string::npos)
      << large.of("small-delegates")->text;
}

// The exporter keeps aten.full and what starts from it: its option does not help there.
TEST(AdviceWrongOnce, WhatTheExporterDoesNotFoldIsNotToldToBeFolded) {
  const Advised full("lstm_xnnpack");
  EXPECT_TRUE(says(full.of("constant-work"), "register_buffer")) << full.of("constant-work")->what_to_do;
  EXPECT_FALSE(says(full.of("constant-work"), "do_quant_fusion_and_const_prop"));
  const Advised transposed("external_weights");
  EXPECT_TRUE(says(transposed.of("constant-work"), "do_quant_fusion_and_const_prop"));
  EXPECT_FALSE(says(transposed.of("constant-work"), "register_buffer"));
  const Advised both("lstm");
  EXPECT_TRUE(says(both.of("constant-work"), "do_quant_fusion_and_const_prop"));
  EXPECT_TRUE(says(both.of("constant-work"), "register_buffer"));
}

/// Operators of the nodes that compute the same in every execution.
std::set<std::string> constant_operators(const Advised& a) {
  AdviceContext c(a.in.store, a.shown);
  std::set<std::string> out;
  for (size_t m = 0; m < c.maps().size(); ++m) {
    for (const ConstantNode& n : c.constant_nodes(m)) out.insert(c.graphs()[m].nodes[n.node].op);
  }
  return out;
}

// Weights are dequantised in each execution on purpose.
TEST(AdviceWrongOnce, DequantisedWeightsAreNoConstantWork) {
  EXPECT_EQ(constant_operators(Advised("quantised_portable")), std::set<std::string>{});
  const char* const kOther =
      "UPDATE raw_node SET op = 'aten.relu.default' WHERE op LIKE 'quantized_decomposed.dequantize_per_channel%'";
  EXPECT_TRUE(constant_operators(Advised("quantised_portable", {kOther})).contains("aten.relu.default"));
}

// What a delegate's call gives, and the size of an input, have names that are no value of the graph.
TEST(AdviceWrongOnce, WhatIsNoKnownConstantIsNone) {
  EXPECT_TRUE(constant_operators(Advised("lstm_xnnpack")).contains("aten.full.default"));
  for (const char* const shape : {"[s27, 1, 8]", "getitem_4"}) {
    const std::string change = "UPDATE raw_node SET arguments = 'size=" + std::string(shape) +
                               ", fill_value=0.0, dtype=float32, layout=strided' WHERE op = "
                               "'aten.full.default'";
    EXPECT_FALSE(constant_operators(Advised("lstm_xnnpack", {change})).contains("aten.full.default")) << shape;
  }
  const char* const kWords =
      "UPDATE raw_node SET arguments = 'size=[2, 1, 8], fill_value=-inf, dtype=float32, layout=None, pin_memory=False' "
      "WHERE op = 'aten.full.default'";
  EXPECT_TRUE(constant_operators(Advised("lstm_xnnpack", {kWords})).contains("aten.full.default"));
}

// A model that is one call has no breaks to close.
TEST(AdviceWrongOnce, OneCallIsNotSmall) {
  const Advised a(
      "external_weights_xnnpack",
      {"UPDATE raw_op_cost SET warm_median = warm_median + 90000 WHERE op IN (SELECT id FROM raw_op WHERE kind "
       "= 'delegate_call')"});
  EXPECT_EQ(a.of("small-delegates"), nullptr);
}

TEST(AdviceWrongOnce, AnAttentionIsToldHowItIsExportedWithoutItsCheck) {
  // One cause, one finding: where, eq, any, logical_not, full_like, and the copies and scales of its products.
  const Advised a("nanogpt_xnnpack_qd4");
  const Advice* const attention = a.of("safe-softmax");
  ASSERT_NE(attention, nullptr);
  double sum = 0;
  std::set<std::string> operators;
  for (const AdviceItem& item : attention->items) {
    sum += item.ns;
    operators.insert(item.title);
  }
  EXPECT_NEAR(sum, attention->facts[0].value, 1e-6 * sum);
  for (const char* op : {"aten.where.self", "aten.eq.Scalar", "aten.any.dim", "aten.logical_not", "aten.full_like",
                         "aten.expand_copy", "aten.mul.Scalar"})
    EXPECT_TRUE(operators.contains(op)) << op;
  EXPECT_TRUE(says(attention, "torch.bmm(torch.softmax("));
  for (const Advice& advice : a.advice) {
    if (&advice == attention) continue;
    EXPECT_FALSE(says(&advice, "scaled_dot_product_attention")) << advice.title;
    for (const AdviceItem& item : advice.items) {
      const bool same = std::any_of(attention->items.begin(), attention->items.end(), [&](const AdviceItem& i) {
        return !i.place.node.empty() && i.place.node == item.place.node;
      });
      EXPECT_FALSE(same) << advice.title << ": " << item.place.node;
    }
  }
  // A mask that is no attention's.
  const Advised other("nanogpt_xnnpack_qd4",
                      {"UPDATE raw_node SET op = 'aten.amax.default' WHERE op = 'aten.any.dim'"});
  for (const Advice& advice : other.advice) EXPECT_FALSE(says(&advice, "scaled_dot_product_attention")) << advice.title;
}

TEST(AdviceWrongOnce, AnOperatorOnConstantsIsNotThePartitioners) {
  const char* const kConstant =
      "UPDATE raw_node SET arguments = replace(arguments, 'self=aten_relu_default', 'self=p_conv_weight') WHERE op = "
      "'aten.mean.dim'";
  const Advised a("partial_delegation", {kConstant});
  for (const Advice& advice : a.advice) {
    if (advice.id != "undelegated-operator") continue;
    EXPECT_EQ(advice.title.find("aten.mean"), std::string::npos);
  }
  ASSERT_NE(a.of("constant-work"), nullptr);
}

TEST(AdviceWrongOnce, EmbeddingsCannotBeWrittenWithOtherOperators) {
  const Advised a("partial_delegation",
                  {"UPDATE raw_node SET op = 'aten.embedding.default' WHERE op = 'aten.mean.dim'"});
  bool found = false;
  for (const Advice& advice : a.advice) {
    if (advice.title.find("aten.embedding") != 0) continue;
    found = true;
    EXPECT_TRUE(says(&advice, "copies rows")) << advice.what_to_do;
  }
  EXPECT_TRUE(found);
}

// A comparison that counts selects nothing.
TEST(AdviceWrongOnce, AComparisonAloneIsNoMask) {
  const auto advice_of = [](const char* replaced, const char* by) {
    const Advised a("partial_delegation",
                    {"UPDATE raw_node SET op = 'aten.gt.Scalar' WHERE op = '" + std::string(replaced) + "'",
                     "UPDATE raw_node SET op = '" + std::string(by) + "' WHERE op = 'aten.cumsum.default'"});
    for (const Advice& advice : a.advice) {
      if (advice.title.find("aten.gt") == 0) return advice.what_to_do;
    }
    return std::string();
  };
  EXPECT_EQ(advice_of("aten.mean.dim", "aten.cumsum.default").find("masks"), std::string::npos);
  EXPECT_NE(advice_of("aten.mean.dim", "aten.cumsum.default").find("Write the module"), std::string::npos);
  EXPECT_NE(advice_of("aten.mean.dim", "aten.where.self").find("masks"), std::string::npos);
  EXPECT_NE(advice_of("aten.upsample_nearest2d.vec", "aten.where.self").find("at the beginning"), std::string::npos);
}

// A loop takes a row of its input for each trip: no layout of the model's.
TEST(AdviceWrongOnce, CopiesOfALoopAreNoChoiceOfTheModel) {
  EXPECT_EQ(Advised("control_flow_map").of("data-movement"), nullptr);
}

TEST(AdviceWrongOnce, CopiesAreTalkedOfByWhatMakesThem) {
  EXPECT_TRUE(says(Advised("dynamic_shapes_bounded").of("data-movement"), "copies all that it joins"));
  // Without the check that makes its copies another finding's.
  EXPECT_TRUE(
      says(Advised("nanogpt_xnnpack_qd4", {"UPDATE raw_node SET op = 'aten.amax.default' WHERE op = 'aten.any.dim'"})
               .of("data-movement"),
           "torch.bmm"));
  EXPECT_TRUE(says(Advised("dtypes").of("data-movement"), "one dtype"));
  // Between two delegates the partitioner could take them, but not an expand.
  EXPECT_TRUE(says(Advised("lstm_xnnpack").of("data-movement"), "Have the partitioner take the copies"));
}

// The delegate begins at the convolution, its result is what the ReLU makes.
TEST(AdviceWrongOnce, ADelegatesTensorStandsAtTheNodeThatMakesIt) {
  const Advised a("partial_delegation", {"UPDATE raw_planned_tensor SET bytes = 4194304 WHERE value = 4",
                                         "UPDATE raw_arena SET bytes = bytes + 4194304"});
  const Advice* const peak = a.of("peak-tensor");
  ASSERT_NE(peak, nullptr);
  EXPECT_EQ(peak->place.node, "aten_relu_default") << peak->text;
  EXPECT_EQ(peak->place.instruction, 1);
  EXPECT_FALSE(says(peak, "made of constants"));
}

// The option of to_executorch folds nothing that a delegate has taken.
TEST(AdviceWrongOnce, WhatADelegateMakesOfConstantsIsFoldedBeforeLowering) {
  const std::vector<std::string> large = {"UPDATE raw_planned_tensor SET bytes = 4194304 WHERE value = 4",
                                          "UPDATE raw_arena SET bytes = bytes + 4194304",
                                          "UPDATE raw_node SET arguments = 'self=p_conv_weight' WHERE op = "
                                          "'aten.relu.default' AND name = 'aten_relu_default'"};
  const Advised a("partial_delegation", large);
  EXPECT_TRUE(says(a.of("peak-tensor"), "constant_prop_pass"));
  EXPECT_FALSE(says(a.of("peak-tensor"), "to_executorch"));
  // Another node of the same call that is made of constants is not the tensor's.
  std::vector<std::string> other = large;
  other.back() =
      "UPDATE raw_node SET arguments = 'input=p_conv_weight, weight=p_conv_weight' WHERE name = "
      "'aten_convolution_default'";
  other.push_back("UPDATE raw_node SET arguments = 'self=x' WHERE name = 'aten_relu_default'");
  EXPECT_FALSE(says(Advised("partial_delegation", other).of("peak-tensor"), "made of constants"));
}

// It need not have been a linear layer, which a newer release would keep whole: a masked weight is no constant either.
TEST(AdviceWrongOnce, AWeightThatIsWorkedOutIsMadeAConstantBeforeLowering) {
  const Advised a(
      "partial_delegation",
      {"UPDATE raw_node SET op = 'aten.mm.default', arguments = 'self=aten_relu_default, mat2=t' WHERE op = "
       "'aten.mean.dim'",
       "UPDATE raw_node SET name = 't', op = 'aten.permute_copy.default', arguments = 'self=p_lin_weight, "
       "dims=[1, 0]' WHERE op = 'aten.upsample_nearest2d.vec'",
       "UPDATE raw_graph_value SET name = 't' WHERE name = 'aten_upsample_nearest2d_vec'"});
  bool found = false;
  for (const Advice& advice : a.advice) {
    if (advice.title.find("aten.mm") != 0) continue;
    found = true;
    EXPECT_TRUE(says(&advice, "constant_prop_pass(exported_program) before lowering")) << advice.what_to_do << "\n"
                                                                                       << advice.text;
  }
  EXPECT_TRUE(found);
}

// Usual times of ops may add up to more than the median execution.
TEST(AdviceWrongOnce, NoPartIsLargerThanTheExecution) {
  const Advised a("memory_pools",
                  {"UPDATE raw_op_cost SET warm_median = warm_median * 2 WHERE op IN (SELECT id FROM raw_op "
                   "WHERE kind = 'kernel')"});
  ASSERT_NE(a.of("no-delegate"), nullptr);
  // Of what the ops take together, which is more.
  EXPECT_NE(a.of("no-delegate")->text.find("98.6% of the execution"), std::string::npos) << a.of("no-delegate")->text;
  for (const Advice& advice : a.advice) {
    EXPECT_LE(advice.most_ns, a.execution());
    EXPECT_LE(advice.work_ns, advice.most_ns) << "of a part there is no more than of the whole";
    Advice at_its_roof = advice;
    at_its_roof.roof_win = 0;
    EXPECT_GE(at_its_roof.likely_ns(), 0) << advice.title;
    for (const AdviceFact& fact : advice.facts) EXPECT_TRUE(fact.unit != AdviceFact::Unit::Share || fact.value <= 1);
  }
}

// Of two operators of a type the reason of one was said of both, and advice was given in the words of one.
TEST(AdviceWrongOnce, AReasonOfOneIsNotSaidOfAll) {
  const std::string twice =
      "UPDATE raw_node SET op = 'aten.mean.dim', arguments = 'self=aten_relu_default, dim=[1], keepdim=True' WHERE op "
      "= "
      "'aten.upsample_nearest2d.vec'";
  const Advised a("partial_delegation", {twice});
  const auto two = std::find_if(a.advice.begin(), a.advice.end(),
                                [](const Advice& advice) { return advice.title.find("aten.mean.dim ×2") == 0; });
  ASSERT_NE(two, a.advice.end());
  EXPECT_NE(two->text.find("; of the costliest: XnnpackBackend takes aten.mean.dim only"), std::string::npos)
      << two->text;
  EXPECT_TRUE(says(&*two, "Write them within these limits")) << two->what_to_do;
  const Advised alone("partial_delegation");
  const Advice* const one = alone.of("undelegated-operator");
  ASSERT_NE(one, nullptr);
  EXPECT_TRUE(says(one, "Write it within these limits")) << one->what_to_do;
  EXPECT_EQ(one->text.find("of the costliest"), std::string::npos) << one->text;
}

// Copies that a closed break spares are not the operators' own time, so that the bound may exceed it: it says why.
TEST(AdviceWrongOnce, ABoundAboveTheTimeOfItsOpsSaysWhatElseGoes) {
  size_t above = 0;
  // Copies between two delegates become operators that compute, beside others that stay copies.
  const std::vector<std::string> computes = {
      "UPDATE raw_node SET op = 'aten.cumsum.default' WHERE op LIKE 'aten.split_with_sizes_copy%'",
      "UPDATE raw_instruction SET operator = 'aten::cumsum.out' WHERE operator LIKE 'aten::split_with_sizes_copy%'"};
  for (const char* const name : {"lstm_xnnpack", "nanogpt_xnnpack_qd4", "partial_delegation", "external_weights",
                                 "quantised_portable", "mobilenet_v2_035_xnnpack_int8"}) {
    const Advised a(name, computes);
    for (const Advice& advice : a.advice) {
      double ops = 0;
      for (const AdviceItem& item : advice.items) ops += item.ns;
      if (advice.items.empty() || advice.most_ns <= ops * (1 + 1e-9)) continue;
      if (advice.id == "no-delegate") {  // what goes along is in its text
        EXPECT_NE(advice.assumes.find("what it takes along"), std::string::npos) << advice.text;
        EXPECT_NE(advice.text.find("XnnpackPartitioner takes "), std::string::npos) << advice.text;
        continue;
      }
      ++above;
      EXPECT_NE(advice.assumes.find("the copies at the breaks go away"), std::string::npos) << advice.text;
    }
  }
  EXPECT_GT(above, 0U);
}

// The costliest convolutions may be the fastest: what is advised is for those that lose the most time.
TEST(AdviceWrongOnce, WhatIsFastIsNotToldWhatMakesItSlow) {
  const Advised a("mobilenet_v2_035_xnnpack_int8");
  AdviceContext c(a.in.store, a.shown);
  std::vector<RooflineRow> few, others;
  for (const RooflineRow& row : c.work().rows) {
    if (row.op != "aten.convolution.default" || !row.work.flops) continue;
    const std::string advice = what_spares(c, {&row});
    if (advice.find("With few channels") != std::string::npos) few.push_back(row);
    if (advice.find("Groups, odd sizes") != std::string::npos) others.push_back(row);
  }
  ASSERT_FALSE(few.empty() || others.empty());
  const auto total = [](const std::vector<RooflineRow>& rows, const auto& of) {
    double sum = 0;
    for (const RooflineRow& row : rows) sum += of(row);
    return sum;
  };
  const auto flops = [](const RooflineRow& row) { return *row.work.flops; };
  // Those with few channels take half of the time of the others, at a tenth of their rate.
  const double of_few = total(few, flops), of_others = total(others, flops);
  for (RooflineRow& row : few) row.ns = 1e6 * flops(row) / of_few;
  for (RooflineRow& row : others) {
    row.ns = 2e6 * flops(row) / of_others;
    row.work.flops = flops(row) * 20 * of_few / of_others;
  }
  std::vector<const RooflineRow*> rows;
  for (const RooflineRow& row : few) rows.push_back(&row);
  for (const RooflineRow& row : others) rows.push_back(&row);
  EXPECT_NE(what_spares(c, rows).find("With few channels"), std::string::npos) << what_spares(c, rows);
}

// A product of float16 weights, or of two rows, was said to read float32 weights for one row.
TEST(AdviceWrongOnce, WeightsOfHalfTheBytesAreNoFloat32) {
  const std::vector<std::string> large = {
      "UPDATE raw_graph_value SET shape = '[512, 512]' WHERE role = 'input' AND shape LIKE '[%, %]' AND kind = "
      "'parameter'",
      "UPDATE raw_node SET shape = '[512, 512]' WHERE op LIKE '%permute_copy%'",
      "UPDATE raw_graph_value SET shape = '[1, 512]' WHERE kind = 'user_input'",
      "UPDATE raw_node SET shape = '[1, 512]', arguments = replace(arguments, 'mat2=aten_permute_copy_default', "
      "'mat2=p_a_weight') WHERE op LIKE '%addmm%'"};
  EXPECT_NE(Advised("external_weights", large).of("streamed-weights"), nullptr);
  std::vector<std::string> half = large;
  half.push_back("UPDATE raw_graph_value SET dtype = 'float16'");
  half.push_back("UPDATE raw_node SET dtype = 'float16'");
  EXPECT_EQ(Advised("external_weights", half).of("streamed-weights"), nullptr);
}

// Where events last whole microseconds, what they leave out is in no op as well.
TEST(AdviceWrongOnce, WhatEventsLeaveOutIsNotAllCalling) {
  const auto unattributed = [](const std::vector<std::string>& changes) {
    const Advised a("partial_delegation", changes);
    AdviceContext c(a.in.store, a.shown);
    for (const Consumer& consumer : silent_consumers(c, a.advice)) {
      if (consumer.calls > 0) return consumer_text(consumer, a.shown);
    }
    return std::string();
  };
  EXPECT_NE(unattributed({}).find("what calling costs, and what events of whole microseconds leave out"),
            std::string::npos)
      << unattributed({});
}

// A load is measured once: one event of some milliseconds may be the scheduler's.
TEST(AdviceWrongOnce, OneInterruptionIsNoSlowLoad) {
  const std::string event =
      "UPDATE raw_op SET sum = 8000000 WHERE id = (SELECT o.id FROM raw_op o JOIN raw_block b ON b.id = o.block WHERE "
      "b.kind = 'load' AND NOT EXISTS (SELECT 1 FROM raw_op c WHERE c.parent = o.id) LIMIT 1)";
  const std::string load = "UPDATE raw_block SET total = total + 8000000 WHERE kind = 'load'";
  EXPECT_EQ(Advised("memory_pools", {event, load}).of("slow-load"), nullptr);
  const std::string all = "UPDATE raw_block SET total = total + 80000000 WHERE kind = 'load'";
  EXPECT_NE(Advised("memory_pools", {event, all}).of("slow-load"), nullptr);
}

}  // namespace
}  // namespace et::inspector
