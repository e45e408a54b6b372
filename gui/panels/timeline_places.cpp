// What the timeline's rows show, as boxes: for those who go through them by keys.
#include <algorithm>

#include "gui/panels/timeline_painter.h"
#include "gui/panels/timeline_panel.h"

namespace et::gui {
namespace {

using inspector::WindowSlice;

/// One number for what a place shows, from frame to frame: which execution, module, slice.
int64_t key_of(const TimelineModel& model, const TimelineHover& what) {
  constexpr int64_t kModules = int64_t{1} << 60, kSlices = int64_t{1} << 61;
  if (what.execution >= 0) return what.execution;
  if (what.module >= 0) return kModules + model.module_spans()[static_cast<size_t>(what.module)].start % kModules;
  if (what.slice == nullptr || what.ghost) return -1;
  constexpr int64_t kOps = int64_t{1} << 20;  // samples of more ops than that share numbers now and then
  return kSlices + what.slice->sample % (kSlices / kOps) * kOps + what.slice->op % kOps;
}

}  // namespace

std::vector<TimelinePainter::Place> TimelinePainter::places(const TimelineModel& model, double width) const {
  std::vector<Place> out;
  const auto place = [&](const TimelineHover& what, double begin, double end, float top, float bottom) {
    if (end < model.view.begin() || begin > model.view.end()) return;
    const float x0 = std::max(clamp_x(model.view.x_of(begin, width)), 0.0F);
    const float x1 = std::min(clamp_x(model.view.x_of(end, width)), static_cast<float>(width));
    out.push_back({what, {x0, top}, {std::max(x1, x0 + 1), bottom}});
  };
  const auto shown = [&](int64_t tick) { return static_cast<double>(tick - model.view.origin()); };
  const ExecutionsModel& executions = model.executions();
  const auto first = executions.at_time(model.view.origin() + static_cast<int64_t>(model.view.begin()));
  for (int64_t i = std::max<int64_t>(first, 0); i < static_cast<int64_t>(executions.size()); ++i) {
    const Run& run = model.data()->runs[static_cast<size_t>(executions.run(static_cast<size_t>(i)))];
    if (shown(run.start) > model.view.end()) break;
    TimelineHover what;
    what.execution = i;
    place(what, shown(run.start), shown(run.start + run.duration), 0, execution_height());
  }
  for (size_t i = 0; i < model.module_spans().size() && modules_height_ > 0; ++i) {
    const ModuleSpan& span = model.module_spans()[i];
    TimelineHover what;
    what.module = static_cast<int32_t>(i);
    place(what, shown(span.start), shown(span.end), modules_top_, modules_top_ + modules_height_);
  }
  for (size_t r = 0; r < std::min(tops_.size(), model.rows().size()); ++r) {
    for (size_t i = model.rows()[r].first; i < model.rows()[r].last; ++i) {
      const WindowSlice& s = model.window().slices[i];
      const GhostRow span = span_of(model, r, s);
      TimelineHover what;
      what.row = static_cast<int>(r);
      what.slice = &s;
      place(what, model.begin_of(s), model.end_of(s), span.top, span.top + span.height);
    }
  }
  return out;
}

BoxWalk TimelinePanel::walk(ImVec2 a, ImVec2 b) {
  const double width = static_cast<double>(width_);
  const auto boxes = [this, a, width] {
    std::vector<WalkBox> out;
    for (const TimelinePainter::Place& p : painter_.places(*model_, width)) {
      out.push_back({key_of(*model_, p.what),
                     {a.x + p.min.x, a.y - scroll_ + p.min.y},
                     {a.x + p.max.x, a.y - scroll_ + p.max.y}});
    }
    return out;
  };
  const auto key_at = [this, a, width](ImVec2 p) {
    const auto hit = painter_.hit(*model_, static_cast<double>(p.x - a.x), p.y - a.y + scroll_, width);
    return key_of(*model_, hit);
  };
  const auto begins_at = [this](int64_t key) {
    const auto& at = model_->at();
    if (!at) return false;
    const auto& slices = model_->window().slices;
    return std::any_of(slices.begin(), slices.end(), [&](const WindowSlice& s) {
      TimelineHover what;
      what.slice = &s;
      return s.count == 1 && s.op == at->op && s.sample == at->position && key_of(*model_, what) == key;
    });
  };
  const auto reveal = [this, a, b](const WalkBox& box) {
    if (box.min.y < a.y) scroll_ -= a.y - box.min.y;
    if (box.max.y > b.y) scroll_ += std::min(box.max.y - b.y, box.min.y - a.y);
  };
  // Behind the edge of the view the trace goes on.
  const auto pushed = [this](ImGuiDir dir) {
    constexpr double kPart = 0.5;
    if (dir == ImGuiDir_Left || dir == ImGuiDir_Right) model_->view.pan(dir == ImGuiDir_Left ? -kPart : kPart);
  };
  return BoxWalk({.boxes = boxes, .key_at = key_at, .begins_at = begins_at, .reveal = reveal, .pushed = pushed});
}

std::vector<TimelinePainter::StripPlace> TimelinePainter::strip_places(const TimelineModel& model, StripRange range,
                                                                       float width) {
  std::vector<StripPlace> out;
  const double each = static_cast<double>(width) / std::max(range.to - range.from, 1e-9);
  for (const ExecutionBar& bar : bars(model, range, static_cast<int>(width))) {
    const auto x_of = [&](size_t execution) {
      return std::clamp(clamp_x((static_cast<double>(execution) - range.from) * each), 0.0F, width);
    };
    out.push_back({static_cast<int64_t>(bar.first), static_cast<int64_t>(bar.last), static_cast<int64_t>(bar.slowest),
                   x_of(bar.first), x_of(bar.last)});
  }
  return out;
}

// A bar of several executions is its slowest, as for the mouse; zoomed, the ring stays with its execution.
BoxWalk TimelinePanel::walk_strip(ImVec2 a, ImVec2 b) {
  using Place = TimelinePainter::StripPlace;
  const auto places = [this, a, b] { return painter_.strip_places(*model_, strip_, b.x - a.x); };
  const auto boxes = [this, a, b, places] {
    std::vector<WalkBox> out;
    for (const Place& p : places())
      out.push_back({p.has(strip_at_) ? strip_at_ : p.slowest, {a.x + p.left, a.y}, {a.x + p.right, b.y}});
    return out;
  };
  const int64_t chosen = model_->executions().find(chosen_run_);
  const auto begins_at = [places, chosen](int64_t key) {
    const auto all = places();
    return std::any_of(all.begin(), all.end(), [&](const Place& p) { return p.has(key) && p.has(chosen); });
  };
  const auto reveal = [](const WalkBox&) {};
  const auto pushed = [this](ImGuiDir dir) {
    constexpr double kPart = 0.25;
    const double step = std::max((strip_.to - strip_.from) * kPart, 1.0);
    if (dir == ImGuiDir_Left || dir == ImGuiDir_Right) pan_strip(dir == ImGuiDir_Left ? -step : step);
  };
  return BoxWalk({.boxes = boxes, .begins_at = begins_at, .reveal = reveal, .pushed = pushed});
}

}  // namespace et::gui
