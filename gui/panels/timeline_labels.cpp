// Names of the timeline's slices: lying where they fit, else upright, else one for several neighbours.
#include <algorithm>
#include <array>
#include <cmath>

#include "gui/models/overview_model.h"
#include "gui/panels/timeline_painter.h"
#include "gui/widgets/cells.h"
#include "inspector/match/type_family.h"
#include "inspector/text/format.h"
#include "inspector/text/words.h"

namespace et::gui {

using inspector::OpEntry;
using inspector::WindowSlice;

namespace {

constexpr float kTwoLineLabel = 34, kLeastLetters = 11, kUprightMargin = 4;  // points

/// All slices by names of one form, however wide they are: "addmm", "softmax". The whole one is in tooltip and pane.
std::string shorter_label(const TraceData& data, int32_t op) {
  const OpEntry& entry = data.table.ops[static_cast<size_t>(op)];
  if (entry.kind != "delegate_call" || !entry.backend) return inspector::short_type(slice_label(data, op));
  constexpr std::string_view kBackend = "Backend";
  std::string name = *entry.backend;
  if (name.size() > kBackend.size() && name.ends_with(kBackend)) name.resize(name.size() - kBackend.size());
  return name;
}

/// "add…" of addmm names another operator: of a name that is cut five letters are there, or none.
bool says_too_little(const std::string& label, float room) {
  constexpr size_t kLetters = 5;
  room -= scaled(6);
  return text_width(label) > room && (label.size() <= kLetters || text_width(label.substr(0, kLetters) + "…") > room);
}

/// Where the op comes from: its Python line, its module.
void add_place_lines(const TraceData& data, int32_t op, std::vector<std::string>* lines) {
  const inspector::OpEntry& entry = data.table.ops[static_cast<size_t>(op)];
  const inspector::OpNode* node = data.table.main_node(entry);
  if (std::string whole = data.table.whole_call_text(entry); !whole.empty()) lines->push_back(std::move(whole));
  if (node == nullptr) return;
  const auto nodes = std::ssize(data.table.own_nodes(entry));
  const std::string more = nodes > 1 ? " and " + inspector::plural(nodes - 1, "more node") : "";
  if (!node->node->file.empty()) lines->push_back(short_place(node->node->file, node->node->line.value_or(0)) + more);
  if (node->node->has_module && !node->node->module_path.empty()) lines->push_back(node->node->module_path);
}

// In the middle of the slice, in a size that its width has room for.
void draw_upright(Canvas& canvas, ImVec2 a, ImVec2 b, ImU32 color, const std::string& text) {
  const float size = std::min(ImGui::GetFontSize(), std::max(b.x - a.x, scaled(kLeastLetters)));
  const float wide = text_width(text, size);
  canvas.text_up({(a.x + b.x - size) / 2, (a.y + b.y + wide) / 2}, color, text, size);
}

}  // namespace

bool is_open_call(const TimelineModel& model, const WindowSlice& s) {
  const OpEntry& op = model.data()->table.ops[static_cast<size_t>(s.op)];
  return op.kind == "delegate_call" && op.encloses;
}

float least_upright() { return scaled(kLeastLetters); }

std::string upright_slice_label(const TraceData& data, int32_t op, double time, float room) {
  room -= 2 * scaled(kUprightMargin);
  const std::string duration =
      inspector::format_duration_with_unit(time, data.table.ops[static_cast<size_t>(op)].unit.str());
  const std::string brief = shorter_label(data, op);
  for (const std::string& text : {brief + "  " + duration, brief})
    if (text_width(text) <= room) return text;
  return {};
}

std::string fold_label(const TraceData& data, const SliceFold& fold, float room) {
  room -= 2 * scaled(kUprightMargin);
  const std::string time = inspector::format_duration_with_unit(
      static_cast<double>(fold.sum), data.table.ops[static_cast<size_t>(fold.op)].unit.str());
  const std::string name = shorter_label(data, fold.op), all = inspector::plural(fold.count, "op");
  const std::string named = fold.count == 1 ? name : name + " + " + inspector::plural(fold.count - 1, "op");
  for (const std::string& text : {named + "  " + time, all + "  " + time, all})
    if (text_width(text) <= room) return text;
  return {};
}

// Colours stay to be seen above and below it.
void TimelinePainter::draw_folded(Canvas& canvas, ImVec2 a, ImVec2 b, const TimelineModel& model,
                                  const SliceFold& fold) {
  const float begin = std::max(fold.begin, a.x), end = std::min(fold.end, b.x);
  if (end - begin < least_upright() || fold.op < 0) return;
  const std::string text = fold_label(*model.data(), fold, fold.bottom - fold.top);
  if (text.empty()) return;
  const float size = std::min(ImGui::GetFontSize(), end - begin), wide = text_width(text, size);
  // It covers none of what it names for the most part: at the lower edge, and where there is more than itself.
  constexpr float kBeside = 1.6F;
  if (end - begin < kBeside * size) return;
  const float x = (begin + end - size) / 2, bottom = fold.bottom - scaled(2);
  // From where to where they are.
  const float foot = fold.bottom - scaled(1), tick = scaled(4);
  canvas.line({begin, foot}, {end, foot}, theme().text, scaled(1));
  for (const float side : {begin, end}) canvas.line({side, foot - tick}, {side, foot}, theme().text, scaled(1));
  canvas.fill({x, bottom - wide - scaled(6)}, {x + size, bottom}, with_alpha(theme().surface, 0.8F), scaled(2));
  canvas.text_up({x, bottom - scaled(3)}, theme().text, text, size);
}

std::string fitting_slice_label(const TraceData& data, int32_t op, float room) {
  std::string label = shorter_label(data, op);
  return says_too_little(label, room) ? std::string() : label;
}

void TimelinePainter::draw_label(Canvas& canvas, ImVec2 a, ImVec2 b, const TimelineModel& model, const WindowSlice& s,
                                 ImU32 fill, bool dim) {
  const TraceData& data = *model.data();
  const ImU32 ground = theme().surface;
  const ImU32 color = dim ? quiet_text_on(fill, ground) : text_on(blended(fill, ground));
  const std::string time =
      inspector::format_duration_with_unit(static_cast<double>(s.sum), data.table.ops[static_cast<size_t>(s.op)].unit);
  const std::string label =
      s.count == 1 ? fitting_slice_label(data, s.op, b.x - a.x) : inspector::format_count(s.count) + " samples";
  // A whole name that stands is better read than half a name that lies, and with its time than without.
  const auto cut = [&](const std::string& text) { return text.empty() || text_width(text) + scaled(6) > b.x - a.x; };
  if (s.count == 1 && (cut(label) || cut(time)) && b.x - a.x >= least_upright()) {
    const std::string upright = upright_slice_label(data, s.op, static_cast<double>(s.sum), b.y - a.y);
    if (!upright.empty()) return draw_upright(canvas, a, b, color, upright);
  }
  if (label.empty()) return;
  if (b.y - a.y >= scaled(kTwoLineLabel)) {  // the name above, then what else there is room for
    const float line = ImGui::GetTextLineHeight();
    std::vector<std::string> lines = {label, time};
    if (s.count == 1) add_place_lines(data, s.op, &lines);
    // Half a number or half a place says nothing; half a name does.
    const auto is_cut = [&](const std::string& text) { return text_width(text) + scaled(6) > b.x - a.x; };
    lines.erase(std::remove_if(lines.begin() + 1, lines.end(), is_cut), lines.end());
    lines.resize(std::min(lines.size(), static_cast<size_t>((b.y - a.y) / line)));
    float y = (a.y + b.y - line * static_cast<float>(lines.size())) / 2;
    for (size_t i = 0; i < lines.size(); ++i, y += line)
      text_in_box(canvas, {a.x, y}, {b.x, y + line}, color, lines[i]);
    return;
  }
  text_in_box(canvas, a, b, color, s.count == 1 && b.x - a.x > scaled(160) ? label + "  " + time : label);
}

}  // namespace et::gui
