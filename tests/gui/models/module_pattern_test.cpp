// Paths of several modules as one.
#include "gui/models/module_pattern.h"

#include <gtest/gtest.h>

namespace et::gui::test {
namespace {

TEST(ModulePattern, NumbersAreASetAndNamesAStar) {
  EXPECT_EQ(module_pattern({"net.layer.0.mlp", "net.layer.1.mlp", "net.layer.2.mlp"}), "net.layer.{0..2}.mlp");
  EXPECT_EQ(module_pattern({"net.encoder.block.0.q", "net.decoder.block.1.k"}), "net.*.block.{0,1}.*");
  EXPECT_EQ(module_pattern({"net.a", "net.a"}), "net.a") << "one is itself";
}

TEST(ModulePattern, OfOtherLengthsTheCommonPartIsFollowedByAnEllipsis) {
  EXPECT_EQ(module_pattern({"net.layer.0", "net.layer.1.mlp.fc"}), "net.layer.{0,1}.…");
}

TEST(ModulePattern, NothingInCommonIsNothing) {
  EXPECT_EQ(module_pattern({"a", "b"}), "");
  EXPECT_EQ(module_pattern({}), "");
  EXPECT_EQ(module_pattern({"", "a.b"}), "a.b") << "what has no module says nothing of the others";
}

}  // namespace
}  // namespace et::gui::test
