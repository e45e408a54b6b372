// Maps of delegation: every nanosecond is on them, counts are those of get_delegation_info, reasons hold.
#include "inspector/analysis/delegation/delegation_map.h"

#include <algorithm>
#include <map>
#include <set>

#include "inspector/analysis/delegation/what_if.h"
#include "inspector/match/operator_name.h"
#include "tests/inspector/analysis/imported.h"

namespace et::inspector::test {
namespace {

using Kind = StayReason::Kind;

std::vector<DelegationMap> maps_of(const ImportedFixture& in) {
  std::vector<DelegationMap> maps;
  const Status status = delegation_map(in.store, in.table, &maps);
  EXPECT_TRUE(status.ok()) << status.message();
  return maps;
}

const NonDelegatedOp& outside(const DelegationMap& map, const std::string& node) {
  const auto at = std::find_if(map.non_delegated.begin(), map.non_delegated.end(),
                               [&](const NonDelegatedOp& o) { return o.node == node; });
  EXPECT_NE(at, map.non_delegated.end()) << node;
  static const NonDelegatedOp kNone;
  return at == map.non_delegated.end() ? kNone : *at;
}

const StayReason* reason(const NonDelegatedOp& op, Kind kind) {
  for (const StayReason& r : op.reasons) {
    if (r.kind == kind) return &r;
  }
  return nullptr;
}

class DelegationMaps : public ::testing::TestWithParam<std::string> {
 protected:
  static void check(const ImportedFixture& in) {
    const std::vector<DelegationMap> maps = maps_of(in);
    double total = 0;
    for (const DelegationMap& map : maps) {
      SCOPED_TRACE(map.method);
      total += map.total_ns;
      double items = map.framework_ns, out = 0, kernels = 0;
      for (size_t i = 0; i < map.items.size(); ++i) {
        const MapItem& item = map.items[i];
        items += item.ns;
        EXPECT_FALSE(item.label.empty());
        EXPECT_LE(item.inner_ns, item.ns + 1e-6);
        EXPECT_TRUE(i == 0 || map.items[i - 1].instruction < item.instruction);
        if (item.non_delegated >= 0) kernels += item.ns;
        EXPECT_TRUE(item.kind == MapItem::Kind::Control ||
                    (item.non_delegated < 0) == (item.kind == MapItem::Kind::Delegate));
      }
      for (const NonDelegatedOp& o : map.non_delegated) {
        out += o.ns;
        EXPECT_TRUE(o.item < 0 || map.items[static_cast<size_t>(o.item)].instruction == o.instruction);
        EXPECT_TRUE(!map.has_graph || !o.reasons.empty()) << o.op;
        for (const StayReason& r : o.reasons) EXPECT_FALSE(r.text.empty());
      }
      EXPECT_NEAR(items, map.total_ns, 1e-6 * std::max(1.0, map.total_ns));
      EXPECT_NEAR(out, kernels, 1e-6 * std::max(1.0, map.total_ns));
      EXPECT_NEAR(map.delegated_ns() + map.non_delegated_ns() + map.framework_ns, map.total_ns,
                  1e-6 * std::max(1.0, map.total_ns));
      for (const MapBreak& b : map.breaks) {
        EXPECT_EQ(map.items[b.first - 1].kind, MapItem::Kind::Delegate);
        EXPECT_EQ(map.items[b.last + 1].kind, MapItem::Kind::Delegate);
        EXPECT_LE(b.move_ns, b.ns + 1e-6);
      }
    }
    EXPECT_NEAR(total, in.executions(), 1e-6 * std::max(1.0, total));
  }
};

TEST_P(DelegationMaps, AddUpToTheExecutions) { check(ImportedFixture(GetParam())); }
TEST_P(DelegationMaps, AddUpWithoutRecord) { check(ImportedFixture(GetParam(), false, true)); }
TEST_P(DelegationMaps, AddUpWithTheTraceAlone) { check(ImportedFixture(GetParam(), false, false)); }

TEST_P(DelegationMaps, CountsAreThoseOfGetDelegationInfo) {
  const ImportedFixture in(GetParam(), true, true, false);  // with another model's dump the record would not be shown
  std::vector<DelegationSummary> summaries;
  ASSERT_TRUE(delegation(in.store, in.table.trace_id, &summaries).ok());
  size_t compared = 0;
  for (const DelegationMap& map : maps_of(in)) {
    for (const DelegationSummary& s : summaries) {
      if (s.method != map.method) continue;
      ++compared;
      EXPECT_EQ(map.summary.delegated_nodes, s.delegated_nodes);
      EXPECT_EQ(map.summary.non_delegated_nodes, s.non_delegated_nodes);
      // A record of a lowered program counts its subgraphs, those within delegates too; else each call is one.
      EXPECT_EQ(s.subgraphs > 0, map.delegates() > 0);
      // The table of what stayed outside has the nodes that the counts have, getitems apart.
      int64_t listed = 0, counted = 0;
      for (const DelegationRow& r : s.rows) counted += r.op_type == "getitem" ? 0 : r.non_delegated;
      for (const NonDelegatedOp& o : map.non_delegated) listed += !o.node.empty() && o.scope == 0 ? 1 : 0;
      EXPECT_EQ(listed, counted);
    }
  }
  EXPECT_EQ(compared, summaries.size());
}

INSTANTIATE_TEST_SUITE_P(Fixtures, DelegationMaps,
                         ::testing::Values("add_mul", "control_flow_cond", "control_flow_map", "control_flow_scan",
                                           "demo_backend", "demo_delegate_mapping", "demo_executor_backend",
                                           "demo_nested", "ethosu55_int8", "lstm", "lstm_xnnpack",
                                           "mobilenet_v2_035_xnnpack_int8", "multi_method", "multi_method_no_forward",
                                           "nanogpt_xnnpack_qd4", "partial_delegation", "quantised_portable",
                                           "tosa_int8"),
                         fixture_name);

TEST(DelegationMap, PartialDelegation) {
  const ImportedFixture in("partial_delegation");
  const std::vector<DelegationMap> maps = maps_of(in);
  ASSERT_EQ(maps.size(), 1U);
  const DelegationMap& map = maps[0];
  ASSERT_EQ(map.items.size(), 6U);
  EXPECT_EQ(map.delegates(), 3U);
  EXPECT_EQ(map.items[1].backend, "XnnpackBackend");
  EXPECT_EQ(map.items[1].payload_bytes, 1136);
  EXPECT_EQ(map.items[1].nodes, (std::vector<std::string>{"aten_convolution_default", "aten_relu_default"}));
  EXPECT_EQ(map.items[1].bytes_in, 1 * 3 * 16 * 16 * 4);
  EXPECT_EQ(map.items[1].bytes_out, 1 * 8 * 16 * 16 * 4);
  ASSERT_EQ(map.breaks.size(), 2U);
  EXPECT_EQ(map.breaks[0].bytes, 1 * 8 * 16 * 16 * 4 + 1 * 8 * 4);
  EXPECT_EQ(map.breaks[0].moves, 0);
  EXPECT_EQ(map.breaks[0].layouts, 1) << "the convolution's result goes back to NCHW for the mean";
  EXPECT_EQ(map.breaks[1].layouts, 0) << "two dimensions have one layout";

  EXPECT_EQ(map.non_delegated.size(), 3U);
  const NonDelegatedOp& mean = outside(map, "aten_mean_dim");
  EXPECT_EQ(mean.instruction, 2);
  EXPECT_GT(mean.ns, 0);
  EXPECT_NE(reason(mean, Kind::Between), nullptr);
  ASSERT_NE(reason(mean, Kind::Limits), nullptr);
  EXPECT_NE(reason(mean, Kind::Limits)->text.find("keepdim=True"), std::string::npos);
  EXPECT_TRUE(map.items[2].crossing);
  const NonDelegatedOp& upsample = outside(map, "aten_upsample_nearest2d_vec");
  EXPECT_EQ(reason(upsample, Kind::Between), nullptr);
  ASSERT_NE(reason(upsample, Kind::NotTaken), nullptr);
  EXPECT_EQ(reason(upsample, Kind::NotTaken)->text,
            "XnnpackBackend has no aten.upsample_nearest2d.vec (ExecuTorch 1.5)");
  EXPECT_FALSE(map.items[0].crossing);
}

TEST(DelegationMap, NothingDelegated) {
  const ImportedFixture in("lstm");
  for (const DelegationMap& map : maps_of(in)) {
    EXPECT_EQ(map.delegates(), 0U);
    EXPECT_TRUE(map.breaks.empty());
    for (const NonDelegatedOp& o : map.non_delegated) EXPECT_NE(reason(o, Kind::NothingDelegated), nullptr) << o.op;
  }
}

// What no partitioner looked at says nothing of what a backend supports.
TEST(DelegationMap, MethodsWithoutAPartitionerSaySo) {
  const ImportedFixture in("multi_method");
  size_t methods = 0;
  for (const DelegationMap& map : maps_of(in)) {
    if (map.delegates() > 0) continue;
    ++methods;
    for (const NonDelegatedOp& o : map.non_delegated) {
      for (const Kind kind : {Kind::NeverDelegated, Kind::NotTaken, Kind::Limits})
        EXPECT_EQ(reason(o, kind), nullptr) << o.op;
      const StayReason* const r = reason(o, Kind::NotPartitioned);
      ASSERT_NE(r, nullptr) << o.op;
      EXPECT_NE(r->text.find(map.method), std::string::npos) << r->text;
    }
  }
  EXPECT_EQ(methods, 2U);
}

TEST(DelegationMap, CallsAndBreaksHaveNames) {
  const ImportedFixture in("partial_delegation");
  const std::vector<DelegationMap> maps = maps_of(in);
  ASSERT_EQ(maps.size(), 1U);
  EXPECT_EQ(call_name(maps[0].items[3]), "XnnpackBackend call 2");
  EXPECT_EQ(calls_between(maps[0].items[1], maps[0].items[3]), "XnnpackBackend calls 1 and 2");
  EXPECT_EQ(break_operators(maps[0], maps[0].breaks[0]), "aten.mean.dim");
  MapItem other = maps[0].items[3];
  other.backend = "VulkanBackend";
  EXPECT_EQ(calls_between(maps[0].items[1], other), "XnnpackBackend call 1 and VulkanBackend call 2");
  const ImportedFixture alone("partial_delegation", /*record=*/false, /*program=*/false);
  for (const DelegationMap& map : maps_of(alone)) {
    for (const MapItem& i : map.items) {
      if (i.kind == MapItem::Kind::Delegate) {
        EXPECT_TRUE(call_name(i).starts_with("unnamed backend call ")) << call_name(i);
        EXPECT_EQ(i.title, "unnamed backend");
      }
    }
  }
}

TEST(DelegationMap, BreaksSayWhatIsInThemAndWhere) {
  DelegationMap map;
  const char* const titles[] = {"", "aten.view_copy", "aten.where.self", "aten.view_copy", "aten.add", ""};
  const double times[] = {1, 2, 50, 3, 4, 1};
  const char* const modules[] = {"", "a.layer.0.x", "a.layer.0", "a.layer.0.y", "a.layer.0.x.z", ""};
  for (size_t i = 0; i < std::size(titles); ++i) {
    MapItem& item = map.items.emplace_back();
    item.title = titles[i];
    item.ns = times[i];
    NonDelegatedOp& op = map.non_delegated.emplace_back();
    op.item = static_cast<int32_t>(i);
    op.node = i == 0 || i == 5 ? "" : "n";
    op.module_path = modules[i];
  }
  MapBreak b;
  b.first = 1;
  b.last = 4;
  EXPECT_EQ(break_operators(map, b), "aten.where.self, aten.view_copy ×2, aten.add");
  EXPECT_EQ(break_operators(map, b, 1), "aten.where.self, and 3 more");
  EXPECT_EQ(break_module(map, b), "a.layer.0");
  map.non_delegated[3].module_path = "a.layer.01";
  EXPECT_EQ(break_module(map, b), "a.layer") << "whole steps of the path";
}

TEST(DelegationMap, SaysWhatDiffersFromDelegatedOnes) {
  const ImportedFixture in("nanogpt_xnnpack_qd4");
  const std::vector<DelegationMap> maps = maps_of(in);
  ASSERT_EQ(maps.size(), 1U);
  EXPECT_EQ(maps[0].delegates(), 38U);
  size_t elsewhere = 0, dtype = 0, sizes = 0;
  for (const NonDelegatedOp& o : maps[0].non_delegated) {
    elsewhere += reason(o, Kind::SameElsewhere) != nullptr ? 1 : 0;
    sizes += reason(o, Kind::NotATensor) != nullptr ? 1 : 0;
    if (const StayReason* r = reason(o, Kind::Dtype)) {
      ++dtype;
      EXPECT_TRUE(r->text.find("int64") != std::string::npos || r->text.find("bool") != std::string::npos) << r->text;
    }
  }
  EXPECT_GT(elsewhere + dtype, 0U);
  EXPECT_GT(sizes, 0U);
}

TEST(DelegationMap, ControlFlowStaysOutside) {
  const ImportedFixture in("control_flow_cond");
  const std::vector<DelegationMap> maps = maps_of(in);
  ASSERT_EQ(maps.size(), 1U);
  EXPECT_NE(reason(outside(maps[0], "cond"), Kind::ControlFlow), nullptr);
  EXPECT_NE(reason(outside(maps[0], "aten_sin_default"), Kind::ControlFlow), nullptr);
  EXPECT_EQ(reason(outside(maps[0], "aten_relu_default"), Kind::ControlFlow), nullptr);
  EXPECT_TRUE(std::any_of(maps[0].items.begin(), maps[0].items.end(),
                          [](const MapItem& i) { return i.kind == MapItem::Kind::Control && i.label == "jump"; }));
}

// The graph shows these nodes below their kernels: so does the map.
TEST(DelegationMap, KernelsOfBranchesHaveTheirNodes) {
  for (const char* fixture : {"control_flow_cond", "control_flow_map"}) {
    SCOPED_TRACE(fixture);
    const ImportedFixture in(fixture);
    const std::vector<DelegationMap> maps = maps_of(in);
    ASSERT_EQ(maps.size(), 1U);
    size_t inside = 0;
    for (const OpEntry& op : in.table.ops) {
      const OpNode* const node = in.table.main_node(op);
      if (node == nullptr || !op.instruction_id) continue;
      const auto item = std::find_if(maps[0].items.begin(), maps[0].items.end(),
                                     [&](const MapItem& i) { return i.instruction == *op.instruction_id; });
      ASSERT_NE(item, maps[0].items.end());
      if (item->nodes.empty()) {  // a copy that a loop needs
        EXPECT_EQ(item->control, node->node->name);
        ASSERT_GE(item->non_delegated, 0);
        EXPECT_NE(reason(maps[0].non_delegated[static_cast<size_t>(item->non_delegated)], Kind::ControlFlow), nullptr);
        continue;
      }
      EXPECT_EQ(std::count(item->nodes.begin(), item->nodes.end(), node->node->name), 1) << node->node->name;
      const NonDelegatedOp& row = outside(maps[0], node->node->name);
      EXPECT_EQ(row.instruction, *op.instruction_id) << row.node;
      EXPECT_EQ(reason(row, Kind::NoNode), nullptr) << row.node;
      inside += row.scope != 0 ? 1 : 0;
    }
    EXPECT_GT(inside, 0U);
  }
}

// Times of node counts are those that the map shows.
TEST(DelegationMap, NodeCountsAreOnTheShownBasis) {
  for (const char* fixture : {"partial_delegation", "mobilenet_v2_035_xnnpack_int8", "nanogpt_xnnpack_qd4"}) {
    SCOPED_TRACE(fixture);
    const ImportedFixture in(fixture);
    OpTable shown;
    ASSERT_TRUE(load_shown_ops(in.store, in.table.trace_id, {}, &shown).ok());
    std::vector<DelegationMap> maps;
    ASSERT_TRUE(delegation_map(in.store, shown, &maps).ok());
    for (const DelegationMap& map : maps) {
      double sum = 0, before = map.total_ns;
      for (const DelegationRow& r : map.summary.rows) {
        EXPECT_LE(r.ns(), before) << r.op_type << ": the most expensive first";
        before = r.ns();
        sum += r.ns();
      }
      EXPECT_GT(sum, 0);
      EXPECT_LE(sum, map.delegated_ns() + map.non_delegated_ns() + map.framework_ns + 1e-6) << "of one execution";
    }
  }
}

TEST(DelegationMap, BytesOfTensors) {
  EXPECT_EQ(tensor_bytes("float32", "[2, 3]"), 24);
  EXPECT_EQ(tensor_bytes("int64", "[]"), 8);
  EXPECT_EQ(tensor_bytes("bool", "[0, 7]"), 0);
  EXPECT_EQ(tensor_bytes("float32", "[s27, 96]"), -1);
  EXPECT_EQ(tensor_bytes("float32", "[2*s0]"), -1);
  EXPECT_EQ(tensor_bytes("mystery", "[2]"), -1);
  EXPECT_EQ(tensor_bytes("float32", "oops"), -1);
  EXPECT_EQ(tensor_bytes("float32", "[9223372036854775807, 9223372036854775807]"), -1);
}

TEST(DelegationMap, MovesAreToldByName) {
  EXPECT_TRUE(only_moves_data("aten.permute_copy.default"));
  EXPECT_TRUE(only_moves_data("dim_order_ops::_to_dim_order_copy.out"));
  EXPECT_TRUE(only_moves_data("quantized_decomposed.dequantize_per_tensor.default"));
  EXPECT_FALSE(only_moves_data("aten.add.Tensor"));
}

NonDelegatedOp op_at(int32_t item, double ns, std::initializer_list<Kind> reasons) {
  NonDelegatedOp op;
  op.item = item;
  op.instruction = item;
  op.ns = ns;
  for (const Kind kind : reasons) op.reasons.push_back({kind, "text"});
  return op;
}

// delegate, supported, permute, delegate, supported, unsupported, delegate, supported, delegate
TEST(WhatIfDelegated, CountsTimeAndTheBreaksThatGo) {
  DelegationMap map;
  const double times[] = {500, 40, 7, 300, 20, 60, 200, 5, 100};
  for (size_t i = 0; i < std::size(times); ++i) {
    MapItem& item = map.items.emplace_back();
    item.instruction = static_cast<int64_t>(i);
    item.kind = i % 3 == 0 || i == 8 ? MapItem::Kind::Delegate : MapItem::Kind::Kernel;
    item.ns = times[i];
    item.moves = i == 2;
    map.total_ns += times[i];
  }
  map.non_delegated = {op_at(1, 40, {Kind::SameElsewhere, Kind::Between}),
                       op_at(2, 7, {Kind::NeverDelegated, Kind::Moves}), op_at(4, 20, {Kind::SameElsewhere}),
                       op_at(5, 60, {Kind::Dtype}), op_at(7, 5, {Kind::SameElsewhere})};
  for (NonDelegatedOp& op : map.non_delegated)
    op.op = op.instruction == 2 ? "permute" : op.instruction == 5 ? "other" : "relu";
  NonDelegatedOp view = op_at(-1, 0, {Kind::View});
  view.instruction = -1;
  map.non_delegated.push_back(view);
  MapBreak first, second, third;
  first.first = 1;
  first.last = 2;
  first.layout_ns = 11;
  second.first = 4;
  second.last = 5;
  second.layout_ns = 1000;
  third.first = third.last = 7;
  third.layout_ns = 3;
  map.breaks = {first, second, third};
  const WhatIfDelegated w = what_if_delegated(map);
  EXPECT_EQ(w.supported.ops, 3);
  EXPECT_EQ(w.supported.ns, 65);
  EXPECT_EQ(w.supported.breaks, 1) << "the others still have a copy and an operator in them";
  EXPECT_EQ(w.supported.break_ns, 3) << "the transposes of its neighbours";
  EXPECT_EQ(w.supported.most(), 68);
  for (const WhatIf& row : w.by_operator) EXPECT_EQ(row.breaks, row.op == "relu" ? 1 : 0) << row.op;
  EXPECT_EQ(w.all.ops, 5);
  EXPECT_EQ(w.all.ns, 132);
  EXPECT_EQ(w.all.breaks, 3);
  EXPECT_EQ(w.all.break_ns, 1014) << "the copy is among the operators, and counts once";
  ASSERT_EQ(w.by_reason.size(), 3U);
  EXPECT_EQ(w.by_reason[0].reason, Kind::SameElsewhere);
  double ns = 0;
  for (const WhatIf& row : w.by_reason) ns += row.ns;
  EXPECT_EQ(ns, w.all.ns) << "each operator is in one row";
  // Neither of the two parts of what is won shrinks where more is delegated.
  EXPECT_EQ(w.supported.computing(), 65);
  EXPECT_EQ(w.supported.moving(), 3);
  EXPECT_EQ(w.all.computing(), 125);
  EXPECT_EQ(w.all.moving(), 7 + 1014);
  EXPECT_EQ(w.all.computing() + w.all.moving(), w.all.most());
}

TEST(WhatIfDelegated, HasABoundForEachOperatorType) {
  for (const char* name : {"partial_delegation", "nanogpt_xnnpack_qd4", "lstm", "control_flow_map"}) {
    SCOPED_TRACE(name);
    const ImportedFixture in(name);
    for (const DelegationMap& map : maps_of(in)) {
      const WhatIfDelegated w = what_if_delegated(map);
      double ns = 0;
      int64_t ops = 0, breaks = 0;
      for (const WhatIf& row : w.by_operator) {
        breaks += row.breaks;
        EXPECT_FALSE(row.op.empty());
        EXPECT_LE(row.computing(), w.all.computing() * (1 + 1e-9));
        EXPECT_LE(row.moving(), w.all.moving() * (1 + 1e-9) + 1e-9);
        EXPECT_LE(row.breaks, w.all.breaks);
        ns += row.ns;
        ops += row.ops;
      }
      EXPECT_NEAR(ns, w.all.ns, 1e-6 * std::max(1.0, w.all.ns));
      EXPECT_EQ(ops, w.all.ops);
      EXPECT_LE(breaks, w.all.breaks) << "a break is gone with one type at most";
      if (w.all.breaks == std::ssize(map.breaks)) {
        EXPECT_EQ(w.all.bytes, std::max<int64_t>(delegation_totals(map).break_bytes, map.breaks.empty() ? 0 : -1));
      }
    }
  }
}

TEST(DelegationMap, DelegatesHaveTheirOperatorsAndModule) {
  const ImportedFixture in("mobilenet_v2_035_xnnpack_int8");
  std::vector<std::string> operators;
  const std::vector<DelegationMap> maps = maps_of(in);
  for (const MapItem& item : maps.front().items)
    if (item.kind == MapItem::Kind::Delegate) operators.push_back(item.operators);
  ASSERT_EQ(operators.size(), 2U);
  EXPECT_TRUE(operators[0].starts_with("aten.convolution ×52, aten.hardtanh ×35, aten.add.Tensor ×10")) << operators[0];
  EXPECT_NE(operators[1].find("aten.linear"), std::string::npos) << operators[1];
  EXPECT_EQ(counted_operators({"a", "b", "b", "c", "b", "c", "d"}, 2), "b ×3, c ×2, and 2 more");
  EXPECT_EQ(module_of_both("layers.1.attn", "layers.10.attn"), "layers");
  EXPECT_EQ(module_of_both("a.b.c", "a.b"), "a.b");
}

TEST(WhatIfDelegated, IsBoundedByWhatIsNotDelegated) {
  for (const char* name :
       {"partial_delegation", "nanogpt_xnnpack_qd4", "mobilenet_v2_035_xnnpack_int8", "control_flow_map"}) {
    const ImportedFixture in(name);
    for (const DelegationMap& map : maps_of(in)) {
      const WhatIfDelegated w = what_if_delegated(map);
      const DelegationTotals t = delegation_totals(map);
      EXPECT_LE(w.all.ns, t.non_delegated * (1 + 1e-9)) << name;
      EXPECT_LE(w.supported.most(), w.all.most() * (1 + 1e-9)) << name;
      EXPECT_LE(w.all.most(), (t.non_delegated + t.layouts) * (1 + 1e-9)) << name;
      EXPECT_LE(w.all.breaks, std::ssize(map.breaks)) << name;
    }
  }
}

}  // namespace
}  // namespace et::inspector::test
