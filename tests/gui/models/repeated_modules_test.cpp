// Modules with what is in them: one row for what is repeated, rows in rows, and nothing that hides what stands out.
#include "gui/models/repeated_modules.h"

#include <gtest/gtest.h>

namespace et::gui::test {
namespace {

constexpr size_t kAll = 100;

std::vector<ModuleCost> layers(int count, double time) {
  std::vector<ModuleCost> out;
  for (int i = 0; i < count; ++i) {
    const std::string layer = "encoder.layer." + std::to_string(i);
    out.push_back({layer + ".attention", "Attention", time});
    out.push_back({layer + ".dense", "Linear", time});
  }
  return out;
}

TEST(RepeatedModules, LayersAreOneRowWithTheirPartsInIt) {
  std::vector<ModuleCost> modules = layers(12, 2);
  modules.push_back({"encoder.layer.3.dense.act", "GELU", 0.5});
  modules.push_back({"head", "Linear", 9});
  modules.push_back({"", "Bert", 1});
  const std::vector<ModuleTotal> all = module_totals(modules, kAll);
  ASSERT_EQ(all.size(), 6U);
  EXPECT_EQ(all[0].title, "encoder.layer.{0..11}") << "encoder has nothing else";
  EXPECT_EQ(all[0].modules, 12U);
  EXPECT_DOUBLE_EQ(all[0].time, 48.5);
  EXPECT_DOUBLE_EQ(all[0].own, 0);
  EXPECT_EQ(all[0].costliest, "encoder.layer.3");
  EXPECT_EQ(all[1].name, "dense");
  EXPECT_EQ(all[1].title, "encoder.layer.{0..11}.dense");
  EXPECT_EQ(all[1].depth, 1);
  EXPECT_DOUBLE_EQ(all[1].time, 24.5);
  EXPECT_DOUBLE_EQ(all[1].own, 24) << "without its activation";
  EXPECT_EQ(all[2].title, "encoder.layer.3.dense.act") << "layers that have none are not counted";
  EXPECT_EQ(all[2].depth, 2);
  EXPECT_EQ(all[3].name, "attention");
  EXPECT_EQ(all[3].type, "Attention");
  EXPECT_EQ(all[4].title, "head");
  EXPECT_EQ(all[5].title, "") << "what the model does itself";
  double top = 0;
  for (const ModuleTotal& row : all) top += row.depth == 0 ? row.time : 0;
  EXPECT_DOUBLE_EQ(top, 58.5) << "nothing is lost";
  // Of the rows that are left out, what they are in stays.
  const std::vector<ModuleTotal> few = module_totals(modules, 3);
  ASSERT_EQ(few.size(), 3U);
  EXPECT_EQ(few[0].title, "encoder.layer.{0..11}");
  EXPECT_EQ(few[1].name, "dense");
  EXPECT_EQ(few[2].name, "attention");
}

TEST(RepeatedModules, WhatIsNearlyAllStandsForWhatItIsIn) {
  const std::vector<ModuleTotal> all = module_totals({{"backbone.encoder.blocks.0", "Block", 40},
                                                      {"backbone.encoder.blocks.1", "Block", 40},
                                                      {"backbone.encoder.top", "Conv2d", 4},
                                                      {"backbone.stem", "Conv2d", 6},
                                                      {"head", "Linear", 10}},
                                                     kAll);
  ASSERT_EQ(all.size(), 4U);
  const std::vector<std::string> titles = {"backbone.encoder.blocks.{0,1}", "head", "backbone.stem",
                                           "backbone.encoder.top"};
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].depth, 0);
    EXPECT_EQ(all[i].title, titles[i]) << "by time, whatever they are in";
  }
  double sum = 0;
  for (const ModuleTotal& row : all) sum += row.time;
  EXPECT_DOUBLE_EQ(sum, 100);
}

TEST(RepeatedModules, NumbersAreToldAsTheyAre) {
  const auto title = [](const std::vector<ModuleCost>& modules) { return module_totals(modules, 1).front().title; };
  EXPECT_EQ(title({{"a.3", "X", 1}}), "a.3");
  EXPECT_EQ(title({{"a.0", "X", 1}, {"a.4", "X", 1}}), "a.{0,4}");
  EXPECT_EQ(title({{"a.0.b", "X", 1}, {"a.1.b", "X", 1}, {"a.2.b", "X", 1}, {"a.9.b", "X", 1}}), "a.{0…9}.b");
  EXPECT_EQ(title({{"s.1.0.f", "X", 1}, {"s.1.1.f", "X", 1}, {"s.1.2.f", "X", 1}}), "s.1.{0..2}.f");
  EXPECT_EQ(title({{"12345678901234567890", "X", 1}}), "12345678901234567890") << "no index";
  EXPECT_EQ(title({{"a..b", "X", 1}}), "a..b");
}

TEST(RepeatedModules, LeavesOfOtherClassesStayApart) {
  const std::vector<ModuleTotal> all = module_totals({{"seq.0", "Linear", 1}, {"seq.1", "ReLU", 1}}, kAll);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].title, "seq");
  EXPECT_EQ(all[1].depth, 1);
}

TEST(RepeatedModules, WhatStandsOutIsNamed) {
  std::vector<ModuleCost> modules = layers(12, 1);
  EXPECT_FALSE(module_totals(modules, 1).front().stands_out);
  modules[8].time = 50;
  const ModuleTotal row = module_totals(modules, 1).front();
  EXPECT_TRUE(row.stands_out);
  EXPECT_EQ(row.costliest, "encoder.layer.4.attention") << "the row is of the attentions: nearly all of it";
  EXPECT_DOUBLE_EQ(row.most, 50);
  EXPECT_FALSE(module_totals({{"a.0", "X", 1.4}, {"a.1", "X", 1}}, 1).front().stands_out) << "noise";
}

}  // namespace
}  // namespace et::gui::test
