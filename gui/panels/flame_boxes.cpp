#include "gui/panels/flame_boxes.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "gui/widgets/theme.h"

namespace et::gui {
namespace {

constexpr float kSides = 8;       // pixels beside a text
constexpr size_t kLeastPart = 3;  // letters on a line

// A name in at most so many lines, broken behind what separates its parts.
std::vector<std::string> lines_of(std::string text, float room, size_t most) {
  std::vector<std::string> out;
  while (out.size() + 1 < most && text_width(text) > room) {
    size_t end = 0;
    for (size_t at = 1; at < text.size() && text_width(text.substr(0, at)) <= room; ++at) {
      if (text[at - 1] == '_' || text[at - 1] == '.' || text[at - 1] == ' ') end = at;
    }
    if (end < kLeastPart) break;
    out.push_back(text.substr(0, end));
    text.erase(0, end);
  }
  out.push_back(std::move(text));
  return out;
}

}  // namespace

void flame_box_text(Canvas& canvas, ImVec2 a, ImVec2 b, ImU32 color, std::string label, const std::string& time) {
  const float line = ImGui::GetFontSize() + scaled(2), room = b.x - a.x - kSides;
  // What most operators begin with says least.
  if (text_width(label) > room && (label.starts_with("aten.") || label.starts_with("aten_"))) label.erase(0, 5);
  constexpr float kLeastRoom = 3;  // letters; fewer and an ellipsis say nothing
  if (text_width(label) > room && room < kLeastRoom * text_width("m")) return;
  if (b.y - a.y < 2 * line + scaled(2)) {
    const std::string both = label + "   " + time;
    return text_in_box(canvas, a, b, color, text_width(both) <= room ? both : label);
  }
  std::vector<std::string> lines = lines_of(label, room, static_cast<size_t>((b.y - a.y - scaled(2)) / line) - 1);
  if (text_width(time) <= room) lines.push_back(time);
  float top = std::round((a.y + b.y - line * static_cast<float>(lines.size())) / 2);
  for (const std::string& text : lines) {
    text_in_box(canvas, {a.x, top}, {b.x, top + line}, color, text);
    top += line;
  }
}

ImU32 flame_change_color(double total, double change) {
  const double part = total > 0 ? std::min(1.0, 2 * std::fabs(change) / total) : 0;
  return with_alpha(change > 0 ? theme().bad : theme().good, static_cast<float>(0.15 + 0.85 * part));
}

}  // namespace et::gui
