// Panels and reports count graph nodes in one way.
#include "inspector/analysis/graph/node_counts.h"

#include <filesystem>

#include "inspector/analysis/delegation/delegation_map.h"
#include "tests/inspector/analysis/imported.h"

namespace et::inspector::test {
namespace {

std::vector<std::string> fixtures_with_records() {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(ET_FIXTURES) + "/artifacts")) {
    if (std::filesystem::exists(entry.path() / "etrecord.bin")) out.push_back(entry.path().filename());
  }
  return out;
}

class CountsOfNodes : public ::testing::TestWithParam<std::string> {};

TEST_P(CountsOfNodes, AreTheSameInTheMapAndTheGraph) {
  const ImportedFixture in(GetParam(), true, true, /*borrow=*/false);
  std::vector<DelegationMap> maps;
  ASSERT_TRUE(delegation_map(in.store, in.table, &maps).ok());
  for (const DelegationMap& map : maps) {
    if (!map.has_graph) continue;
    GraphModel graph;
    ASSERT_TRUE(load_graph(in.store, in.table, map.method, "edge", &graph).ok());
    const NodeCounts counts = node_counts(graph);
    EXPECT_EQ(map.nodes.delegated, counts.delegated);
    EXPECT_EQ(map.nodes.all(), counts.all());
    int64_t delegated = 0, non_delegated = 0, in_parts = 0;
    for (const NodeCount& type : counts.types) {
      delegated += type.delegated;
      non_delegated += type.non_delegated;
      EXPECT_TRUE(is_counted_node(type.op)) << type.op;
    }
    EXPECT_EQ(delegated, counts.delegated);
    EXPECT_EQ(non_delegated, counts.non_delegated);
    for (const MapItem& item : map.items) in_parts += item.kind == MapItem::Kind::Delegate ? item.shown_nodes : 0;
    if (!graph.inside.empty()) continue;
    EXPECT_EQ(in_parts, counts.delegated);
    // Upstream counts more, never less: getitem, and nodes that were duplicated; but no bodies of control flow.
    if (graph.scopes.size() == 1) {
      EXPECT_GE(map.summary.delegated_nodes + map.summary.non_delegated_nodes, counts.all());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Fixtures, CountsOfNodes, ::testing::ValuesIn(fixtures_with_records()), fixture_name);

TEST(NodeCounts, LeaveOutWhatOnlyTakesApartOrStandsForOthers) {
  EXPECT_FALSE(is_counted_node("getitem"));
  EXPECT_FALSE(is_counted_node("_operator.getitem"));
  EXPECT_FALSE(is_counted_node("executorch_call_delegate"));
  EXPECT_TRUE(is_counted_node("aten.add.Tensor"));
}

}  // namespace
}  // namespace et::inspector::test
