// Delegation: the strip of a method's instructions: what is drawn of each, and how it is moved and asked.
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "gui/panels/delegation_panel.h"
#include "gui/widgets/box_walk.h"
#include "gui/widgets/cells.h"
#include "gui/widgets/sentence.h"
#include "inspector/analysis/ops/op_title.h"

namespace et::gui {

namespace {

constexpr float kFramed = 9;    // points: narrower boxes are marked above
constexpr float kMark = 0.18F;  // of the strip's height

ImU32 item_color(const MapItem& item) {
  if (item.kind == MapItem::Kind::Delegate) return backend_color(item.backend);
  if (item.kind == MapItem::Kind::Control) return theme().control;
  return item.moves ? theme().warning : theme().kernel;
}

}  // namespace

void DelegationPanel::draw_strip_area(PanelContext& context, int32_t index, float room) {
  const auto& strip = model_.strip(index, room);
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  ImGui::InvisibleButton("##area", {std::max(1.0F, strip.back().x1), strip_height()}, ImGuiButtonFlags_EnableNav);
  ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelY);
  const BoxWalk keys({.boxes =
                          [&] {
                            std::vector<WalkBox> out;
                            for (size_t i = 0; i < strip.size(); ++i)
                              out.push_back({static_cast<int64_t>(i),
                                             {origin.x + strip[i].x0, origin.y},
                                             {origin.x + strip[i].x1, origin.y + strip_height()}});
                            return out;
                          },
                      .begins_at =
                          [&](int64_t box) {
                            return model_.is_selected(index, strip[static_cast<size_t>(box)].item,
                                                      context.document.selection());
                          }});
  const float at = ImGui::GetIO().MousePos.x - origin.x;
  const int32_t item = ImGui::IsItemHovered() ? model_.hit(index, at) : -1;
  const ImVec2 a = ImGui::GetWindowPos();
  const ImVec2 b = {a.x + ImGui::GetWindowWidth(), a.y + ImGui::GetWindowHeight()};
  ScreenCanvas canvas(ImGui::GetWindowDrawList(), a, b);
  draw_strip(canvas, index, origin, 1, context.document.selection());
  const bool dragging = ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left, scaled(4));
  if (dragging) strip_dragged_ = true;
  if (item >= 0 && !strip_dragged_) {
    const StripBox& box = strip[static_cast<size_t>(item)];
    canvas.frame({origin.x + box.x0, origin.y}, {origin.x + box.x1, origin.y + strip_height()}, theme().hover, 1, 2);
    if (ImGui::IsItemDeactivated()) choose(context, index, item, "");
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) choose(context, index, item, "timeline");
    draw_item_tooltip(index, item);
  }
  if (dragging) ImGui::SetScrollX(ImGui::GetScrollX() - ImGui::GetIO().MouseDelta.x);
  if (!ImGui::IsItemActive()) strip_dragged_ = false;
  if (reveal_) reveal_on_strip(context.document.selection(), index);
  if (ImGui::IsItemHovered()) move_strip(index, room, item, at);
}

/// The wheel: what is under the mouse stays there. `at`: the mouse on the strip.
void DelegationPanel::move_strip(int32_t index, float room, int32_t item, float at) {
  const ImGuiIO& io = ImGui::GetIO();
  constexpr float kStep = 1.25F, kPan = 0.1F;
  if (io.MouseWheel == 0) return;
  if (io.KeyShift) return ImGui::SetScrollX(ImGui::GetScrollX() - io.MouseWheel * kPan * room);
  if (item < 0) return;
  const StripBox before = model_.strip(index, room)[static_cast<size_t>(item)];
  const float part = std::clamp((at - before.x0) / std::max(before.x1 - before.x0, 0.1F), 0.0F, 1.0F);
  model_.set_zoom(index, model_.zoom(index) * std::pow(kStep, io.MouseWheel));
  const StripBox after = model_.strip(index, room)[static_cast<size_t>(item)];
  const float in_window = at - ImGui::GetScrollX();
  ImGui::SetScrollX(std::max(0.0F, after.x0 + part * (after.x1 - after.x0) - in_window));
}

void DelegationPanel::reveal_on_strip(const Selection& selection, int32_t map) {
  const auto& strip = model_.strip(map, model_.strip_width(map));
  for (const StripBox& box : strip) {
    if (!model_.is_selected(map, box.item, selection)) continue;
    const float seen = ImGui::GetScrollX(), room = ImGui::GetWindowWidth();
    if (box.x0 < seen || box.x1 > seen + room) ImGui::SetScrollX(std::max(0.0F, box.x0 - room / 3));
    break;
  }
}

namespace {

/// The first of `texts` that fits as it is: a few letters and an ellipsis say nothing.
void whole_text(Canvas& canvas, ImVec2 a, ImVec2 b, ImU32 color, std::initializer_list<std::string> texts) {
  for (const std::string& text : texts) {
    if (ImGui::CalcTextSize(text.c_str()).x + scaled(6) > b.x - a.x) continue;
    return text_in_box(canvas, a, b, color, text);
  }
}

}  // namespace

void DelegationPanel::draw_strip(Canvas& canvas, int32_t index, ImVec2 origin, float scale,
                                 const Selection& selection) {
  const DelegationMap& m = model_.map(index);
  const float height = strip_height(), size = ImGui::GetFontSize();
  const auto& strip = model_.strip(index, model_.strip_width(index));
  auto first = std::upper_bound(strip.begin(), strip.end(), (canvas.min().x - origin.x) / scale,
                                [](float v, const StripBox& b) { return v < b.x1; });
  for (; first != strip.end() && origin.x + first->x0 * scale <= canvas.max().x; ++first) {
    const MapItem& item = m.items[static_cast<size_t>(first->item)];
    const bool delegate = item.kind == MapItem::Kind::Delegate;
    const ImVec2 a = {origin.x + first->x0 * scale, origin.y + (delegate ? 0 : height * 0.22F)};
    // A gap behind it, where that leaves something to be seen.
    const float right = std::max(origin.x + first->x1 * scale - 1, a.x + 1);
    const ImVec2 b = {right, origin.y + height - (delegate ? 0 : height * 0.22F)};
    const ImU32 color = item_color(item);
    canvas.fill(a, b, color, delegate ? 3 : 1);
    if (item.crossing) canvas.line({a.x, b.y + 3}, {b.x, b.y + 3}, theme().bad, 2);
    const std::string label = delegate ? short_backend(item.title) : item.title;
    if (delegate) {
      const float line = size + 2, top = a.y + (height - 2 * line) / 2;
      const std::string nodes =
          item.shown_nodes > 0 ? format_count(item.shown_nodes) + (item.shown_nodes == 1 ? " node" : " nodes") : "";
      const std::string number = std::to_string(item.number);
      whole_text(canvas, {a.x, top}, {b.x, top + line}, text_on(color),
                 {inspector::printable(label) + " call " + number, "call " + number, number});
      whole_text(canvas, {a.x, top + line}, {b.x, top + 2 * line}, text_on(color),
                 {nodes + (nodes.empty() || !timed_ ? "" : "  ") + time(item.ns), timed_ ? time(item.ns) : nodes});
    } else {
      const std::string shown = inspector::printable(label);
      whole_text(canvas, a, b, text_on(color), {shown, shown.starts_with("aten.") ? shown.substr(5) : shown});
    }
    if (!model_.is_selected(index, first->item, selection)) continue;
    // A frame would hide the colour of a narrow one: that has a mark above.
    if (b.x - a.x >= scaled(kFramed)) {
      canvas.frame(a, b, theme().selection, 2, 2);
    } else {
      canvas.fill({a.x - 1, origin.y}, {b.x + 1, origin.y + height * kMark}, theme().selection);
    }
  }
}

std::string DelegationPanel::short_backend(const std::string& name) {
  return name.size() > 7 && name.ends_with("Backend") ? name.substr(0, name.size() - 7) : name;
}

void DelegationPanel::draw_item_tooltip(int32_t index, int32_t number) {
  const DelegationMap& m = model_.map(index);
  const MapItem& item = m.items[static_cast<size_t>(number)];
  if (!ImGui::BeginTooltip()) return;
  ImGui::PushFont(fonts().bold, 0);
  const std::string title = item.kind == MapItem::Kind::Delegate ? inspector::call_name(item) : item.title;
  ImGui::TextUnformatted(inspector::printable(title).c_str());
  ImGui::PopFont();
  if (ImGui::BeginTable("##facts", 2, ImGuiTableFlags_SizingFixedFit)) {
    const auto row = [](const char* label, const std::string& value) {
      if (value.empty()) return;
      ImGui::TableNextColumn();
      text_colored(theme().muted, sentence(label));
      ImGui::TableNextColumn();
      ImGui::TextUnformatted(inspector::printable(value).c_str());
    };
    row("instruction", std::to_string(item.instruction));
    row("part", item.part + (item.guessed ? "  (nodes inferred)" : ""));
    if (timed_) row("time", time(item.ns) + (m.total_ns > 0 ? ", " + format_share(item.ns / m.total_ns) : ""));
    if (timed_) row("calls", item.calls > 0 ? format_count(item.calls) : "none traced");
    if (item.kind == MapItem::Kind::Delegate) {
      if (timed_) row("inside", time(item.inner_ns) + " covered by its own events");
      row("nodes", format_count(item.shown_nodes));
      row("payload", item.payload_bytes < 0 ? "" : inspector::format_bytes(item.payload_bytes));
      row("operators", item.operators);
      row("module", item.module);
      row("payload nodes", item.payload_nodes < 0 ? "" : format_count(item.payload_nodes));
    }
    if (item.crossing)
      row("graph break", "lies between delegate calls: reads what one made, and makes what another reads");
    if (item.bytes_in >= 0) row("reads", inspector::format_bytes(item.bytes_in));
    if (item.bytes_out >= 0) row("produces", inspector::format_bytes(item.bytes_out));
    std::string nodes;
    for (size_t i = 0; i < item.nodes.size() && i < 12; ++i) nodes += (i == 0 ? "" : "\n") + item.nodes[i];
    if (item.nodes.size() > 12)
      nodes += "\n… and " + format_count(static_cast<int64_t>(item.nodes.size()) - 12) + " more";
    row("graph", nodes);
    ImGui::EndTable();
  }
  if (item.non_delegated >= 0) {
    for (const auto& r : m.non_delegated[static_cast<size_t>(item.non_delegated)].reasons) {
      ImGui::Bullet();
      ImGui::TextUnformatted(inspector::printable(r.text).c_str());
    }
  }
  ImGui::EndTooltip();
}

}  // namespace et::gui
