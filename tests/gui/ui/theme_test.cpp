// Colours of operator types: one for a type, whoever names it, readable in both themes.
#include "gui/widgets/theme.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "gui/widgets/cells.h"
#include "gui/widgets/type_shades.h"
#include "inspector/match/type_family.h"
#include "tests/gui/ui/color_vision.h"
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
      EXPECT_GE(contrast(text_on(type_color(type)), type_color(type)), 4.5F) << name << " " << type;
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

struct NamedColor {
  const char* name;
  ImU32 Theme::*color;
};
// What texts are drawn in, and what only marks and bars are.
constexpr NamedColor kTexts[] = {{"text", &Theme::text},
                                 {"muted", &Theme::muted},
                                 {"faint", &Theme::faint},
                                 {"good", &Theme::good},
                                 {"warning", &Theme::warning},
                                 {"bad", &Theme::bad},
                                 {"slower", &Theme::slower},
                                 {"faster", &Theme::faster},
                                 {"cold", &Theme::cold},
                                 {"replaced", &Theme::replaced},
                                 {"kernel, of links", &Theme::kernel}};
constexpr NamedColor kMarks[] = {{"selection", &Theme::selection},
                                 {"control", &Theme::control},
                                 {"framework", &Theme::framework},
                                 {"unattributed", &Theme::unattributed},
                                 {"variation", &Theme::variation}};

TEST_F(ThemeTest, TextsAndMarksHaveTheContrastOfWcagAa) {
  for (const char* name : {"light", "dark"}) {
    app().set_theme(name);
    const Theme& t = theme();
    for (const ImU32 ground : {t.background, t.surface}) {
      for (const NamedColor& c : kTexts) EXPECT_GE(contrast(t.*c.color, ground), 4.5F) << name << " " << c.name;
      for (const NamedColor& c : kMarks) EXPECT_GE(contrast(t.*c.color, ground), 3.0F) << name << " " << c.name;
    }
  }
}

ImU32 style_color(ImGuiCol slot) { return ImGui::GetColorU32(ImGui::GetStyle().Colors[slot]); }

// Grey texts stand on all that the style draws under texts, rows that the mouse is on included; coloured ones in
// tables.
TEST_F(ThemeTest, TextsCanBeReadOnAllThatTheyStandOn) {
  for (const char* name : {"light", "dark"}) {
    app().set_theme(name);
    const Theme& t = theme();
    const ImU32 alternate = blended(style_color(ImGuiCol_TableRowBgAlt), t.background);
    const std::vector<ImU32> rows = {t.background, t.surface, alternate, blended(t.selection_fill, t.background),
                                     blended(t.selection_fill, alternate)};
    std::vector<ImU32> grounds = rows;
    for (const ImGuiCol slot : {ImGuiCol_WindowBg, ImGuiCol_PopupBg, ImGuiCol_FrameBg, ImGuiCol_FrameBgHovered,
                                ImGuiCol_Button, ImGuiCol_Header, ImGuiCol_HeaderHovered, ImGuiCol_TableHeaderBg,
                                ImGuiCol_MenuBarBg, ImGuiCol_TitleBg, ImGuiCol_Tab})
      grounds.push_back(style_color(slot));
    grounds.push_back(t.grid);
    for (const ImU32 ground : grounds) {
      for (const ImU32 text :
           {t.text, t.muted, t.faint, style_color(ImGuiCol_Text), style_color(ImGuiCol_TextDisabled)})
        EXPECT_GE(contrast(text, ground), 4.5F) << name << std::hex << " " << text << " on " << ground;
    }
    for (const ImU32 ground : rows) {
      for (const NamedColor& c : kTexts)
        EXPECT_GE(contrast(t.*c.color, ground), 4.5F) << name << " " << c.name << std::hex << " on " << ground;
    }
    // Grey is told from grey: what is secondary from what is a hint.
    EXPECT_GT(contrast(t.muted, t.background), 1.1F * contrast(t.faint, t.background));
    EXPECT_GT(contrast(t.text, t.background), 1.3F * contrast(t.muted, t.background));
  }
}

// Whether a list goes on is seen without the mouse on it.
TEST_F(ThemeTest, ScrollBarsAreSeen) {
  for (const char* name : {"light", "dark"}) {
    app().set_theme(name);
    EXPECT_GE(contrast(style_color(ImGuiCol_ScrollbarGrab), style_color(ImGuiCol_ScrollbarBg)), 3.0F) << name;
    EXPECT_GT(contrast(style_color(ImGuiCol_ScrollbarBg), theme().background), 1.05F) << name;
  }
}

// Names on boxes: on colours that are nearly the same they are all black or all white, and can be read.
TEST_F(ThemeTest, NamesOnShadesThatAreNearlyAlikeHaveOneColour) {
  constexpr double kNearlyAlike = 7;
  for (const char* name : {"light", "dark"}) {
    app().set_theme(name);
    for (size_t hue = 0; hue < kHues; ++hue) {
      const auto shades = shades_of(hue);
      for (const ImU32 a : shades) {
        EXPECT_GE(contrast(text_on(a), a), 4.5F) << name << " hue " << hue;
        for (const ImU32 ground : {theme().background, theme().surface})
          EXPECT_EQ(quiet_text_on(with_alpha(a, kSteppedBack), ground), theme().muted) << name << " hue " << hue;
        for (const ImU32 b : shades) {
          const bool alike = distance_seen(a, b, Vision::Usual) < kNearlyAlike;
          EXPECT_TRUE(!alike || text_on(a) == text_on(b)) << name << " hue " << hue << std::hex << " " << a << " " << b;
        }
      }
    }
  }
  for (unsigned grey = 0; grey < 256; ++grey) {
    const ImU32 ground = IM_COL32(grey, grey, grey, 255);
    EXPECT_GE(contrast(text_on(ground), ground), 4.5F) << grey;
    EXPECT_GE(contrast(quiet_text_on(with_alpha(ground, 0.25F), theme().background),
                       blended(with_alpha(ground, 0.25F), theme().background)),
              4.5F)
        << grey;
  }
}

// Colours that stand side by side and mean different things.
TEST_F(ThemeTest, WhatStandsSideBySideIsApartForPeopleWithColourBlindness) {
  constexpr double kApart = 10;
  using Set = std::vector<NamedColor>;
  const std::vector<Set> sets = {
      Set{{"good", &Theme::good}, {"warning", &Theme::warning}, {"bad", &Theme::bad}},
      Set{{"slower", &Theme::slower}, {"faster", &Theme::faster}, {"replaced", &Theme::replaced}},
      Set{{"kernel", &Theme::kernel},
          {"control", &Theme::control},
          {"framework", &Theme::framework},
          {"unattributed", &Theme::unattributed},
          {"variation", &Theme::variation}},
      Set{{"cold", &Theme::cold},
          {"selection", &Theme::selection},
          {"kernel", &Theme::kernel},
          {"warning", &Theme::warning}}};
  for (const char* name : {"light", "dark"}) {
    app().set_theme(name);
    const Theme& t = theme();
    for (const Set& set : sets) {
      for (size_t a = 0; a < set.size(); ++a) {
        for (size_t b = a + 1; b < set.size(); ++b) {
          for (const Vision vision : kVisions)
            EXPECT_GE(distance_seen(t.*set[a].color, t.*set[b].color, vision), kApart)
                << name << " " << set[a].name << " " << set[b].name << " " << static_cast<int>(vision);
        }
      }
    }
  }
}

// Names are hashed to hues, so any two of them may stand side by side.
TEST_F(ThemeTest, ColoursOfNamesTypesAndBackendsAreApartForPeopleWithColourBlindness) {
  constexpr double kApart = 7;
  for (const char* name : {"light", "dark"}) {
    app().set_theme(name);
    std::set<ImU32> hues, backends;
    for (int i = 0; i < 2000; ++i) {
      hues.insert(name_color("name " + std::to_string(i)));
      backends.insert(backend_color("Backend" + std::to_string(i)));
    }
    EXPECT_EQ(hues.size(), 14U);
    EXPECT_GE(backends.size(), 5U);
    for (const Vision vision : kVisions) {
      for (const ImU32 a : hues) {
        for (const ImU32 b : hues) {
          if (a >= b) continue;
          EXPECT_GE(distance_seen(a, b, vision), kApart) << name << std::hex << " " << a << " " << b;
        }
      }
      const Theme& t = theme();
      for (const ImU32 a : backends) {
        for (const ImU32 b : {t.kernel, t.control, t.framework, t.warning, t.unattributed})
          EXPECT_GE(distance_seen(a, b, vision), kApart) << name << std::hex << " " << a << " " << b;
      }
    }
    // Marks on the grounds, and names on them.
    for (const ImU32 hue : hues) {
      EXPECT_GE(contrast(hue, theme().background), 3.0F) << name << std::hex << " " << hue;
      EXPECT_GE(contrast(hue, theme().surface), 3.0F) << name << std::hex << " " << hue;
      EXPECT_GE(contrast(text_on(hue), hue), 4.5F) << name << std::hex << " " << hue;
    }
  }
}

// Types of one kind stand side by side, in slices too narrow for a name, too. Which type it is, its name says: shades
// of two kinds may look alike.
TEST_F(ThemeTest, ShadesOfAKindAreApartForPeopleWithColourBlindness) {
  constexpr double kSideBySide = 3;
  for (const char* name : {"light", "dark"}) {
    app().set_theme(name);
    for (size_t hue = 0; hue < kHues; ++hue) {
      const auto shades = shades_of(hue);
      for (size_t a = 0; a < shades.size(); ++a) {
        for (size_t b = a + 1; b < shades.size(); ++b) {
          for (const Vision vision : kVisions)
            EXPECT_GE(distance_seen(shades[a], shades[b], vision), kSideBySide)
                << name << " hue " << hue << " shades " << a << " " << b << " " << static_cast<int>(vision);
        }
      }
    }
    for (const std::string& type : kTypes) {
      bool found = false;
      for (size_t hue = 0; hue < kHues; ++hue) {
        const auto shades = shades_of(hue);
        found = found || std::find(shades.begin(), shades.end(), type_color(type)) != shades.end();
      }
      EXPECT_TRUE(found) << type;
    }
  }
}

// A model may have more types of one kind than that kind has shades: of data that is moved, most of all.
TEST_F(ThemeTest, ManyTypesOfAKindHaveColoursOfTheirOwn) {
  std::vector<std::string> types;
  for (const char* name : {"permute_copy", "view_copy", "clone", "expand_copy", "cat", "slice_copy", "squeeze_copy",
                           "unsqueeze_copy", "select_copy", "t_copy", "constant_pad_nd", "split_copy"}) {
    types.push_back("aten." + std::string(name) + ".default");
    EXPECT_EQ(inspector::type_family(types.back()), inspector::TypeFamily::Movement) << name;
  }
  for (const char* name : {"light", "dark"}) {
    app().set_theme(name);
    set_types(types);
    std::set<ImU32> colors;
    for (const std::string& type : types) EXPECT_TRUE(colors.insert(type_color(type)).second) << name << " " << type;
  }
}

// What is selected is framed in a colour that no cost has, and an edge in a backend's is seen on each cost.
TEST_F(ThemeTest, CostsAreApartFromWhatIsSelectedAndFromBackends) {
  for (const char* name : {"light", "dark"}) {
    app().set_theme(name);
    float before = 0;
    for (int i = 0; i <= 10; ++i) {
      const ImU32 cost = cost_color(i / 10.0);
      EXPECT_GE(distance_seen(cost, theme().selection, kVisions[0]), 12) << name << " " << i;
      EXPECT_GE(distance_seen(cost, backend_color("XnnpackBackend"), kVisions[0]), 12) << name << " " << i;
      const float bright = contrast(cost, name == std::string("dark") ? IM_COL32_BLACK : IM_COL32_WHITE);
      EXPECT_GE(bright + 0.05F, before) << name << " " << i << ": ever farther from the ground";
      before = bright;
    }
  }
}

// Values of Sharma, Wu and Dalal, "The CIEDE2000 color-difference formula", 2005.
TEST(ColorVision, IsThePublishedFormula) {
  EXPECT_NEAR(ciede2000({50, 2.6772, -79.7751}, {50, 0, -82.7485}), 2.0425, 1e-4);
  EXPECT_NEAR(ciede2000({50, -1, 2}, {50, 0, 0}), 2.3669, 1e-4);
  EXPECT_NEAR(ciede2000({50, 2.5, 0}, {73, 25, -18}), 27.1492, 1e-4);
  EXPECT_NEAR(ciede2000({60.2574, -34.0099, 36.2677}, {60.4626, -34.1751, 39.4387}), 1.2644, 1e-4);
  EXPECT_LT(distance_seen(IM_COL32(200, 60, 60, 255), IM_COL32(110, 110, 50, 255), Vision::Deuteranopia), 15);
  EXPECT_GT(distance_seen(IM_COL32(200, 60, 60, 255), IM_COL32(110, 110, 50, 255), Vision::Usual), 30);
}

TEST_F(UiTest, SentencesBreakAtSpacesAndNotInNamesOfOperators) {
  open("add_mul");
  drive([&](ImGuiTestContext*) {
    const std::string text = "most of it aten.permute_copy (10 us) and aten.add.Tensor_of_any_length";
    const float width = ImGui::CalcTextSize("aten.permute_copy (10").x + 1;
    EXPECT_EQ(broken_at_spaces(text, width),
              "most of it\naten.permute_copy\n(10 us) and\naten.add.Tensor_of_any_length")
        << "a number stays with its unit";
    EXPECT_EQ(broken_at_spaces(text, 1e6F), text);
    EXPECT_EQ(broken_at_spaces("", width), "");
    EXPECT_EQ(broken_at_spaces("a\nb", width), "a\nb");
  });
}

}  // namespace
}  // namespace et::gui::test
