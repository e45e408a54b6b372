// What explains the difference of two traces.
#include "inspector/analysis/diff/trace_diff.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "inspector/analysis/diff/diff_shares.h"
#include "inspector/analysis/diff/diff_text.h"
#include "inspector/analysis/diff/trace_changes.h"
#include "inspector/report/diff_report.h"
#include "tests/inspector/analysis/imported.h"
#include "tests/support/etdump_builder.h"

namespace et::inspector {
namespace {

/// An op of a made trace: a kernel or a delegate's operator with its graph nodes.
struct MadeNode {
  std::string op, name, file, module;
  int64_t line = 0;
};
struct MadeOp {
  std::vector<MadeNode> nodes;
  int64_t ns = 0;
  bool delegated = false;
  std::vector<MadeNode> absorbed = {};  // that it took in: linked with no part of its time
};

constexpr int kExecutions = 21;

/// What a machine does to executions.
struct MadeNoise {
  int64_t stall = 0;   ///< ns: each execution is held up in another op
  int fast_first = 0;  ///< so many executions take five sixths of the time of the others
};

/// An imported dump whose ops were given nodes: ops one after the other, 100 ns between two, times that scatter by 5
/// ns.
class MadeTrace {
 public:
  explicit MadeTrace(const std::vector<MadeOp>& ops, int executions = kExecutions,
                     const std::string& method = "forward", bool ticks = true, int warmup = 0,
                     const MadeNoise& noise = {}) {
    EXPECT_TRUE(Store::open("", Store::Mode::Memory, &store).ok());
    et::test::EtdumpBuilder dump;
    dump.trailer.emplace();
    uint64_t now = 1000;
    for (int k = 0; k < executions; ++k) {
      et::test::RunSpec& run = dump.run("Execute");
      const uint64_t begin = now;
      for (size_t i = 0; i < ops.size(); ++i) {
        const uint64_t at = now;
        const int64_t ns = k < noise.fast_first ? ops[i].ns * 5 / 6 : ops[i].ns;
        const bool held_up = k % static_cast<int>(ops.size()) == static_cast<int>(i);
        if (ticks) now += static_cast<uint64_t>(ns) + static_cast<uint64_t>((k * 7 + static_cast<int>(i)) % 5);
        if (ticks && held_up) now += static_cast<uint64_t>(noise.stall);
        const auto number = static_cast<int32_t>(i);
        if (ops[i].delegated) {
          run.delegate("fused", number, at, now);
          run.profile("DELEGATE_CALL", 0, number, at, now + (ticks ? 50 : 0));
        } else {
          run.profile("native_call_" + ops[i].nodes.front().op, 0, number, at, now);
        }
        if (ticks) now += 100;
      }
      run.profile("Method::execute", -1, 0, begin, now);
      et::test::TrailerRunSpec facts;
      facts.method = method;
      facts.kind = "execute";
      facts.execution = static_cast<uint64_t>(k + warmup);
      dump.trailer->runs.push_back(facts);
    }
    import(dump.bytes());
    for (size_t i = 0; i < ops.size(); ++i) link(static_cast<int64_t>(i), ops[i]);
  }

  Store store;

 private:
  void import(const std::vector<uint8_t>& bytes) {
    const std::string path = testing::TempDir() + "/et-diff-" + std::to_string(::getpid()) + ".etdp";
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    IngestInputs in;
    in.dump = path;
    IngestResult result;
    const Status status = ingest(store, in, {}, &result);
    EXPECT_TRUE(status.ok()) << status.message();
  }

  void link(int64_t instruction, const MadeOp& of) {
    int64_t op = 0;
    {
      Statement st = store.query("SELECT op_id FROM ops WHERE instruction_id = ?1 AND name != 'DELEGATE_CALL'");
      st.bind_all(instruction);
      ASSERT_TRUE(st.step());
      op = st.integer(0);
    }
    for (const MadeNode& n : of.nodes) add_node(op, n, "instruction", 1.0 / static_cast<double>(of.nodes.size()));
    for (const MadeNode& n : of.absorbed) add_node(op, n, "dataflow", 0);
  }

  /// A node that another op took in is the same node.
  bool took_in(const MadeNode& n, int64_t* id) {
    Statement st = store.query(
        "SELECT max(n.id) FROM raw_node n, raw_link l WHERE l.node = n.id AND l.weight = 0 AND n.name = ?1");
    st.bind_all(n.name);
    if (!st.step() || st.is_null(0)) return false;
    *id = st.integer(0);
    return true;
  }

  void add_node(int64_t op, const MadeNode& n, const char* via, double weight) {
    int64_t id = 0;
    if (took_in(n, &id)) {
      EXPECT_TRUE(store.query("INSERT INTO raw_link VALUES(?1, ?2, ?3, 1.0, ?4, ?5)").run(op, id, via, weight, id));
      return;
    }
    id = ++nodes_;
    const int64_t file = store.intern(n.file), function = store.intern("forward"), code = store.intern("x = f(x)");
    EXPECT_TRUE(
        store
            .query("INSERT INTO raw_node(id, trace, method, graph, subgraph, ordinal, name, target, op, "
                   "debug_handle, file, line, function, code, module_path, arguments, dtype, shape) VALUES(?1, 1, "
                   "(SELECT min(id) FROM raw_method), 'edge', '', ?1, ?2, ?3, ?3, ?1, ?4, ?5, ?6, ?7, ?8, '', "
                   "'float32', '[2]')")
            .run(id, n.name, n.op, file, n.line, function, code, store.intern(n.module)));
    EXPECT_TRUE(store.query("INSERT INTO raw_link VALUES(?1, ?2, ?3, 1.0, ?4, ?5)").run(op, id, via, weight, id));
  }

  int64_t nodes_ = 0;
};

TraceDiff diff_of(const MadeTrace& a, const MadeTrace& b, const TraceDiffOptions& options = {}) {
  TraceDiff out;
  const Status s = diff_traces(a.store, 1, b.store, 1, options, &out);
  EXPECT_TRUE(s.ok()) << s.message();
  return out;
}

void expect_adds_up(const TraceDiff& diff) {
  double before = 0, after = 0;
  for (const DiffGroup& g : diff.groups) {
    before += g.before.cost;
    after += g.after.cost;
  }
  EXPECT_NEAR(before, diff.before, 1e-6 * diff.before + 1e-6);
  EXPECT_NEAR(after, diff.after, 1e-6 * diff.after + 1e-6);
}

const DiffGroup* group_named(const TraceDiff& diff, const std::string& title) {
  for (const DiffGroup& g : diff.groups)
    if (g.title == title) return &g;
  return nullptr;
}

/// Two ops before that are one after.
const DiffGroup* fused_pair(const TraceDiff& diff) {
  for (const DiffGroup& g : diff.groups)
    if (g.before.parts.size() == 2 && g.after.parts.size() == 1) return &g;
  return nullptr;
}

const std::vector<MadeOp> kModel = {{{{"aten.convolution.default", "conv", "/a/model.py", "stem", 10}}, 20000},
                                    {{{"aten.relu.default", "relu", "/a/model.py", "act", 11}}, 3000},
                                    {{{"aten.linear.default", "linear", "/a/model.py", "head", 12}}, 9000}};

TEST(TraceDiff, TheOpThatBecameSlowerExplainsTheDifference) {
  std::vector<MadeOp> slower = kModel;
  slower[2].ns = 15000;
  const MadeTrace a(kModel), b(slower);
  const TraceDiff diff = diff_of(a, b);
  expect_adds_up(diff);
  ASSERT_FALSE(diff.groups.empty());
  EXPECT_EQ(diff.groups.front().title, "aten.linear");
  EXPECT_EQ(diff.groups.front().verdict, DiffVerdict::Slower);
  EXPECT_NEAR(diff.groups.front().change(), 6000, 5);
  EXPECT_GT(diff.groups.front().low.value_or(0), 1.6);
  for (const char* same : {"aten.convolution", "aten.relu"}) {
    ASSERT_NE(group_named(diff, same), nullptr) << same;
    EXPECT_EQ(group_named(diff, same)->verdict, DiffVerdict::Same) << same;
  }
  ASSERT_EQ(diff.methods.size(), 1u);
  EXPECT_EQ(diff.methods.front().verdict, DiffVerdict::Slower);
}

TEST(TraceDiff, RenamedAndMovedNodesAreFoundAndAddedOnesSaidToBe) {
  std::vector<MadeOp> changed = kModel;
  changed[0].nodes[0].name = "conv_7";       // another export
  changed[1].nodes[0].line = 31;             // moved in the file
  changed[2].nodes[0].file = "/b/model.py";  // another checkout
  changed.push_back({{{"aten.tanh.default", "tanh", "/a/model.py", "act", 13}}, 500});
  const MadeTrace a(kModel), b(changed);
  const TraceDiff diff = diff_of(a, b);
  expect_adds_up(diff);
  for (const char* title : {"aten.convolution", "aten.relu", "aten.linear", "aten.tanh"})
    ASSERT_NE(group_named(diff, title), nullptr) << title;
  EXPECT_EQ(group_named(diff, "aten.convolution")->via, NodeMatchVia::Renamed);
  EXPECT_EQ(group_named(diff, "aten.relu")->via, NodeMatchVia::Moved);
  EXPECT_EQ(group_named(diff, "aten.relu")->was_place, "model.py:11");
  EXPECT_EQ(group_named(diff, "aten.relu")->place, "model.py:31");
  EXPECT_EQ(group_named(diff, "aten.linear")->via, NodeMatchVia::Same);
  EXPECT_EQ(group_named(diff, "aten.tanh")->verdict, DiffVerdict::Added);
  const TraceDiff back = diff_of(b, a);
  ASSERT_NE(group_named(back, "aten.tanh"), nullptr);
  EXPECT_EQ(group_named(back, "aten.tanh")->verdict, DiffVerdict::Removed);
}

TEST(TraceDiff, AFusedOperatorIsComparedWithTheChainThatItReplaces) {
  const MadeTrace a(kModel);
  const MadeTrace b({{{kModel[0].nodes[0], kModel[1].nodes[0]}, 5000, true}});
  const TraceDiff diff = diff_of(a, b);
  expect_adds_up(diff);
  const DiffGroup* const chain = fused_pair(diff);
  ASSERT_NE(chain, nullptr);
  EXPECT_NEAR(chain->before.cost, 23000, 10);
  EXPECT_NEAR(chain->after.cost, 5000, 10);
  EXPECT_EQ(chain->verdict, DiffVerdict::Faster);
  ASSERT_NE(group_named(diff, "aten.linear"), nullptr);
  EXPECT_EQ(group_named(diff, "aten.linear")->verdict, DiffVerdict::Removed);
}

TEST(TraceDiff, WhatAFusedOperatorTookInIsComparedWithIt) {
  const MadeTrace a(kModel);
  const MadeTrace b({{{kModel[0].nodes[0]}, 5000, true, {kModel[1].nodes[0]}}, kModel[2]});
  const TraceDiff diff = diff_of(a, b);
  expect_adds_up(diff);
  EXPECT_EQ(group_named(diff, "aten.relu"), nullptr) << "not removed";
  const DiffGroup* const chain = fused_pair(diff);
  ASSERT_NE(chain, nullptr);
  EXPECT_NEAR(chain->before.cost, 23000, 10);
  EXPECT_NEAR(chain->after.cost, 5000, 10);
  // Where the node runs as an op of its own, too, it is compared with that.
  const MadeTrace c({{{kModel[0].nodes[0]}, 5000, true, {kModel[1].nodes[0]}}, kModel[1], kModel[2]});
  const TraceDiff own = diff_of(a, c);
  ASSERT_NE(group_named(own, "aten.relu"), nullptr);
  EXPECT_EQ(group_named(own, "aten.relu")->before.parts.size(), 1u);
}

TEST(TraceDiff, ATraceWithoutTimesIsNotFaster) {
  const MadeTrace a(kModel), still(kModel, kExecutions, "forward", /*ticks=*/false);
  for (const bool before : {false, true}) {
    const TraceDiff diff = before ? diff_of(still, a) : diff_of(a, still);
    EXPECT_NE(without_times(diff).find(before ? "All times before are 0" : "All times after are 0"), std::string::npos);
    EXPECT_EQ(different_programs(diff), "");
    for (const DiffMethod& m : diff.methods) EXPECT_EQ(m.verdict, DiffVerdict::Unclear);
    for (const DiffGroup& g : diff.groups) EXPECT_NE(g.verdict, DiffVerdict::Faster);
    EXPECT_EQ(diff_sentences(diff, {}).front().text, without_times(diff));
  }
  EXPECT_EQ(without_times(diff_of(a, a)), "");
}

// Warm-up before the trace leaves no cold execution: that is not known, and neither 0 ns nor a clock that stands.
TEST(TraceDiff, ATraceWithoutAColdExecutionHasNoColdFigures) {
  const MadeTrace a(kModel), warmed(kModel, kExecutions, "forward", true, /*warmup=*/2);
  for (const bool before : {false, true}) {
    const TraceDiff diff =
        before ? diff_of(warmed, a, {.basis = {BasisKind::Cold}}) : diff_of(a, warmed, {.basis = {BasisKind::Cold}});
    const std::string why = before ? "The trace before has no cold execution: it was warmed up"
                                   : "The trace after has no cold execution: it was warmed up";
    EXPECT_TRUE(without_times(diff).starts_with(why)) << without_times(diff);
    EXPECT_TRUE(diff.groups.empty());
    EXPECT_TRUE(diff_shares(diff).empty());
    ASSERT_EQ(diff_sentences(diff, {}).size(), 1u);
    ASSERT_EQ(diff.methods.size(), 1u);
    EXPECT_EQ(diff.methods[0].verdict, DiffVerdict::Unclear);
    EXPECT_EQ(diff.before, 0);
    EXPECT_EQ(diff.after, 0);
    std::string text;
    ASSERT_TRUE(write_diff(diff, {}, {}, {}, {}, &text).ok());
    EXPECT_NE(text.find(why), std::string::npos) << text;
    for (const char* wrong : {" 0 ns", "did not tick", "Nothing ran"})
      EXPECT_EQ(text.find(wrong), std::string::npos) << text;
    text.clear();
    ASSERT_TRUE(write_diff(diff, {}, {}, {}, {.format = "json"}, &text).ok());
    EXPECT_NE(text.find("\"before\": null"), std::string::npos) << text;
  }
  EXPECT_EQ(without_times(diff_of(warmed, a)), "");
  EXPECT_TRUE(
      without_times(diff_of(warmed, warmed, {.basis = {BasisKind::Cold}})).starts_with("Neither trace has a cold"));
}

TEST(TraceDiff, FewExecutionsAreNoProof) {
  std::vector<MadeOp> slower = kModel;
  slower[0].ns = 40000;
  const MadeTrace a(kModel, 3), b(slower, 3);
  const TraceDiff diff = diff_of(a, b);
  ASSERT_FALSE(diff.groups.empty());
  EXPECT_EQ(diff.groups.front().title, "aten.convolution");
  EXPECT_EQ(diff.groups.front().verdict, DiffVerdict::TooFew);
  EXPECT_EQ(diff.methods.front().verdict, DiffVerdict::TooFew);
  // The cold one is none of the warm ones that are counted.
  EXPECT_EQ(diff.methods.front().warm_before, 2);
  const std::string said = diff_sentences(diff, {}).front().text;
  EXPECT_NE(said.find("from 2 and 2 executions"), std::string::npos) << said;
  const MadeTrace c(kModel, 3, "forward", true, /*warmup=*/2);
  EXPECT_EQ(diff_of(c, b).methods.front().warm_before, 3);
}

// One rule, as it is said: six warm ones, however far the executions are apart.
TEST(TraceDiff, SixWarmExecutionsAreTheLeastThatAreJudged) {
  std::vector<MadeOp> slower = kModel;
  for (MadeOp& op : slower) op.ns *= 3;
  const TraceDiff five = diff_of(MadeTrace(kModel, 6), MadeTrace(slower, 6));
  EXPECT_EQ(five.methods.front().verdict, DiffVerdict::TooFew);
  for (const DiffGroup& g : five.groups) EXPECT_FALSE(g.low || g.interval_low) << g.title;
  const std::string said = diff_sentences(five, {}).front().text;
  EXPECT_NE(said.find("from 5 and 5 executions; 6 are the least, 20 are good"), std::string::npos) << said;
  const TraceDiff six = diff_of(MadeTrace(kModel, 7), MadeTrace(slower, 7));
  EXPECT_EQ(six.methods.front().verdict, DiffVerdict::Slower);
  EXPECT_EQ(six.methods.front().warm_after, 6);
}

std::vector<MadeOp> layers_of(int64_t ns) {
  std::vector<MadeOp> out;
  for (int i = 0; i < 8; ++i) {
    const std::string number = std::to_string(i);
    out.push_back({{{"aten.linear.default", "linear_" + number, "/a/model.py", "block." + number, 10 + i}}, ns});
  }
  return out;
}

std::string report_of(const TraceDiff& diff, const std::string& format = "table", bool same_program = false) {
  std::string text;
  TraceChanges changes;
  changes.same_program = same_program;
  EXPECT_TRUE(write_diff(diff, changes, {}, {}, {.format = format, .width = 1000}, &text).ok());
  return text;
}

TEST(TraceDiff, ADisturbedMachineIsSaidBeforeAnyChange) {
  const MadeTrace quiet(layers_of(10000));
  const MadeTrace held_up(layers_of(10000), kExecutions, "forward", true, 0, {.stall = 60000});
  for (const bool before : {false, true}) {
    const TraceDiff diff = before ? diff_of(held_up, quiet) : diff_of(quiet, held_up);
    expect_adds_up(diff);
    const DiffMethod& m = diff.methods.front();
    EXPECT_TRUE(m.by_usual);
    EXPECT_TRUE(m.disturbed(!before));
    EXPECT_FALSE(m.disturbed(before));
    EXPECT_EQ(m.verdict, DiffVerdict::Unclear) << "no op changed";
    EXPECT_NEAR(m.usual_after() / m.usual_before(), 1, 0.01);
    EXPECT_NEAR(std::fabs(m.after - m.before), 60000, 3000);
    const std::vector<DiffSentence> said = diff_sentences(diff, {.name = "ns"});
    ASSERT_EQ(said.size(), 3U);
    EXPECT_TRUE(said[0].text.starts_with(std::string(before ? "Before" : "After") + " was measured on a disturbed"))
        << said[0].text;
    EXPECT_TRUE(said[0].text.ends_with("measure it again")) << said[0].text;
    EXPECT_TRUE(said[1].text.starts_with("No change of the ops' usual times beyond noise: ")) << said[1].text;
    EXPECT_TRUE(said[0].warning);
    EXPECT_TRUE(said[2].detail);
    const std::string table = report_of(diff);
    TimeUnit unit;
    ASSERT_TRUE(choose_unit("auto", diff.unit, std::max(diff.before, diff.after), &unit).ok());
    for (const DiffSentence& s : usual_sentences(m, unit))
      EXPECT_NE(table.find(s.text), std::string::npos) << s.text << " in\n" << table;
    EXPECT_EQ(table.find("surely"), std::string::npos) << table;
    EXPECT_NE(report_of(diff, "json").find("\"verdict_of\": \"usual times of the ops\""), std::string::npos);
  }
  // What the ops themselves take more is said all the same.
  const MadeTrace slower(layers_of(15000), kExecutions, "forward", true, 0, {.stall = 60000});
  const TraceDiff both = diff_of(quiet, slower);
  EXPECT_EQ(both.methods.front().verdict, DiffVerdict::Slower);
  EXPECT_NEAR(both.methods.front().low.value_or(0), 1.5, 0.02);
  const std::vector<DiffSentence> said = diff_sentences(both, {.name = "ns"});
  EXPECT_TRUE(std::any_of(said.begin(), said.end(), [](const DiffSentence& s) {
    return s.verdict == DiffVerdict::Slower && s.text.starts_with("The ops' usual times are longer: ");
  }));
}

TEST(TraceDiff, AnIntervalIsOfTheChangeThatIsShown) {
  const MadeTrace quiet(layers_of(10000));
  const MadeTrace held_up(layers_of(10000), kExecutions, "forward", true, 0, {.stall = 60000});
  for (const BasisKind kind : {BasisKind::Mean, BasisKind::Total}) {
    const TraceDiff diff = diff_of(quiet, held_up, {.basis = {kind}});
    int64_t without = 0;
    for (const DiffGroup& g : diff.groups) {
      if (!(g.before.cost > 0) || !(g.after.cost > 0)) continue;
      if (!g.interval_low) {
        EXPECT_EQ(g.verdict, DiffVerdict::Unclear) << g.title;
        ++without;
        continue;
      }
      const double ratio = g.after.cost / g.before.cost;
      EXPECT_LE(*g.interval_low, ratio) << g.title;
      EXPECT_GE(*g.interval_high, ratio) << g.title;
    }
    EXPECT_GT(without, 0) << "the stalls are in some op's mean, in none's usual time";
  }
}

TEST(TraceDiff, WhatIsMostlyVariationIsNoChangeOfTheOps) {
  const MadeTrace quiet(layers_of(10000));
  const MadeTrace noisy(layers_of(10000), kExecutions, "forward", true, 0, {.stall = 10000});
  const TraceDiff diff = diff_of(quiet, noisy);
  const DiffMethod& m = diff.methods.front();
  EXPECT_TRUE(m.by_usual);
  EXPECT_FALSE(m.disturbed(true)) << "an eighth is less than a quarter";
  EXPECT_EQ(m.verdict, DiffVerdict::Unclear);
  const std::vector<DiffSentence> said = diff_sentences(diff, {.name = "ns"});
  ASSERT_EQ(said.size(), 2U);
  EXPECT_TRUE(said[0].text.starts_with("No change of the ops' usual times")) << said[0].text;
  EXPECT_NE(said[1].text.find("are variation"), std::string::npos) << said[1].text;
}

// Of one run the executions are not independent: what drifts in it is known no better than its parts are alike.
TEST(TraceDiff, ARunThatDriftsIsNoProof) {
  const MadeTrace a(layers_of(10000)), slow(layers_of(12000));
  EXPECT_EQ(diff_of(a, slow).methods.front().verdict, DiffVerdict::Slower);
  const MadeTrace drifts(layers_of(12000), kExecutions, "forward", true, 0, {.stall = 0, .fast_first = 6});
  const TraceDiff diff = diff_of(a, drifts);
  EXPECT_EQ(diff.methods.front().verdict, DiffVerdict::Unclear);
  EXPECT_LE(diff.methods.front().interval_low.value_or(2), 1.001);
  for (const DiffGroup& g : diff.groups) EXPECT_NE(g.verdict, DiffVerdict::Slower) << g.title;
}

TEST(TraceDiff, ARatioHasAnIntervalOfItsKind) {
  EXPECT_EQ(ratio_range(2.685, 6.688), "2.7–6.7 times");
  EXPECT_EQ(ratio_range(1.09, 1.15), "9.0–15.0% slower");
  EXPECT_EQ(ratio_range(0.4, 0.6), "40.0–60.0% less");
}

TEST(TraceDiff, TheSameProgramIsNotWhatChanged) {
  const TraceDiff diff = diff_of(MadeTrace(layers_of(10000)), MadeTrace(layers_of(12000)));
  EXPECT_EQ(of_same_program(diff, false), "");
  const std::string same = of_same_program(diff, true);
  EXPECT_TRUE(same.starts_with("Both ran the same program: ")) << same;
  EXPECT_EQ(diff_sentences(diff, {.name = "ns"}, true).front().text, same);
  EXPECT_NE(report_of(diff, "table", true).find(same), std::string::npos) << "the command says what the panel says";
  const MadeTrace one(layers_of(10000));
  EXPECT_EQ(of_same_program(diff_of(one, one), true), "") << "nothing changed";
  const test::ImportedFixture a("lstm"), b("lstm"), c("lstm_xnnpack");
  TraceChanges changes;
  ASSERT_TRUE(compare_traces(a.store, 1, b.store, 1, &changes).ok());
  EXPECT_TRUE(changes.same_program);
  ASSERT_TRUE(compare_traces(a.store, 1, c.store, 1, &changes).ok());
  EXPECT_FALSE(changes.same_program);
}

TEST(TraceDiff, OnRealTracesRowsAddUpOnEveryBasisAndATraceIsAsFastAsItself) {
  for (const char* name : {"partial_delegation", "lstm_xnnpack", "multi_method", "control_flow_map", "add_mul"}) {
    SCOPED_TRACE(name);
    const test::ImportedFixture one(name), two(name);
    const Store &a = one.store, &b = two.store;
    for (const BasisKind kind :
         {BasisKind::WarmMedian, BasisKind::Mean, BasisKind::Total, BasisKind::Cold, BasisKind::P99}) {
      TraceDiff diff;
      const Status s = diff_traces(a, 1, b, 1, {.basis = {kind}}, &diff);
      ASSERT_TRUE(s.ok()) << s.message();
      expect_adds_up(diff);
      EXPECT_FALSE(diff.groups.empty());
      if (kind != BasisKind::WarmMedian) {
        EXPECT_EQ(all_changed_alike(diff), "");
      }
      const bool single = kind == BasisKind::Cold || kind == BasisKind::P99;
      for (const DiffGroup& g : diff.groups) {
        EXPECT_FALSE(single && g.interval_low) << "the warm samples say nothing of single executions: " << g.title;
        EXPECT_EQ(g.change(), 0) << g.title;
        EXPECT_NE(g.verdict, DiffVerdict::Slower) << g.title;
        EXPECT_NE(g.verdict, DiffVerdict::Added) << g.title;
      }
    }
  }
}

TEST(TraceDiff, AMethodWithoutANameIsTheOnlyOneOfTheOtherTrace) {
  const MadeTrace named(kModel), unnamed(kModel, kExecutions, "");
  for (const TraceDiff& diff : {diff_of(unnamed, named), diff_of(named, unnamed)}) {
    ASSERT_EQ(diff.methods.size(), 1U);
    EXPECT_EQ(diff.methods[0].name, "forward");
    EXPECT_EQ(diff.methods[0].executions_before, kExecutions);
    EXPECT_EQ(diff.methods[0].executions_after, kExecutions);
    for (const DiffGroup& g : diff.groups) {
      EXPECT_NE(g.verdict, DiffVerdict::Added) << g.title;
      EXPECT_NE(g.verdict, DiffVerdict::Removed) << g.title;
    }
    expect_adds_up(diff);
  }
}

TEST(TraceDiff, ATraceWithoutItsGraphIsHeldAgainstOneWithItByNames) {
  const test::ImportedFixture with("partial_delegation"), without("partial_delegation", false, false);
  TraceDiff diff;
  ASSERT_TRUE(diff_traces(with.store, with.table.trace_id, without.store, without.table.trace_id, {}, &diff).ok());
  for (const DiffGroup& g : diff.groups) {
    EXPECT_NE(g.verdict, DiffVerdict::Added) << g.title;
    EXPECT_NE(g.verdict, DiffVerdict::Removed) << g.title;
    EXPECT_NEAR(g.change(), 0, 1) << g.title;
  }
  EXPECT_EQ(different_programs(diff), "");
  expect_adds_up(diff);
}

TEST(TraceDiff, DifferentProgramsAreSaidToBeBeforeAnyFigure) {
  const std::vector<MadeOp> other = {{{{"aten.embedding.default", "embedding", "/b/lm.py", "token", 50}}, 5000},
                                     {{{"aten.native_layer_norm.default", "norm", "/b/lm.py", "norm", 51}}, 3000},
                                     {{{"aten.bmm.default", "bmm", "/b/lm.py", "attn", 52}}, 9000},
                                     {{{"aten._softmax.default", "softmax", "/b/lm.py", "attn", 53}}, 2000}};
  const TraceDiff diff = diff_of(MadeTrace(kModel), MadeTrace(other));
  const auto sentences = diff_sentences(diff, {.name = "ns"});
  ASSERT_EQ(sentences.size(), 2U);
  EXPECT_TRUE(sentences[0].text.starts_with("These are different programs: 0 of " + std::to_string(diff.groups.size())))
      << sentences[0].text << ": as many rows as there are";
  for (const DiffGroup& g : diff.groups) {
    if (g.before.parts.empty() || g.after.parts.empty()) continue;
    EXPECT_EQ(g.verdict, DiffVerdict::Other) << g.title;
    EXPECT_FALSE(g.low || g.interval_low) << g.title;
  }
  EXPECT_EQ(sentences[1].text.find("confidence"), std::string::npos) << sentences[1].text;
  EXPECT_EQ(sentences[1].verdict, DiffVerdict::Unclear);
  EXPECT_TRUE(diff_shares(diff).empty());
  // A change of one op of many is none.
  std::vector<MadeOp> changed = kModel;
  changed[1] = {{{"aten.gelu.default", "gelu", "/a/model.py", "other", 90}}, 3000};
  EXPECT_EQ(different_programs(diff_of(MadeTrace(kModel), MadeTrace(changed))), "");
}

TEST(TraceDiff, WhatTheFrameworkTakesIsALineOfItsOwn) {
  TraceDiff diff;
  const auto add = [&](const char* title, const char* type, double before, double after) {
    DiffGroup g;
    g.title = title;
    g.type = type;
    g.before.parts = g.after.parts = {{0, 1}};
    g.before.cost = before;
    g.after.cost = after;
    diff.groups.push_back(g);
    diff.before += before;
    diff.after += after;
  };
  for (const double by : {60.0, 50.0, 40.0, 30.0, 20.0}) add("aten.linear", "aten.linear", 100, 100 + by);
  add("framework", "", 10, 25);
  const std::vector<DiffShare> shares = diff_shares(diff);
  ASSERT_FALSE(shares.empty());
  EXPECT_EQ(shares.front().title, "aten.linear ×5") << "no single one of them says much";
  EXPECT_DOUBLE_EQ(shares.front().change, 200);
  EXPECT_EQ(shares.front().group, 0) << "the one that changed most";
  double sum = 0;
  const DiffShare* framework = nullptr;
  for (const DiffShare& s : shares) {
    sum += s.change;
    if (s.title == "framework") framework = &s;
  }
  ASSERT_NE(framework, nullptr);
  EXPECT_DOUBLE_EQ(framework->change, 15);
  EXPECT_DOUBLE_EQ(sum, diff.after - diff.before);
  // Where one op is most of it, it is named with its place.
  diff.groups[0].after.cost += 500;
  diff.after += 500;
  EXPECT_EQ(diff_shares(diff).front().title, "aten.linear");
  EXPECT_EQ(diff_shares(diff).front().of, DiffShare::Of::Op);
}

struct ModuleDiff {
  TraceDiff diff;
  void add(const char* type, const char* module, double before, double after) {
    DiffGroup g;
    g.title = g.type = type;
    g.module = module;
    g.before.parts = g.after.parts = {{0, 1}};
    g.before.cost = before;
    g.after.cost = after;
    diff.groups.push_back(g);
    diff.before += before;
    diff.after += after;
  }
  void sort() {
    std::stable_sort(diff.groups.begin(), diff.groups.end(), [](const DiffGroup& a, const DiffGroup& b) {
      return std::fabs(a.change()) > std::fabs(b.change());
    });
  }
};

TEST(TraceDiff, SeveralMethodsHaveSharesOfTheirOwn) {
  ModuleDiff made;
  const auto add = [&](const char* method, const char* type, double before, double after) {
    made.add(type, "net", before, after);
    made.diff.groups.back().method = method;
  };
  add("prefill", "aten.linear", 5000, 4700);
  add("decode", "aten.linear", 100, 130);
  add("decode", "aten.bmm", 100, 101);
  add("encode", "aten.mm", 300, 400);
  made.sort();
  const auto method = [&](const char* name, double before, double after, DiffVerdict verdict) {
    DiffMethod m;
    m.name = name;
    m.executions_before = m.executions_after = 20;
    m.before = before;
    m.after = after;
    m.verdict = verdict;
    made.diff.methods.push_back(m);
  };
  method("prefill", 5000, 4700, DiffVerdict::Unclear);
  method("decode", 200, 231, DiffVerdict::Slower);
  method("encode", 300, 400, DiffVerdict::Same);
  const std::vector<MethodShares> shares = diff_shares_by_method(made.diff);
  ASSERT_EQ(shares.size(), 2U) << "of what does not matter there are no parts";
  EXPECT_EQ(shares[1].method, "decode");
  EXPECT_DOUBLE_EQ(shares[1].change, 31);
  double sum = 0;
  for (const DiffShare& share : shares[1].shares) sum += share.change;
  EXPECT_DOUBLE_EQ(sum, 31);
  ASSERT_GE(shares[1].shares.front().group, 0);
  const DiffGroup& first = made.diff.groups[static_cast<size_t>(shares[1].shares.front().group)];
  EXPECT_EQ(first.method, "decode") << "a row of all rows, not of its own";
  EXPECT_DOUBLE_EQ(first.change(), 30);
}

TEST(TraceDiff, TheModuleThatNearlyAllOfTheChangeIsInIsNamed) {
  ModuleDiff made;
  for (const char* layer : {"net.0", "net.1", "net.10"}) {
    const bool slow = std::string(layer) == "net.1";
    made.add("aten.addmm", (std::string(layer) + ".mlp.fc1").c_str(), 100, slow ? 200 : 101);
    made.add("aten.addmm", (std::string(layer) + ".mlp.fc2").c_str(), 100, slow ? 180 : 99);
    made.add("aten.bmm", (std::string(layer) + ".attention").c_str(), 150, 152);
  }
  made.sort();
  const std::vector<DiffShare> shares = diff_shares(made.diff);
  ASSERT_EQ(shares.size(), 2U);
  EXPECT_EQ(shares[0].of, DiffShare::Of::Module);
  EXPECT_EQ(shares[0].module, "net.1.mlp") << "the innermost, and not net.10";
  EXPECT_EQ(shares[0].title, "net.1.mlp (aten.addmm ×2)");
  EXPECT_DOUBLE_EQ(shares[0].change, 180);
  EXPECT_DOUBLE_EQ(shares[0].change + shares[1].change, made.diff.after - made.diff.before);
}

TEST(TraceDiff, AChangeOfAllModulesOrOfOneOpHasNoModule) {
  ModuleDiff all;
  for (const char* layer : {"net.0", "net.1", "net.2"}) {
    all.add("aten.addmm", (std::string(layer) + ".fc1").c_str(), 100, 130);
    all.add("aten.gelu", (std::string(layer) + ".fc2").c_str(), 100, 130);
  }
  all.sort();
  for (const DiffShare& share : diff_shares(all.diff)) EXPECT_NE(share.of, DiffShare::Of::Module) << share.title;
  ModuleDiff one;
  one.add("aten.addmm", "net.0.fc1", 100, 200);
  one.add("aten.gelu", "net.0.act", 100, 100);
  one.add("aten.addmm", "net.1.fc1", 300, 301);
  one.sort();
  ASSERT_FALSE(diff_shares(one.diff).empty());
  EXPECT_EQ(diff_shares(one.diff).front().of, DiffShare::Of::Op) << "its row has its module";
  // Faster here and slower there: no module has the difference.
  ModuleDiff both;
  both.add("aten.addmm", "net.0.fc1", 100, 200);
  both.add("aten.addmm", "net.0.fc2", 100, 200);
  both.add("aten.addmm", "net.1.fc1", 300, 210);
  both.add("aten.gelu", "net.1.fc2", 300, 200);
  both.sort();
  for (const DiffShare& share : diff_shares(both.diff)) EXPECT_NE(share.of, DiffShare::Of::Module) << share.title;
}

TEST(TraceDiff, WhatNoOpsUsualTimeExplainsStandsAfterTheOpsAndSaysSo) {
  TraceDiff diff;
  diff.methods.push_back({});
  const auto add = [&](const char* title, const char* type, double before, double after) {
    DiffGroup g;
    g.title = title;
    g.type = type;
    g.is_variation = *type == '\0';
    g.before.cost = before;
    g.after.cost = after;
    if (*type != '\0') g.before.parts = g.after.parts = {{0, 1}};
    diff.before += before;
    diff.after += after;
    diff.groups.push_back(std::move(g));
  };
  add("(variation)", "", 10, 76);
  for (int i = 0; i < 6; ++i) add("aten.linear", "aten.linear.default", 100, 110);
  std::vector<DiffShare> shares = diff_shares(diff);
  ASSERT_EQ(shares.size(), 2U);
  EXPECT_EQ(shares[0].title, "aten.linear ×6") << "what one can change";
  EXPECT_DOUBLE_EQ(shares[0].change, 60);
  EXPECT_EQ(shares[1].title, "in no op's usual time (variation)");
  EXPECT_DOUBLE_EQ(shares[1].change, 66);
  EXPECT_EQ(shares[1].group, 0);
  // Of single ops likewise.
  diff.groups.resize(2);
  diff.before = 110;
  diff.after = 186;
  shares = diff_shares(diff);
  ASSERT_EQ(shares.size(), 2U);
  EXPECT_EQ(shares[0].title, "aten.linear");
  EXPECT_DOUBLE_EQ(shares[1].change, 66);
}

TEST(TraceDiff, WhatSlowsAllOpsAlikeIsSaidFirst) {
  const auto model = [](double factor, double last) {
    std::vector<MadeOp> out;
    for (int i = 0; i < 8; ++i) {
      const std::string number = std::to_string(i);
      const double ns = (8000 + 1000 * i) * (i == 7 ? last : factor);
      out.push_back({{{"aten.linear.default", "linear_" + number, "/a/model.py", "block." + number, 10 + i}},
                     static_cast<int64_t>(ns)});
    }
    return out;
  };
  const MadeTrace base(model(1, 1));
  const TraceDiff slower = diff_of(base, MadeTrace(model(1.4, 1.4)));
  const std::vector<DiffSentence> sentences = diff_sentences(slower, {.name = "ns"});
  ASSERT_EQ(sentences.size(), 2U);
  EXPECT_TRUE(sentences[0].text.starts_with("Nearly all ops take 1.40 times as long")) << sentences[0].text;
  EXPECT_EQ(sentences[1].verdict, DiffVerdict::Slower);
  EXPECT_EQ(all_changed_alike(diff_of(base, MadeTrace(model(1, 1)))), "");
  EXPECT_EQ(all_changed_alike(diff_of(base, MadeTrace(model(1, 4)))), "") << "one op did";
  EXPECT_NE(all_changed_alike(diff_of(base, MadeTrace(model(0.6, 0.6)))), "") << "faster, too";
}

TEST(TraceDiff, WithoutGraphsOpsAreToldByNameAndOrder) {
  const test::ImportedFixture one("add_mul", false, false), two("add_mul", false, false);
  TraceDiff diff;
  ASSERT_TRUE(diff_traces(one.store, 1, two.store, 1, {}, &diff).ok());
  expect_adds_up(diff);
  size_t kernels = 0;
  for (const DiffGroup& g : diff.groups) {
    if (g.title.starts_with('(')) continue;  // no op
    EXPECT_FALSE(g.before.parts.empty()) << g.title;
    EXPECT_EQ(g.title.find('+'), std::string::npos) << "a call and its kernel are one: " << g.title;
    EXPECT_EQ(g.before.parts.size(), g.after.parts.size()) << g.title;
    kernels += g.after.parts.size() == 2 ? 1 : 0;  // with its call
  }
  EXPECT_EQ(kernels, 2U) << "an addition and a multiplication";
}

TEST(TraceDiff, PortableAgainstDelegatedAddsUp) {
  const test::ImportedFixture portable("lstm"), delegated("lstm_xnnpack");
  TraceDiff diff;
  ASSERT_TRUE(diff_traces(portable.store, 1, delegated.store, 1, {}, &diff).ok());
  expect_adds_up(diff);
  bool compared = false;
  for (const DiffGroup& g : diff.groups) compared = compared || g.delegation_changed();
  EXPECT_TRUE(compared) << "kernels and delegates that do the same work are one row";
}

TEST(TraceDiff, ATraceThatIsNotThereIsAnError) {
  const MadeTrace a(kModel);
  TraceDiff diff;
  EXPECT_EQ(diff_traces(a.store, 1, a.store, 9, {}, &diff).code(), Error::NotFound);
}

}  // namespace
}  // namespace et::inspector
