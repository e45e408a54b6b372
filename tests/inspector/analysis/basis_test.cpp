// Costs per execution of real traces: they add up, and blocks of one method are one.
#include "inspector/analysis/ops/basis.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "inspector/analysis/ops/group.h"
#include "inspector/analysis/ops/module_tree.h"
#include "inspector/analysis/ops/source_lines.h"
#include "inspector/analysis/ops/summary.h"
#include "tests/inspector/analysis/imported.h"
#include "tests/support/etdump_builder.h"

namespace et::inspector {
namespace {

const char* const kBases[] = {"warm", "mean", "total", "cold", "p99", "#0", "#2"};

OpTable on_basis(const Store& store, const char* text, bool merge = true) {
  OpTableOptions options;
  options.merge_blocks = merge;
  EXPECT_TRUE(parse_basis(text, &options.basis).ok());
  OpTable table;
  const Status status = load_shown_ops(store, 1, options, &table);
  EXPECT_TRUE(status.ok()) << status.message();
  return table;
}

TEST(Groups, ACallAndItsKernelAreOneOp) {
  const test::ImportedFixture fixture("add_mul");
  const OpTable table = on_basis(fixture.store, "warm");
  const auto wrappers =
      std::count_if(table.ops.begin(), table.ops.end(), [](const OpEntry& o) { return o.is_wrapper(); });
  ASSERT_GT(wrappers, 0);
  int64_t kernels = 0, samples = 0, seen = 0;
  for (const GroupRow& row : group_costs(table, GroupBy::Type, Filter()).rows) {
    if (row.none) continue;
    ++seen;
    kernels += row.ops;
    samples += row.samples;
  }
  EXPECT_EQ(seen, 2);
  EXPECT_EQ(kernels, 2) << "an addition and a multiplication";
  int64_t measured = 0;
  for (const OpEntry& op : table.ops) measured += op.kind == "kernel" ? op.count : 0;
  EXPECT_EQ(samples, measured);
  for (const PartRow& part : cost_parts(table)) {
    if (part.part == Part::Kernel) {
      EXPECT_EQ(part.ops, 2);
    }
    if (part.part != Part::Framework) continue;
    EXPECT_EQ(part.ops, 0) << "neither calls nor the runtime's own time are ops";
  }
}

class Bases : public ::testing::TestWithParam<std::string> {};

TEST_P(Bases, EveryViewAddsUpToTheExecutions) {
  const test::ImportedFixture fixture(GetParam());
  for (const char* basis : kBases) {
    SCOPED_TRACE(basis);
    const OpTable table = on_basis(fixture.store, basis);
    double whole = 0, variation = 0;
    for (const OpBlock& b : table.blocks) {
      if (b.kind != "execute") continue;
      double ops = 0;
      for (size_t i = b.first_op; i < b.first_op + b.ops; ++i) ops += table.ops[i].cost;
      EXPECT_NEAR(ops + b.variation, b.cost, 1e-6 * (std::fabs(b.cost) + 1));
      whole += b.cost;
      variation += b.variation;
    }
    const double close = 1e-6 * (whole + 1);
    EXPECT_GT(whole, 0);
    if (std::string(basis) != "warm") {
      EXPECT_EQ(variation, 0);
    }

    double parts = variation;
    for (const PartRow& part : cost_parts(table)) parts += part.total;
    EXPECT_NEAR(parts, whole, close);
    for (const GroupBy by : {GroupBy::Op, GroupBy::Line, GroupBy::Module, GroupBy::Type}) {
      const GroupTable groups = group_costs(table, by, Filter());
      double sum = variation;
      for (const GroupRow& row : groups.rows) sum += row.self;
      EXPECT_NEAR(sum, whole, close);
      EXPECT_NEAR(groups.total, whole, close);
    }
    SourceCost source;
    ASSERT_TRUE(load_source_cost(fixture.store, table, &source).ok());
    double lines = source.no_line_ns + source.variation_ns;
    for (const SourceFileCost& f : source.files) lines += f.ns;
    EXPECT_NEAR(lines, whole, close);
    CostTree tree;
    ASSERT_TRUE(module_tree(fixture.store, table, &tree).ok());
    EXPECT_NEAR(tree.nodes[0].total, whole, close);
  }
}

INSTANTIATE_TEST_SUITE_P(Fixtures, Bases,
                         ::testing::Values("add_mul", "control_flow_cond", "lstm_xnnpack",
                                           "mobilenet_v2_035_xnnpack_int8", "multi_method", "nanogpt_xnnpack_qd8"),
                         test::fixture_name);

TEST(Basis, Names) {
  for (const char* text : kBases) {
    Basis basis;
    ASSERT_TRUE(parse_basis(text, &basis).ok());
    EXPECT_EQ(basis.name(), text);
  }
  Basis basis;
  EXPECT_TRUE(parse_basis("7", &basis).ok());
  EXPECT_EQ(basis, (Basis{BasisKind::Execution, 7}));
  for (const char* wrong : {"", "#", "median", "-1", "#1x", "99999999999999999999"}) {
    const Status status = parse_basis(wrong, &basis);
    EXPECT_NE(status.message().find("expected warm, mean, total, cold, p99"), std::string::npos) << wrong;
  }
}

/// Two branches of a method run in turn, after a first execution with an event of its own; one execution is
/// interrupted.
class Branches : public ::testing::Test {
 protected:
  static constexpr int kExecutions = 13;

  void SetUp() override {
    et::test::EtdumpBuilder dump;
    dump.trailer.emplace();
    uint64_t now = 1000;
    for (int i = 0; i < kExecutions; ++i) {
      et::test::RunSpec& run = dump.run("Execute", i % 3);
      const uint64_t begin = now;
      const auto op = [&](const char* name, int instruction, uint64_t duration) {
        run.profile(name, 0, instruction, now, now + duration);
        now += duration;
      };
      if (i == 0) op("native_call_pack", 0, 1000);
      op("native_call_a", 1, 100);
      if (i % 2 == 0) {
        op("native_call_b", 2, i == 4 ? 90'000 : 200);
      } else {
        op("native_call_c", 3, 300);
      }
      now += 50;
      run.profile("Method::execute", -1, 0, begin, now);
      et::test::TrailerRunSpec facts;
      facts.method = "forward";
      facts.kind = "execute";
      facts.execution = static_cast<uint64_t>(i);
      dump.trailer->runs.push_back(facts);
    }
    const std::string path =
        (std::filesystem::temp_directory_path() / ("et-basis-" + std::to_string(::getpid()) + ".etdp")).string();
    const std::vector<uint8_t> bytes = dump.bytes();
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    ASSERT_TRUE(Store::open("", Store::Mode::Memory, &store_).ok());
    IngestInputs inputs;
    inputs.dump = path;
    IngestResult result;
    const Status status = ingest(store_, inputs, {}, &result);
    std::filesystem::remove(path);
    ASSERT_TRUE(status.ok()) << status.message();
  }

  static const OpEntry& op(const OpTable& table, std::string_view name) {
    static const OpEntry none;
    for (const OpEntry& o : table.ops) {
      if (o.name.str() == name) return o;
    }
    ADD_FAILURE() << "no op " << name;
    return none;
  }

  Store store_;
};

TEST_F(Branches, AreOneTableOfTheMethod) {
  const OpTable table = on_basis(store_, "warm");
  ASSERT_EQ(table.blocks.size(), 1U) << "blocks differ by the cold run, the branch and the bundled input";
  EXPECT_EQ(table.blocks[0].runs, kExecutions);
  ASSERT_EQ(table.ops.size(), 5U);
  std::vector<std::string> names;
  for (const OpEntry& o : table.ops) names.push_back(o.name);
  EXPECT_EQ(names, (std::vector<std::string>{"native_call_pack", "native_call_a", "native_call_c", "native_call_b",
                                             "Method::execute"}))
      << "what only a later block has comes behind the op that it follows there";
  EXPECT_EQ(op(table, "native_call_a").count, kExecutions);
  EXPECT_EQ(op(table, "native_call_a").p50, 100.0);
  EXPECT_EQ(op(table, "native_call_b").count, 7);
  EXPECT_EQ(op(table, "native_call_b").max, 90'000);
  EXPECT_EQ(op(table, "native_call_pack").parent, 4U);
  const OpTable apart = on_basis(store_, "total", false);
  EXPECT_GT(apart.blocks.size(), 3U);
  for (const OpEntry& o : apart.ops) EXPECT_TRUE(table.find(o.id)) << "keys of merged ops lead to the one";
}

TEST_F(Branches, CostWhatTheyUsuallyTakeAsOftenAsTheyRun) {
  const OpTable warm = on_basis(store_, "warm");
  EXPECT_DOUBLE_EQ(op(warm, "native_call_a").cost, 100);
  EXPECT_DOUBLE_EQ(op(warm, "native_call_b").cost, 200 * 0.5);
  EXPECT_DOUBLE_EQ(op(warm, "native_call_c").cost, 300 * 0.5);
  EXPECT_DOUBLE_EQ(op(warm, "native_call_pack").cost, 0);
  EXPECT_DOUBLE_EQ(op(warm, "Method::execute").cost, 50);
  EXPECT_DOUBLE_EQ(warm.blocks[0].cost, 450) << "the median latency: 350 or 450, once 90,150";

  const OpTable cold = on_basis(store_, "cold");
  EXPECT_DOUBLE_EQ(op(cold, "native_call_pack").cost, 1000);
  EXPECT_DOUBLE_EQ(op(cold, "native_call_c").cost, 0);
  EXPECT_DOUBLE_EQ(cold.blocks[0].cost, 1350);

  const OpTable slowest = on_basis(store_, "p99");
  EXPECT_DOUBLE_EQ(op(slowest, "native_call_b").cost, 90'000);
  const OpTable fourth = on_basis(store_, "#4"), fifth = on_basis(store_, "#5");
  EXPECT_DOUBLE_EQ(op(fourth, "native_call_b").cost, 90'000);
  EXPECT_DOUBLE_EQ(op(fifth, "native_call_b").cost, 0);
  EXPECT_DOUBLE_EQ(op(fifth, "native_call_c").cost, 300);
  EXPECT_DOUBLE_EQ(fifth.blocks[0].cost, 450);
  EXPECT_DOUBLE_EQ(on_basis(store_, "total").blocks[0].cost, static_cast<double>(7 * 350 + 6 * 450 + 1000 + 89'800));

  OpTable none;
  OpTableOptions options;
  options.basis = {BasisKind::Execution, kExecutions};
  EXPECT_EQ(load_shown_ops(store_, 1, options, &none).message(), "--basis #13: the trace has 13 executions, #0 to #12");
}

}  // namespace
}  // namespace et::inspector
