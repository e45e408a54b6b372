// What changed between two trees of costs: the same under one name, the same work under another, something else.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "gui/models/flame_model.h"
#include "inspector/analysis/diff/trace_diff.h"
#include "inspector/analysis/ops/frame_tree.h"
#include "tests/gui/support/opened_trace.h"

namespace et::gui::test {
namespace {

using inspector::CostKind;
using inspector::CostTree;

/// The tree of some ops, each a graph node of a module at an instruction.
struct ComparedTree {
  CostTree tree;
  int32_t add(int32_t parent, CostKind kind, const char* name, double time, double middle) {
    inspector::CostNode node;
    node.kind = kind;
    node.name = inspector::Text(tree.texts.keep(name));
    node.parent = parent;
    node.self = node.total = time;
    node.middle = middle;
    tree.nodes.push_back(node);
    const auto at = static_cast<int32_t>(tree.nodes.size()) - 1;
    if (parent >= 0) tree.nodes[static_cast<size_t>(parent)].children.push_back(at);
    return at;
  }
};

TEST(FlameChange, ComparesByNames) {
  const auto make = [](double attention, double output, const char* third) {
    auto tree = std::make_shared<CostTree>();
    tree->nodes.resize(4);
    const char* names[] = {"all", "attention", "output", third};
    const double totals[] = {attention + output + 5, attention, output, 5};
    for (size_t i = 0; i < 4; ++i) {
      tree->nodes[i].name = tree->texts.keep(names[i]);
      tree->nodes[i].kind = i == 0 ? CostKind::Root : CostKind::Module;
      tree->nodes[i].total = totals[i];
      tree->nodes[i].parent = i == 0 ? -1 : 0;
      if (i > 0) tree->nodes[0].children.push_back(static_cast<int32_t>(i));
    }
    return tree;
  };
  FlameModel model;
  model.set(make(30, 10, "head"), nullptr);
  EXPECT_FALSE(model.compares());
  EXPECT_EQ(model.change(1), 0);
  model.compare(make(20, 15, "tail"));
  ASSERT_TRUE(model.compares());
  EXPECT_DOUBLE_EQ(model.change(1), 10);
  EXPECT_DOUBLE_EQ(model.change(2), -5);
  EXPECT_DOUBLE_EQ(model.change(3), 5);  // it was not there
  EXPECT_DOUBLE_EQ(model.change(0), 5);
  model.compare(nullptr);
  EXPECT_EQ(model.change(1), 0);
}

/// A root with a module that has some operators: name and time.
std::shared_ptr<CostTree> block_of(const std::vector<std::pair<const char*, double>>& operators) {
  ComparedTree made;
  made.add(-1, CostKind::Root, "all", 0, 0);
  made.add(0, CostKind::Module, "mlp", 0, 0);
  double at = 0;
  for (const auto& [name, time] : operators) {
    const int32_t node = made.add(1, CostKind::Node, name, time, at++);
    made.tree.nodes[static_cast<size_t>(node)].type = inspector::Text(made.tree.texts.keep(name));
    made.tree.nodes[0].total += time;
    made.tree.nodes[1].total += time;
    made.tree.charges.push_back({node, static_cast<uint32_t>(node - 2), -1, time});
  }
  return std::make_shared<CostTree>(std::move(made.tree));
}

TEST(FlameChange, WhatStandsInPlaceOfSomethingElseIsReplacedNotSlower) {
  FlameModel model;
  model.set(block_of({{"aten.linear", 10}, {"aten.relu", 3}, {"aten.mul", 2}}), nullptr);
  model.compare(block_of({{"aten.linear", 9}, {"aten.gelu", 8}, {"aten.mul", 2}}));
  ASSERT_TRUE(model.replaces_any());
  ASSERT_NE(model.replaced(3), nullptr);
  EXPECT_EQ(model.replaced(3)->names, "aten.gelu");
  EXPECT_DOUBLE_EQ(model.replaced(3)->time, 8);
  for (const int32_t same : {0, 1, 2, 4}) EXPECT_EQ(model.replaced(same), nullptr) << same;
  // What was added where nothing went is slower.
  model.compare(block_of({{"aten.linear", 9}, {"aten.mul", 2}}));
  EXPECT_FALSE(model.replaces_any());
  EXPECT_DOUBLE_EQ(model.change(3), 3);
}

/// Ops of both sides by their work: the first operator of block_of() is op 0.
std::shared_ptr<const FlameWork> work_of(const FlameWork::Groups& open, const FlameWork::Groups& other,
                                         const std::vector<bool>& sure) {
  auto out = std::make_shared<FlameWork>();
  out->open = open;
  out->other = other;
  out->sure = sure;
  return out;
}

TEST(FlameChange, OnlyWhatAComparisonIsSureOfHasAColour) {
  FlameModel model;
  model.set(block_of({{"aten.linear", 10}, {"aten.relu", 3}, {"aten.mul", 2}}), nullptr);
  const FlameWork::Groups same = {{0, 0}, {1, 1}, {2, 2}};
  model.compare(block_of({{"aten.linear", 4}, {"aten.relu", 1}, {"aten.mul", 2}}),
                work_of(same, same, {false, true, false}));
  EXPECT_DOUBLE_EQ(model.change(1), 8);
  EXPECT_DOUBLE_EQ(model.sure_change(1), 2) << "of the module what is inside and sure";
  EXPECT_DOUBLE_EQ(model.sure_change(2), 0) << "unclear";
  EXPECT_DOUBLE_EQ(model.sure_change(3), 2);
  for (const FlameType& type : model.types_in_view())
    EXPECT_EQ(type.sure_change, type.name == "aten.relu" ? 2 : 0) << type.name;
  // A module whose sure part is too small to be seen is grey, in its box and in the table.
  EXPECT_TRUE(FlameModel::shows_change(model.node(1).total, model.sure_change(1)));
  EXPECT_FALSE(FlameModel::shows_change(1000, model.sure_change(1)));
  EXPECT_FALSE(FlameModel::shows_change(10, 0));
  const auto facts = model.facts(3);
  EXPECT_TRUE(std::none_of(facts.begin(), facts.end(), [](const auto& fact) { return fact.first == "change"; }))
      << "the panel says it, with what of it is sure";
  // What is gone is gone, where that is sure.
  model.compare(block_of({{"aten.linear", 10}, {"aten.relu", 3}, {"aten.mul", 2}, {"aten.abs", 5}}),
                work_of(same, {{0, 0}, {1, 1}, {2, 2}, {3, 3}}, {false, true, false, true}));
  EXPECT_DOUBLE_EQ(model.sure_change(1), -5);
  EXPECT_DOUBLE_EQ(model.lost(), 5);
}

// As Compare has it: addmm and the copy before it are one linear now, which is faster.
TEST(FlameChange, WhatDoesTheWorkOfOthersIsFasterOrSlowerThanThey) {
  const auto after = block_of({{"aten.linear", 12}, {"aten.relu", 3}}),
             before = block_of({{"aten.permute_copy", 6}, {"aten.addmm", 14}, {"aten.relu", 3}});
  const FlameWork::Groups one = {{0, 0}, {1, 1}}, several = {{0, 0}, {1, 0}, {2, 1}};
  FlameModel model;
  model.set(after, nullptr);
  model.compare(before, work_of(one, several, {true, false}));
  EXPECT_FALSE(model.replaces_any());
  EXPECT_EQ(model.did_its_work(2), "aten.addmm, aten.permute_copy");
  EXPECT_EQ(model.did_its_work(3), "");
  EXPECT_DOUBLE_EQ(model.change(2), -8);
  EXPECT_DOUBLE_EQ(model.sure_change(2), -8);
  EXPECT_DOUBLE_EQ(model.sure_change(1), -8);
  EXPECT_EQ(model.lost(), 0);
  for (const std::vector<FlameType>& rows : {model.types_in_view(), model.inside(1)}) {
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0].name, "aten.linear");
    EXPECT_DOUBLE_EQ(rows[0].change, -8);
    EXPECT_DOUBLE_EQ(rows[0].sure_change, -8);
    EXPECT_FALSE(rows[0].others.empty());
    EXPECT_EQ(rows[1].name, "aten.relu");
    EXPECT_DOUBLE_EQ(rows[1].change, 0);
  }
  // The other way round each of the two has its part.
  model.set(before, nullptr);
  model.compare(after, work_of(several, one, {true, false}));
  EXPECT_EQ(model.did_its_work(2), "aten.linear");
  EXPECT_DOUBLE_EQ(model.change(2) + model.change(3), 8);
  EXPECT_DOUBLE_EQ(model.change(2) / model.node(2).total, model.change(3) / model.node(3).total);
  EXPECT_DOUBLE_EQ(model.sure_change(1), 8);
  EXPECT_DOUBLE_EQ(model.types_in_view()[0].change + model.types_in_view()[1].change, 8);
}

/// Trees of a trace as the panel has them.
std::vector<std::pair<std::string, std::shared_ptr<CostTree>>> trees_of(const OpenedTrace& trace) {
  std::vector<std::pair<std::string, std::shared_ptr<CostTree>>> out;
  for (const char* name : {"modules", "frames", "ops", "ops merged", "types"})
    out.emplace_back(name, std::make_shared<CostTree>());
  const inspector::OpTable& table = trace.data->shown;
  EXPECT_TRUE(inspector::module_tree(trace.store, table, out[0].second.get()).ok());
  EXPECT_TRUE(inspector::frame_tree(trace.store, table, {}, out[1].second.get()).ok());
  *out[2].second = inspector::call_tree(table, false);
  *out[3].second = inspector::call_tree(table, true);
  *out[4].second = inspector::type_tree(table);
  return out;
}

TEST(FlameChange, TheSurePartIsTheSameHoweverBoxesAreGrouped) {
  for (const auto& [was, is] : {std::pair{"lstm", "lstm_xnnpack"}, std::pair{"lstm_xnnpack", "lstm"}}) {
    const OpenedTrace before(was), after(is);
    inspector::TraceDiff diff;
    ASSERT_TRUE(
        inspector::diff_tables(before.store, before.data->shown, after.store, after.data->shown, {}, &diff).ok());
    const auto work = std::make_shared<const FlameWork>(flame_work(diff, true));
    double sure = 0, change = 0;
    for (const inspector::DiffGroup& group : diff.groups) {
      const inspector::DiffVerdict v = group.verdict;
      change += group.is_variation ? 0 : group.change();
      sure += !group.is_variation && (v == inspector::DiffVerdict::Slower || v == inspector::DiffVerdict::Faster ||
                                      v == inspector::DiffVerdict::Added || v == inspector::DiffVerdict::Removed)
                  ? group.change()
                  : 0;
    }
    EXPECT_NE(sure, 0);
    const auto old = trees_of(before), now = trees_of(after);
    for (size_t i = 0; i < now.size(); ++i) {
      for (const bool merged : {false, true}) {
        FlameModel model;
        model.merge_repeats(merged);
        model.set(now[i].second, after.data);
        model.compare(old[i].second, work);
        double noise = 0, sure_noise = 0;
        for (size_t n = 0; n < model.tree()->nodes.size(); ++n) {
          if (!inspector::is_variation(model.node(static_cast<int32_t>(n)))) continue;
          noise += model.change(static_cast<int32_t>(n));
          sure_noise += model.sure_change(static_cast<int32_t>(n));
        }
        const double near = 1e-6 * (1 + model.root_total() + std::fabs(model.change(0)));
        EXPECT_NEAR(model.change(0) - noise, change, near) << now[i].first << merged;
        EXPECT_NEAR(model.sure_change(0) - sure_noise, sure, near) << now[i].first << merged;
        // What is inside of a box adds up to it, whatever has come and gone there.
        for (size_t n = 0; n < model.tree()->nodes.size() && now[i].first != "ops"; ++n) {
          const auto node = static_cast<int32_t>(n);
          if (model.node(node).children.empty() || model.end_of_chain(node) != node) continue;
          double inside = 0;
          for (const FlameType& row : model.inside(node)) inside += row.change;
          EXPECT_NEAR(inside + model.node(node).self, model.change(node), near) << now[i].first << model.label(node);
        }
      }
    }
  }
}

TEST(FlameChange, OperatorsHaveTheirChangeAlsoThoseThatAreGone) {
  FlameModel model;
  model.set(block_of({{"aten.linear", 10}, {"aten.relu", 3}}), nullptr);
  model.compare(block_of({{"aten.linear", 9}, {"aten.gelu", 8}}));
  // relu stands for gelu, and nowhere else: one row, and no colour.
  ASSERT_EQ(model.types_in_view().size(), 2U);
  EXPECT_DOUBLE_EQ(model.types_in_view()[0].change, 1);
  const FlameType& relu = model.types_in_view()[1];
  EXPECT_EQ(relu.name, "aten.relu");
  EXPECT_EQ(relu.others, std::set<std::string>{"aten.gelu"});
  EXPECT_DOUBLE_EQ(relu.change, -5);
  EXPECT_DOUBLE_EQ(relu.sure_change, 0);
  // The rows of a module add up to its change.
  double inside = 0;
  for (const FlameType& row : model.inside(1)) inside += row.change;
  EXPECT_DOUBLE_EQ(inside, model.change(1));
}

TEST(FlameChange, WhatIsReplacedInOnePlaceAloneKeepsItsOwnRow) {
  FlameModel model;
  model.set(block_of({{"aten.linear", 10}, {"aten.relu", 3}, {"aten.silu", 1}}), nullptr);
  model.compare(block_of({{"aten.linear", 9}, {"aten.gelu", 8}}));
  std::vector<std::string> names;
  double change = 0;
  for (const FlameType& row : model.types_in_view()) {
    names.push_back(row.name + (row.gone ? " gone" : ""));
    change += row.change;
    if (row.name != "aten.linear") {
      EXPECT_EQ(row.sure_change, 0) << row.name << " is neither slower nor faster";
    }
  }
  EXPECT_EQ(names, (std::vector<std::string>{"aten.linear", "aten.gelu gone", "aten.relu", "aten.silu"}));
  EXPECT_DOUBLE_EQ(change, model.change(0));
  EXPECT_EQ(model.types_in_view()[1].others, (std::set<std::string>{"aten.relu", "aten.silu"}));
  ASSERT_NE(model.replaced(3), nullptr);
  EXPECT_FALSE(model.replaced(3)->alone);
  double inside = 0;
  for (const FlameType& row : model.inside(1)) inside += row.change;
  EXPECT_DOUBLE_EQ(inside, model.change(1));
  // What is gone and has no successor is faster.
  model.compare(block_of({{"aten.linear", 10}, {"aten.relu", 3}, {"aten.silu", 1}, {"aten.mul", 4}}));
  ASSERT_EQ(model.types_in_view()[1].name, "aten.mul");
  EXPECT_DOUBLE_EQ(model.types_in_view()[1].sure_change, -4);
}

TEST(FlameChange, BoxesOfOneNameHaveEachItsOwnChange) {
  FlameModel model;
  model.set(block_of({{"aten.conv", 5}, {"aten.conv", 10}, {"aten.relu", 1}}), nullptr);
  model.compare(block_of({{"aten.conv", 10}, {"aten.conv", 20}, {"aten.relu", 1}}));
  EXPECT_DOUBLE_EQ(model.change(2), -5);
  EXPECT_DOUBLE_EQ(model.change(3), -10);
  EXPECT_DOUBLE_EQ(model.sure_change(1), -15) << "counted once";
  EXPECT_DOUBLE_EQ(model.inside(1)[0].change, -15);
  // Of another number each has its part of them, and they add up all the same.
  model.compare(block_of({{"aten.conv", 20}, {"aten.conv", 20}, {"aten.conv", 20}, {"aten.relu", 1}}));
  EXPECT_DOUBLE_EQ(model.change(2) + model.change(3), -45);
  EXPECT_DOUBLE_EQ(model.change(1), -45);
  EXPECT_EQ(model.lost(), 0);
  EXPECT_FALSE(model.replaces_any());
}

TEST(FlameChange, WhatIsGoneHasAColourOnlyWhereTheComparisonIsSureOfIt) {
  FlameModel model;
  model.set(block_of({{"aten.addmm", 30}, {"aten.relu", 3}}), nullptr);
  const auto before = block_of({{"aten.linear", 20}, {"aten.relu", 3}});
  model.compare(before, std::make_shared<FlameWork>());
  EXPECT_DOUBLE_EQ(model.change(1), 10);
  EXPECT_DOUBLE_EQ(model.sure_change(1), 0) << "neither what has come nor what is gone";
  const FlameWork::Groups other = {{0, 0}, {1, 1}}, open = {{0, 2}, {1, 1}};
  model.compare(before, work_of(open, other, {true, false, true}));
  EXPECT_DOUBLE_EQ(model.sure_change(1), 10);
  EXPECT_EQ(model.lost(), 0) << "it was replaced";
  ASSERT_NE(model.replaced(2), nullptr) << "other work in its stead";
  // A sure part that goes the other way than the whole gives it no colour.
  EXPECT_EQ(FlameModel::colored(5, -3), 0);
  EXPECT_EQ(FlameModel::colored(5, 8), 5);
  EXPECT_EQ(FlameModel::colored(-5, -3), -3);
}

}  // namespace
}  // namespace et::gui::test
