// Above the timeline's rows: the strip of executions and the ruler.
#include <algorithm>
#include <cmath>

#include "gui/panels/timeline_painter.h"
#include "gui/widgets/cells.h"
#include "inspector/text/format.h"

namespace et::gui {
namespace {

/// 1, 2 or 5 times a power of ten, at least `least`.
size_t label_step(double least) {
  for (size_t power = 1;; power *= 10) {
    for (const size_t factor : {1, 2, 5})
      if (static_cast<double>(power * factor) >= least || power > 100'000'000) return power * factor;
  }
}

}  // namespace

const std::vector<ExecutionBar>& TimelinePainter::bars(const TimelineModel& model, StripRange range, int width) {
  const bool same = bars_of_ == model.data() && bars_range_.from == range.from && bars_range_.to == range.to &&
                    bars_width_ == width && !bars_.empty();
  if (same) return bars_;
  bars_of_ = model.data();
  bars_range_ = range;
  bars_width_ = width;
  return bars_ = model.executions().bars(range.from, range.to, width);
}

void TimelinePainter::draw_strip(Canvas& canvas, ImVec2 a, ImVec2 b, const TimelineModel& model, StripRange range,
                                 int64_t chosen, int64_t hovered) {
  const ExecutionsModel& executions = model.executions();
  const Theme& t = theme();
  canvas.fill(a, b, t.surface);
  if (executions.size() == 0 || b.x <= a.x) return;
  canvas.push_clip(a, b);
  const double width = b.x - a.x, each = width / std::max(range.to - range.from, 1e-9);
  // Labels have a line of their own above the bars.
  const float ceiling = a.y + ImGui::GetTextLineHeight() + scaled(3);
  const float floor = b.y - scaled(1), tall = floor - ceiling - scaled(3);
  const auto x_of = [&](double execution) { return a.x + clamp_x((execution - range.from) * each); };
  const auto y_of = [&](double duration) {
    const double part = duration / static_cast<double>(executions.ceiling());
    return floor - static_cast<float>(std::min(part, 1.0)) * tall;
  };
  // What the view shows.
  const auto [from, to] = executions.seen(model.view.origin() + static_cast<int64_t>(model.view.begin()),
                                          model.view.origin() + static_cast<int64_t>(model.view.end()));
  const float seen = std::max(x_of(static_cast<double>(from)), a.x);
  const float seen_end = std::max(x_of(static_cast<double>(to + 1)), seen + scaled(2));
  canvas.fill({seen, a.y}, {seen_end, b.y}, with_alpha(t.text, 0.10F));
  for (const ExecutionBar& bar : bars(model, range, static_cast<int>(width))) {
    const int64_t duration = executions.duration(bar.slowest);
    const Run& run = model.data()->runs[static_cast<size_t>(executions.run(bar.slowest))];
    const auto first = static_cast<int64_t>(bar.first), last = static_cast<int64_t>(bar.last);
    const float x0 = x_of(static_cast<double>(bar.first)), x1 = x_of(static_cast<double>(bar.last));
    const float gap = x1 - x0 > scaled(4) ? scaled(1) : 0;
    ImU32 color = executions.several_blocks()
                      ? name_color(model.data()->table.blocks[static_cast<size_t>(run.block)].method.value_or(""))
                      : with_alpha(t.kernel, 0.8F);
    if (bar.cold) color = t.cold;
    if (!bar.complete) color = t.bad;
    if (chosen >= first && chosen < last) color = t.selection;
    const float wide = x1 - gap;
    const float right = std::max(wide, x0 + 1), top = std::min(y_of(static_cast<double>(duration)), floor - 1);
    const float typical = std::min(y_of(static_cast<double>(executions.duration(bar.typical))), floor - 1);
    if (typical > top) canvas.fill({x0, top}, {right, typical}, with_alpha(color, 0.35F));  // up to the slowest
    canvas.fill({x0, typical}, {right, floor}, color);
    if (duration > executions.ceiling()) {
      canvas.fill({x0, ceiling}, {std::max(wide, x0 + 1), ceiling + scaled(2)}, t.bad);  // it goes on
    }
    if (hovered >= first && hovered < last) {
      canvas.frame({x0 - 1, a.y + 1}, {std::max(wide, x0 + 2) + 1, b.y}, t.hover);
    }
  }
  draw_bar_labels(canvas, a, b, model, range);
  draw_medians(canvas, a, b, model, range, y_of);
  canvas.pop_clip();
}

// Of the regimes where there are such; else of the method, a step where methods take turns.
void TimelinePainter::draw_medians(Canvas& canvas, ImVec2 a, ImVec2 b, const TimelineModel& model, StripRange range,
                                   const std::function<float(double)>& y_of) {
  const ExecutionsModel& executions = model.executions();
  const Theme& t = theme();
  const double width = b.x - a.x, each = width / std::max(range.to - range.from, 1e-9);
  const auto x_of = [&](double execution) { return a.x + clamp_x((execution - range.from) * each); };
  if (!model.regimes().empty() && !executions.several_blocks()) {
    for (const TimelineRegime& r : model.regimes()) {
      const float y = y_of(r.median), end = std::min(b.x, x_of(static_cast<double>(r.last + 1)));
      canvas.line({std::max(a.x, x_of(static_cast<double>(r.first))), y}, {end, y}, with_alpha(t.text, 0.7F));
    }
    return;
  }
  const float middle = y_of(executions.median_of(static_cast<size_t>(
      std::clamp<double>((range.from + range.to) / 2, 0, static_cast<double>(executions.size() - 1)))));
  const auto shown = std::min(static_cast<size_t>(range.to) + 1, executions.size());
  if (!executions.several_blocks()) {
    canvas.line({a.x, middle}, {std::min(b.x, x_of(static_cast<double>(shown))), middle}, with_alpha(t.text, 0.5F));
  } else if (shown - static_cast<size_t>(range.from) < static_cast<size_t>(width)) {
    for (size_t i = static_cast<size_t>(range.from); i < shown; ++i) {
      const float y = y_of(executions.median_of(i)), x0 = x_of(static_cast<double>(i));
      canvas.line({x0, y}, {x_of(static_cast<double>(i + 1)), y}, with_alpha(t.text, 0.6F));
    }
  }
}

// Numbers of the executions above their bars, with their times where there is room; else each second, fifth, tenth, …
void TimelinePainter::draw_bar_labels(Canvas& canvas, ImVec2 a, ImVec2 b, const TimelineModel& model,
                                      StripRange range) {
  const ExecutionsModel& executions = model.executions();
  const Theme& t = theme();
  const double each = static_cast<double>(b.x - a.x) / std::max(range.to - range.from, 1e-9);
  const auto last = static_cast<size_t>(std::min(std::ceil(range.to), static_cast<double>(executions.size())));
  const auto number = [&](size_t e) {
    return "#" + std::to_string(model.data()->runs[static_cast<size_t>(executions.run(e))].execution);
  };
  const auto room = static_cast<float>(each) - scaled(4);
  const double widest = last > 0 ? static_cast<double>(text_width(number(last - 1)) + scaled(4)) : 0;
  const size_t step = label_step(widest / each);
  for (size_t e = (static_cast<size_t>(range.from) + step - 1) / step * step; e < last; e += step) {
    const float x = a.x + clamp_x((static_cast<double>(e) - range.from) * each);
    std::string text = number(e);
    if (step == 1) {
      const std::string name = executions.name(*model.data(), e),
                        time = inspector::format_duration_with_unit(static_cast<double>(executions.duration(e)),
                                                                    model.data()->unit());
      for (const std::string& longer : {name, name + "  " + time})
        if (text_width(longer) <= room) text = longer;
    }
    if (x + scaled(2) + text_width(text) > b.x) break;
    canvas.text({x + scaled(2), a.y + scaled(1)}, t.muted, text);
  }
}

int64_t TimelinePainter::hit_strip(const TimelineModel& model, StripRange range, double x, double width) {
  const double at = range.from + x / width * (range.to - range.from);
  for (const ExecutionBar& bar : bars(model, range, static_cast<int>(width))) {
    if (at < static_cast<double>(bar.last))
      return at >= static_cast<double>(bar.first) ? static_cast<int64_t>(bar.slowest) : -1;
  }
  return -1;
}

void TimelinePainter::draw_ruler(Canvas& canvas, ImVec2 a, ImVec2 b, const TimelineModel& model) {
  const Theme& t = theme();
  const double width = b.x - a.x;
  const Ruler ruler = make_ruler(model.view.begin(), model.view.end(), width, scaled(110), model.data()->unit());
  canvas.push_clip(a, b);
  float from = a.x;
  if (!ruler.base.empty()) {
    canvas.text({a.x + scaled(4), a.y + scaled(3)}, t.text, ruler.base);
    from += text_width(ruler.base) + scaled(14);
  }
  for (const RulerTick& tick : ruler.ticks) {
    const float x = a.x + clamp_x(model.view.x_of(tick.time, width));
    const bool major = !tick.label.empty();
    canvas.line({x, b.y - scaled(major ? 7 : 3)}, {x, b.y}, major ? t.muted : t.grid);
    const bool fits = x + scaled(4) + text_width(tick.label) <= b.x;
    if (major && fits && x + scaled(3) >= from) canvas.text({x + scaled(4), a.y + scaled(3)}, t.muted, tick.label);
  }
  canvas.line({a.x, b.y}, {b.x, b.y}, t.grid);
  if (model.has_range()) {
    const float x0 = std::max(a.x + clamp_x(model.view.x_of(model.range_begin(), width)), a.x);
    const float x1 = std::min(a.x + clamp_x(model.view.x_of(model.range_end(), width)), b.x);
    const std::string length =
        inspector::format_duration_with_unit(model.range_end() - model.range_begin(), model.data()->unit());
    const float wide = text_width(length) + scaled(8), middle = (x0 + x1) / 2;
    if (x1 > x0) canvas.fill({x0, a.y}, {x1, b.y}, t.selection_fill);
    if (x1 - x0 > wide) {
      canvas.fill({middle - wide / 2, a.y + scaled(1)}, {middle + wide / 2, b.y - scaled(2)}, t.selection, scaled(3));
      canvas.text({middle - wide / 2 + scaled(4), a.y + scaled(3)}, text_on(t.selection), length, 0, Anchor::Middle);
    }
  }
  canvas.pop_clip();
}

void TimelinePainter::draw_cursor_time(Canvas& canvas, ImVec2 a, ImVec2 b, const TimelineModel& model, float x) {
  const Theme& t = theme();
  const double time = model.view.time_at(x, static_cast<double>(b.x - a.x));
  const double per_pixel = (model.view.end() - model.view.begin()) / std::max(static_cast<double>(b.x - a.x), 1.0);
  const std::string text = time_at_pixel(time, per_pixel, model.data()->unit());
  const float wide = text_width(text) + scaled(8),
              left = std::clamp(a.x + x - wide / 2, a.x, std::max(b.x - wide, a.x));
  canvas.fill({left, a.y + scaled(1)}, {left + wide, b.y - scaled(2)}, t.text, scaled(3));
  canvas.text({left + scaled(4), a.y + scaled(3)}, t.background, text);
}

}  // namespace et::gui
