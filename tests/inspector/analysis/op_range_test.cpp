// An op table of a span of time: what lies in it, and nothing else.
#include "inspector/analysis/ops/op_range.h"

#include <gtest/gtest.h>

#include <numeric>

#include "inspector/analysis/ops/samples.h"
#include "inspector/analysis/ops/summary.h"
#include "tests/inspector/analysis/imported.h"

namespace et::inspector {
namespace {

struct Span {
  int64_t begin = 0, end = 0;
};

class OpRange : public ::testing::TestWithParam<std::string> {
 protected:
  OpTable loaded(const OpTableOptions& options) {
    OpTable table;
    const Status status = load_shown_ops(fixture_.store, 1, options, &table);
    EXPECT_TRUE(status.ok()) << status.message();
    return table;
  }
  OpTable in(int64_t begin, int64_t end) { return loaded({.range = TimeRange{begin, end}}); }
  std::vector<Span> executions() {
    std::vector<Span> out;
    Statement st = fixture_.store.query(
        "SELECT start_ns, start_ns + duration_ns FROM executions e JOIN blocks b USING (block_id) "
        "WHERE b.kind = 'execute' ORDER BY run_id");
    while (st.step()) out.push_back({st.integer(0), st.integer(1)});
    return out;
  }
  test::ImportedFixture fixture_{GetParam()};
};

TEST_P(OpRange, TheWholeTraceHasItsSums) {
  const OpTable all = loaded({.basis = {BasisKind::Total}});
  const OpTable ranged = in(0, INT64_MAX);
  ASSERT_EQ(ranged.ops.size(), all.ops.size());
  for (size_t i = 0; i < all.ops.size(); ++i) {
    SCOPED_TRACE(all.ops[i].name.str());
    EXPECT_EQ(ranged.ops[i].count, all.ops[i].count);
    EXPECT_EQ(ranged.ops[i].sum, all.ops[i].sum);
    EXPECT_EQ(ranged.ops[i].min, all.ops[i].min);
    EXPECT_EQ(ranged.ops[i].p50, all.ops[i].p50);
    EXPECT_EQ(ranged.ops[i].max, all.ops[i].max);
    EXPECT_DOUBLE_EQ(ranged.ops[i].cost, all.ops[i].cost);
  }
  for (size_t b = 0; b < all.blocks.size(); ++b) {
    EXPECT_EQ(ranged.blocks[b].runs, all.blocks[b].runs);
    EXPECT_EQ(ranged.blocks[b].total, all.blocks[b].total);
  }
}

TEST_P(OpRange, PartsOfAnExecutionAddUpToIt) {
  std::vector<Span> spans = executions();
  if (spans.size() > 4) spans.resize(4);
  for (const Span& s : spans) {
    const int64_t middle = s.begin + (s.end - s.begin) / 3;
    const OpTable whole = in(s.begin, s.end), first = in(s.begin, middle), second = in(middle, s.end);
    double cost = 0;
    for (size_t i = 0; i < whole.ops.size(); ++i) {
      cost += whole.ops[i].cost;
      if (!whole.ops[i].on_trace_clock()) continue;
      EXPECT_EQ(first.ops[i].sum + second.ops[i].sum, whole.ops[i].sum) << whole.ops[i].name.str();
      EXPECT_NEAR(first.ops[i].cost + second.ops[i].cost, whole.ops[i].cost, 1e-6);
      EXPECT_GE(first.ops[i].count + second.ops[i].count, whole.ops[i].count);
    }
    EXPECT_NEAR(cost, static_cast<double>(s.end - s.begin), 1e-6) << "all of it, and nothing of the others";
    int64_t runs = 0;
    double blocks = 0;
    for (const OpBlock& b : whole.blocks) {
      runs += b.runs;
      blocks += b.cost;
    }
    EXPECT_EQ(runs, 1);
    EXPECT_NEAR(blocks, cost, 1e-6);
    double parts = 0;
    for (const PartRow& part : cost_parts(whole)) parts += part.total;
    EXPECT_NEAR(parts, cost, 1e-6);
  }
}

TEST_P(OpRange, SamplesAreThoseOfTheStatistics) {
  const Span s = executions().back();
  const TimeRange range = {s.begin + (s.end - s.begin) / 4, s.end - (s.end - s.begin) / 5};
  for (const OpEntry& op : in(range.begin, range.end).ops) {
    if (!op.on_trace_clock()) continue;
    OpSamples samples;
    const Status status = load_op_samples_in(fixture_.store, op.id, range, 1000, &samples);
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(samples.total, op.count) << op.name.str();
    EXPECT_EQ(std::accumulate(samples.durations.begin(), samples.durations.end(), int64_t{0}), op.sum) << op.name.str();
    EXPECT_EQ(samples.runs.size(), samples.durations.size());
    if (op.count < 2) continue;
    ASSERT_TRUE(load_op_samples_in(fixture_.store, op.id, range, 1, &samples).ok());
    EXPECT_EQ(samples.durations.size(), 1U);
    EXPECT_EQ(samples.step, op.count);
  }
}

TEST_P(OpRange, NothingRunsOutsideOfTheTrace) {
  for (const OpTable& table : {in(-20, -10), in(INT64_MAX - 10, INT64_MAX)}) {
    EXPECT_EQ(table.basis.kind, BasisKind::Range);
    for (const OpEntry& op : table.ops) {
      EXPECT_EQ(op.count, 0);
      EXPECT_EQ(op.cost, 0);
    }
    for (const OpBlock& b : table.blocks) EXPECT_EQ(b.cost, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Fixtures, OpRange,
                         ::testing::Values("partial_delegation", "nanogpt_xnnpack_qd4", "multi_method", "ethosu55_int8",
                                           "control_flow_map"));

}  // namespace
}  // namespace et::inspector
