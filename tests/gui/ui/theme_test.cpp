// Colours of operator types: one for a type, whoever names it, readable in both themes.
#include "gui/widgets/theme.h"

#include <set>
#include <string>
#include <vector>

#include "gui/widgets/cells.h"
#include "inspector/match/type_family.h"
#include "tests/gui/ui/harness.h"

namespace et::gui::test {
namespace {

const std::vector<std::string> kTypes = {"aten.addmm.default",       "aten.mm.default",
                                         "aten.bmm.default",         "aten.linear.default",
                                         "aten.convolution",         "aten._softmax.default",
                                         "aten.native_layer_norm",   "aten.add.Tensor",
                                         "aten.mul.Tensor",          "aten.gelu.default",
                                         "aten.relu.default",        "aten.permute_copy.default",
                                         "aten.cat.default",         "aten.mean.dim",
                                         "aten.embedding.default",   "aten.full_like.default",
                                         "aten.where.self",          "demo.frobnicate.out",
                                         "aten.max_pool2d.default",  "quantized_decomposed.quantize_per_tensor",
                                         "aten.sub.Tensor",          "aten.div.Tensor",
                                         "aten.expand_copy.default", "aten.sigmoid.default"};

struct ThemeTest : UiTest {};

TEST_F(ThemeTest, NamesOnTypesCanBeReadInBothThemes) {
  for (const char* name : {"light", "dark"}) {
    app().set_theme(name);
    frames(2);
    for (const std::string& type : kTypes)
      EXPECT_GE(contrast(text_on(type_color(type)), type_color(type)), 4.0F) << name << " " << type;
  }
}

TEST_F(ThemeTest, ATypeHasOneColourAndKindsOfWorkHaveTheirs) {
  for (const char* name : {"light", "dark"}) {
    app().set_theme(name);
    frames(2);
    for (const std::string& type : kTypes) {
      EXPECT_EQ(type_color(type), type_color(inspector::short_type(type))) << type;
      EXPECT_EQ(type_color(type), type_color("native_call_" + inspector::short_type(type) + ".out")) << type;
    }
    EXPECT_EQ(type_color("aten._softmax.default"), type_color("Softmax (F32, 1x4x24x24) node 8"));
    std::set<ImU32> colors;
    std::set<inspector::TypeFamily> families;
    for (const std::string& type : kTypes) {
      if (!families.insert(inspector::type_family(type)).second) continue;
      EXPECT_TRUE(colors.insert(type_color(type)).second) << name << " " << type << " looks as another kind of work";
    }
    EXPECT_NE(type_color("aten.addmm.default"), type_color("aten.bmm.default")) << "kinds have shades";
  }
}

TEST_F(UiTest, SentencesBreakAtSpacesAndNotInNamesOfOperators) {
  open("add_mul");
  drive([&](ImGuiTestContext*) {
    const std::string text = "most of it aten.permute_copy (10 us) and aten.add.Tensor_of_any_length";
    const float width = ImGui::CalcTextSize("aten.permute_copy (10").x + 1;
    EXPECT_EQ(broken_at_spaces(text, width),
              "most of it\naten.permute_copy (10\nus) and\naten.add.Tensor_of_any_length");
    EXPECT_EQ(broken_at_spaces(text, 1e6F), text);
    EXPECT_EQ(broken_at_spaces("", width), "");
    EXPECT_EQ(broken_at_spaces("a\nb", width), "a\nb");
  });
}

}  // namespace
}  // namespace et::gui::test
