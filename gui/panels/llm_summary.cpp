// The first look of the panel Language model: figures, bars of kinds of work, and what to do next.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "gui/panels/llm_panel.h"
#include "gui/widgets/box_walk.h"
#include "gui/widgets/canvas.h"
#include "gui/widgets/cells.h"
#include "gui/widgets/sentence.h"
#include "gui/widgets/theme.h"
#include "gui/widgets/type_shades.h"
#include "inspector/text/format.h"

namespace et::gui {
namespace {

using inspector::LayerKind;

constexpr float kLlmFigureSize = 1.35F, kLlmBarHeight = 22;  // of the usual text; points

/// Hues that are apart for people with colour blindness, too; of the runtime's own time as everywhere.
ImU32 llm_kind_color(LayerKind kind) {
  constexpr std::array<size_t, 8> kPlaces = {0, 10, 1, 2, 3, 4, 6, 13};  // up to Other
  if (kind == LayerKind::Framework) return theme().framework;
  if (kind == LayerKind::Unattributed) return theme().unattributed;
  return shades_of(kPlaces[static_cast<size_t>(kind)])[0];
}

float llm_figure_width(const LlmFigure& figure) {
  ImGui::PushFont(fonts().bold, ImGui::GetStyle().FontSizeBase * kLlmFigureSize);
  const float value = ImGui::CalcTextSize(figure.value.c_str()).x;
  ImGui::PopFont();
  return std::max({value, text_width(figure.name), text_width(figure.note)});
}

/// Left and right end of each kind's part of a bar, by index into kinds(); none of what is below zero.
struct LlmBarSlice {
  size_t part = 0;
  float left = 0, right = 0;
};
std::vector<LlmBarSlice> llm_slices_of(const LlmModel& model, size_t phase, float left, float right) {
  double sum = 0;
  for (const LlmPart& part : model.kinds()) sum += std::max(part.time[phase], 0.0);
  std::vector<LlmBarSlice> out;
  double before = 0;
  for (size_t i = 0; i < model.kinds().size() && sum > 0; ++i) {
    const double time = std::max(model.kinds()[i].time[phase], 0.0);
    const auto at = [&](double t) { return left + (right - left) * static_cast<float>(t / sum); };
    if (time > 0) out.push_back({i, at(before), at(before + time)});
    before += time;
  }
  return out;
}

void llm_slice_tooltip(const LlmModel& model, const LlmPart& part, size_t phase) {
  item_tooltip(sentence(part.name) + "\n" + model.time_text(part.time[phase]) + ", " +
               inspector::format_share(model.share(part.time[phase], phase)) + " of " + model.phase_title(phase) +
               ", " + model.view().basis.text());
}

}  // namespace

ImU32 llm_part_color(const LlmPart& part) { return part.kind ? llm_kind_color(*part.kind) : theme().variation; }

void draw_llm_figures(const LlmModel& model) {
  const float gap = scaled(28);
  bool first = true;
  for (const LlmFigure& figure : model.figures()) {
    const float width = llm_figure_width(figure);
    // A second line of them would take the room of what is below; the last says least.
    const bool last = &figure == &model.figures().back();
    if (last && !first && ImGui::GetItemRectMax().x + gap + width > ImGui::GetWindowPos().x + ImGui::GetWindowWidth())
      break;
    if (!first) flow(width + gap);
    const bool beside = !first && ImGui::GetCursorPosX() > ImGui::GetStyle().WindowPadding.x + gap;
    if (beside) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + gap - ImGui::GetStyle().ItemSpacing.x);
    first = false;
    ImGui::BeginGroup();
    text_colored(theme().muted, figure.name);
    ImGui::PushFont(fonts().bold, ImGui::GetStyle().FontSizeBase * kLlmFigureSize);
    ImGui::TextUnformatted(figure.value.c_str());
    ImGui::PopFont();
    text_fitting(figure.note, theme().muted);
    ImGui::EndGroup();
  }
  ImGui::Spacing();
}

std::optional<std::pair<size_t, size_t>> draw_llm_bars(const LlmModel& model) {
  std::optional<std::pair<size_t, size_t>> clicked;
  float names = 0;
  std::array<std::string, 2> titles;
  for (size_t p = 0; p < 2; ++p) {
    if (!model.ran(p)) continue;
    titles[p] = sentence(model.phase_title(p)) + "  " + model.time_text(model.view().phases[p].whole);
    names = std::max(names, text_width(titles[p]) + scaled(10));
  }
  std::vector<bool> named(model.kinds().size());
  for (size_t p = 0; p < 2; ++p) {
    if (!model.ran(p)) continue;
    ImGui::PushID(static_cast<int>(p));
    const float height = scaled(kLlmBarHeight), left = ImGui::GetCursorPosX();
    const float top = ImGui::GetCursorPosY();
    ImGui::SetCursorPosY(top + (height - ImGui::GetTextLineHeight()) / 2);
    ImGui::TextUnformatted(titles[p].c_str());
    ImGui::SameLine();
    ImGui::SetCursorPos({left + names, top});
    const ImVec2 a = ImGui::GetCursorScreenPos(),
                 b = {a.x + std::max(ImGui::GetContentRegionAvail().x, scaled(40)), a.y + height};
    ImGui::InvisibleButton("##bar", {b.x - a.x, height}, ImGuiButtonFlags_EnableNav);
    const std::vector<LlmBarSlice> slices = llm_slices_of(model, p, a.x, b.x);
    ScreenCanvas screen(ImGui::GetWindowDrawList(), a, b);
    Canvas& canvas = screen;
    for (const LlmBarSlice& slice : slices) {
      const LlmPart& part = model.kinds()[slice.part];
      const ImU32 color = llm_part_color(part);
      const ImVec2 from = {slice.left, a.y}, to = {std::max(slice.right - 1, slice.left + 1), b.y};
      canvas.fill(from, to, color);
      const std::string share = inspector::format_share(model.share(part.time[p], p));
      for (const std::string& label : {part.name + "  " + share, part.name, share}) {
        if (text_width(label) + scaled(8) > to.x - from.x) continue;
        text_in_box(canvas, from, to, text_on(color), label);
        named[slice.part] = named[slice.part] || label != share;
        break;
      }
    }
    const BoxWalk keys({.boxes = [&] {
      std::vector<WalkBox> out;
      for (const LlmBarSlice& slice : slices)
        out.push_back({static_cast<int64_t>(slice.part), {slice.left, a.y}, {slice.right, b.y}});
      return out;
    }});
    if (ImGui::IsItemHovered()) {
      const float x = ImGui::GetMousePos().x;
      const auto under =
          std::find_if(slices.begin(), slices.end(), [x](const LlmBarSlice& s) { return x >= s.left && x < s.right; });
      if (under != slices.end()) {
        llm_slice_tooltip(model, model.kinds()[under->part], p);
        if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) clicked = {under->part, p};
      }
    }
    ImGui::PopID();
  }
  // Kinds whose names had no room in any bar.
  bool first = true;
  for (size_t i = 0; i < named.size(); ++i) {
    if (named[i]) continue;
    if (!first) flow(ImGui::GetTextLineHeight() + text_width(model.kinds()[i].name) + scaled(16));
    first = false;
    color_square(llm_part_color(model.kinds()[i]));
    ImGui::SameLine(0, scaled(4));
    text_colored(theme().muted, sentence(model.kinds()[i].name));
  }
  return clicked;
}

void llm_layer_cell(const LlmModel& model, const LlmPart& layer, size_t phase, double longest) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float room = ImGui::GetContentRegionAvail().x, bar = room - share_width(), height = ImGui::GetTextLineHeight();
  const double whole = layer.time[phase];
  if (bar > scaled(8) && longest > 0 && whole > 0) {
    ImDrawList* const list = ImGui::GetWindowDrawList();
    const float wide = bar * static_cast<float>(std::min(whole / longest, 1.0));
    double before = 0;
    for (const LlmPart& kind : model.kinds()) {  // in the order of the bars above
      if (!kind.kind) continue;
      const double time = std::max(layer.by_kind[static_cast<size_t>(*kind.kind)][phase], 0.0);
      const float left = at.x + wide * static_cast<float>(before / whole);
      before += time;
      const float right = at.x + wide * static_cast<float>(std::min(before / whole, 1.0));
      if (right > left)
        list->AddRectFilled({left, at.y + height * 0.12F}, {right, at.y + height * 0.94F}, llm_part_color(kind));
    }
  }
  text_right(inspector::format_share(model.share(whole, phase)));
}

void draw_llm_steps(PanelContext& context, const LlmModel& model) {
  if (model.steps().empty()) return;
  ImGui::PushFont(fonts().bold, 0);
  ImGui::TextUnformatted("Next");
  ImGui::PopFont();
  for (size_t i = 0; i < model.steps().size(); ++i) {
    const OverviewStep& step = model.steps()[i];
    ImGui::PushID(static_cast<int>(i));
    ImGui::Bullet();
    if (step.panel.empty()) {
      ImGui::PushTextWrapPos(0);
      text_colored(theme().text, step.text);
      ImGui::PopTextWrapPos();
    } else {
      if (wrapped_link(step.text)) {
        context.document.select(step.selection.empty() ? context.document.selection() : step.selection, step.panel);
        if (step.finding) context.document.want_finding(*step.finding);
      }
      item_tooltip("show in " + step.panel);
    }
    ImGui::PopID();
  }
}

}  // namespace et::gui
