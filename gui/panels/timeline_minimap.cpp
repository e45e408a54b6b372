#include "gui/panels/timeline_minimap.h"

#include <algorithm>
#include <cmath>

#include "gui/widgets/theme.h"

namespace et::gui {
namespace {

constexpr double kMargin = 0.01;     // of the trace, at both ends
constexpr float kGripPixels = 5;     // points from an edge that still hold it
constexpr double kLeastPixels = 10;  // a view that is narrower has its edges this far apart, so that all can be held

double pixel_of(const QuietScale& scale, double time, double width) {
  return (scale.to_map(time) / scale.map_extent() + kMargin) / (1 + 2 * kMargin) * width;
}

double time_at_pixel(const QuietScale& scale, double x, double width) {
  return scale.from_map((x / width * (1 + 2 * kMargin) - kMargin) * scale.map_extent());
}

struct Lens {
  double begin, end;  // pixels
};

Lens lens_of(const TimelineModel& model, const QuietScale& scale, double width) {
  Lens lens = {pixel_of(scale, model.view.begin(), width), pixel_of(scale, model.view.end(), width)};
  const double missing = static_cast<double>(scaled(kLeastPixels)) - (lens.end - lens.begin);
  if (missing > 0) lens = {lens.begin - missing / 2, lens.end + missing / 2};
  return lens;
}

}  // namespace

std::pair<float, float> TimelineMinimap::place_of(const TimelineModel& model, const LoadingSpan& span, float left,
                                                  float right) const {
  const auto x_at = [&](int64_t time) {
    const auto width = static_cast<double>(right - left);
    return left + static_cast<float>(pixel_of(scale_, static_cast<double>(time - model.view.origin()), width));
  };
  const float x0 = x_at(span.start);
  return {x0, std::max(x_at(span.end), x0 + scaled(2))};
}

float TimelineMinimap::height() { return scaled(20); }

double TimelineMinimap::x_of(const TimelineModel& model, double time, double width) {
  return pixel_of(QuietScale(loading_spans(*model.data()), model.view.origin(), model.view.extent()), time, width);
}

TimelineMinimap::Grip TimelineMinimap::grip_at(const TimelineModel& model, double x, double width) const {
  const Lens lens = lens_of(model, scale_, width);
  const double reach = std::min(static_cast<double>(scaled(kGripPixels)), (lens.end - lens.begin) / 3);
  if (std::abs(x - lens.begin) <= reach) return Grip::Begin;
  if (std::abs(x - lens.end) <= reach) return Grip::End;
  return x > lens.begin && x < lens.end ? Grip::View : Grip::None;
}

void TimelineMinimap::use(ImVec2 a, ImVec2 b, TimelineModel* model) {
  const double width = b.x - a.x, x = ImGui::GetIO().MousePos.x - a.x;
  if (width <= 0) return;
  TimelineView& view = model->view;
  const double time = time_at_pixel(scale_, x, width), span = view.wanted_end() - view.wanted_begin();
  const Grip under = ImGui::IsItemHovered() ? grip_at(*model, x, width) : Grip::None;
  if (ImGui::IsItemActivated()) {
    held_ = under == Grip::None ? Grip::View : under;
    held_at_ = under == Grip::View ? time - view.wanted_begin() : span / 2;
  }
  const bool active = ImGui::IsItemActive();
  if (!active) held_ = Grip::None;
  const Grip shown = active ? held_ : under;
  if (shown == Grip::Begin || shown == Grip::End) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) return view.show_all();
  const bool moved = ImGui::GetIO().MouseDelta.x != 0 || (ImGui::IsItemActivated() && under == Grip::None);
  if (!active || !moved) return;
  // Past the other edge it is that one which is held.
  const double begin = view.wanted_begin(), end = view.wanted_end();
  if (held_ == Grip::Begin) {
    view.show(std::min(time, end), std::max(time, end), 0);
    if (time > end) held_ = Grip::End;
  } else if (held_ == Grip::End) {
    view.show(std::min(time, begin), std::max(time, begin), 0);
    if (time < begin) held_ = Grip::Begin;
  } else {
    view.show(time - held_at_, time - held_at_ + span, 0);
  }
  view.jump();
}

BoxWalk TimelineMinimap::walk(ImVec2 a, ImVec2 b, const TimelineModel& model) const {
  constexpr int kParts = 40;
  const float part = (b.x - a.x) / kParts;
  const auto boxes = [=] {
    std::vector<WalkBox> out;
    for (int i = 0; i < kParts; ++i) {
      const float left = a.x + part * static_cast<float>(i);
      out.push_back({i, {left, a.y}, {left + part, b.y}});
    }
    return out;
  };
  const double middle = (model.view.begin() + model.view.end()) / 2;
  const auto at = static_cast<int64_t>(pixel_of(scale_, middle, b.x - a.x) / std::max(part, 1e-3F));
  return BoxWalk({.boxes = boxes, .begins_at = [at](int64_t key) { return key == at; }});
}

void TimelineMinimap::use_keys(ImVec2 a, ImVec2 b, TimelineModel* model) const {
  if (!ImGui::IsMouseClicked(ImGuiMouseButton_Left)) return;
  TimelineView& view = model->view;
  if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) return view.show_all();
  const double time = time_at_pixel(scale_, ImGui::GetIO().MousePos.x - a.x, b.x - a.x);
  const double half = (view.wanted_end() - view.wanted_begin()) / 2;
  view.show(time - half, time + half, 0);
  view.jump();
}

void TimelineMinimap::measure(const TimelineModel& model, int width) {
  if (of_ == model.data() && columns_.size() == static_cast<size_t>(width)) return;
  of_ = model.data();
  columns_.assign(static_cast<size_t>(width), {});
  loading_ = loading_spans(*of_);
  scale_ = QuietScale(loading_, model.view.origin(), model.view.extent());
  const ExecutionsModel& executions = model.executions();
  for (size_t i = 0; i < executions.size(); ++i) {
    const Run& run = of_->runs[static_cast<size_t>(executions.run(i))];
    const auto start = static_cast<double>(run.start - model.view.origin());
    const double from = pixel_of(scale_, start, width);
    const double to = pixel_of(scale_, start + static_cast<double>(run.duration), width);
    const int last = std::clamp(static_cast<int>(to), 0, width - 1);
    for (int c = std::clamp(static_cast<int>(from), 0, width - 1); c <= last; ++c) {
      Column& column = columns_[static_cast<size_t>(c)];
      column.part += static_cast<float>(std::max(std::min(to, c + 1.0) - std::max(from, c + 0.0), 0.0));
      column.cold = column.cold || run.cold;
      column.incomplete = column.incomplete || !run.complete;
    }
  }
}

void TimelineMinimap::draw_loading(Canvas& canvas, ImVec2 a, ImVec2 b, const TimelineModel& model) const {
  for (const LoadingSpan& s : loading_) {
    const auto [x0, x1] = place_of(model, s, a.x, b.x);
    if (s.events) canvas.fill({x0, a.y + scaled(3)}, {x1, b.y - scaled(2)}, with_alpha(theme().framework, 0.8F));
    if (s.events || !scale_.squeezes()) continue;
    // A broken axis: more time than there is room.
    const float middle = (x0 + x1) / 2, slant = (b.y - a.y) / 4;
    for (const float x : {middle - scaled(2), middle + scaled(2)})
      canvas.line({x - slant, b.y}, {x + slant, a.y}, theme().muted);
  }
}

// What is outside of the view is paler, but for these.
void TimelineMinimap::draw_loading_names(Canvas& canvas, ImVec2 a, ImVec2 b, const TimelineModel& model) const {
  const float y = (a.y + b.y - ImGui::GetTextLineHeight()) / 2;
  for (const LoadingSpan& s : loading_) {
    const auto [x0, x1] = place_of(model, s, a.x, b.x);
    for (const std::string& text : {s.text, s.brief}) {
      if (text.empty() || text_width(text) + scaled(8) > x1 - x0) continue;
      canvas.text({x0 + scaled(4), y}, s.events ? theme().text : theme().muted, text);
      break;
    }
  }
}

void TimelineMinimap::draw(Canvas& canvas, ImVec2 a, ImVec2 b, const TimelineModel& model) {
  const Theme& t = theme();
  const auto width = static_cast<int>(b.x - a.x);
  canvas.fill(a, b, t.surface);
  if (width <= 0) return;
  measure(model, width);
  canvas.push_clip(a, b);
  draw_loading(canvas, a, b, model);
  const float floor = b.y - scaled(2), tall = floor - a.y - scaled(3);
  for (int c = 0; c < width; ++c) {
    const Column& column = columns_[static_cast<size_t>(c)];
    if (column.part <= 0 && !column.cold && !column.incomplete) continue;
    const float x = a.x + static_cast<float>(c);
    const ImU32 color = column.incomplete ? t.bad : column.cold ? t.cold : with_alpha(t.kernel, 0.75F);
    canvas.fill({x, floor - std::max(std::min(column.part, 1.0F) * tall, 1.0F)}, {x + 1, floor}, color);
  }
  const auto at = [&](double x) { return a.x + static_cast<float>(x); };
  if (model.has_range()) {
    const float x0 = at(pixel_of(scale_, model.range_begin(), width));
    const float x1 = at(pixel_of(scale_, model.range_end(), width));
    canvas.fill({x0, a.y}, {std::max(x1, x0 + 1), b.y}, t.selection_fill);
  }
  const Lens lens = lens_of(model, scale_, width);
  const ImVec2 c = {at(lens.begin), a.y}, d = {at(lens.end), b.y};
  canvas.fill(a, {c.x, b.y}, with_alpha(t.background, 0.55F));
  canvas.fill({d.x, a.y}, b, with_alpha(t.background, 0.55F));
  draw_loading_names(canvas, a, b, model);
  canvas.frame(c, d, t.text, scaled(1), scaled(2));
  const float middle = (a.y + b.y) / 2, grip = scaled(4);
  for (const float x : {c.x, d.x}) {
    canvas.fill({x - scaled(1.5F), middle - grip}, {x + scaled(1.5F), middle + grip}, t.text, scaled(1));
  }
  canvas.pop_clip();
}

}  // namespace et::gui
