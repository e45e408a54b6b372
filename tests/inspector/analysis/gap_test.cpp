// Values of a run against those of a reference: what belongs together, where they part, who adds error.
#include "inspector/analysis/gap/gap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "inspector/analysis/gap/dequantised.h"
#include "inspector/analysis/gap/renamed_nodes.h"
#include "inspector/report/gap_report.h"
#include "tests/inspector/analysis/imported.h"

namespace et::inspector {
namespace {

LoggedValue tensor_of(const std::string& node, std::vector<int32_t> shape, const std::vector<float>& elements) {
  LoggedValue v;
  v.name = "x.out";
  v.node = node;
  v.nodes = {node};
  v.dtype = "float32";
  v.shape = std::move(shape);
  v.data.assign(reinterpret_cast<const char*>(elements.data()), elements.size() * sizeof(float));
  return v;
}
LoggedValue row_of(const std::string& node, const std::vector<float>& elements) {
  return tensor_of(node, {static_cast<int32_t>(elements.size())}, elements);
}

/// Values that are no trace's: each of an op of its own.
class Gaps : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(Store::open("", Store::Mode::Memory, &store_).ok()); }

  static GapSide side(std::vector<LoggedValue> values, int64_t first_op = 0) {
    GapSide out;
    for (LoggedValue& v : values) {
      v.op_id = v.op_id != 0 ? v.op_id : ++first_op;
      v.instruction = first_op == 0 ? -1 : v.op_id;
    }
    out.values = std::move(values);
    return out;
  }
  Gap measure(std::vector<LoggedValue> run, std::vector<LoggedValue> reference, const GapSide* own = nullptr) {
    run_ = side(std::move(run), 100);
    reference_.values = std::move(reference);
    Gap gap;
    const Status status = measure_run(store_, 1, run_, reference_, own, options_, &gap);
    EXPECT_TRUE(status.ok()) << status.message();
    return gap;
  }

  Store store_;
  GapSide run_, reference_;
  GapOptions options_;
};

TEST_F(Gaps, TheFirstDivergenceIsTheFirstInOrder) {
  const Gap gap = measure({row_of("a", {1, 2, 3, 4}), row_of("b", {2, 4, 6, 8.1F}), row_of("c", {0, 0, 0, 9})},
                          {row_of("c", {0, 0, 0, 5}), row_of("b", {2, 4, 6, 8}), row_of("a", {1, 2, 3, 4})});
  ASSERT_EQ(gap.rows.size(), 3U);
  ASSERT_TRUE(gap.first.has_value());
  EXPECT_EQ(*gap.first, 1U);
  EXPECT_EQ(gap.rows[1].figures.worst, 3);
  EXPECT_TRUE(gap.rows[0].figures.exact());
  EXPECT_EQ(sorted_rows(gap, GapOrder::Error), (std::vector<size_t>{2, 1, 0}));
  EXPECT_EQ(sorted_rows(gap, GapOrder::Execution), (std::vector<size_t>{0, 1, 2}));
}

TEST_F(Gaps, RoundingIsNoDivergence) {
  EXPECT_FALSE(measure({row_of("a", {1.00001F, -2})}, {row_of("a", {1, -2})}).first.has_value());
  options_.tolerance = 1e-7;
  EXPECT_TRUE(measure({row_of("a", {1.00001F, -2})}, {row_of("a", {1, -2})}).first.has_value());
}

TEST_F(Gaps, WhoAddsAndWhoPassesOn) {
  // b is wrong for what it was fed; c doubles what it got.
  const GapSide own = side({row_of("a", {1, 2, 3}), row_of("b", {2, 3, 4}), row_of("c", {4, 8, 8})});
  const Gap gap = measure({row_of("a", {1, 2, 3}), row_of("b", {2, 4, 4}), row_of("c", {4, 8, 8})},
                          {row_of("a", {1, 2, 3}), row_of("b", {2, 3, 4}), row_of("c", {4, 6, 8})}, &own);
  ASSERT_EQ(gap.rows.size(), 3U);
  EXPECT_EQ(gap.rows[0].role, GapRole::None);
  EXPECT_EQ(gap.rows[1].role, GapRole::Adds);
  EXPECT_EQ(gap.rows[2].role, GapRole::PassesOn);
  EXPECT_EQ(sorted_rows(gap, GapOrder::Own).front(), 1U);
}

TEST_F(Gaps, AnOwnErrorThatCannotBeIsNotShown) {
  // The result is near the reference's, its inputs lead elsewhere: they were no inputs of it.
  const GapSide own = side({row_of("a", {9, -9, 9})});
  const Gap gap = measure({row_of("a", {1, 2, 3.01F})}, {row_of("a", {1, 2, 3})}, &own);
  EXPECT_EQ(gap.rows[0].role, GapRole::Unknown);
  EXPECT_FALSE(gap.rows[0].own.has_value());
}

TEST_F(Gaps, EachTripOfALoopHasItsOwnValue) {
  std::vector<LoggedValue> run = {row_of("a", {1, 2}), row_of("a", {3, 4}), row_of("a", {5, 7})};
  for (LoggedValue& v : run) v.op_id = 7;
  const Gap gap = measure(run, {row_of("a", {1, 2}), row_of("a", {3, 4}), row_of("a", {5, 6})});
  ASSERT_EQ(gap.rows.size(), 3U);
  EXPECT_EQ(gap.rows[2].visit, 2);
  EXPECT_EQ(*gap.first, 2U);
}

TEST_F(Gaps, SeveralOutputsAreToldApart) {
  LoggedValue values = row_of("topk", {3, 2}), more = row_of("topk", {1, 0});
  values.op_id = more.op_id = 3;
  more.node_output = more.ordinal = 1;
  LoggedValue second = row_of("topk", {1, 0});
  second.node_output = 1;
  const Gap gap = measure({values, more}, {second, row_of("topk", {3, 2})});
  ASSERT_EQ(gap.rows.size(), 2U);
  EXPECT_FALSE(gap.first.has_value());
  EXPECT_EQ(gap.rows[1].reference, 0U);
}

TEST_F(Gaps, AFusedOpIsComparedWithTheNodeItEndsAt) {
  LoggedValue v = row_of("conv", {0, 2, 0, 4});
  v.backend = "XnnpackBackend";
  v.others = {{"relu", 0}};
  const Gap gap = measure({v}, {row_of("conv", {-1, 2, -3, 4}), row_of("relu", {0, 2, 0, 4})});
  ASSERT_EQ(gap.rows.size(), 1U);
  EXPECT_TRUE(gap.rows[0].nearest);
  EXPECT_TRUE(gap.rows[0].figures.exact());
}

TEST_F(Gaps, AWrongValueIsNotExcusedByAnUnlikeNode) {
  LoggedValue v = row_of("conv", {-1, 2, -3, 5});
  v.others = {{"relu", 0}};
  const Gap gap = measure({v}, {row_of("conv", {-1, 2, -3, 4}), row_of("relu", {0, 2, 0, 4})});
  ASSERT_TRUE(gap.first.has_value());
  EXPECT_FALSE(gap.rows[0].nearest);
}

TEST_F(Gaps, WhichOfSharedNodesItIsMayStayOpen) {
  // Two ops claim the node; the second value is nobody's.
  LoggedValue a = row_of("part", {1, 2}), b = row_of("part", {-7, 9});
  const Gap gap = measure({a, b}, {row_of("part", {1, 2})});
  ASSERT_EQ(gap.rows.size(), 1U);
  ASSERT_EQ(gap.missing.size(), 1U);
  EXPECT_NE(gap.missing[0].why.find("not known"), std::string::npos);
}

TEST_F(Gaps, ANodeOfAnotherExportMayBeAnotherOfItsKind) {
  reference_.unsure = {"permute"};
  const Gap gap = measure({row_of("permute", {1, 2, -3, 4})}, {row_of("permute", {-9, 2, 0, 1})});
  EXPECT_TRUE(gap.rows.empty());
  ASSERT_EQ(gap.missing.size(), 1U);
  // One that is near is the one.
  EXPECT_EQ(measure({row_of("permute", {1, 2, -3, 4})}, {row_of("permute", {1, 2, -3, 4.1F})}).rows.size(), 1U);
}

TEST_F(Gaps, ChannelsLastIsTheSameTensor) {
  const Gap gap = measure({tensor_of("conv", {1, 1, 3, 2}, {1, 4, 2, 5, 3, 6})},
                          {tensor_of("conv", {1, 2, 1, 3}, {1, 2, 3, 4, 5, 6})});
  ASSERT_EQ(gap.rows.size(), 1U);
  EXPECT_TRUE(gap.rows[0].rearranged);
  EXPECT_TRUE(gap.rows[0].figures.exact());
}

TEST_F(Gaps, ADelegatesOwnLayoutMayHaveTheSameShape) {
  LoggedValue nhwc = tensor_of("pool", {1, 2, 2, 2}, {1, 5, 2, 6, 3, 7, 4, 8});
  nhwc.backend = "XnnpackBackend";
  const Gap gap = measure({nhwc}, {tensor_of("pool", {1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8})});
  ASSERT_EQ(gap.rows.size(), 1U);
  EXPECT_TRUE(gap.rows[0].rearranged);
  EXPECT_TRUE(gap.rows[0].figures.exact());
  // A kernel's tensor was read by its strides: another order is an error.
  nhwc.backend.clear();
  EXPECT_TRUE(measure({nhwc}, {tensor_of("pool", {1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8})}).first.has_value());
}

TEST_F(Gaps, UnequalShapesAndDtypesAreStated) {
  LoggedValue whole = row_of("b", {1, 2});
  whole.dtype = "int32";
  const Gap gap = measure({row_of("a", {1, 2, 3}), row_of("b", {1, 2}), row_of("c", {1})},
                          {row_of("a", {1, 2}), whole, row_of("z", {1})});
  EXPECT_TRUE(gap.rows.empty());
  ASSERT_EQ(gap.missing.size(), 3U);
  EXPECT_EQ(gap.missing[0].why, "other shapes: float32[3], the reference float32[2]");
  EXPECT_EQ(gap.missing[1].why, "other dtypes: float32[2], the reference int32[2]");
  EXPECT_EQ(gap.missing[2].why, "the reference has none");
  EXPECT_EQ(gap.unused, 3U);
}

TEST_F(Gaps, DamagedElementsAreStated) {
  LoggedValue cut = row_of("a", {1, 2});
  cut.data.resize(5);
  const Gap gap = measure({cut}, {row_of("a", {1, 2})});
  ASSERT_EQ(gap.missing.size(), 1U);
  EXPECT_EQ(gap.missing[0].why, "its elements are not known");
}

/// A fixture's run with logged tensors.
struct LoggedRun {
  explicit LoggedRun(const std::string& name) {
    EXPECT_TRUE(Store::open("", Store::Mode::Memory, &store).ok());
    const std::string folder = std::string(ET_FIXTURES) + "/artifacts/" + name + "/";
    IngestInputs in;
    in.dump = folder + "debug.etdp";
    in.debug_buffer = folder + "debug.bin";
    in.record = folder + "etrecord.bin";
    in.program = folder + "program.pte";
    IngestResult result;
    Status status = ingest(store, in, {}, &result);
    trace = result.trace_id;
    if (status.ok()) status = open_gap_side(store, trace, {}, {}, &side);
    EXPECT_TRUE(status.ok()) << status.message();
  }
  std::vector<float> floats(size_t value) const {
    std::span<const uint8_t> bytes;
    EXPECT_TRUE(side.read(value, &bytes).ok());
    std::vector<float> out(bytes.size() / sizeof(float));
    std::memcpy(out.data(), bytes.data(), out.size() * sizeof(float));
    return out;
  }
  size_t find(const std::string& node, const std::string& dtype) const {
    for (size_t i = 0; i < side.values.size(); ++i) {
      if (side.values[i].node == node && side.values[i].dtype == dtype) return i;
    }
    ADD_FAILURE() << node << " " << dtype;
    return 0;
  }

  Store store;
  int64_t trace = 0;
  GapSide side;
};

TEST(GapFloor, WhatCancelsOutIsRoundingOfWhatWasFed) {
  LoggedRun run("add_mul");  // aten_mul_tensor takes what aten_add_tensor gives
  const auto diverges = [&](float fed) {
    GapSide got, want;
    got.values = {row_of("aten_add_tensor", {fed}), row_of("aten_mul_tensor", {1e-5F})};
    want.values = {row_of("aten_add_tensor", {fed}), row_of("aten_mul_tensor", {2e-5F})};
    for (int64_t i = 0; i < 2; ++i) got.values[i].instruction = got.values[i].op_id = 50 + i;
    Gap gap;
    EXPECT_TRUE(measure_run(run.store, run.trace, got, want, nullptr, {}, &gap).ok());
    EXPECT_EQ(gap.rows.size(), 2U);
    return gap.first.has_value();
  };
  EXPECT_FALSE(diverges(1000));
  EXPECT_TRUE(diverges(1));
}

/// What is known of inputs, of values of a fixture's nodes: in the run, in the reference, worked out from what was fed.
struct FedRow {
  const char* node;
  float run, reference, own;
};
Gap measure_fed(LoggedRun& fixture, const std::vector<FedRow>& rows) {
  GapSide got, want, own;
  for (const FedRow& r : rows) {
    got.values.push_back(row_of(r.node, {r.run, 2 * r.run}));
    want.values.push_back(row_of(r.node, {r.reference, 2 * r.reference}));
    own.values.push_back(row_of(r.node, {r.own, 2 * r.own}));
    got.values.back().op_id = got.values.back().instruction = 50 + static_cast<int64_t>(got.values.size());
  }
  Gap gap;
  EXPECT_TRUE(measure_run(fixture.store, fixture.trace, got, want, &own, {}, &gap).ok());
  EXPECT_EQ(gap.rows.size(), rows.size());
  return gap;
}

TEST(GapInputs, NobodyIsBlamedForInputsThatWereNotRecorded) {
  LoggedRun run("add_mul");  // add takes both inputs, mul what add gives and an input
  const Gap gap = measure_fed(run, {{"aten_add_tensor", 5, 2, 2}, {"aten_mul_tensor", 9, 3, 7}});
  for (const GapRow& row : gap.rows) {
    EXPECT_EQ(row.role, GapRole::Unknown);
    EXPECT_FALSE(row.knows_inputs);
    EXPECT_FALSE(row.own.has_value());
  }
  EXPECT_EQ(gap.inputs, GapInputs::Doubtful);
  // What is right was made from the right inputs: then the sum is wrong by itself.
  const Gap blamed = measure_fed(run, {{"aten_add_tensor", 5, 2, 2}, {"aten_mul_tensor", 3, 3, 3}});
  EXPECT_EQ(blamed.rows[0].role, GapRole::Adds);
  EXPECT_EQ(blamed.inputs, GapInputs::Same);
  // A slight error is no sign of other inputs.
  EXPECT_EQ(measure_fed(run, {{"aten_add_tensor", 2.01F, 2, 2}}).inputs, GapInputs::Same);
}

TEST(GapInputs, WhatIsNotRecordedIsSaidToBe) {
  LoggedRun run("add_mul");
  // Slightly off: nothing tells whether the op is wrong or what it was fed.
  const Gap slight = measure_fed(run, {{"aten_add_tensor", 2.01F, 2, 2}});
  EXPECT_EQ(slight.unproven_inputs, (std::vector<std::string>{"a", "b"}));
  EXPECT_NE(other_inputs_text(slight).find("not recorded"), std::string::npos) << other_inputs_text(slight);
  EXPECT_NE(other_inputs_text(slight).find(": a, b"), std::string::npos) << other_inputs_text(slight);
  // What is right was made from both, or nothing is off: there is nothing to doubt.
  const Gap proven = measure_fed(run, {{"aten_add_tensor", 5, 2, 2}, {"aten_mul_tensor", 3, 3, 3}});
  EXPECT_TRUE(proven.inputs_proven);
  EXPECT_EQ(other_inputs_text(proven), "");
  EXPECT_EQ(other_inputs_text(measure_fed(run, {{"aten_mul_tensor", 3, 3, 3}})), "");
}

TEST(GapInputs, WhatIsRightByChanceProvesNothing) {
  LoggedRun run("lstm");  // the permutation hands on x; what the product makes of it is right
  const Gap gap = measure_fed(run, {{"aten_permute_copy_default", 3, 1, 1}, {"aten_addmm_default", 2, 2, 2}});
  EXPECT_EQ(gap.inputs, GapInputs::Other);
  EXPECT_EQ(gap.other_input, "x");
  EXPECT_FALSE(gap.inputs_proven);
}

TEST(GapInputs, OtherTestCasesAreOtherInputs) {
  LoggedRun run("add_mul");
  GapSide got, want;
  got.values = {row_of("aten_add_tensor", {2.01F})};
  want.values = {row_of("aten_add_tensor", {2})};
  got.values[0].op_id = got.values[0].instruction = 50;
  for (const int64_t other : {int64_t{0}, int64_t{1}}) {
    got.test_case = 0;
    want.test_case = other;
    Gap gap;
    ASSERT_TRUE(measure_run(run.store, run.trace, got, want, nullptr, {}, &gap).ok());
    EXPECT_EQ(gap.inputs, other == 0 ? GapInputs::Same : GapInputs::Other);
    EXPECT_EQ(other_inputs_text(gap).find("test cases") != std::string::npos, other != 0) << other_inputs_text(gap);
  }
}

TEST(GapInputs, ACopyOfAnInputThatIsOffSaysThatTheInputIsAnotherOne) {
  LoggedRun run("lstm");  // the permutation hands on x, the product takes it
  const Gap gap = measure_fed(run, {{"aten_permute_copy_default", 1.01F, 1, 1}, {"aten_addmm_default", 5, 2, 5}});
  EXPECT_EQ(gap.inputs, GapInputs::Other);
  EXPECT_EQ(gap.other_input, "x");
  EXPECT_EQ(gap.rows[0].role, GapRole::PassesOn);
  EXPECT_FALSE(gap.rows[0].own.has_value());
  // The product was fed what was recorded: it is judged.
  EXPECT_TRUE(gap.rows[1].knows_inputs);
  EXPECT_EQ(gap.rows[1].role, GapRole::PassesOn);
  EXPECT_EQ(measure_fed(run, {{"aten_permute_copy_default", 1.5F, 1, 1}, {"aten_addmm_default", 5, 2, 3}}).rows[1].role,
            GapRole::Adds);
  // A constant is the same on both sides.
  EXPECT_TRUE(measure_fed(run, {{"aten_permute_copy_default_1", 5, 2, 2}}).rows[0].knows_inputs);
}

TEST(GapLinks, ACopyThatIsOffIsAnotherCopyOrADoubtfulLink) {
  // All of an LSTM's nodes have one handle: a copy's event may be linked to another copy.
  LoggedRun run("lstm");
  const std::string kView = "aten_view_copy_default_4", kTaker = "aten_addmm_default_2";
  const auto measure = [&](float got, float taker, float squeezed) {
    GapSide values, want;
    for (const auto& [node, value] : {std::pair(kView, got), std::pair(kTaker, taker)}) {
      values.values.push_back(row_of(node, {value, 2 * value}));
      values.values.back().op_id = values.values.back().instruction = 50 + static_cast<int64_t>(values.values.size());
    }
    values.values[0].name = "squeeze_copy.dims_out";
    for (const auto& [node, value] : {std::pair(kView, 1.0F), std::pair(kTaker, 3.0F),
                                      std::pair(std::string("aten_squeeze_copy_dims_5"), squeezed)})
      want.values.push_back(row_of(node, {value, 2 * value}));
    Gap gap;
    EXPECT_TRUE(measure_run(run.store, run.trace, values, want, nullptr, {}, &gap).ok());
    return gap;
  };
  const Gap other = measure(7, 3, 7);
  ASSERT_EQ(other.rows.size(), 2U);
  EXPECT_FALSE(other.first.has_value());
  EXPECT_EQ(other.rows[0].reference, 2U);
  EXPECT_TRUE(other.rows[0].nearest);
  const Gap doubtful = measure(7, 3, 5);
  EXPECT_EQ(doubtful.rows.size(), 1U);
  EXPECT_FALSE(doubtful.first.has_value());
  ASSERT_EQ(doubtful.missing.size(), 1U);
  EXPECT_NE(doubtful.missing[0].why.find("doubtful"), std::string::npos) << doubtful.missing[0].why;
  // Where what reads it is off, too, it is an error.
  const Gap wrong = measure(7, 8, 5);
  EXPECT_EQ(wrong.rows.size(), 2U);
  EXPECT_EQ(wrong.first, std::optional<size_t>(0));
}

TEST(Dequantised, IntegersAreTheNumbersThatTheyStandFor) {
  LoggedRun run("quantised_portable");
  const std::string node = "quantized_decomposed_quantize_per_tensor_default_1";
  const size_t integers = run.find(node, "int8");
  Statement s = run.store.query("SELECT arguments FROM nodes WHERE trace_id = ? AND graph = 'edge' AND name = ?");
  s.bind_all(run.trace, node);
  ASSERT_TRUE(s.step());
  const std::string arguments = s.str(0);
  const double scale = std::stod(arguments.substr(arguments.find("scale=") + 6));
  ASSERT_TRUE(dequantise(run.store, run.trace, {}, &run.side).ok());
  const LoggedValue& v = run.side.values[integers];
  EXPECT_EQ(v.dtype, "float32");
  // As what was quantised, to half a step, where the range holds it.
  const std::vector<float> got = run.floats(integers), was = run.floats(run.find(v.node, "float32"));
  ASSERT_EQ(got.size(), was.size());
  const auto [least, most] = std::minmax_element(got.begin(), got.end());
  size_t held = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    if (was[i] < *least || was[i] > *most) continue;
    ++held;
    EXPECT_NEAR(got[i], was[i], scale * 0.5001) << i;
  }
  EXPECT_GT(held, got.size() / 2);
}

TEST(Dequantised, WhatBothQuantiseStaysInteger) {
  LoggedRun run("quantised_portable");
  const std::string node = "quantized_decomposed_quantize_per_tensor_default_1";
  const size_t integers = run.find(node, "int8");
  ASSERT_TRUE(dequantise(run.store, run.trace, {node}, &run.side).ok());
  EXPECT_EQ(run.side.values[integers].dtype, "int8");
  EXPECT_EQ(run.side.values[integers].node, node);
}

TEST(RenamedNodes, ADelegateAgainstKernelsOfAnotherExport) {
  LoggedRun delegated("lstm_xnnpack"), kernels("lstm");
  ASSERT_TRUE(
      rename_nodes(delegated.store, delegated.trace, kernels.store, kernels.trace, &delegated.side, &kernels.side)
          .ok());
  Gap gap;
  ASSERT_TRUE(measure_run(delegated.store, delegated.trace, delegated.side, kernels.side, nullptr, {}, &gap).ok());
  EXPECT_EQ(gap.rows.size(), delegated.side.values.size());
  EXPECT_FALSE(gap.first.has_value());
  EXPECT_STREQ(gap.matched_by.c_str(), "graph node");
}

TEST(RenamedNodes, AnotherModelHasNoneOfThem) {
  LoggedRun a("add_mul"), b("partial_delegation");
  ASSERT_TRUE(rename_nodes(a.store, a.trace, b.store, b.trace, &a.side, &b.side).ok());
  Gap gap;
  ASSERT_TRUE(measure_run(a.store, a.trace, a.side, b.side, nullptr, {}, &gap).ok());
  EXPECT_TRUE(gap.rows.empty());
  EXPECT_EQ(gap.missing.size(), a.side.values.size());
}

TEST(GapSide, RefusalsSayWhatToDo) {
  test::ImportedFixture fixture("add_mul");
  GapSide side;
  const Status none = open_gap_side(fixture.store, fixture.table.trace_id, {}, {}, &side);
  EXPECT_NE(none.message().find("no logged values"), std::string::npos) << none.message();
  const Status beyond_last = open_gap_side(fixture.store, fixture.table.trace_id, 99, {}, &side);
  EXPECT_NE(beyond_last.message().find("has 5 executions, 0 to 4"), std::string::npos) << beyond_last.message();
}

}  // namespace
}  // namespace et::inspector
