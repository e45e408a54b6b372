// Each rule speaks where it should, says true numbers, and is silent elsewhere.
#include "inspector/analysis/advice/advice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "inspector/report/findings_report.h"
#include "tests/inspector/analysis/advised.h"

namespace et::inspector {
namespace {

using test::Advised;

// What a reader of these models' source expects, and nothing else.
struct Expected {
  const char* fixture;
  std::set<std::string> ids;
};
class AdviceOf : public ::testing::TestWithParam<Expected> {};

TEST_P(AdviceOf, IsWhatAReaderOfTheModelExpects) {
  const Advised a(GetParam().fixture);
  EXPECT_EQ(a.ids(), GetParam().ids);
  for (const Advice& advice : a.advice) {
    EXPECT_FALSE(advice.text.empty() || advice.what_to_do.empty()) << advice.id;
    EXPECT_LE(advice.most_ns, a.execution()) << advice.text;
    EXPECT_TRUE(advice.most_ns == 0 || !advice.assumes.empty() || advice.id == "constant-work" ||
                advice.id == "unused-work")
        << advice.id;
  }
  EXPECT_TRUE(std::is_sorted(a.advice.begin(), a.advice.end(),
                             [](const Advice& x, const Advice& y) { return x.ranked_ns() > y.ranked_ns(); }));
}

INSTANTIATE_TEST_SUITE_P(
    Fixtures, AdviceOf,
    ::testing::Values(
        Expected{"add_mul", {}}, Expected{"mutable_buffer", {}}, Expected{"memory_pools", {"no-delegate"}},
        // Its weights are transposed in every execution: linear was decomposed.
        Expected{"external_weights", {"no-delegate", "constant-work"}}, Expected{"external_weights_xnnpack", {}},
        Expected{"quantised_portable", {"no-delegate", "quantize-round-trip"}}, Expected{"many_outputs", {}},
        // A loop's own rows, and outputs that are joined.
        Expected{"control_flow_map", {}}, Expected{"dynamic_shapes_bounded", {"data-movement", "no-delegate"}},
        Expected{"lstm_xnnpack", {"data-movement", "constant-work"}},
        Expected{"partial_delegation", {"undelegated-operator"}},
        Expected{"mobilenet_v2_035_xnnpack_int8", {"costly-operator", "delegate-layout", "undelegated-operator"}},
        Expected{"nanogpt_xnnpack_qd4", {"undelegated-operator", "safe-softmax"}}),
    [](const auto& test) { return std::string(test.param.fixture); });

// On a busy machine most of the median execution is nobody's usual time. What the program does is the same.
TEST(Advice, NoiseHidesNone) {
  const Advised a("external_weights", {"UPDATE raw_execution_basis SET warm_median = warm_median * 60"});
  double variation = 0;
  for (const OpBlock& b : a.shown.blocks) variation += b.kind == "execute" ? b.variation : 0;
  ASSERT_GT(variation, 0.9 * a.execution());
  EXPECT_EQ(a.ids(), (std::set<std::string>{"no-delegate", "constant-work"}));
}

TEST(Advice, UndelegatedOperatorsHaveTheTimeOfTheMap) {
  const Advised a("partial_delegation");
  std::vector<DelegationMap> maps;
  ASSERT_TRUE(delegation_map(a.in.store, a.shown, &maps).ok());
  for (const Advice& advice : a.advice) {
    if (advice.id != "undelegated-operator") continue;
    double ns = 0;
    for (const NonDelegatedOp& op : maps[0].non_delegated)
      ns += advice.text.find(op.op + " ") != std::string::npos ? op.ns : 0;
    EXPECT_GT(ns, 0) << advice.text;
    EXPECT_GE(advice.most_ns, ns) << advice.text;
    EXPECT_GT(advice.place.line, 0) << advice.text;
    EXPECT_NE(advice.place.file.find("models.py"), std::string::npos);
  }
}

TEST(Advice, AnArenaThatIsLargerThanItsTensorsNeed) {
  const Advised before("lstm");
  EXPECT_EQ(before.of("arena-waste"), nullptr);
  const Advised a("lstm", {"UPDATE raw_arena SET bytes = bytes + 1048576"});
  ASSERT_NE(a.of("arena-waste"), nullptr);
  EXPECT_GE(a.of("arena-waste")->most_bytes, 1048576);
}

TEST(Advice, MemoryThatIsPlannedForShapesThatNobodyUses) {
  // The bounds are 16, the execution that logged values had 4 and 3: planned for 64 times as many bytes each.
  const std::string grow =
      "UPDATE raw_planned_tensor SET bytes = bytes * 64, offset = offset * 64 WHERE location = 'planned'";
  const Advised a("dynamic_shapes_bounded", {grow, "UPDATE raw_arena SET bytes = bytes * 64"}, "debug.etdp");
  const Advice* const found = a.of("dynamic-bounds");
  ASSERT_NE(found, nullptr);
  EXPECT_NE(found->text.find("[16, 16, 5]"), std::string::npos) << found->text;
  EXPECT_NE(found->text.find("at most [4, 3, 5] in 1 execution"), std::string::npos) << found->text;
  ASSERT_EQ(found->facts.size(), 4u);
  EXPECT_DOUBLE_EQ(found->facts[0].value - found->facts[1].value, static_cast<double>(found->most_bytes));
  EXPECT_LT(found->facts[1].value, found->facts[0].value / 2) << "two tensors of 12/256 make the peak";
  EXPECT_NE(found->what_to_do.find("torch.export.Dim"), std::string::npos);
}

TEST(Advice, BoundsThatAreUsedOrNotKnownToBeUnusedAreNoFinding) {
  const std::string grow =
      "UPDATE raw_planned_tensor SET bytes = bytes * 64, offset = offset * 64 WHERE location = 'planned'";
  const std::string arena = "UPDATE raw_arena SET bytes = bytes * 64";
  EXPECT_EQ(Advised("dynamic_shapes_bounded", {grow, arena}).of("dynamic-bounds"), nullptr) << "no values were logged";
  const std::string fits =
      "UPDATE raw_value SET shape = (SELECT p.shape FROM raw_op o JOIN raw_instruction i ON i.trace = o.trace AND "
      "i.instruction_id = o.instruction_id JOIN raw_planned_tensor p ON p.trace = o.trace AND p.value = "
      "json_extract(i.arguments, '$[#-1]') WHERE o.id = raw_value.op) WHERE op IS NOT NULL";
  EXPECT_EQ(Advised("dynamic_shapes_bounded", {grow, arena, fits}, "debug.etdp").of("dynamic-bounds"), nullptr);
  EXPECT_EQ(Advised("dynamic_shapes_bounded", {}, "debug.etdp").of("dynamic-bounds"), nullptr) << "a few KiB";
}

TEST(Advice, OneTensorThatMakesThePeak) {
  // An intermediate tensor of 4 MiB where all others have some KiB.
  const std::string grow =
      "UPDATE raw_planned_tensor SET bytes = 4194304 WHERE rowid = (SELECT rowid FROM raw_planned_tensor WHERE "
      "location = "
      "'planned' AND first_instruction > 2 AND last_instruction < 8 AND offset = (SELECT max(offset) FROM "
      "raw_planned_tensor "
      "WHERE location = 'planned' AND first_instruction > 2 AND last_instruction < 8) LIMIT 1)";
  const Advised a("lstm", {grow, "UPDATE raw_arena SET bytes = bytes + 4194304"});
  const Advice* const peak = a.of("peak-tensor");
  ASSERT_NE(peak, nullptr);
  EXPECT_GT(peak->most_bytes, 4000000);
  EXPECT_LE(peak->most_bytes, 4194304);
  EXPECT_NE(peak->text.find("4.0 MiB"), std::string::npos) << peak->text;
}

TEST(Advice, WorkThatNobodyReads) {
  const Advised a("external_weights", {"DELETE FROM raw_graph_value WHERE role = 'output'"});
  const Advice* const unused = a.of("unused-work");
  ASSERT_NE(unused, nullptr);
  EXPECT_GT(unused->most_ns, kLeastTime);
  EXPECT_EQ(Advised("external_weights").of("unused-work"), nullptr);
}

TEST(Advice, ABufferThatTheProgramWritesIsNoConstant) {
  const char* const kSame =
      "UPDATE raw_graph_value SET kind = 'user_output', target = NULL WHERE kind = 'buffer_mutation'";
  EXPECT_EQ(Advised("mutable_buffer").of("constant-work"), nullptr);
  EXPECT_NE(Advised("mutable_buffer", {kSame}).of("constant-work"), nullptr) << "the buffer is then a constant";
}

// Operators become what the rules look for, the rest stays.
std::vector<std::string> rename(const std::string& from, const std::string& to) {
  return {"UPDATE raw_node SET op = 'quantized_decomposed." + to +
              ".default', arguments = replace(arguments, 'self=', 'input=') "
              "WHERE op LIKE 'aten." +
              from + ".%'",
          "UPDATE raw_instruction SET operator = 'quantized_decomposed::" + to +
              ".out' WHERE operator LIKE 'aten::" + from + ".%'"};
}

TEST(Advice, WeightsThatAreQuantisedAtRunTime) {
  EXPECT_EQ(Advised("external_weights").of("float-weights"), nullptr);
  const Advised a("external_weights", rename("permute_copy", "quantize_per_tensor"));
  const Advice* const weights = a.of("float-weights");
  ASSERT_NE(weights, nullptr);
  EXPECT_NE(weights->text.find("2 weights are stored as float32"), std::string::npos) << weights->text;
}

TEST(Advice, RoundTripsThroughFloat) {
  std::vector<std::string> changes = rename("permute_copy", "quantize_per_tensor");
  for (const std::string& sql : rename("mul", "dequantize_per_tensor")) changes.push_back(sql);
  const Advised a("lstm", changes);
  ASSERT_NE(a.of("quantize-round-trip"), nullptr);
  EXPECT_EQ(Advised("lstm").of("quantize-round-trip"), nullptr);
  EXPECT_EQ(Advised("lstm", rename("mul", "dequantize_per_tensor")).of("quantize-round-trip"), nullptr)
      << "one way alone is the border of a quantised model";
}

TEST(Advice, AKernelThatIsSlowerForItsWorkThanTheDelegate) {
  // The mean over pixels runs as a kernel. Said to be a depthwise convolution of a late block, it is a slow one.
  EXPECT_EQ(Advised("mobilenet_v2_035_xnnpack_int8").of("slow-kernel"), nullptr);
  const Advised a(
      "mobilenet_v2_035_xnnpack_int8",
      {"CREATE TEMP TABLE like_it AS SELECT arguments, shape FROM raw_node WHERE graph = 'edge' AND op = "
       "'aten.convolution.default' AND arguments NOT LIKE '%groups=1' AND shape LIKE '%, 7, 7]' ORDER BY id LIMIT 1",
       "UPDATE raw_node SET op = 'aten.convolution.default', arguments = (SELECT arguments FROM like_it), shape = "
       "(SELECT shape FROM like_it) WHERE op = 'aten.mean.dim' AND graph = 'edge'"});
  const Advice* const slow = a.of("slow-kernel");
  ASSERT_NE(slow, nullptr);
  EXPECT_NE(slow->text.find("aten.convolution outside of the delegates"), std::string::npos) << slow->text;
  EXPECT_GT(slow->most_ns, 0);
}

TEST(Advice, LargeWeightsThatAreReadForOneRow) {
  // Its matrices are small; larger ones are read for a single row.
  EXPECT_EQ(Advised("external_weights").of("streamed-weights"), nullptr);
  const std::vector<std::string> grow = {
      "UPDATE raw_graph_value SET shape = '[512, 512]' WHERE role = 'input' AND shape LIKE '[%, %]' AND kind = "
      "'parameter'",
      "UPDATE raw_node SET shape = '[512, 512]' WHERE op LIKE '%permute_copy%'",
      "UPDATE raw_graph_value SET shape = '[1, 512]' WHERE kind = 'user_input'",
      "UPDATE raw_node SET shape = '[1, 512]', arguments = replace(arguments, 'mat2=aten_permute_copy_default', "
      "'mat2=p_a_weight') WHERE op LIKE '%addmm%'"};
  const Advised a("external_weights", grow);
  const Advice* const streamed = a.of("streamed-weights");
  ASSERT_NE(streamed, nullptr);
  EXPECT_NE(streamed->text.find("MiB of float32 weights"), std::string::npos) << streamed->text;
  EXPECT_LT(streamed->most_ns, a.execution());
}

/// A cache folder with the peaks of a machine in it, as et-run --calibrate leaves them, for as long as it lives.
struct CalibratedHost {
  CalibratedHost() {
    const char* const old = std::getenv("XDG_CACHE_HOME");
    if (old != nullptr) before = old;
    setenv("XDG_CACHE_HOME", folder.c_str(), 1);
    const std::filesystem::path file = machine_file(host_name(), 1);
    std::filesystem::create_directories(file.parent_path());
    std::filesystem::copy_file(std::string(ET_FIXTURES) + "/work/machine.toml", file);
  }
  ~CalibratedHost() {
    if (before) {
      setenv("XDG_CACHE_HOME", before->c_str(), 1);
    } else {
      unsetenv("XDG_CACHE_HOME");
    }
    std::filesystem::remove_all(folder);
  }
  std::optional<std::string> before;
  std::string folder = testing::TempDir() + "/calibrated";
};

TEST(Advice, OperatorsThatAreFarFromTheirRoof) {
  const CalibratedHost host;
  const char* const kName = "mobilenet_v2_035_xnnpack_int8";
  const Advised a(kName, {"UPDATE raw_trace SET cpu = 'Test CPU', threads = 1"});
  const Advice* const far = a.of("below-roof");
  ASSERT_NE(far, nullptr);
  MachinePeaks peaks;
  Roofline work;
  ASSERT_TRUE(read_machine(std::string(ET_FIXTURES) + "/work/machine.toml", &peaks).ok());
  ASSERT_TRUE(roofline(a.in.store, a.shown, &peaks, {}, &work).ok());
  double win = 0, time = 0;
  for (const RooflineRow& row : work.rows) {
    if (row.op != "aten.convolution.default" || row.bound == Bound::Overhead || row.bound == Bound::Unknown) continue;
    win += row.ns - row.roof_ns;
    time += row.ns;
  }
  EXPECT_NE(far->text.find("aten.convolution"), std::string::npos) << far->text;
  EXPECT_NEAR(far->most_ns, win, 1e-6);
  EXPECT_GT(win, 0.5 * time);
  // Of a trace of another processor, or of none that is known, the host's roofs say nothing.
  EXPECT_EQ(Advised(kName, {"UPDATE raw_trace SET cpu = 'Another CPU', threads = 1"}).of("below-roof"), nullptr);
  EXPECT_EQ(Advised(kName).of("below-roof"), nullptr);
  // Nor peaks of a busy machine, which many ops exceed.
  const Advised busy(kName, {"UPDATE raw_trace SET cpu = 'Test CPU', threads = 1",
                             "UPDATE raw_op_cost SET warm_median = warm_median / 4 WHERE op % 2 = 0"});
  ASSERT_TRUE(roofline(busy.in.store, busy.shown, &peaks, {}, &work).ok());
  EXPECT_FALSE(work.believable()) << work.above_ns << " of " << work.known_ns;
  EXPECT_GT(work.known_ns - work.roof_ns, 0.1 * work.total_ns) << "it would have been said";
  EXPECT_EQ(busy.of("below-roof"), nullptr);
  // Nor what is near its roof.
  EXPECT_EQ(Advised(kName, {"UPDATE raw_trace SET cpu = 'Test CPU', threads = 1",
                            "UPDATE raw_op_cost SET warm_median = warm_median / 10"})
                .of("below-roof"),
            nullptr);
}

TEST(Advice, TheCostliestOperatorWithoutARuleIsInTheList) {
  const char* const kName = "mobilenet_v2_035_xnnpack_int8";
  const Advised a(kName);
  const Advice* const open = a.of("costly-operator");
  ASSERT_NE(open, nullptr);
  EXPECT_TRUE(open->open);
  EXPECT_NE(open->text.find("aten.convolution"), std::string::npos) << open->text;
  EXPECT_NE(open->text.find(" depthwise "), std::string::npos) << open->text;
  EXPECT_NE(open->text.find("no other rule speaks of it"), std::string::npos) << open->text;
  EXPECT_GT(open->most_ns, 0);
  double sum = 0, last = 1e300;
  for (const AdviceItem& item : open->items) {
    sum += item.ns;
    EXPECT_LE(item.ns, last);
    last = item.ns;
  }
  ASSERT_EQ(open->facts.front().what, "time");
  EXPECT_NEAR(sum, open->facts.front().value, 1e-6 * sum) << "its ops are all of it";
  EXPECT_LT(open->most_ns, sum);
  for (size_t i = 1; i < a.advice.size(); ++i) EXPECT_GE(a.advice[i - 1].ranked_ns(), a.advice[i].ranked_ns());
  // It is said once: in the list or below it.
  std::vector<Advice> again;
  AdviceNotes notes;
  ASSERT_TRUE(find_advice(a.in.store, a.shown, &again, nullptr, &notes).ok());
  for (const Consumer& c : notes.silent) EXPECT_FALSE(c.is_far_from_roof()) << c.title;
  // Where another rule speaks of the same ops, this one does not.
  const CalibratedHost host;
  const Advised judged(kName, {"UPDATE raw_trace SET cpu = 'Test CPU', threads = 1"});
  ASSERT_NE(judged.of("below-roof"), nullptr);
  EXPECT_NE(judged.of("below-roof")->text.find(" depthwise "), std::string::npos) << judged.of("below-roof")->text;
  for (const Advice& one : judged.advice)
    EXPECT_FALSE(one.id == "costly-operator" && one.text.starts_with("aten.convolution")) << one.text;
}

TEST(Advice, RulesSayWhetherTheyNeedPeaks) {
  for (const AdviceRule& rule : advice_rules()) {
    EXPECT_EQ((rule.needs & advice_needs::Peaks) != 0, std::string_view(rule.id) == "below-roof") << rule.id;
    EXPECT_NE(rule.needs & advice_needs::Files, 0U) << rule.id;
  }
}

/// Which rules could look, by the files that were given; of them alone one may speak.
std::set<std::string> could_look(const char* fixture, bool record, bool program, const char* change = nullptr) {
  test::ImportedFixture in(fixture, record, program);
  EXPECT_TRUE(change == nullptr || in.store.exec(change).ok());
  OpTable shown;
  std::vector<Advice> advice;
  AdviceNotes notes;
  EXPECT_TRUE(load_shown_ops(in.store, 1, {}, &shown).ok());
  EXPECT_TRUE(find_advice(in.store, shown, &advice, nullptr, &notes).ok());
  std::set<std::string> out;
  for (const AdviceRule& rule : advice_rules()) {
    if ((rule.needs & notes.missing) == 0) out.insert(rule.id);
  }
  for (const Advice& a : advice) {
    const auto rule =
        std::find_if(advice_rules().begin(), advice_rules().end(), [&](const AdviceRule& r) { return a.id == r.id; });
    // What is inside of delegates only adds to what they see.
    EXPECT_EQ(rule->needs & notes.missing & ~advice_needs::Inside, 0U) << a.id;
  }
  return out;
}

TEST(Advice, ARuleLooksWhereItsFilesAre) {
  const std::set<std::string> bare = {"no-delegate", "undelegated-operator", "small-delegates", "quantize-round-trip",
                                      "slow-load"};
  const char* const kName = "partial_delegation";
  const char* const kNoProgram = "DELETE FROM raw_instruction";  // which this ETRecord holds as well
  EXPECT_EQ(could_look(kName, false, false), bare);
  std::set<std::string> with = bare;
  with.insert({"safe-softmax", "constant-work", "data-movement", "tiny-kernels", "unused-work", "float-weights"});
  EXPECT_EQ(could_look(kName, true, false, kNoProgram), with);
  with = bare;
  with.insert({"delegate-layout", "peak-tensor", "arena-waste", "duplicate-constants"});
  EXPECT_EQ(could_look(kName, false, true), with);
  // Without delegates nothing is inside of them.
  with = could_look("external_weights", true, false, kNoProgram);
  EXPECT_TRUE(with.contains("slow-softmax") && with.contains("costly-operator"));
  EXPECT_FALSE(with.contains("arena-waste"));
  with = could_look(kName, true, false);
  EXPECT_TRUE(with.contains("arena-waste") && !with.contains("duplicate-constants")) << "its file is not there";
  EXPECT_EQ(could_look(kName, true, true).size(), advice_rules().size() - 2) << "all but peaks and logged values";
}

TEST(Advice, WorkThatStaysIsNoMoreThanTheRooflineLeaves) {
  // The products of external_weights are near the best rates of their trace; what is taken along takes its time, too.
  const Advised a("external_weights");
  const Advice* const products = a.of("no-delegate");
  ASSERT_NE(products, nullptr);
  double along = 0;
  for (const AdviceItem& item : products->along) along += item.ns;
  EXPECT_GT(along, 0) << "the transposes of its weights";
  EXPECT_NEAR(products->work_ns, products->most_ns, 1e-6 * products->most_ns);
  ASSERT_TRUE(products->roof_win);
  EXPECT_NEAR(products->likely_ns(), *products->roof_win, 1e-6 * products->most_ns);
  const Advice* const transposes = a.of("constant-work");
  ASSERT_TRUE(transposes != nullptr && transposes->roof_win);
  EXPECT_GT(*products->roof_win, *transposes->roof_win) << "they are part of it";
  EXPECT_LT(products->likely_ns(), along) << "their own roofs are no time that goes";
  Advice one = *products;
  one.most_ns = 100, one.work_ns = 80, one.roof_win = 30;
  EXPECT_EQ(one.likely_ns(), 50) << "20 of copies that go, 30 of the products";
  one.roof_win = std::nullopt;
  EXPECT_EQ(one.likely_ns(), 100);
  one.roof_win = 90;
  EXPECT_EQ(one.likely_ns(), 100);
  one.roof_win = 10, one.work_ns = 0;
  EXPECT_EQ(one.likely_ns(), 100) << "what can go is not held against a roof";
}

// What stands between two linear layers goes along where the partitioner of ExecuTorch 1.5 takes it.
TEST(Advice, WhatIsTakenAlongIsOfFloats) {
  const auto count = [](const std::string& op, const std::string& dtype) -> int64_t {
    const Advised a(
        "external_weights",
        {"UPDATE raw_node SET op = 'aten." + op + ".default', dtype = '" + dtype + "' WHERE op = 'aten.gelu.default'",
         "UPDATE raw_instruction SET operator = 'aten::" + op + ".out' WHERE operator LIKE 'aten::gelu%'"});
    const Advice* const products = a.of("no-delegate");
    return products == nullptr ? -1 : std::ssize(products->along);
  };
  EXPECT_EQ(count("gelu", "float32"), 3) << "it, and the transposes of both weights";
  EXPECT_EQ(count("gelu", "float16"), 2);
  EXPECT_EQ(count("relu", "float16"), 3);
  EXPECT_EQ(count("relu", "int64"), 2);
  EXPECT_EQ(count("elu", "float32"), 2) << "its partitioner has no such operator yet";
}

// Who delegates has the transposed weights for free: adding both up would count them twice.
TEST(Advice, WhatTwoFindingsWinIsSaidToBeTheSame) {
  const Advised a("external_weights");
  ASSERT_EQ(a.advice.size(), 2U);
  EXPECT_EQ(a.advice[0].id, "no-delegate");
  EXPECT_EQ(a.advice[0].overlap, "") << "the first has it all";
  EXPECT_EQ(a.advice[1].id, "constant-work");
  EXPECT_EQ(a.advice[1].overlap,
            "nearly all of it is in finding 1 (Nothing of forward is delegated) as well: the two do not add up");
  const Advised apart("nanogpt_xnnpack_qd4");
  for (const Advice& one : apart.advice) EXPECT_EQ(one.overlap, "") << one.title;
}

// Of what the delegate runs itself no kernel tells: a permute in it may be the costliest of all.
TEST(Advice, CopiesInsideADelegateCount) {
  const char* const kName = "mobilenet_v2_035_xnnpack_int8";
  const std::string node = "aten_convolution_default_2",
                    is = "UPDATE raw_node SET op = 'aten.permute_copy.default' WHERE name = '" + node + "'",
                    slow =
                        "UPDATE raw_op_cost SET warm_median = warm_median * 20 WHERE op IN (SELECT l.op FROM raw_link "
                        "l JOIN raw_node n ON n.id = l.node WHERE n.name = '" +
                        node + "')";
  EXPECT_EQ(Advised(kName).of("delegate-copies"), nullptr) << "transposes of the lowering are another rule's";
  const Advised a(kName, {is, slow});
  const Advice* const copies = a.of("delegate-copies");
  ASSERT_NE(copies, nullptr);
  EXPECT_EQ(copies, &a.advice.front()) << "it could save the most";
  ASSERT_EQ(copies->items.size(), 1U);
  EXPECT_EQ(copies->place.node, node);
  EXPECT_EQ(copies->title, "Ops inside XnnpackBackend that only move data, most of all aten.permute_copy");
  EXPECT_LT(copies->most_ns, copies->items[0].ns) << "moving its bytes takes some time at the best rate, too";
  EXPECT_GT(copies->most_ns, 0.5 * copies->items[0].ns);
  EXPECT_EQ(copies->assumes, "each moves its bytes at the best rate of this trace");
  EXPECT_NE(copies->text.find(" of the same trace moves as many bytes at "), std::string::npos) << copies->text;
}

TEST(Advice, ManyTinyKernelsOfOneModuleAreAFindingOfTheirOwn) {
  const Advised a("lstm");  // of three steps, unrolled
  const Advice* const loop = a.of("tiny-kernels");
  ASSERT_NE(loop, nullptr);
  EXPECT_GE(loop->items.size(), 40U);
  EXPECT_TRUE(loop->title.ends_with(" tiny kernels of the unrolled rnn")) << loop->title;
  EXPECT_NE(loop->text.find("aten.sigmoid ×9"), std::string::npos) << "what comes again: " << loop->text;
  EXPECT_LE(loop->most_ns, loop->facts[0].value);
  for (const AdviceItem& item : loop->items) EXPECT_LE(item.ns, 1000) << "no more than a call: " << item.title;
  EXPECT_EQ(Advised("lstm", {"UPDATE raw_op_cost SET warm_median = warm_median * 20"}).of("tiny-kernels"), nullptr)
      << "their work is the time";
  EXPECT_EQ(Advised("external_weights").of("tiny-kernels"), nullptr) << "few of them";
}

TEST(Advice, AReductionThatMovesItsBytesSlowly) {
  // The mean over pixels as a scalar kernel of a slow processor would take it, beside convolutions of the same trace.
  const char* const kName = "mobilenet_v2_035_xnnpack_int8";
  const std::string mean =
      "UPDATE raw_op_cost SET warm_median = warm_median * 10 WHERE op IN (SELECT id FROM raw_op "
      "WHERE kind IN ('kernel', 'operator_call') AND op_types LIKE '%aten.mean.dim%')";
  EXPECT_EQ(Advised(kName).of("slow-bytes"), nullptr) << "a few percent are not worth a finding";
  const Advised a(kName, {mean});
  const Advice* const slow = a.of("slow-bytes");
  ASSERT_NE(slow, nullptr);
  EXPECT_NE(slow->title.find("mean"), std::string::npos) << slow->title;
  EXPECT_GT(slow->most_ns, 0.5 * a.execution());
  ASSERT_EQ(slow->facts.size(), 5U);
  const double rate = slow->facts[3].value, beside = slow->facts[4].value;
  EXPECT_GT(beside, 5 * rate) << slow->text;
  EXPECT_NEAR(slow->facts[2].value / slow->items[0].ns, rate, 0.01 * rate);
  // All others are shorter than a call: nothing shows that the machine can do better.
  EXPECT_EQ(Advised(kName, {"UPDATE raw_op_cost SET warm_median = warm_median / 1000", mean, mean, mean, mean})
                .of("slow-bytes"),
            nullptr);
}

TEST(Advice, ASoftmaxThatIsSlowEvenForItsExponentials) {
  // Two of the model's nodes stand for a softmax and a GELU, which no fixture of static shapes has as large.
  const char* const kName = "mobilenet_v2_035_xnnpack_int8";
  const auto is = [](const std::string& node, const std::string& op) {
    return "UPDATE raw_node SET op = 'aten." + op + ".default' WHERE name = '" + node + "'";
  };
  const auto times = [](const char* factor, const std::string& node) {
    return "UPDATE raw_op_cost SET warm_median = warm_median * " + std::string(factor) +
           " WHERE op IN (SELECT l.op FROM raw_link l JOIN raw_node n ON n.id = l.node WHERE n.name = '" + node + "')";
  };
  const std::string kSoftmax = "aten_convolution_default", kGelu = "aten_convolution_default_2";
  EXPECT_EQ(Advised(kName, {is(kSoftmax, "_softmax")}).of("slow-softmax"), nullptr) << "not ten times below others";
  EXPECT_EQ(Advised(kName, {is(kSoftmax, "_softmax"), times("20", kSoftmax)}).of("slow-softmax"), nullptr)
      << "a convolution's bytes a second say nothing of what memory can do";
  const Advised a(kName, {is(kSoftmax, "_softmax"), is(kGelu, "gelu"), times("20", kSoftmax)});
  const Advice* const slow = a.of("slow-softmax");
  ASSERT_NE(slow, nullptr);
  EXPECT_GT(slow->most_ns, 0.5 * a.execution());
  EXPECT_LT(slow->most_ns, slow->facts[0].value) << "its passes and exponentials remain";
  const auto fact = [&](const std::string& what) {
    const auto at =
        std::find_if(slow->facts.begin(), slow->facts.end(), [&](const AdviceFact& f) { return f.what == what; });
    return at == slow->facts.end() ? -1 : at->value;
  };
  EXPECT_EQ(fact("rate of aten.gelu"), -1) << "how fast GELU moves bytes is no measure of what else could";
  EXPECT_GT(fact("of aten.gelu"), 0) << "what the bound rests on";
  EXPECT_GT(fact("time of an element"), 3 * fact("of aten.gelu"));
  EXPECT_NE(slow->text.find("rows of 112 elements are short"), std::string::npos) << slow->text;
  // What computes such functions shows how much of it they are.
  EXPECT_NE(slow->text.find("aten.gelu of the same trace"), std::string::npos) << slow->text;
  EXPECT_EQ(Advised(kName, {is(kSoftmax, "_softmax"), is(kGelu, "gelu"), times("20", kSoftmax), times("20", kGelu)})
                .of("slow-softmax"),
            nullptr)
      << "here exponentials are that slow";
}

TEST(Advice, AnActivationThatWaitsForItsExponentials) {
  // Of the quantised model two convolutions stand for a GELU and an addition of as many elements.
  const char* const kName = "mobilenet_v2_035_xnnpack_int8";
  const auto is = [](const std::string& node, const std::string& op) {
    return "UPDATE raw_node SET op = 'aten." + op + "' WHERE name = '" + node + "'";
  };
  const auto times = [](const char* factor, const std::string& node) {
    return "UPDATE raw_op_cost SET warm_median = warm_median * " + std::string(factor) +
           " WHERE op IN (SELECT l.op FROM raw_link l JOIN raw_node n ON n.id = l.node WHERE n.name = '" + node + "')";
  };
  const std::string kGelu = is("aten_convolution_default", "gelu.default");
  const std::string kAdd = is("aten_convolution_default_2", "add.Tensor");
  const std::string kSlow = times("20", "aten_convolution_default");
  EXPECT_EQ(Advised(kName, {kGelu, kSlow}).of("costly-activation"), nullptr) << "nothing to hold it against";
  EXPECT_EQ(Advised(kName, {kGelu, kAdd}).of("costly-activation"), nullptr) << "as fast as the addition";
  const Advised a(kName, {kGelu, kAdd, kSlow});
  const Advice* const slow = a.of("costly-activation");
  ASSERT_NE(slow, nullptr);
  EXPECT_GT(slow->most_ns, 0.5 * a.execution());
  ASSERT_GE(slow->facts.size(), 3U);
  EXPECT_LT(slow->most_ns, slow->facts[0].value) << "what it moves remains";
  EXPECT_LT(2 * slow->facts[2].value, slow->facts[0].value);
  EXPECT_NE(slow->what_to_do.find("in place of GELU"), std::string::npos) << slow->what_to_do;
  EXPECT_EQ(Advised(kName, {kGelu, kAdd, kSlow, times("20", "aten_convolution_default_2")}).of("costly-activation"),
            nullptr)
      << "the addition is as slow";
}

TEST(Advice, TransposesBetweenTheLayoutsOfModelAndDelegate) {
  const char* const kName = "mobilenet_v2_035_xnnpack_int8";
  const Advised a(kName);
  const Advice* const layout = a.of("delegate-layout");
  ASSERT_NE(layout, nullptr);
  double sum = 0;
  for (const AdviceItem& item : layout->items) {
    EXPECT_TRUE(item.title.starts_with("Transpose")) << item.title;
    EXPECT_GE(item.place.instruction, 0);
    sum += item.ns;
  }
  EXPECT_EQ(layout->items.size(), 2U);
  EXPECT_DOUBLE_EQ(layout->most_ns, sum);
  EXPECT_GT(sum, 0.03 * a.execution());
  EXPECT_NE(layout->what_to_do.find("channels-last example inputs"), std::string::npos);
  // Inputs of other shapes have no channels.
  const Advised flat(kName, {"UPDATE raw_graph_value SET shape = '[1, 150528]' WHERE kind = 'user_input'"});
  ASSERT_NE(flat.of("delegate-layout"), nullptr);
  EXPECT_EQ(flat.of("delegate-layout")->what_to_do.find("channels-last example"), std::string::npos);
  EXPECT_EQ(Advised(kName, {"UPDATE raw_op SET role = NULL WHERE role = 'layout'"}).of("delegate-layout"), nullptr)
      << "transposes of the model";
  EXPECT_EQ(Advised("partial_delegation").of("delegate-layout"), nullptr) << "small ones";
}

TEST(Advice, LoadingThatTakesAsLongAsManyExecutions) {
  const char* const kLonger = "UPDATE raw_block SET total = total * 100000 WHERE kind = 'load'";
  for (const char* name : {"add_mul", "lstm", "memory_pools"}) {
    const Advised a(name, {kLonger});
    bool loads = false;
    for (const OpBlock& b : a.shown.blocks) loads = loads || (b.kind == "load" && b.total > 0);
    EXPECT_EQ(a.of("slow-load") != nullptr, loads) << name;
    EXPECT_EQ(Advised(name).of("slow-load"), nullptr) << name;
  }
}

TEST(Advice, SarifNamesALineOfTheModelForEachFinding) {
  const Advised a("nanogpt_xnnpack_qd4");
  std::string text;
  ASSERT_TRUE(
      write_findings(a.advice, a.shown, {.format = "sarif", .version = "1.0.0", .trace = "run.etdp"}, &text).ok());
  size_t at = 0, lines = 0, results = 0;
  while ((at = text.find("\"startLine\"", at + 1)) != std::string::npos) ++lines;
  at = 0;
  while ((at = text.find("\"ruleIndex\"", at + 1)) != std::string::npos) ++results;
  EXPECT_EQ(results, a.advice.size());
  EXPECT_EQ(lines, results);
}

TEST(Advice, WithoutFilesBesideTheDumpThereIsNothingToSay) {
  test::ImportedFixture bare("nanogpt_xnnpack_qd4", false, false);
  OpTable shown;
  std::vector<Advice> advice;
  ASSERT_TRUE(load_shown_ops(bare.store, 1, {}, &shown).ok());
  AdviceNotes notes;
  ASSERT_TRUE(find_advice(bare.store, shown, &advice, nullptr, &notes).ok());
  for (const Advice& a : advice) EXPECT_NE(a.id, "constant-work");
  std::string text;
  ASSERT_TRUE(write_findings({}, shown, {}, &text).ok());
  EXPECT_EQ(text, "No rule found anything to improve.\n");
  notes.silent.clear();
  text.clear();
  ASSERT_TRUE(write_findings({}, shown, {.notes = &notes}, &text).ok());
  EXPECT_TRUE(text.starts_with("Nothing to improve was found by the rules that could look.\n\nNot looked for\n"))
      << text;
  EXPECT_NE(text.find("needs the ETRecord: safe-softmax, constant-work, data-movement, tiny-kernels, unused-work"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("needs the program (.pte): delegate-layout, peak-tensor, arena-waste"), std::string::npos)
      << text;
  text.clear();
  ASSERT_TRUE(write_findings({}, shown, {.format = "json", .notes = &notes}, &text).ok());
  EXPECT_NE(text.find("\"not_looked_for\": [{\"id\": \"safe-softmax\""), std::string::npos) << text;
}

}  // namespace
}  // namespace et::inspector
