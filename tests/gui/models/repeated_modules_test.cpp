// Modules that are one thing repeated are one row; one that costs far more than its like is not hidden among them.
#include "gui/models/repeated_modules.h"

#include <gtest/gtest.h>

namespace et::gui::test {
namespace {

std::vector<ModuleCost> layers(int count, double time) {
  std::vector<ModuleCost> out;
  for (int i = 0; i < count; ++i) out.push_back({"encoder.layer." + std::to_string(i) + ".dense", "Linear", time});
  return out;
}

TEST(RepeatedModules, LayersAreOneRow) {
  std::vector<ModuleCost> modules = layers(12, 2);
  modules.push_back({"head", "Linear", 9});
  modules.push_back({"", "Bert", 1});
  const std::vector<ModuleFamily> all = module_families(modules);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].title, "encoder.layer.{0..11}.dense");
  EXPECT_EQ(all[0].modules, 12U);
  EXPECT_DOUBLE_EQ(all[0].time, 24);
  EXPECT_EQ(all[1].title, "head");
  EXPECT_EQ(all[2].title, "");
}

TEST(RepeatedModules, NumbersAreToldAsTheyAre) {
  const auto title = [](std::vector<ModuleCost> modules) { return module_families(modules).front().title; };
  EXPECT_EQ(title({{"a.3", "X", 1}}), "a.3");
  EXPECT_EQ(title({{"a.0", "X", 1}, {"a.4", "X", 1}}), "a.{0,4}");
  EXPECT_EQ(title({{"a.0.b", "X", 1}, {"a.1.b", "X", 1}, {"a.2.b", "X", 1}, {"a.9.b", "X", 1}}), "a.{0…9}.b");
  EXPECT_EQ(title({{"s.1.0.f", "X", 1}, {"s.1.1.f", "X", 1}, {"s.1.2.f", "X", 1}}), "s.1.{0..2}.f");
  EXPECT_EQ(title({{"12345678901234567890", "X", 1}}), "12345678901234567890") << "no index";
  EXPECT_EQ(title({{"a..b", "X", 1}}), "a..b");
}

TEST(RepeatedModules, OtherClassesStayApart) {
  EXPECT_EQ(module_families({{"seq.0", "Linear", 1}, {"seq.1", "ReLU", 1}}).size(), 2U);
}

TEST(RepeatedModules, WhatStandsOutStandsAlone) {
  std::vector<ModuleCost> modules = layers(12, 1);
  modules[4].time = 50;
  const std::vector<ModuleFamily> all = module_families(modules);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].title, "encoder.layer.4.dense");
  EXPECT_DOUBLE_EQ(all[0].time, 50);
  EXPECT_EQ(all[1].modules, 11U);
  double sum = 0;
  for (const ModuleFamily& f : all) sum += f.time;
  EXPECT_DOUBLE_EQ(sum, 61) << "nothing is lost";
}

TEST(RepeatedModules, UnequalOnesAreNotAddedUp) {
  const std::vector<ModuleFamily> two =
      module_families({{"features.0.0", "Conv2d", 209}, {"features.18.0", "Conv2d", 31}});
  ASSERT_EQ(two.size(), 2U);
  EXPECT_EQ(two[0].title, "features.0.0");
  EXPECT_DOUBLE_EQ(two[0].time, 209);
  std::vector<ModuleCost> six;
  for (int block = 0; block < 3; ++block) {
    for (const int part : {0, 2})
      six.push_back({"blocks." + std::to_string(block) + ".mlp." + std::to_string(part), "Linear", 1.1 + 0.02 * block});
  }
  six[3].time = 5.3;
  const std::vector<ModuleFamily> families = module_families(six);
  ASSERT_EQ(families.size(), 2U);
  EXPECT_EQ(families[0].title + " " + families[1].title, "blocks.{0..2}.mlp.{0,2} blocks.1.mlp.2");
  EXPECT_EQ(module_families({{"a.0", "X", 1.4}, {"a.1", "X", 1}}).size(), 1U) << "noise";
}

}  // namespace
}  // namespace et::gui::test
