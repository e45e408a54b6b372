#include "gui/widgets/theme.h"

#include <implot.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "gui/widgets/type_shades.h"
#include "inspector/match/type_family.h"

namespace et::gui {
namespace {

constexpr ImU32 rgb(unsigned value) { return IM_COL32((value >> 16) & 255, (value >> 8) & 255, value & 255, 255); }

// Texts have a contrast of 4.5 on what they stand on, rows that are marked and alternate ones included, marks of 3
// (WCAG AA), and what stands side by side is apart for people with colour blindness: tests/gui/ui/theme_test.cpp.
constexpr Theme kDark = {
    .kind = ThemeKind::Dark,
    .text = rgb(0xE4E7EB),
    .muted = rgb(0xB0B9C4),
    .faint = rgb(0xA2ABB6),
    .background = rgb(0x16191E),
    .surface = rgb(0x1D2127),
    .grid = rgb(0x2E343C),
    .selection = rgb(0xFFD56C),
    .selection_fill = IM_COL32(255, 209, 102, 31),
    .hover = rgb(0xFFFFFF),
    .good = rgb(0x7DD5B0),
    .warning = rgb(0xDCA636),
    .bad = rgb(0xF7757B),
    .unattributed = rgb(0x6D6D6D),
    .framework = rgb(0x7F8490),
    .control = rgb(0x7673D7),
    .variation = rgb(0x8C7038),
    .kernel = rgb(0x5CA3DE),
    .slower = rgb(0xF0883E),
    .faster = rgb(0x58A6FF),
    .replaced = rgb(0xA198B6),
    .cold = rgb(0x46D1C0),
};
constexpr Theme kLight = {
    .kind = ThemeKind::Light,
    .text = rgb(0x1C2126),
    .muted = rgb(0x4A535D),
    .faint = rgb(0x58616A),
    .background = rgb(0xF8F9FB),
    .surface = rgb(0xFFFFFF),
    .grid = rgb(0xDADFE5),
    .selection = rgb(0xC37D05),
    .selection_fill = IM_COL32(240, 170, 20, 38),
    .hover = rgb(0x000000),
    .good = rgb(0x26764D),
    .warning = rgb(0x9A5B00),
    .bad = rgb(0x921F1C),
    .unattributed = rgb(0x737373),
    .framework = rgb(0x585858),
    .control = rgb(0x5A2D91),
    .variation = rgb(0xA5814A),
    .kernel = rgb(0x026CB8),
    .slower = rgb(0xB2480A),
    .faster = rgb(0x1B66C9),
    .replaced = rgb(0x6D6584),
    .cold = rgb(0x1B6A4F),
};

const Theme* g_theme = &kDark;
float g_scale = 1;

// Hues that stay apart for people with colour blindness, too, each pair by a CIEDE2000 of 7 as they see it; those that
// such people take for one another differ in lightness.
constexpr std::array<unsigned, kHues> kCategoriesDark = {0x63A0FD, 0xD2650E, 0xA5D9AB, 0xB166A6, 0xF9E26C,
                                                         0x11F7F9, 0xEE7492, 0x6679E3, 0xA6BC12, 0xC79464,
                                                         0x45C9F2, 0xE1B8C9, 0x82A89F, 0xAC9DBD};
constexpr std::array<unsigned, kHues> kCategoriesLight = {0x5685F6, 0xCA7436, 0x69865E, 0x904A8C, 0x8B6A09,
                                                          0x739391, 0x913B45, 0x5763C0, 0x0CA250, 0xA8857A,
                                                          0x6F7CBC, 0xF14894, 0x1A7364, 0x838BA6};
// Of backends: places in the lists that are as far from what stands beside delegates, by theme.
constexpr std::array<bool, kHues> kBackendsDark = {false, true,  true,  true, true, true, false,
                                                   false, false, false, true, true, true, true};
constexpr std::array<bool, kHues> kBackendsLight = {true,  false, true, true,  false, false, false,
                                                    false, true,  true, false, false, false, false};

// Ever brighter, from the ground over red to orange: without the yellow of what is selected, and the purple that edges
// of a backend may have.
constexpr std::array<unsigned, 6> kCostDark = {0x2B3350, 0x4E3346, 0x84333F, 0xBE4238, 0xEA6A33, 0xFF9E57};
constexpr std::array<unsigned, 6> kCostLight = {0xE6ECF5, 0xC3D3EE, 0xF3CFA0, 0xF2A765, 0xE26A4B, 0xB52B3A};

// By TypeFamily up to Other: places in the lists above.
constexpr std::array<size_t, static_cast<size_t>(inspector::TypeFamily::Other)> kFamilyHues = {0,  1, 6,  2,  4, 5,
                                                                                               12, 8, 11, 13, 9};
constexpr std::array<size_t, 2> kOtherHues = {7, 10};  // and of types of a kind that has more than there are shades
// Towards white (above 0) and black, so that names on all shades of a hue are read in one colour: hues that are nearly
// white already have no room but downwards, and the dark ones step over the shades on which that colour changes.
using Shades = std::array<float, kTypeShades>;
constexpr Shades kShadesOfBright = {0, -0.32F, -0.08F, -0.24F, -0.16F};
constexpr Shades kShadesOfUsual = {0, 0.17F, -0.075F, 0.34F, 0.5F};
constexpr Shades kShadesOfDark = {0, 0.32F, -0.16F, 0.48F, -0.31F};
constexpr float kBright = 9, kReadable = 4.5F;  // contrast to black

const Shades& steps_of(ImU32 hue) {
  const float black = contrast(hue, IM_COL32_BLACK);
  return black > kBright ? kShadesOfBright : black >= kReadable ? kShadesOfUsual : kShadesOfDark;
}

uint32_t name_hash(std::string_view name) {
  uint32_t hash = 2166136261U;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash ^ (hash >> 15);
}

ImVec4 color4(ImU32 c) { return ImGui::ColorConvertU32ToFloat4(c); }
ImU32 mix(ImU32 a, ImU32 b, float t) {
  const ImVec4 x = color4(a), y = color4(b);
  return ImGui::ColorConvertFloat4ToU32(
      {x.x + (y.x - x.x) * t, x.y + (y.y - x.y) * t, x.z + (y.z - x.z) * t, x.w + (y.w - x.w) * t});
}

void apply_style(const Theme& t, float scale) {
  ImGuiStyle style;
  if (t.kind == ThemeKind::Light) {
    ImGui::StyleColorsLight(&style);
  } else {
    ImGui::StyleColorsDark(&style);
  }
  style.WindowPadding = {8, 8};
  style.FramePadding = {6, 3};
  style.CellPadding = {6, 2};
  style.ItemSpacing = {8, 4};
  style.WindowRounding = 0;
  style.FrameRounding = 3;
  style.TabRounding = 3;
  style.GrabRounding = 3;
  style.ScrollbarSize = 12;
  style.WindowBorderSize = 0;
  style.FrameBorderSize = 0;
  style.TabBarOverlineSize = 2;
  // Names stay whole: tabs that do not fit are scrolled to.
  style.TabMinWidthShrink = 1000;
  style.TabCloseButtonMinWidthUnselected = FLT_MAX;
  const ImU32 accent = t.kernel;
  const auto set = [&](ImGuiCol slot, ImU32 color) { style.Colors[slot] = color4(color); };
  set(ImGuiCol_Text, t.text);
  set(ImGuiCol_TextDisabled, t.muted);
  set(ImGuiCol_WindowBg, t.background);
  set(ImGuiCol_ChildBg, with_alpha(t.background, 0));
  set(ImGuiCol_PopupBg, t.surface);
  set(ImGuiCol_Border, t.grid);
  set(ImGuiCol_FrameBg, mix(t.surface, t.grid, 0.6F));
  set(ImGuiCol_FrameBgHovered, mix(t.surface, accent, 0.2F));
  set(ImGuiCol_FrameBgActive, mix(t.surface, accent, 0.4F));
  set(ImGuiCol_TitleBg, t.surface);
  set(ImGuiCol_TitleBgActive, t.surface);
  set(ImGuiCol_MenuBarBg, t.surface);
  // Whether a list goes on must be seen without a mouse on it.
  set(ImGuiCol_ScrollbarBg, mix(t.background, t.grid, 0.5F));
  set(ImGuiCol_ScrollbarGrab, t.framework);
  set(ImGuiCol_ScrollbarGrabHovered, t.muted);
  set(ImGuiCol_ScrollbarGrabActive, t.text);
  set(ImGuiCol_Button, mix(t.surface, t.grid, 0.8F));
  set(ImGuiCol_ButtonHovered, mix(t.surface, accent, 0.35F));
  set(ImGuiCol_ButtonActive, mix(t.surface, accent, 0.5F));
  const float chosen = t.kind == ThemeKind::Light ? 0.15F : 0.18F;  // more would take the contrast from its texts
  set(ImGuiCol_Header, mix(t.surface, accent, chosen));
  set(ImGuiCol_HeaderHovered, mix(t.surface, accent, chosen + 0.06F));
  set(ImGuiCol_HeaderActive, mix(t.surface, accent, chosen + 0.12F));
  set(ImGuiCol_Separator, t.grid);
  set(ImGuiCol_Tab, t.surface);
  set(ImGuiCol_TabHovered, mix(t.surface, accent, 0.35F));
  set(ImGuiCol_TabSelected, mix(t.surface, accent, 0.22F));
  set(ImGuiCol_TabSelectedOverline, accent);
  set(ImGuiCol_TabDimmed, t.surface);
  set(ImGuiCol_TabDimmedSelected, mix(t.surface, accent, 0.12F));
  set(ImGuiCol_TabDimmedSelectedOverline, t.grid);
  set(ImGuiCol_DockingPreview, with_alpha(accent, 0.5F));
  set(ImGuiCol_DockingEmptyBg, t.background);
  set(ImGuiCol_TableHeaderBg, mix(t.surface, t.grid, 0.5F));
  set(ImGuiCol_TableBorderLight, t.grid);
  set(ImGuiCol_TableBorderStrong, t.grid);
  set(ImGuiCol_TableRowBgAlt, with_alpha(t.grid, t.kind == ThemeKind::Light ? 0.12F : 0.2F));
  // What lies behind a dialogue is darker in both themes: a light wash over a dark window looks like a fault.
  set(ImGuiCol_ModalWindowDimBg, IM_COL32(0, 0, 0, t.kind == ThemeKind::Light ? 70 : 130));
  set(ImGuiCol_TextSelectedBg, with_alpha(accent, 0.35F));
  set(ImGuiCol_CheckMark, accent);
  set(ImGuiCol_TextLink, accent);
  set(ImGuiCol_PlotHistogram, accent);
  style.ScaleAllSizes(scale);
  style.FontScaleDpi = scale;
  ImGui::GetStyle() = style;
}

}  // namespace

const Theme& theme() { return *g_theme; }

void apply_theme(ThemeKind kind, float scale) {
  g_theme = kind == ThemeKind::Light ? &kLight : &kDark;
  g_scale = scale;
  apply_style(*g_theme, scale);
  if (ImPlot::GetCurrentContext() == nullptr) return;
  kind == ThemeKind::Light ? ImPlot::StyleColorsLight() : ImPlot::StyleColorsDark();
  ImPlotStyle& plot = ImPlot::GetStyle();
  plot.Colors[ImPlotCol_FrameBg] = color4(with_alpha(g_theme->surface, 0));
  plot.Colors[ImPlotCol_PlotBg] = color4(g_theme->surface);
  plot.Colors[ImPlotCol_PlotBorder] = color4(g_theme->grid);
}

ImU32 name_color(std::string_view name) {
  const auto& all = g_theme->kind == ThemeKind::Light ? kCategoriesLight : kCategoriesDark;
  return rgb(all[name_hash(name) % all.size()]);
}

ImU32 quiet_color(std::string_view name) {
  const ImU32 grey = mix(g_theme->muted, name_color(name), 0.25F);
  const float shade = steps_of(grey)[(name_hash(name) >> 4) % kTypeShades];
  return mix(grey, shade < 0 ? IM_COL32_BLACK : IM_COL32_WHITE, std::abs(shade));
}

std::array<ImU32, kTypeShades> shades_of(size_t hue) {
  const auto& all = g_theme->kind == ThemeKind::Light ? kCategoriesLight : kCategoriesDark;
  const ImU32 pure = rgb(all[hue]);
  const Shades& steps = steps_of(pure);
  std::array<ImU32, kTypeShades> out{};
  for (size_t i = 0; i < steps.size(); ++i)
    out[i] = mix(pure, steps[i] < 0 ? IM_COL32_BLACK : IM_COL32_WHITE, std::abs(steps[i]));
  return out;
}

namespace {

struct TypePlace {
  size_t hue = 0, shade = 0;
};

std::map<std::string, TypePlace>& places_of_types() {
  static std::map<std::string, TypePlace> places;
  return places;
}

size_t hue_of(std::string_view type, uint32_t hash) {
  const auto family = static_cast<size_t>(inspector::type_family(type));
  return family < kFamilyHues.size() ? kFamilyHues[family] : kOtherHues[hash % kOtherHues.size()];
}

size_t shade_of(uint32_t hash) { return (hash >> 8) % kTypeShades; }

}  // namespace

ImU32 type_color(std::string_view type) {
  const std::string key = inspector::type_key(type);
  const uint32_t hash = name_hash(key);
  const auto given = places_of_types().find(key);
  const TypePlace own =
      given != places_of_types().end() ? given->second : TypePlace{hue_of(type, hash), shade_of(hash)};
  return shades_of(own.hue)[own.shade];
}

void set_types(const std::vector<std::string>& types) {
  auto& places = places_of_types();
  places.clear();
  std::map<size_t, std::array<bool, kTypeShades>> taken;  // by hue
  for (const std::string& type : types) {
    const std::string key = inspector::type_key(type);
    if (places.contains(key)) continue;
    const uint32_t hash = name_hash(key);
    TypePlace place = {hue_of(type, hash), shade_of(hash)};
    for (const size_t hue : {place.hue, kOtherHues[hash % 2], kOtherHues[1 - hash % 2]}) {
      auto& of_hue = taken[hue];
      if (std::all_of(of_hue.begin(), of_hue.end(), [](bool is_taken) { return is_taken; })) continue;
      place.hue = hue;
      while (of_hue[place.shade]) place.shade = (place.shade + 1) % kTypeShades;
      of_hue[place.shade] = true;
      break;
    }
    places.emplace(key, place);
  }
}

ImU32 backend_color(std::string_view backend) {
  const bool light = g_theme->kind == ThemeKind::Light;
  const auto& all = light ? kCategoriesLight : kCategoriesDark;
  const auto& apart = light ? kBackendsLight : kBackendsDark;
  size_t at = name_hash(backend) % all.size();
  while (!apart[at]) at = (at + 1) % all.size();
  return rgb(all[at]);
}

ImU32 part_color(const inspector::OpPart& part) {
  switch (part.part) {
    case inspector::Part::Delegate:
      return part.overhead ? theme().unattributed : backend_color(part.backend);
    case inspector::Part::Kernel:
      return theme().kernel;
    case inspector::Part::Control:
      return theme().control;
    case inspector::Part::Framework:
      break;
  }
  return theme().framework;
}

ImU32 cost_color(double share) {
  const auto& all = g_theme->kind == ThemeKind::Light ? kCostLight : kCostDark;
  const double at = std::clamp(std::isnan(share) ? 0.0 : share, 0.0, 1.0) * static_cast<double>(all.size() - 1);
  const auto low = static_cast<size_t>(at);
  if (low + 1 >= all.size()) return rgb(all.back());
  return mix(rgb(all[low]), rgb(all[low + 1]), static_cast<float>(at - static_cast<double>(low)));
}

float contrast(ImU32 a, ImU32 b) {
  const auto luminance = [](ImU32 color) {
    const auto linear = [](float x) { return x <= 0.03928F ? x / 12.92F : std::pow((x + 0.055F) / 1.055F, 2.4F); };
    const ImVec4 c = color4(color);
    return 0.2126F * linear(c.x) + 0.7152F * linear(c.y) + 0.0722F * linear(c.z);
  };
  const float x = luminance(a), y = luminance(b);
  return (std::max(x, y) + 0.05F) / (std::min(x, y) + 0.05F);
}

// Black as far as it can be read: where it cannot, white can (21 = 4.58 * 4.58).
ImU32 text_on(ImU32 background) {
  return contrast(IM_COL32_BLACK, background) >= kReadable ? IM_COL32_BLACK : IM_COL32_WHITE;
}

ImU32 with_alpha(ImU32 color, float alpha) {
  const float own = static_cast<float>(color >> IM_COL32_A_SHIFT) / 255;
  const auto a = static_cast<ImU32>(std::clamp(own * alpha, 0.0F, 1.0F) * 255.0F + 0.5F);
  return (color & ~IM_COL32_A_MASK) | (a << IM_COL32_A_SHIFT);
}

ImU32 blended(ImU32 color, ImU32 ground) {
  return mix(ground, color | IM_COL32_A_MASK, static_cast<float>(color >> IM_COL32_A_SHIFT) / 255);
}

ImU32 quiet_text_on(ImU32 color, ImU32 ground) {
  const ImU32 seen = blended(color, ground);
  for (const ImU32 text : {g_theme->muted, g_theme->text}) {
    if (contrast(text, seen) >= kReadable) return text;
  }
  return text_on(seen);
}

Fonts& fonts() {
  static Fonts all;
  return all;
}

float scaled(float points) { return points * g_scale; }

}  // namespace et::gui
