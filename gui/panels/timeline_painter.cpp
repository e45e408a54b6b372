#include "gui/panels/timeline_painter.h"

#include <algorithm>
#include <cmath>

#include "gui/models/overview_model.h"
#include "gui/panels/operators_panel.h"
#include "gui/widgets/cells.h"
#include "inspector/match/type_family.h"
#include "inspector/text/format.h"

namespace et::gui {

using inspector::OpEntry;
using inspector::WindowSlice;

namespace {

constexpr float kLeastRow = 20, kMostRow = 600, kTwoLines = 34;  // points
constexpr float kOpenCall = 0.5F;                                // a delegate's call whose ops are seen below
constexpr float kMerged = 0.72F;
constexpr float kGhostRow = 0.75F;  // of a row's height

/// Time of some samples as ticks at a slice's lower edge: as high as their part of the slice's time, so that neither a
/// costly op is hidden nor a cheap one paints the whole lane when thousands of executions share a pixel.
void draw_density(Canvas& canvas, ImVec2 c, ImVec2 d, double part, ImU32 color) {
  const float tall = std::max(static_cast<float>(std::clamp(part, 0.0, 1.0)) * (d.y - c.y), scaled(2));
  canvas.fill({c.x, std::max(c.y, d.y - tall)}, {std::max(d.x, c.x + 1), d.y}, color);
}

double part_of(int64_t sum, int64_t all) { return all > 0 ? static_cast<double>(sum) / static_cast<double>(all) : 0; }

constexpr float kLeastUprightHeight = 70, kMostFoldGap = 4, kMostFold = 120;  // points

/// What a slice is part of: of a kernel that is drawn upon its call, what that call is part of.
std::optional<uint32_t> whole_of(const TimelineModel& model, int32_t op) {
  const auto& ops = model.data()->table.ops;
  const OpEntry& entry = ops[static_cast<size_t>(op)];
  return entry.parent && model.folds().is_kernel(op) ? ops[*entry.parent].parent : entry.parent;
}

/// Adds a slice to the neighbours before it, or begins anew where it lies apart of them.
void fold_slice(const TimelineModel& model, const WindowSlice& s, ImVec2 c, ImVec2 d, SliceFold* fold,
                std::vector<SliceFold>* done) {
  const bool apart = c.x > fold->end + scaled(kMostFoldGap) || d.x - fold->begin > scaled(kMostFold);
  if (fold->slices > 0 && (apart || whole_of(model, fold->op) != whole_of(model, s.op))) {
    done->push_back(*fold);
    *fold = {};
  }
  if (fold->slices == 0) *fold = {.begin = c.x, .top = c.y, .bottom = d.y};
  fold->end = d.x;
  fold->top = std::max(fold->top, c.y);
  fold->bottom = std::min(fold->bottom, d.y);
  fold->count += s.count;
  fold->sum += s.sum;
  ++fold->slices;
  if (s.sum <= fold->most && fold->op >= 0) return;
  fold->most = s.sum;
  fold->op = s.op;
}

}  // namespace

float TimelinePainter::strip_height() const { return scaled(44) + ImGui::GetTextLineHeight(); }
float TimelinePainter::ruler_height() const { return scaled(22); }
float TimelinePainter::execution_height() const { return scaled(20); }

void TimelinePainter::forget_colors(const TimelineModel& model) {
  const TraceData& data = *model.data();
  if (colored_ == &data && colored_by_ == colors && colored_theme_ == theme().kind) return;
  colored_ = &data;
  colored_by_ = colors;
  colored_theme_ = theme().kind;
  op_colors_.assign(data.table.ops.size(), 0);
  costliest_ = 0;
  if (colors != TimelineColors::Cost) return;
  for (const OpEntry& op : data.table.ops) costliest_ = std::max(costliest_, op.self_share.value_or(0));
}

ImU32 TimelinePainter::color_of(const TraceData& data, int32_t index) {
  const auto i = static_cast<size_t>(index);
  ImU32& color = op_colors_[i];
  if (color != 0) return color;
  const OpEntry& op = data.table.ops[i];
  switch (colors) {
    case TimelineColors::Type:
      color = op_color(data, index);
      break;
    case TimelineColors::Part:
      color = part_color(data.op_parts[i]);
      break;
    case TimelineColors::Module: {
      const inspector::OpNode* node = data.table.main_node(op);
      color = node == nullptr || !node->node->has_module ? theme().unattributed : name_color(node->node->module_path);
      break;
    }
    case TimelineColors::Cost:
      color = cost_color(costliest_ > 0 ? std::max(op.self_share.value_or(0), 0.0) / costliest_ : 0);
      break;
  }
  return color;
}

bool TimelinePainter::grows(const TimelineModel& model, int32_t track, int32_t level) {
  if (track != 0) return true;
  return level >= model.gap_level() && !model.folds().whole_level(level) && !model.folds().calls_level(level);
}

float TimelinePainter::height_of_level(const TimelineModel& model, int32_t track, int32_t level) const {
  if (track == 0 && level < model.gap_level()) return scaled(kLeastRow);
  // Calls whose ops are all drawn below, or upon them, need no more than their names.
  if (track == 0 && model.folds().calls_level(level)) return std::min(row_height_, scaled(kTwoLines + 4));
  return row_height_;
}

TimelinePainter::GhostRow TimelinePainter::ghost_row(const TimelineModel& model, int32_t level) const {
  GhostRow out = {ghost_top_ + scaled(18), 0};
  for (int32_t l = 0; l <= level; ++l) {
    if (model.folds().whole_level(l)) continue;
    out.top += out.height;
    out.height = height_of_level(model, 0, l) * kGhostRow;
  }
  return out;
}

float TimelinePainter::lay_out(const TimelineModel& model, float room) {
  row_height_ = scaled(kLeastRow);
  const float natural = place_rows(model);
  // What is left goes to the rows of ops.
  float rows = 0;
  for (size_t i = 0; i < model.rows().size(); ++i) {
    const TimelineRow& row = model.rows()[i];
    rows += grows(model, row.track, row.level) ? 1.0F : 0.0F;
  }
  for (int32_t l = 0; has_ghost_ && l < ghost_levels_; ++l) rows += grows(model, 0, l) ? kGhostRow : 0.0F;
  if (room <= natural || rows <= 0) return natural;
  row_height_ = std::min(scaled(kMostRow), std::floor(row_height_ + (room - natural) / rows));
  const float grown = place_rows(model);
  if (grown <= room) return grown;
  // Rows of calls have grown to their names.
  row_height_ = std::max(scaled(kLeastRow), std::floor(row_height_ - (grown - room) / rows));
  return place_rows(model);
}

float TimelinePainter::place_rows(const TimelineModel& model) {
  const float gap = scaled(6), header = scaled(18);
  float y = execution_height() + gap;  // the executions' own row
  modules_top_ = y;
  modules_height_ = model.modules().any() ? scaled(kLeastRow - 2) : 0;
  if (modules_height_ > 0) y += modules_height_ + scaled(2);
  tops_.clear();
  heights_.clear();
  has_ghost_ = false;
  const auto place_ghost = [&] {
    if (has_ghost_ || model.ghost() == nullptr) return;
    has_ghost_ = true;
    int32_t deepest = 0;
    for (const inspector::WindowRow& row : model.ghost()->window.rows) {
      if (row.track == 0 && row.lane == 0) deepest = std::max(deepest, row.level);
    }
    ghost_top_ = y + gap;
    ghost_levels_ = deepest + 1;
    const GhostRow last = ghost_row(model, deepest);
    ghost_height_ = last.top + last.height - ghost_top_;
    y = ghost_top_ + ghost_height_;
  };
  for (size_t i = 0; i < model.rows().size(); ++i) {
    const TimelineRow& row = model.rows()[i];
    if (model.is_folded_row(i)) {
      tops_.push_back(tops_.back());
      heights_.push_back(heights_.back());
      continue;
    }
    if (row.begins_track && row.track > 0) {
      place_ghost();
      y += header + gap;
    } else if (row.level == 0 && row.lane > 0) {
      y += scaled(3);
    }
    tops_.push_back(y);
    heights_.push_back(height_of_level(model, row.track, row.level));
    y += heights_.back();
  }
  place_ghost();
  return y + gap;
}

void TimelinePainter::draw_executions(Canvas& canvas, ImVec2 a, ImVec2 b, const TimelineModel& model,
                                      int64_t chosen_run, int64_t hovered) {
  const ExecutionsModel& executions = model.executions();
  const Theme& t = theme();
  const double width = b.x - a.x;
  const auto absolute = [&](double time) { return model.view.origin() + static_cast<int64_t>(time); };
  const auto count = static_cast<int64_t>(executions.size());
  for (int64_t i = std::max<int64_t>(executions.at_time(absolute(model.view.begin())), 0); i < count;) {
    const Run& run = model.data()->runs[static_cast<size_t>(executions.run(static_cast<size_t>(i)))];
    const auto begin = static_cast<double>(run.start - model.view.origin());
    if (begin > model.view.end()) break;
    const float x0 = a.x + clamp_x(model.view.x_of(begin, width));
    float x1 = a.x + clamp_x(model.view.x_of(begin + static_cast<double>(run.duration), width));
    int64_t next = i + 1;
    if (x1 - x0 < 2) {  // all that begin within the same two pixels
      next = std::max(next, executions.at_time(absolute(model.view.time_at(x0 - a.x + 2, width))) + 1);
      x1 = x0 + 2;
    }
    const bool chosen = run.id == chosen_run || (hovered >= i && hovered < next);
    const ImVec2 c = {x0, a.y + 1}, d = {std::max(x1 - (x1 - x0 > 6 ? 1.F : 0.F), x0 + 1), b.y - 1};
    canvas.fill(c, d, with_alpha(run.cold ? t.cold : run.complete ? t.muted : t.bad, chosen ? 0.55F : 0.28F), 2);
    const float left = std::max(c.x, a.x), room = std::min(d.x, b.x) - left;
    if (next == i + 1 && room > scaled(20)) {
      const std::string name = executions.name(*model.data(), static_cast<size_t>(i));
      const std::string time =
          name + "  " + inspector::format_duration_with_unit(static_cast<double>(run.duration), model.data()->unit());
      // The longest that fits: a number is not cut.
      for (const std::string& label :
           {time + (run.cold ? "  cold" : ""), time, name, "#" + std::to_string(run.execution)}) {
        if (text_width(label) + scaled(6) > room) continue;
        text_in_box(canvas, {left, c.y}, {left + room, d.y}, t.text, label);
        break;
      }
    }
    i = next;
  }
}

// Of a call that its kernel is drawn upon, and of that kernel: both rows. Elsewhere the row alone.
TimelinePainter::GhostRow TimelinePainter::span_of(const TimelineModel& model, size_t row, const WindowSlice& s) const {
  GhostRow out = {tops_[row], heights_[row]};
  if (s.count > 1 || model.is_folded_row(row)) return out;
  const auto& rows = model.rows();
  const auto beside = [&](size_t other, int32_t level) {
    return other < rows.size() && rows[other].track == rows[row].track && rows[other].lane == rows[row].lane &&
           rows[other].level == level;
  };
  if (model.folds().is_kernel(s.op) && row > 0 && beside(row - 1, rows[row].level - 1)) {
    out = {tops_[row - 1], tops_[row] + heights_[row] - tops_[row - 1]};
  } else if (model.folds().is_call(s.op) && beside(row + 1, rows[row].level + 1)) {
    out.height = tops_[row + 1] + heights_[row + 1] - tops_[row];
  }
  return out;
}

namespace {

/// Merged slices side by side, on the screen.
struct MergedStretch {
  float begin = 0, end = 0;
};

}  // namespace

void TimelinePainter::draw_row(Canvas& canvas, ImVec2 a, ImVec2 b, const TimelineModel& model, size_t row_index,
                               const TimelineHover& hover) {
  const TimelineRow& row = model.rows()[row_index];
  const Theme& t = theme();
  const double width = b.x - a.x;
  const auto& slices = model.window().slices;
  const auto begin = slices.begin() + static_cast<std::ptrdiff_t>(row.first);
  const auto end = slices.begin() + static_cast<std::ptrdiff_t>(row.last);
  auto at =
      std::partition_point(begin, end, [&](const WindowSlice& s) { return model.end_of(s) < model.view.begin(); });
  const bool searching = !model.found().hit.empty();
  const auto* gone_to = model.at() ? &*model.at() : nullptr;
  MergedStretch merged, widest;
  int64_t samples = 0;
  bool labelled = false;
  std::vector<SliceFold> folds;
  SliceFold fold;
  for (; at != end && model.begin_of(*at) <= model.view.end(); ++at) {
    const WindowSlice& s = *at;
    const float x0 = a.x + clamp_x(model.view.x_of(model.begin_of(s), width));
    const float x1 = std::max(a.x + clamp_x(model.view.x_of(model.end_of(s), width)), x0 + 1);
    const bool wide = x1 - x0 > 3;
    const GhostRow span = span_of(model, row_index, s);
    const float top = a.y + span.top - tops_[row_index];
    const ImVec2 c = {x0, top + 1}, d = {wide ? x1 - 1 : x1, top + span.height - 1};
    const bool behind = s.count == 1 && model.folds().is_call(s.op);
    ImU32 color = color_of(*model.data(), s.op);
    if (behind) color = with_alpha(color, kCallBehind);
    if (is_open_call(model, s)) color = with_alpha(color, kOpenCall);
    if (s.count > 1) color = with_alpha(color, kMerged);
    const bool dim = searching && s.found == 0;
    // What was found among other slices stands out of them.
    if (searching && s.found < s.count) color = with_alpha(color, kSteppedBack);
    canvas.fill(c, d, color, wide ? 2.F : 0.F);
    if (searching && s.found > 0 && s.found < s.count) {
      draw_density(canvas, c, d, part_of(s.found_sum, s.sum), t.warning);
    }
    samples += s.count > 1 ? s.count : 0;
    if (s.count > 1) {
      const float apart = scaled(8);
      merged = merged.end > merged.begin && x0 - merged.end < apart ? MergedStretch{merged.begin, x1}
                                                                    : MergedStretch{x0, x1};
      if (merged.end - merged.begin > widest.end - widest.begin) widest = merged;
    }
    labelled = labelled || behind;
    const bool upright = d.y - c.y > scaled(kLeastUprightHeight);
    const float seen = std::min(d.x, b.x) - std::max(c.x, a.x);
    if (!behind && (x1 - x0 > scaled(s.count == 1 ? 32 : 60) || (s.count == 1 && upright && seen >= least_upright()))) {
      labelled = true;
      draw_label(canvas, {std::max(c.x, a.x), c.y}, {std::min(d.x, b.x), d.y}, model, s, color, dim);
    } else if (!behind && upright && !searching) {
      fold_slice(model, s, c, d, &fold, &folds);
    }
    if (s.marked > 0) {
      if (wide && s.marked == s.count) {
        canvas.frame(c, d, t.selection, scaled(2), 2);
      } else {
        draw_density(canvas, c, d, s.marked == s.count ? 1 : part_of(s.marked_sum, s.sum), t.selection);
      }
    }
    if (gone_to != nullptr && s.count == 1 && s.op == gone_to->op && s.sample == gone_to->position) {
      canvas.frame({c.x - 1, c.y - 1}, {d.x + 1, d.y + 1}, t.text, scaled(2), 2);
    }
    // Of the execution that is shown first, too, single ops may be far from what they usually take.
    if (wide && far_from_usual(*model.data(), s)) {
      canvas.fill(c, {d.x, c.y + scaled(3)}, t.warning);
      // Slices may have nearly its colour: a line of the ground keeps them apart.
      canvas.line({c.x, c.y + scaled(3.5F)}, {d.x, c.y + scaled(3.5F)}, t.background, scaled(1));
    }
    if (&s == hover.slice) canvas.frame(c, d, t.hover, scaled(1.5F), 2);
  }
  folds.push_back(fold);
  if (!labelled && samples > 0)
    return draw_merged(canvas, {std::max(widest.begin, a.x), a.y}, {std::min(widest.end, b.x), b.y}, samples);
  for (const SliceFold& f : folds) {
    if (f.slices > 0) draw_folded(canvas, a, b, model, f);
  }
}

// Colours of merged slices are those of the costliest op in each: that is no picture of all of them. Upon them: what
// stands between says other things.
void TimelinePainter::draw_merged(Canvas& canvas, ImVec2 a, ImVec2 b, int64_t samples) {
  const Theme& t = theme();
  const std::string text =
      inspector::format_count(samples) + " samples, coloured by the costliest of each pixel: zoom in";
  const float line = ImGui::GetTextLineHeight(), wide = text_width(text) + scaled(12);
  if (b.y - a.y < line * 1.5F || wide > b.x - a.x) return;
  const float x = (a.x + b.x - wide) / 2, y = (a.y + b.y - line) / 2;
  canvas.fill({x, y - scaled(2)}, {x + wide, y + line + scaled(2)}, with_alpha(t.surface, 0.85F), scaled(3));
  canvas.text({x + scaled(6), y}, t.text, text);
}

void TimelinePainter::draw_rows(Canvas& canvas, ImVec2 a, ImVec2 b, float scroll, const TimelineModel& model,
                                int64_t chosen_run, const TimelineHover& hover) {
  forget_colors(model);
  const Theme& t = theme();
  canvas.fill(a, b, t.surface);
  canvas.push_clip(a, b);
  const double width = b.x - a.x;
  const Ruler ruler = make_ruler(model.view.begin(), model.view.end(), width, scaled(110), model.data()->unit());
  for (const RulerTick& tick : ruler.ticks) {
    if (tick.label.empty()) continue;
    const float x = a.x + clamp_x(model.view.x_of(tick.time, width));
    canvas.line({x, a.y}, {x, b.y}, t.grid);
  }
  if (model.has_range()) {
    const float x0 = a.x + clamp_x(model.view.x_of(model.range_begin(), width));
    const float x1 = a.x + clamp_x(model.view.x_of(model.range_end(), width));
    canvas.fill({x0, a.y}, {x1, b.y}, t.selection_fill);
  }
  const float top = a.y - scroll;
  draw_executions(canvas, {a.x, top + scaled(2)}, {b.x, top + execution_height()}, model, chosen_run, hover.execution);
  if (modules_height_ > 0)
    draw_modules(canvas, {a.x, top + modules_top_}, {b.x, top + modules_top_ + modules_height_}, model, hover.module);
  const auto& rows = model.rows();
  for (size_t i = 0; i < rows.size(); ++i) {
    const float y = top + tops_[i];
    if (rows[i].begins_track && rows[i].track > 0) {
      const inspector::TimelineTrack& track = model.index().tracks()[static_cast<size_t>(rows[i].track)];
      std::string name = track.backend.empty() ? "Separate clock" : track.backend;
      name += ", " + track.clock + ": separate clock, drawn over its calls; compare widths only within a call";
      canvas.line({a.x, y - scaled(20)}, {b.x, y - scaled(20)}, t.grid);
      canvas.text({a.x + scaled(6), y - scaled(18)}, t.muted, fitting(name, b.x - a.x - scaled(12)));
    }
    if (y > b.y || y + heights_[i] < a.y) continue;
    if (rows[i].track == 0 && rows[i].lane == 0 && rows[i].level == model.gap_level()) {
      draw_gaps(canvas, {a.x, y}, {b.x, top + bottom_of_ops(model)}, model, hover.gap);
    }
    draw_row(canvas, {a.x, y}, {b.x, y + heights_[i] - 1}, model, i, hover);
    if (rows[i].track == 0 && !model.is_folded_row(i))
      draw_call_gaps(canvas, {a.x, y}, {b.x, y + heights_[i] - 1}, model, rows[i], hover.call_gap);
  }
  if (has_ghost_ && model.ghost() != nullptr) draw_ghost(canvas, a, b, top + ghost_top_, model, hover);
  if (model.has_range()) {
    for (const double time : {model.range_begin(), model.range_end()}) {
      const float x = a.x + clamp_x(model.view.x_of(time, width));
      canvas.line({x, a.y}, {x, b.y}, t.selection, scaled(1));
    }
  }
  canvas.pop_clip();
}

TimelineHover TimelinePainter::hit(const TimelineModel& model, double x, float y, double width) const {
  TimelineHover out;
  const double time = model.view.time_at(x, width), slack = model.view.span() / width * 3;
  if (y < execution_height()) {
    const int64_t at = model.executions().at_time(model.view.origin() + static_cast<int64_t>(time + slack));
    if (at < 0) return out;
    const Run& run = model.data()->runs[static_cast<size_t>(model.executions().run(static_cast<size_t>(at)))];
    if (time <= static_cast<double>(run.start + run.duration - model.view.origin()) + slack) out.execution = at;
    return out;
  }
  if (y >= modules_top_ && y < modules_top_ + modules_height_) {
    const auto& spans = model.module_spans();
    const int64_t at = model.view.origin() + static_cast<int64_t>(time);
    for (size_t i = 0; i < spans.size() && spans[i].start <= at; ++i) {
      if (at < spans[i].end) out.module = static_cast<int32_t>(i);
    }
    return out;
  }
  // What is drawn last is on top.
  for (size_t i = std::min(tops_.size(), model.rows().size()); i-- > 0;) {
    const WindowSlice* s = model.slice_at(model.rows()[i], time, slack);
    if (s == nullptr) continue;
    const GhostRow span = span_of(model, i, *s);
    if (y < span.top || y >= span.top + span.height) continue;
    out.row = static_cast<int>(i);
    out.slice = s;
    return out;
  }
  for (size_t i = 0; i < tops_.size() && i < model.rows().size(); ++i) {
    if (y < tops_[i] || y >= tops_[i] + heights_[i]) continue;
    out.row = static_cast<int>(i);
    if (model.rows()[i].track == 0) {
      for (size_t g = 0; g < model.gaps().size(); ++g) {
        const auto from = static_cast<double>(model.gaps()[g].start - model.view.origin());
        const auto to = static_cast<double>(model.gaps()[g].end - model.view.origin());
        if (time >= from && time <= to && model.rows()[i].level >= model.gap_level()) out.gap = static_cast<int32_t>(g);
      }
      const int64_t at = model.view.origin() + static_cast<int64_t>(time);
      for (size_t g = 0; g < model.call_gaps().size(); ++g) {
        const CallGap& gap = model.call_gaps()[g];
        const bool here = gap.lane == model.rows()[i].lane && gap.level == model.rows()[i].level;
        if (here && at >= gap.start && at <= gap.end) out.call_gap = static_cast<int32_t>(g);
      }
    }
    return out;
  }
  if (has_ghost_ && model.ghost() != nullptr && y >= ghost_top_ + scaled(18) && y < ghost_top_ + ghost_height_) {
    const TimelineGhost& ghost = *model.ghost();
    for (const inspector::WindowRow& row : ghost.window.rows) {
      const GhostRow place = ghost_row(model, row.level);
      if (row.track != 0 || row.lane != 0 || y < place.top || y >= place.top + place.height) continue;
      for (size_t i = row.first; i < row.last; ++i) {
        const WindowSlice& s = ghost.window.slices[i];
        const auto shift = static_cast<double>(ghost.shift);
        if (time < model.begin_of(s) + shift - slack || time > model.end_of(s) + shift + slack) continue;
        out.slice = &s;
        out.ghost = true;
        if (time <= model.end_of(s) + shift) break;
      }
    }
  }
  return out;
}

}  // namespace et::gui
