// Compare: both typical executions on one axis, one over the other, with bands between what does the same.
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "gui/panels/compare_panel.h"
#include "gui/widgets/box_walk.h"
#include "gui/widgets/cells.h"
#include "inspector/match/type_family.h"
#include "inspector/text/format.h"
#include "inspector/text/words.h"

namespace et::gui {
namespace {

constexpr double kCompareZoom = 0.8, kComparePan = 0.12, kKeyZoomEach = 4, kKeyPanEach = 1.2;
constexpr float kClick = 4;  // pixels that a click may move

/// A name of an op or of several, the longest first: "aten.addmm + aten.permute_copy", "addmm + permute_copy",
/// "addmm + 1 more".
std::vector<std::string> names_of_slice(const std::string& title) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= title.size();) {
    const size_t end = std::min(title.find(" + ", begin), title.size());
    parts.push_back(inspector::short_type(title.substr(begin, end - begin)));
    begin = end + 3;
  }
  std::vector<std::string> out = {title, inspector::joined(parts, " + ")};
  if (parts.size() > 1) out.push_back(parts.front() + " + " + std::to_string(parts.size() - 1) + " more");
  return out;
}

/// A whole name, lying or upright, or most of one; nothing that says too little.
void draw_slice_name(Canvas& canvas, ImVec2 a, ImVec2 b, ImU32 color, const std::string& title) {
  constexpr float kSides = 6, kLeastPart = 0.6F;
  const float room = b.x - a.x - scaled(kSides), tall = b.y - a.y - scaled(kSides), line = ImGui::GetFontSize();
  if (b.x - a.x < line) return;
  const std::vector<std::string> names = names_of_slice(inspector::printable(title));
  for (const std::string& name : names) {
    if (text_width(name) <= room) return text_in_box(canvas, a, b, color, name);
  }
  for (const std::string& name : names) {
    const float wide = text_width(name);
    if (wide <= tall) return canvas.text_up({(a.x + b.x - line) / 2, (a.y + b.y + wide) / 2}, color, name);
  }
  if (kLeastPart * text_width(names.back()) < room) text_in_box(canvas, a, b, color, names.back());
}

float slice_x(const TimelineView& view, int64_t time, ImVec2 a, float width) {
  const double x = view.x_of(static_cast<double>(time), static_cast<double>(width));
  return a.x + static_cast<float>(std::clamp(x, -1e5, 1e5));
}

}  // namespace

/// A line of what stands beside a lane.
struct ComparePanel::LaneName {
  std::string text;
  ImU32 color = 0;
};

std::vector<ComparePanel::LaneName> ComparePanel::lane_names(const CompareLane& lane, bool after) const {
  if (lane.number < 0) return {{after ? "After not run" : "Before not run", theme().text}};
  std::string time = inspector::format_duration_named(static_cast<double>(lane.duration), model_.unit());
  if (lane.is_usual) {
    const bool mean = model_.diff().basis.kind == inspector::BasisKind::Mean;
    const char* const name =
        after ? (mean ? "After, mean" : "After, usual") : (mean ? "Before, mean" : "Before, usual");
    return {{name, theme().text}, {std::move(time), theme().muted}};
  }
  const double times = lane.untypical();
  if (times > 0) time += ", " + inspector::format_real(times, times < 10 ? 2 : 0) + "×";
  std::vector<LaneName> out = {{(after ? "After #" : "Before #") + std::to_string(lane.number), theme().text},
                               {time, times > 0 ? theme().warning : theme().muted}};
  if (const int64_t far = lane.far_groups(); far > 0)
    out.push_back({inspector::plural(far, "op") + " far off", theme().warning});
  return out;
}

/// Where what is drawn, in pixels.
struct ComparePanel::Lanes {
  ImVec2 a, b;                  ///< of the drawing, without names
  float calls = 0, own = 0;     ///< heights of rows
  float before = 0, after = 0;  ///< tops of the rows of ops
  float call_before = 0, call_after = 0;
};

const CompareMethod* ComparePanel::shown_method() const {
  return method_ < model_.methods().size() ? &model_.methods()[method_] : nullptr;
}

ComparePanel::Lanes ComparePanel::lanes_in(ImVec2 a, ImVec2 b) const {
  const CompareMethod& m = *shown_method();
  const float line = ImGui::GetTextLineHeight(), height = b.y - a.y - line - scaled(2);
  const bool calls = !m.before.calls.empty() || !m.after.calls.empty();
  Lanes out{a, b};
  out.calls = calls ? std::round(height * 0.09F) : 0;
  out.own = std::round((height - 2 * out.calls) * 0.34F);
  out.call_before = a.y + line + scaled(2);
  out.before = out.call_before + out.calls;
  out.after = b.y - out.calls - out.own;
  out.call_after = b.y - out.calls;
  return out;
}

void ComparePanel::paint_lane(Canvas& canvas, const Lanes& at, bool after, int32_t hovered) const {
  const CompareMethod& m = *shown_method();
  const CompareLane& lane = after ? m.after : m.before;
  const float width = at.b.x - at.a.x, top = after ? at.after : at.before;
  const auto first_at = [&](const std::vector<CompareSlice>& slices, double time) {
    return std::partition_point(slices.begin(), slices.end(),
                                [&](const CompareSlice& s) { return static_cast<double>(s.end) <= time; });
  };
  for (auto s = first_at(lane.calls, view_.begin()); s != lane.calls.end(); ++s) {
    if (static_cast<double>(s->begin) > view_.end()) break;
    const float x0 = slice_x(view_, s->begin, at.a, width), x1 = slice_x(view_, s->end, at.a, width);
    const float y = after ? at.call_after : at.call_before;
    const inspector::DiffGroup& g = model_.group(s->group);
    const std::string& backend = after ? g.after.backend : g.before.backend;
    canvas.fill({x0, y + 1}, {std::max(x1 - 1, x0 + 1), y + at.calls - 1}, with_alpha(backend_color(backend), 0.7F));
  }
  for (auto s = first_at(lane.own, view_.begin()); s != lane.own.end();) {
    if (static_cast<double>(s->begin) > view_.end()) break;
    const float x0 = slice_x(view_, s->begin, at.a, width), x1 = slice_x(view_, s->end, at.a, width);
    if (x1 - x0 < 1) {
      // Of what shares a pixel the first is drawn, and the next begins behind it.
      const float pixel = std::floor(x0) + 1;
      canvas.fill({x0, top}, {x0 + 1, top + at.own}, with_alpha(group_color(model_.group(s->group)), 0.7F));
      const double next = view_.time_at(static_cast<double>(pixel - at.a.x), static_cast<double>(width));
      s = std::max(s + 1, first_at(lane.own, next));
      continue;
    }
    const inspector::DiffGroup& g = model_.group(s->group);
    const ImU32 color = group_color(g);
    const ImVec2 c = {x0, top}, d = {x1 - x0 > 3 ? x1 - 1 : x1, top + at.own};
    canvas.fill(c, d, color);
    // What only one side has is marked at the edge towards the other.
    if ((after ? g.before : g.after).parts.empty() && !g.type.empty()) {
      const float y = after ? top : top + at.own - scaled(4);
      canvas.fill({c.x, y}, {d.x, y + scaled(4)}, after ? theme().slower : theme().faster);
    }
    const ImVec2 from = {std::max(c.x, at.a.x), c.y}, to = {std::min(d.x, at.b.x), d.y};
    draw_slice_name(canvas, from, to, text_on(color), after || g.was_title.empty() ? g.title : g.was_title);
    // At the edge away from the other side: what this execution alone has.
    if (s->times > 0) {
      const float y = after ? d.y - scaled(3) : c.y;
      canvas.fill({c.x, y}, {d.x, y + scaled(3)}, theme().warning);
    }
    if (is_marked(s->group)) canvas.frame(c, d, theme().selection, scaled(2));
    if (s->group == hovered) canvas.frame(c, d, theme().hover, scaled(1));
    ++s;
  }
}

/// Bands from what is wide enough on one of the sides.
void ComparePanel::paint_links(Canvas& canvas, const Lanes& at, int32_t hovered) const {
  constexpr float kLeast = 2;
  const CompareMethod& m = *shown_method();
  const float width = at.b.x - at.a.x, top = at.before + at.own, bottom = at.after;
  const auto draw = [&](const CompareSlice& was, const CompareSlice& is) {
    const inspector::DiffGroup& g = model_.group(is.group);
    if (g.type.empty()) return;
    const bool marked = is.group == chosen_ || is.group == hovered;
    const ImU32 color = change_color(g);
    const bool sure = color != theme().muted;
    const std::array<ImVec2, 4> corners = {
        ImVec2{slice_x(view_, was.begin, at.a, width), top}, ImVec2{slice_x(view_, was.end, at.a, width), top},
        ImVec2{slice_x(view_, is.end, at.a, width), bottom}, ImVec2{slice_x(view_, is.begin, at.a, width), bottom}};
    canvas.polygon(corners, with_alpha(color, marked ? 0.75F : sure ? 0.4F : 0.16F));
  };
  const auto wide = [&](const CompareSlice& s) {
    return slice_x(view_, s.end, at.a, width) - slice_x(view_, s.begin, at.a, width) >= kLeast;
  };
  const auto in_view = [&](const std::vector<CompareSlice>& slices, const auto& visit) {
    auto s = std::partition_point(slices.begin(), slices.end(), [&](const CompareSlice& each) {
      return static_cast<double>(each.end) <= view_.begin();
    });
    for (; s != slices.end() && static_cast<double>(s->begin) <= view_.end();) {
      if (!wide(*s) && s->group != chosen_) {
        const double next = view_.time_at(static_cast<double>(slice_x(view_, s->begin, at.a, width) - at.a.x + 1),
                                          static_cast<double>(width));
        s = std::max(s + 1, std::partition_point(s, slices.end(), [&](const CompareSlice& each) {
                       return static_cast<double>(each.end) <= next;
                     }));
        continue;
      }
      visit(*s);
      ++s;
    }
  };
  in_view(m.after.own, [&](const CompareSlice& s) {
    if (s.partner >= 0) draw(m.before.own[static_cast<size_t>(s.partner)], s);
  });
  in_view(m.before.own, [&](const CompareSlice& s) {
    if (s.partner < 0) return;
    const CompareSlice& is = m.after.own[static_cast<size_t>(s.partner)];
    // What several of this side have in common was drawn from there to one of them only.
    const bool drawn = is.partner >= 0 && &m.before.own[static_cast<size_t>(is.partner)] == &s;
    const bool seen = drawn && wide(is) && static_cast<double>(is.end) > view_.begin() &&
                      static_cast<double>(is.begin) <= view_.end();
    if (!seen) draw(s, is);
  });
}

void ComparePanel::paint_lanes(Canvas& canvas, const Lanes& at, int32_t hovered) const {
  const CompareMethod& m = *shown_method();
  const Theme& t = theme();
  canvas.fill(at.a, at.b, t.surface);
  const double width = at.b.x - at.a.x;
  const Ruler ruler =
      make_ruler(view_.begin(), view_.end(), width, static_cast<double>(scaled(90)), model_.diff().unit);
  canvas.push_clip(at.a, at.b);
  for (const RulerTick& tick : ruler.ticks) {
    const float x = at.a.x + static_cast<float>(view_.x_of(tick.time, width));
    canvas.line({x, at.call_before}, {x, at.b.y}, with_alpha(t.grid, tick.label.empty() ? 0.4F : 1));
    if (!tick.label.empty() && x + scaled(3) + text_width(tick.label) < at.b.x)
      canvas.text({x + scaled(3), at.a.y}, t.muted, tick.label);
  }
  paint_links(canvas, at, hovered);
  paint_lane(canvas, at, false, hovered);
  paint_lane(canvas, at, true, hovered);
  // Where each of them ends.
  for (const bool after : {false, true}) {
    const CompareLane& lane = after ? m.after : m.before;
    const float x = slice_x(view_, lane.duration, at.a, static_cast<float>(width));
    const float top = after ? at.after : at.before;
    if (lane.number >= 0) canvas.line({x, top}, {x, top + at.own}, t.text, scaled(1.5F));
  }
  canvas.pop_clip();
}

ComparePanel::LaneHit ComparePanel::hit_lanes(const Lanes& at, ImVec2 mouse) const {
  const CompareMethod& m = *shown_method();
  const double width = at.b.x - at.a.x;
  const auto time = static_cast<int64_t>(view_.time_at(static_cast<double>(mouse.x - at.a.x), width));
  const auto in = [&](const std::vector<CompareSlice>& slices, bool after, bool call) -> LaneHit {
    const auto s =
        std::partition_point(slices.begin(), slices.end(), [&](const CompareSlice& each) { return each.end <= time; });
    return s != slices.end() && s->begin <= time ? LaneHit{&*s, after, call} : LaneHit();
  };
  if (mouse.y >= at.before && mouse.y < at.before + at.own) return in(m.before.own, false, false);
  if (mouse.y >= at.after && mouse.y < at.after + at.own) return in(m.after.own, true, false);
  if (mouse.y >= at.call_before && mouse.y < at.before) return in(m.before.calls, false, true);
  if (mouse.y >= at.call_after && mouse.y < at.b.y) return in(m.after.calls, true, true);
  return {};
}

/// Slices that are seen, of both sides, their calls beside them.
std::vector<WalkBox> ComparePanel::walk_boxes(const Lanes& at) const {
  std::vector<WalkBox> out;
  const CompareMethod& m = *shown_method();
  const float width = at.b.x - at.a.x;
  int64_t lane = 0;
  const auto add = [&](const std::vector<CompareSlice>& slices, float top, float height) {
    constexpr int64_t kLanes = 4;
    for (size_t i = 0; i < slices.size(); ++i) {
      if (static_cast<double>(slices[i].end) < view_.begin() || static_cast<double>(slices[i].begin) > view_.end())
        continue;
      const float x0 = std::max(slice_x(view_, slices[i].begin, at.a, width), at.a.x);
      const float x1 = std::min(slice_x(view_, slices[i].end, at.a, width), at.b.x);
      if (x1 - x0 >= 1) out.push_back({static_cast<int64_t>(i) * kLanes + lane, {x0, top}, {x1, top + height - 1}});
    }
    ++lane;
  };
  add(m.before.calls, at.call_before, at.calls);
  add(m.before.own, at.before, at.own);
  add(m.after.own, at.after, at.own);
  add(m.after.calls, at.call_after, at.calls);
  return out;
}

void ComparePanel::use_lanes(PanelContext& context, const Lanes& at, const LaneHit& hit) {
  const ImGuiIO& io = ImGui::GetIO();
  const float width = at.b.x - at.a.x;
  const bool hovered = ImGui::IsItemHovered(), active = ImGui::IsItemActive();
  const double part = static_cast<double>((io.MousePos.x - at.a.x) / width);
  if (hovered && (io.MouseWheelH != 0 || (io.KeyShift && io.MouseWheel != 0))) {
    view_.pan(-kComparePan * static_cast<double>(io.MouseWheelH != 0 ? io.MouseWheelH : io.MouseWheel));
  } else if (hovered && io.MouseWheel != 0) {
    view_.zoom(std::pow(kCompareZoom, static_cast<double>(io.MouseWheel)), part);
  }
  const bool moved = io.MouseDragMaxDistanceSqr[ImGuiMouseButton_Left] >= scaled(kClick) * scaled(kClick);
  if (active && moved) view_.pan(static_cast<double>(-io.MouseDelta.x / width));
  if (ImGui::IsItemClicked()) lanes_focused_ = true;
  if (!hovered && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) lanes_focused_ = false;
  if (hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
    view_.show_all();
  } else if (hovered && ImGui::IsMouseReleased(ImGuiMouseButton_Left) && ImGui::IsItemDeactivated() && !moved) {
    if (hit.slice != nullptr) {
      choose(context, hit.group(), "");
    } else {
      chosen_ = -1;
      context.document.select({});
      seen_selection_ = context.document.selection_version();
    }
  }
  if (hovered && hit.slice != nullptr && !active)
    facts_tooltip(hit.group(), model_.slice_facts(*shown_method(), *hit.slice, hit.after, hit.call));
  if ((!hovered && !lanes_focused_) || io.WantTextInput || io.KeyCtrl || io.KeyAlt) return;
  const double step = std::min(static_cast<double>(io.DeltaTime), 0.05);
  const auto down = [](ImGuiKey key) { return ImGui::IsKeyDown(key); };
  double zoom = 0, pan = 0;
  if (down(ImGuiKey_W) || down(ImGuiKey_Equal) || down(ImGuiKey_KeypadAdd)) zoom -= 1;
  if (down(ImGuiKey_S) || down(ImGuiKey_Minus) || down(ImGuiKey_KeypadSubtract)) zoom += 1;
  if (down(ImGuiKey_A)) pan -= 1;
  if (down(ImGuiKey_D)) pan += 1;
  if (zoom != 0) view_.zoom(std::pow(kKeyZoomEach, zoom * step), std::clamp(part, 0.0, 1.0));
  if (pan != 0) view_.pan(pan * kKeyPanEach * step);
  if (ImGui::IsKeyPressed(ImGuiKey_E, false)) view_.show_all();
  if (zoom != 0 || pan != 0) context.wants_frames = true;
}

void ComparePanel::show_method(size_t method) {
  method_ = method;
  if (shown_method() == nullptr) return;
  view_.set_extent(0, shown_method()->extent());
  view_.show_all();
  view_.jump();
}

void ComparePanel::draw_method_choice() {
  const auto name = [&](size_t i) {
    const std::string& method = model_.methods()[i].name;
    return method.empty() ? std::string("(method not known)") : inspector::printable(method);
  };
  ImGui::SetNextItemWidth(scaled(200));
  std::optional<std::string>& only = model_.query.method;
  const std::string shown = only ? name(method_) : "All methods, drawn: " + name(method_);
  if (!ImGui::BeginCombo("##method", shown.c_str())) return;
  if (ImGui::Selectable("All methods", !only)) only.reset();
  for (size_t i = 0; i < model_.methods().size(); ++i) {
    if (!ImGui::Selectable((name(i) + "##" + std::to_string(i)).c_str(), only && i == method_)) continue;
    show_method(i);
    only = model_.methods()[i].name;
  }
  ImGui::EndCombo();
}

void ComparePanel::draw_lanes(PanelContext& context, float height) {
  if (shown_method() == nullptr) return;
  if (model_.methods().size() > 1) draw_method_choice();
  const CompareMethod* const m = shown_method();
  if (m->before.own.empty() && m->after.own.empty()) return;  // as where one side lacks the basis
  float names = 0;
  for (const CompareLane* lane : {&m->before, &m->after}) {
    for (const LaneName& line : lane_names(*lane, lane == &m->after)) names = std::max(names, text_width(line.text));
  }
  names += scaled(8);
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float width = std::floor(ImGui::GetContentRegionAvail().x);
  const Lanes at = lanes_in({corner.x + names, corner.y}, {corner.x + width, corner.y + height});
  ImGui::SetCursorScreenPos(at.a);
  ImGui::InvisibleButton("##lanes", {std::max(1.0F, width - names), height}, ImGuiButtonFlags_EnableNav);
  ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelY);
  const BoxWalk keys({.boxes = [&] { return walk_boxes(at); }});
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const LaneHit hit = ImGui::IsItemHovered() ? hit_lanes(at, mouse) : LaneHit();
  use_lanes(context, at, hit);
  if (view_.glide(static_cast<double>(ImGui::GetIO().DeltaTime))) context.wants_frames = true;
  ScreenCanvas screen(ImGui::GetWindowDrawList(), at.a, at.b);
  Canvas& canvas = screen;
  paint_lanes(canvas, at, hit.group());
  draw_lane_names(canvas, at, corner.x);
  ImGui::SetCursorScreenPos({corner.x, at.b.y + ImGui::GetStyle().ItemSpacing.y});
}

/// Beside the lanes which executions they are, and what of them is not typical.
void ComparePanel::draw_lane_names(Canvas& canvas, const Lanes& at, float left) const {
  const float line = ImGui::GetTextLineHeight();
  for (const bool after : {false, true}) {
    const CompareLane& lane = after ? shown_method()->after : shown_method()->before;
    std::vector<LaneName> lines = lane_names(lane, after);
    // The edges say that slices are far off, too.
    constexpr size_t kLeast = 2;
    while (lines.size() > kLeast && static_cast<float>(lines.size()) * line > at.own + 2 * at.calls) lines.pop_back();
    const float tall = line * static_cast<float>(lines.size()), top = after ? at.after : at.before;
    float y = std::round(top + (at.own - tall) / 2);
    const ImVec2 from = {left, y};
    for (const LaneName& name : lines) {
      canvas.text({left, y}, name.color, name.text);
      y += line;
    }
    if (lane.untypical() == 0 && lane.far_groups() == 0) continue;
    if (!ImGui::IsWindowHovered() || !ImGui::IsMouseHoveringRect(from, {at.a.x, y})) continue;
    const auto time = [&](double ticks) { return inspector::format_duration_named(ticks, model_.unit()); };
    std::string text;
    if (const double times = lane.untypical(); times > 0)
      text = "Not a typical execution: " + time(static_cast<double>(lane.duration)) + " where " + time(lane.usual) +
             " is usual. None is nearer to that. ";
    if (lane.far_groups() > 0)
      text += "Orange edge: ops that took far more or less in this execution than they usually do.";
    ImGui::SetTooltip("%s", broken_at_spaces(text, scaled(420)).c_str());
  }
}

bool ComparePanel::draw_on(Canvas& canvas) {
  if (shown_method() == nullptr) return false;
  paint_lanes(canvas, lanes_in(canvas.min(), canvas.max()), -1);
  return true;
}

}  // namespace et::gui
