// The row of modules above the timeline's ops: which part of the model runs when.
#include <fmt/format.h>
#include <imgui.h>

#include "gui/panels/timeline_painter.h"
#include "gui/widgets/cells.h"
#include "inspector/text/format.h"

namespace et::gui {
namespace {

constexpr float kModuleFill = 0.3F, kModuleHover = 0.5F;

/// As much of the name's end as there is room for and as tells it from others: "encoder.layer.0", "layer.0".
std::string module_label(const TimelineModules::Name& name, float room) {
  for (const std::string& text : TimelineModules::labels(name)) {
    const std::string shown = inspector::printable(text);
    if (text_width(shown) + scaled(6) <= room) return shown;
  }
  return "";
}

}  // namespace

void TimelinePainter::draw_modules(Canvas& canvas, ImVec2 a, ImVec2 b, const TimelineModel& model,
                                   int32_t hovered) const {
  const Theme& t = theme();
  const double width = b.x - a.x;
  const auto& spans = model.module_spans();
  for (size_t i = 0; i < spans.size(); ++i) {
    const auto begin = static_cast<double>(spans[i].start - model.view.origin());
    const auto end = static_cast<double>(spans[i].end - model.view.origin());
    if (end < model.view.begin() || begin > model.view.end()) continue;
    const float x0 = std::max(a.x + clamp_x(model.view.x_of(begin, width)), a.x);
    const float x1 = std::min(a.x + clamp_x(model.view.x_of(end, width)), b.x);
    if (x1 - x0 < 2) continue;
    const TimelineModules::Name& name = model.modules().names()[static_cast<size_t>(spans[i].module)];
    const bool over = static_cast<int32_t>(i) == hovered;
    canvas.fill({x0, a.y}, {x1 - 1, b.y}, with_alpha(name_color(name.path), over ? kModuleHover : kModuleFill), 2);
    if (over) canvas.frame({x0, a.y}, {x1 - 1, b.y}, t.hover, scaled(1));
    const std::string label = module_label(name, x1 - x0);
    if (!label.empty()) text_in_box(canvas, {x0, a.y}, {x1, b.y}, t.text, label);
  }
}

void draw_module_tooltip(const TimelineModel& model, const ModuleSpan& span) {
  const TimelineModules::Name& name = model.modules().names()[static_cast<size_t>(span.module)];
  if (!ImGui::BeginTooltip()) return;
  ImGui::PushFont(fonts().bold);
  ImGui::TextUnformatted(inspector::printable(name.path).c_str());
  ImGui::PopFont();
  const std::string time =
      inspector::format_duration_with_unit(static_cast<double>(span.end - span.start), model.data()->unit());
  text_colored(theme().muted, time + " from its first op to its last, before another module's. Click: select its ops");
  ImGui::EndTooltip();
}

}  // namespace et::gui
