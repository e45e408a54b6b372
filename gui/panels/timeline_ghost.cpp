// Beside the timeline's ops: time of executions in no op, and below them the median execution.
#include <algorithm>

#include "gui/panels/timeline_painter.h"
#include "gui/widgets/cells.h"
#include "inspector/text/format.h"

namespace et::gui {

using inspector::WindowSlice;

namespace {

constexpr float kGhost = 0.5F;

/// Time without an op: a tint and slanted lines.
void draw_hatched(Canvas& canvas, ImVec2 c, ImVec2 d, ImU32 tint, ImU32 lines, bool hovered) {
  canvas.fill(c, d, tint);
  canvas.push_clip(c, d);
  const float step = scaled(7), tall = d.y - c.y;
  for (float x = c.x - tall; x < d.x; x += step) canvas.line({x, d.y}, {x + tall, c.y}, lines);
  canvas.pop_clip();
  if (hovered) canvas.frame(c, d, theme().hover, scaled(1.5F));
}

}  // namespace

float TimelinePainter::bottom_of_ops(const TimelineModel& model) const {
  float out = 0;
  for (size_t i = 0; i < model.rows().size(); ++i) {
    if (model.rows()[i].track == 0 && model.rows()[i].lane == 0) out = tops_[i] + heights_[i];
  }
  return out;
}

// Time of executions in no op: hatched, with its length where there is room.
void TimelinePainter::draw_gaps(Canvas& canvas, ImVec2 a, ImVec2 b, const TimelineModel& model, int32_t hovered) {
  const Theme& t = theme();
  const double width = b.x - a.x;
  const auto time = [&](int64_t at) { return static_cast<double>(at - model.view.origin()); };
  for (size_t i = 0; i < model.gaps().size(); ++i) {
    const IdleGap& gap = model.gaps()[i];
    if (time(gap.end) < model.view.begin() || time(gap.start) > model.view.end()) continue;
    const float x0 = std::max(a.x + clamp_x(model.view.x_of(time(gap.start), width)), a.x);
    const float x1 = std::min(a.x + clamp_x(model.view.x_of(time(gap.end), width)), b.x);
    if (x1 - x0 < 2) continue;
    const ImVec2 c = {x0, a.y + 1}, d = {x1, b.y - 1};
    draw_hatched(canvas, c, d, with_alpha(t.warning, 0.10F), with_alpha(t.warning, 0.22F),
                 static_cast<int32_t>(i) == hovered);
    const std::string label = "in no op: " + inspector::format_duration_with_unit(
                                                 static_cast<double>(gap.end - gap.start), model.data()->unit());
    const float wide = text_width(label) + scaled(8);
    if (wide > d.x - c.x) continue;
    const float middle = (c.x + d.x) / 2, y = (c.y + d.y - ImGui::GetTextLineHeight()) / 2;
    canvas.fill({middle - wide / 2, y}, {middle + wide / 2, y + ImGui::GetTextLineHeight()},
                with_alpha(t.surface, 0.85F), 2);
    canvas.text({middle - wide / 2 + scaled(4), y}, t.text, label, 0, Anchor::Middle);
  }
}

// What a delegate's call takes beyond its ops, beside them: hatched, named where there is room.
void TimelinePainter::draw_call_gaps(Canvas& canvas, ImVec2 a, ImVec2 b, const TimelineModel& model,
                                     const TimelineRow& row, int32_t hovered) {
  const Theme& t = theme();
  const double width = b.x - a.x;
  const auto x_of = [&](int64_t at) {
    return std::clamp(a.x + clamp_x(model.view.x_of(static_cast<double>(at - model.view.origin()), width)), a.x, b.x);
  };
  for (size_t i = 0; i < model.call_gaps().size(); ++i) {
    const CallGap& gap = model.call_gaps()[i];
    if (gap.lane != row.lane || gap.level != row.level) continue;
    const ImVec2 c = {x_of(gap.start), a.y + 1}, d = {x_of(gap.end), b.y - 1};
    if (d.x - c.x < 2) continue;
    draw_hatched(canvas, c, d, with_alpha(t.unattributed, 0.12F), with_alpha(t.muted, 0.25F),
                 static_cast<int32_t>(i) == hovered);
    const std::string time =
        inspector::format_duration_with_unit(static_cast<double>(gap.end - gap.start), model.data()->unit());
    for (const std::string& label : {"unattributed " + time, std::string("unattributed")}) {
      const float wide = text_width(label);
      const bool flat = wide + scaled(8) <= d.x - c.x;
      const bool upright =
          !flat && ImGui::GetTextLineHeight() + scaled(2) <= d.x - c.x && wide + scaled(8) <= d.y - c.y;
      const float middle = (c.x + d.x) / 2, line = ImGui::GetTextLineHeight();
      if (flat) canvas.text({middle - wide / 2, (c.y + d.y - line) / 2}, t.text, label, 0, Anchor::Middle);
      if (upright) canvas.text_up({middle - line / 2, (c.y + d.y + wide) / 2}, t.text, label);
      if (flat || upright) break;
    }
  }
}

TimelinePainter::GhostRow TimelinePainter::ghost_span(const TimelineModel& model, int32_t level,
                                                      const WindowSlice& s) const {
  GhostRow out = ghost_row(model, level);
  const TimelineFolds& folds = model.folds();
  if (s.count > 1 || folds.whole_level(level) || folds.whole_level(level + 1)) return out;
  const bool kernel = folds.is_kernel(s.op);
  if (!kernel && !folds.is_call(s.op)) return out;
  const GhostRow above = kernel ? ghost_row(model, level - 1) : out, below = kernel ? out : ghost_row(model, level + 1);
  return {above.top, below.top + below.height - above.top};
}

void TimelinePainter::draw_ghost(Canvas& canvas, ImVec2 a, ImVec2 b, float top, const TimelineModel& model,
                                 const TimelineHover& hover) {
  const TimelineGhost& ghost = *model.ghost();
  const Theme& t = theme();
  const double width = b.x - a.x;
  const double more = ghost.median_duration > 0 ? static_cast<double>(ghost.duration) / ghost.median_duration - 1 : 0;
  const Run& median = model.data()->runs[static_cast<size_t>(model.executions().run(ghost.median_execution))];
  const std::string change = more >= 1   ? inspector::format_real(more + 1, 1) + " times as long"
                             : more >= 0 ? inspector::format_share(more) + " longer"
                                         : inspector::format_share(-more) + " shorter";
  const std::string title =
      "execution #" + std::to_string(median.execution) + ", the nearest to the median of " +
      inspector::format_duration_with_unit(ghost.median_duration, model.data()->unit()) + ": the one above is " +
      change + (ghost.aligned_at < 0 ? "" : "; aligned at " + slice_label(*model.data(), ghost.aligned_at));
  canvas.text({a.x + scaled(6), top}, t.muted, fitting(title, b.x - a.x - scaled(12)));
  for (const inspector::WindowRow& row : ghost.window.rows) {
    if (row.track != 0 || row.lane != 0) continue;
    for (size_t i = row.first; i < row.last; ++i) {
      const WindowSlice& s = ghost.window.slices[i];
      const double begin = model.begin_of(s) + static_cast<double>(ghost.shift);
      const double end = model.end_of(s) + static_cast<double>(ghost.shift);
      if (end < model.view.begin() || begin > model.view.end()) continue;
      const float x0 = a.x + clamp_x(model.view.x_of(begin, width));
      const float x1 = std::max(a.x + clamp_x(model.view.x_of(end, width)), x0 + 1);
      const bool call = s.count == 1 && model.folds().is_call(s.op);
      const GhostRow place = ghost_span(model, row.level, s);
      const float y = top + place.top - ghost_top_, height = place.height;
      canvas.fill({x0, y + 1}, {x1 - x0 > 3 ? x1 - 1 : x1, y + height},
                  with_alpha(color_of(*model.data(), s.op), call ? kGhost * kCallBehind : kGhost));
      if (&s == hover.slice) canvas.frame({x0, y + 1}, {x1, y + height}, t.hover, scaled(1.5F));
      if (x1 - x0 > scaled(40) && s.count == 1 && !call) {
        const std::string label = fitting_slice_label(*model.data(), s.op, x1 - x0);
        text_in_box(canvas, {std::max(x0, a.x), y}, {std::min(x1, b.x), y + height}, t.text, label);
      }
    }
  }
}

}  // namespace et::gui
