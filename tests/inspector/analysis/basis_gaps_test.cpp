// What is said where a basis has no times.
#include "inspector/analysis/ops/basis_gaps.h"

#include <gtest/gtest.h>

namespace et::inspector {
namespace {

OpTable two_methods() {
  OpTable table;
  for (const auto& [method, runs] : {std::pair{"encode", 1}, std::pair{"decode", 3}}) {
    OpBlock& b = table.blocks.emplace_back();
    b.kind = "execute";
    b.method = method;
    b.runs = runs;
    b.cold = 10;
  }
  table.blocks.emplace_back().kind = "load";
  return table;
}

TEST(BasisGaps, NameTheMethodAndWhatItHas) {
  OpTable table = two_methods();
  table.basis = {BasisKind::Execution, 2};
  EXPECT_EQ(basis_gaps(table), std::vector<std::string>{"encode ran once: it has no execution #2"});
  table.basis = {BasisKind::WarmMedian};
  EXPECT_EQ(basis_gaps(table),
            std::vector<std::string>{"encode ran once: its times are of that execution, which is cold"});
  table.basis = {BasisKind::Cold};
  EXPECT_TRUE(basis_gaps(table).empty());
  table.blocks[1].cold.reset();
  EXPECT_EQ(basis_gaps(table), std::vector<std::string>{"which execution of decode was the cold one is unknown"});
  table.basis = {BasisKind::Total};
  EXPECT_TRUE(basis_gaps(table).empty());
}

TEST(BasisGaps, ATraceWithoutSuchExecutions) {
  OpTable table = two_methods();
  EXPECT_EQ(missing_basis(table, {BasisKind::Execution, 2}), "");
  EXPECT_EQ(missing_basis(table, {BasisKind::Execution, 3}), "the trace has 3 executions, #0 to #2");
  EXPECT_EQ(missing_basis(table, {BasisKind::P99}), "");
  table.old_store = true;
  EXPECT_NE(missing_basis(table, {BasisKind::P99}), "");
  EXPECT_EQ(missing_basis(table, {BasisKind::Mean}), "");
  EXPECT_EQ(missing_basis(OpTable(), {BasisKind::Execution, 0}), "the trace has no execution");
}

}  // namespace
}  // namespace et::inspector
