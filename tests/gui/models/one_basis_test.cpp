// One time for one thing: what the panels' models and the reports say of an op, a line, a node and the framework, on
// every basis.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/json.h"
#include "gui/models/operators_model.h"
#include "gui/models/overview_model.h"
#include "gui/models/timeline_types.h"
#include "inspector/analysis/delegation/delegation_map.h"
#include "inspector/analysis/ops/called_kernel.h"
#include "inspector/analysis/ops/module_tree.h"
#include "inspector/report/main_report.h"
#include "tests/gui/support/opened_trace.h"

namespace et::gui::test {
namespace {

using inspector::Basis;
using inspector::OpEntry;
using inspector::OpTable;

constexpr const char* kBases[] = {"warm", "mean", "total", "cold", "p99", "#1"};

Basis basis_of(const char* name) {
  Basis basis;
  EXPECT_TRUE(inspector::parse_basis(name, &basis).ok());
  return basis;
}

bool is_measured(const OpTable& table, const OpEntry& op) {
  return table.block_of(op).kind == "execute" && op.on_trace_clock() && op.count > 0;
}

class OneBasis : public testing::TestWithParam<const char*> {
 protected:
  /// As the commands read it: what all others are compared with.
  void load(const OpenedTrace& trace, const Basis& basis) {
    OpTable table;
    ASSERT_TRUE(inspector::load_shown_ops(trace.store, 1, {.basis = basis}, &table).ok());
    costs_.clear();
    whole_ = variation_ = 0;
    for (const OpEntry& op : table.ops) {
      if (is_measured(table, op)) costs_[op.id] = op.cost;
    }
    for (const inspector::OpBlock& b : table.blocks) {
      if (b.kind != "execute") continue;
      whole_ += b.cost;
      variation_ += b.variation;
    }
    close_ = 1e-6 * (std::fabs(whole_) + 1);
  }

  std::map<int64_t, double> costs_;  // by op_id
  double whole_ = 0, variation_ = 0, close_ = 0;
};

TEST_P(OneBasis, AnOpHasOneTime) {
  for (const char* name : kBases) {
    SCOPED_TRACE(name);
    const OpenedTrace trace(GetParam(), "etdump.etdp", basis_of(name));
    const TraceData& data = *trace.data;
    load(trace, basis_of(name));
    EXPECT_EQ(data.basis_error, "");

    const Overview overview = make_overview(data);
    EXPECT_NEAR(overview.total, whole_, close_);
    const auto types = inspector::group_costs(data.shown, inspector::GroupBy::Type, inspector::Filter()).rows;
    for (const OverviewCost& row : overview.ops) {
      const auto type = std::find_if(types.begin(), types.end(), [&](const auto& g) { return g.key == row.type; });
      ASSERT_NE(type, types.end()) << row.title;
      double time = 0;
      for (const inspector::GroupPart& part : type->parts) time += part.weight * costs_.at(data.shown.ops[part.op].id);
      EXPECT_NEAR(row.time, time, close_) << row.title;
    }

    const OperatorsView operators = make_operators_view(data, {});
    // The call of a kernel has no row beside it; its time is said with the total.
    size_t wrappers = 0;
    for (const OpEntry& op : data.shown.ops)
      wrappers += is_measured(data.shown, op) && &inspector::called_kernel(data.shown, op) != &op ? 1 : 0;
    ASSERT_EQ(operators.ops.size() + wrappers, costs_.size() + static_cast<size_t>(overview.foreign_ops));
    double rows = operators.calling;
    for (const int32_t i : operators.ops) {
      const OpEntry& op = data.shown_op(i);
      if (!op.on_trace_clock()) continue;
      EXPECT_EQ(op_column(OpColumn::Self).number(data.shown, op), costs_.at(op.id)) << op.name.str();
      rows += op.cost;
    }
    EXPECT_NEAR(rows + variation_, whole_, close_);
    EXPECT_NEAR(operators.total, whole_, close_);

    // Flame: an op's own box, and the whole.
    const inspector::CostTree calls = inspector::call_tree(data.shown, false);
    EXPECT_NEAR(calls.nodes[0].total, whole_, close_);
    for (const inspector::CostNode& node : calls.nodes) {
      if (node.op < 0 || node.kind != inspector::CostKind::Unattributed) continue;
      const OpEntry& op = data.shown.ops[static_cast<size_t>(node.op)];
      EXPECT_NEAR(node.self, costs_.at(op.id), close_) << op.name.str();
    }
    inspector::CostTree modules;
    ASSERT_TRUE(inspector::module_tree(trace.store, data.shown, &modules).ok());
    EXPECT_NEAR(modules.nodes[0].total, whole_, close_);
  }
}

// Lines, nodes and instructions get the time of the ops that are linked to them.
TEST_P(OneBasis, LinesNodesAndInstructionsShareIt) {
  for (const char* name : kBases) {
    SCOPED_TRACE(name);
    const OpenedTrace trace(GetParam(), "etdump.etdp", basis_of(name));
    const TraceData& data = *trace.data;
    load(trace, basis_of(name));
    std::map<std::pair<std::string, int64_t>, double> lines;
    std::map<std::string, double> nodes;
    std::map<std::pair<std::string, int64_t>, double> instructions;
    for (const OpEntry& op : data.shown.ops) {
      if (!is_measured(data.shown, op)) continue;
      const double cost = costs_.at(op.id);
      for (size_t i = op.first_node; i < op.first_node + op.nodes; ++i) {
        const inspector::OpNode& link = data.shown.nodes[i];
        if (!(link.weight > 0)) continue;
        lines[{link.node->file, link.node->line.value_or(0)}] += link.weight * cost;
        nodes[link.node->name] += link.weight * cost;
      }
    }
    for (const inspector::SourceFileCost& file : data.sources.files) {
      for (const inspector::SourceLine& line : file.lines)
        EXPECT_NEAR(line.ns, (lines[{file.file, line.line}]), close_) << file.file << ":" << line.line;
    }
    std::map<std::string, double> drawn;
    for (const inspector::GraphModel& graph : data.graphs) {
      EXPECT_EQ(graph.basis, basis_of(name));
      for (const inspector::GraphNode& node : graph.nodes) drawn[node.name] += node.ns;
    }
    for (const auto& [node, time] : drawn) EXPECT_NEAR(time, nodes[node], close_) << node;
  }
}

TEST_P(OneBasis, TheFrameworkHasOneShare) {
  for (const char* name : kBases) {
    SCOPED_TRACE(name);
    const OpenedTrace trace(GetParam(), "etdump.etdp", basis_of(name));
    load(trace, basis_of(name));
    const Overview overview = make_overview(*trace.data);
    double framework = 0, variation = 0, parts = 0;
    for (const OverviewPart& part : overview.parts) {
      framework += part.kind == OverviewPart::Kind::Framework ? part.time : 0;
      variation += part.kind == OverviewPart::Kind::Variation ? part.time : 0;
      parts += part.time;
    }
    EXPECT_NEAR(parts, whole_, close_);
    std::vector<inspector::DelegationMap> maps;
    ASSERT_TRUE(inspector::delegation_map(trace.store, trace.data->shown, &maps).ok());
    inspector::DelegationTotals all;
    for (const inspector::DelegationMap& map : maps) {
      const inspector::DelegationTotals t = inspector::delegation_totals(map);
      all.framework += t.framework;
      all.variation += t.variation;
      all.total += t.total;
      EXPECT_NEAR(t.delegated + t.non_delegated + t.framework + t.variation, t.total, close_);
    }
    EXPECT_NEAR(all.total, whole_, close_);
    EXPECT_NEAR(all.variation, variation, close_);
    EXPECT_NEAR(all.framework, framework, close_);
  }
}

// Calling a kernel is part of what its type takes, in every place that names the type.
TEST_P(OneBasis, ATypeHasOneShare) {
  for (const char* name : kBases) {
    SCOPED_TRACE(name);
    const OpenedTrace trace(GetParam(), "etdump.etdp", basis_of(name));
    const TraceData& data = *trace.data;
    load(trace, basis_of(name));
    std::map<std::string, double> of_group, of_kernels, of_slices;
    const auto types = inspector::group_costs(data.shown, inspector::GroupBy::Type, inspector::Filter()).rows;
    for (const inspector::GroupRow& type : types) {
      if (type.none) continue;
      of_group[type.key] = type.self;
      for (const inspector::GroupPart& part : type.parts) {
        const auto index = static_cast<size_t>(data.index_of(data.shown.ops[part.op]));
        if (data.op_parts[index].part == inspector::Part::Kernel)
          of_kernels[type.key] += part.weight * data.shown.ops[part.op].cost;
      }
    }
    for (const OverviewPart& part : make_overview(data).parts) {
      for (const OverviewSlice& slice : part.types) {
        of_slices[slice.type] += slice.time;
        if (part.kind != OverviewPart::Kind::Kernel) continue;
        EXPECT_NEAR(slice.time, of_kernels[slice.type], close_) << slice.type;
      }
    }
    for (const auto& [type, time] : of_slices) EXPECT_NEAR(time, of_group[type], close_) << type;
    // The timeline's list is on the warm median where the basis is of several executions.
    if (data.usual().basis == data.shown.basis) {
      double all = 0;
      for (const TimelineType& type : timeline_types(data)) {
        if (!type.type.empty()) {
          EXPECT_NEAR(type.time, of_group[type.type], close_) << type.type;
        }
        all += type.time;
      }
      EXPECT_LE(all, whole_ * 1.03 + close_);
    }
    std::vector<inspector::DelegationMap> maps;
    ASSERT_TRUE(inspector::delegation_map(trace.store, data.shown, &maps).ok());
    // The map divides an instruction evenly among its nodes, so its types are compared together.
    double of_items = 0, of_parts = 0;
    for (const inspector::DelegationMap& map : maps) {
      for (const inspector::MapItem& item : map.items)
        of_items += item.kind == inspector::MapItem::Kind::Kernel ? item.ns : 0;
    }
    for (const OverviewPart& part : make_overview(data).parts)
      of_parts += part.kind == OverviewPart::Kind::Kernel ? part.time : 0;
    EXPECT_NEAR(of_items, of_parts, close_);
  }
}

TEST_P(OneBasis, TheReportSaysTheSame) {
  for (const char* name : kBases) {
    SCOPED_TRACE(name);
    const OpenedTrace trace(GetParam(), "etdump.etdp", basis_of(name));
    load(trace, basis_of(name));
    inspector::ReportOptions options;
    options.basis = basis_of(name);
    options.format = "json";
    std::string text;
    ASSERT_TRUE(inspector::write_main_report(trace.store, 1, options, &text).ok());
    JsonDocument json;
    ASSERT_TRUE(json.parse(text, "report", 100).ok());
    const JsonValue costs = json.root().find("costs").value();
    EXPECT_EQ(costs.find("basis")->string(), name);
    size_t ops = 0;
    const JsonValue list = costs.find("ops").value();
    const auto elements = list.array();
    for (const JsonValue op : *elements) {
      ++ops;
      const int64_t id = op.find("op_id")->integer().value();
      EXPECT_NEAR(json_double(*op.find("cost_ns")).value(), costs_.at(id), close_) << id;
    }
    EXPECT_EQ(ops, costs_.size());

    options.format = "table";
    options.group_by = "type";
    text.clear();
    ASSERT_TRUE(inspector::write_main_report(trace.store, 1, options, &text).ok());
    const Overview overview = make_overview(*trace.data);
    for (const OverviewCost& row : overview.ops) {
      const std::string time = inspector::format_duration_with_unit(row.time, trace.data->unit());
      EXPECT_NE(text.find(time), std::string::npos) << row.title << " takes " << time << " in the Overview";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Artifacts, OneBasis,
                         testing::Values("partial_delegation", "multi_method", "control_flow_cond",
                                         "mobilenet_v2_035_xnnpack_int8", "nanogpt_xnnpack_qd4", "lstm"));

}  // namespace
}  // namespace et::gui::test
