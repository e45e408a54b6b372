#include "gui/panels/flame_boxes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "gui/models/flame_model.h"
#include "gui/widgets/cells.h"
#include "gui/widgets/theme.h"
#include "inspector/text/format.h"
#include "inspector/text/shorten.h"

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

// In at most `room` pixels. A number tells it from its neighbours ("features.8.conv"): it stays; else the beginning
// does
// ("dequantize…"). "" where fewer than five letters would be left.
std::string cut_name(const std::string& label, float room, float size) {
  if (text_width(label, size) <= room) return label;
  const size_t number = label.find_first_of("0123456789");
  const bool numbered = number != std::string::npos;
  if (numbered && number > 1) {
    const std::string rest = "…" + label.substr(number);
    if (text_width(rest, size) <= room) return rest;
  }
  constexpr int kLetters = 5;
  std::string beginning = label;
  for (int letters = inspector::text_width(label) - 1; letters >= kLetters; --letters) {
    while (beginning.size() > 1 && (static_cast<unsigned char>(beginning.back()) & 0xC0) == 0x80) beginning.pop_back();
    beginning.pop_back();
    const std::string shown = numbered ? inspector::shorten_at_words(label, letters + 1) : beginning + "…";
    if (text_width(shown, size) <= room) return shown;
  }
  return {};
}

// A whole name that stands is better read than half of one, or none, that lies. `cut`: half of one that stands, too.
bool draw_upright_name(Canvas& canvas, ImVec2 a, ImVec2 b, ImU32 color, const std::string& label, bool cut = false) {
  constexpr float kLeastSize = 11;
  const float tall = b.y - a.y - kSides / 2, wide = b.x - a.x;
  float size = std::min(ImGui::GetFontSize(), wide - 1);
  if (size < scaled(kLeastSize) || wide > scaled(5 * kLeastSize)) return false;
  while (text_width(label, size) > tall && size - 1 >= scaled(kLeastSize)) --size;
  // Two or three lines that lie are read at once.
  if (!cut && wide > scaled(3 * kLeastSize) && text_width(label, size) > tall) return false;
  const std::string shown = cut_name(label, tall, size);
  if (shown.empty()) return false;
  canvas.text_up({(a.x + b.x - size) / 2, (a.y + b.y + text_width(shown, size)) / 2}, color, shown, size);
  return true;
}

}  // namespace

void flame_box_text(Canvas& canvas, ImVec2 a, ImVec2 b, ImU32 color, std::string label, const std::string& time) {
  // Before it is cut: half a text has no translation.
  label = std::string(tr(label));
  const float line = ImGui::GetFontSize() + scaled(2), room = b.x - a.x - kSides;
  // What most operators begin with says least.
  static constexpr std::array<std::string_view, 4> kNamespaces = {"aten.", "aten_", "quantized_decomposed.",
                                                                  "dim_order_ops."};
  for (const std::string_view space : kNamespaces) {
    if (text_width(label) > room && label.starts_with(space)) label.erase(0, space.size());
  }
  if (text_width(label) > room && draw_upright_name(canvas, a, b, color, label)) return;
  constexpr float kLeastRoom = 3;  // letters; fewer and an ellipsis say nothing
  if (text_width(label) > room && room < kLeastRoom * text_width("m")) {
    draw_upright_name(canvas, a, b, color, label, true);
    return;
  }
  if (b.y - a.y < 2 * line + scaled(2)) {
    const std::string both = label + "   " + time;
    return text_in_box(canvas, a, b, color, text_width(both) <= room ? both : label);
  }
  std::vector<std::string> lines = lines_of(label, room, static_cast<size_t>((b.y - a.y - scaled(2)) / line) - 1);
  if (text_width(time) <= room) lines.push_back(time);
  float top = std::round((a.y + b.y - line * static_cast<float>(lines.size())) / 2);
  for (std::string& text : lines) {
    if (std::string cut = cut_name(text, room, ImGui::GetFontSize()); !cut.empty()) text = std::move(cut);
    text_in_box(canvas, {a.x, top}, {b.x, top + line}, color, text);
    top += line;
  }
}

ImU32 flame_change_color(double total, double change) {
  if (!FlameModel::shows_change(total, change)) return theme().grid;
  const double part = total > 0 ? std::min(1.0, 2 * std::fabs(change) / total) : 0;
  const ImVec4 a = ImGui::ColorConvertU32ToFloat4(theme().grid);
  const ImVec4 b = ImGui::ColorConvertU32ToFloat4(change > 0 ? theme().slower : theme().faster);
  const auto mixed = [&](float x, float y) { return x + (y - x) * static_cast<float>(part); };
  return ImGui::ColorConvertFloat4ToU32({mixed(a.x, b.x), mixed(a.y, b.y), mixed(a.z, b.z), 1});
}

}  // namespace et::gui
