// Above the strip of executions: the two times that a method's executions took, each a button that restricts to it.
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "gui/panels/timeline_panel.h"
#include "gui/widgets/cells.h"
#include "inspector/text/format.h"
#include "inspector/text/words.h"

namespace et::gui {
namespace {

constexpr float kRegimeGap = 4;  // points between two

}  // namespace

float TimelinePanel::regimes_height() const {
  return model_->regimes().empty() ? 0 : ImGui::GetTextLineHeight() + scaled(8);
}

void TimelinePanel::choose_regime(PanelContext& context, const TimelineRegime& regime, bool chosen) {
  const ExecutionsModel& executions = model_->executions();
  if (!regime.whole) return choose_execution(context, regime.typical);
  if (chosen) return forget_range(context);
  const auto& runs = model_->data()->runs;
  const Run& first = runs[static_cast<size_t>(executions.run(regime.first))];
  const Run& last = runs[static_cast<size_t>(executions.run(regime.last))];
  const int64_t origin = model_->view.origin();
  model_->leave();
  model_->select_range(static_cast<double>(first.start - origin),
                       static_cast<double>(last.start + last.duration - origin));
  choose_range(context);
  side_.show_range();
  model_->show_execution(regime.typical);
}

// Over their executions where these follow each other, else from the left.
void TimelinePanel::draw_regimes(PanelContext& context) {
  const std::vector<TimelineRegime>& regimes = model_->regimes();
  if (regimes.empty()) return;
  const TraceData& data = *model_->data();
  const ExecutionsModel& executions = model_->executions();
  const Theme& t = theme();
  const ImVec2 from = ImGui::GetCursorScreenPos();
  const float height = regimes_height() - scaled(2), each = width_ / static_cast<float>(regimes.size());
  const double bar = static_cast<double>(width_) / std::max(strip_.to - strip_.from, 1e-9);
  const int64_t begin = model_->has_range() ? model_->range_start_tick() : 0;
  ScreenCanvas canvas(ImGui::GetWindowDrawList(), from, {from.x + width_, from.y + height});
  float after = 0;  // what stands over no executions: as wide as its text, from the left
  for (size_t i = 0; i < regimes.size(); ++i) {
    const TimelineRegime& r = regimes[i];
    const auto x_of = [&](size_t execution) {
      return std::clamp(static_cast<float>((static_cast<double>(execution) - strip_.from) * bar), 0.0F, width_);
    };
    const bool placed = r.whole && !executions.several_blocks();
    const std::string text = regime_text(data, executions, r),
                      median = inspector::format_duration_with_unit(r.median, data.unit());
    const float x0 = placed ? x_of(r.first) : after;
    const float x1 = placed ? x_of(r.last + 1) - scaled(kRegimeGap)
                            : x0 + std::min(text_width(text) + scaled(12), each - scaled(kRegimeGap));
    after = x1 + scaled(kRegimeGap);
    if (x1 - x0 < scaled(8)) continue;
    const Run& first = data.runs[static_cast<size_t>(executions.run(r.first))];
    const Run& last = data.runs[static_cast<size_t>(executions.run(r.last))];
    const bool chosen = r.whole && model_->has_range() && begin == first.start &&
                        model_->range_end_tick() == last.start + last.duration;
    const ImVec2 a = {from.x + x0, from.y}, b = {from.x + x1, from.y + height};
    ImGui::SetCursorScreenPos(a);
    ImGui::PushID(static_cast<int>(i));
    const bool clicked = ImGui::InvisibleButton("##regime", {x1 - x0, height}, ImGuiButtonFlags_EnableNav);
    const bool hovered = ImGui::IsItemHovered();
    item_tooltip(text + ", " + inspector::plural(r.count, "execution") +
                 (!r.whole ? ". Click: show the one nearest to its median"
                  : chosen ? ". Click: all panels show everything again"
                           : ". Click: all panels show these executions alone"));
    canvas.fill(a, b, chosen ? t.selection : with_alpha(t.muted, hovered ? 0.35F : 0.2F), scaled(3));
    const std::string& label = text_width(text) + scaled(10) <= x1 - x0 ? text : median;
    if (text_width(label) + scaled(6) <= x1 - x0)
      canvas.text({a.x + scaled(5), a.y + (height - ImGui::GetTextLineHeight()) / 2},
                  chosen ? text_on(t.selection) : t.text, label, 0, Anchor::Left);
    if (hovered) canvas.frame(a, b, t.hover, 1, scaled(3));
    ImGui::PopID();
    if (clicked) {
      choose_regime(context, r, chosen);
      break;
    }
  }
  ImGui::SetCursorScreenPos({from.x, from.y + height});
  ImGui::Dummy({width_, 0});
}

}  // namespace et::gui
