#include "gui/panels/memory_drawing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "gui/widgets/cells.h"
#include "gui/widgets/theme.h"
#include "inspector/text/format.h"

namespace et::gui {

using inspector::PlanArena;
using inspector::PlanTensor;

namespace {

/// 1, 2, 5, 10, … for instructions; powers of two for bytes: the first step with at most `most` of them in `range`.
double count_step(double range, double most) {
  double step = 1;
  for (int i = 0; range / step > most && i < 60; ++i) step *= i % 3 == 1 ? 2.5 : 2;
  return step;
}
double byte_step(double range, double most) {
  double step = 1;
  while (range / step > most) step *= 2;
  return step;
}

float x_of(const MemoryView& view, const MemoryAreas& areas, double column) {
  return areas.plan_min.x +
         static_cast<float>((column - view.x0) / (view.x1 - view.x0)) * (areas.plan_max.x - areas.plan_min.x);
}

/// Bytes in use as steps, filled down to the ground. Of several instructions in one pixel the most is drawn.
void draw_curve(Canvas& canvas, const PlanArena& arena, const MemoryView& view, const MemoryAreas& areas) {
  const ImVec2 a = areas.curve_min, b = areas.curve_max;
  const double top = static_cast<double>(std::max({arena.bytes, arena.peak, int64_t{1}}));
  const auto y_of = [&](double bytes) { return b.y - static_cast<float>(bytes / top) * (b.y - a.y); };
  canvas.push_clip(a, b);
  const int pixels = static_cast<int>(b.x - a.x);
  float run_start = a.x, run_y = b.y;
  std::vector<ImVec2> line;
  const auto flush = [&](float x) {
    if (x > run_start) canvas.fill({run_start, run_y}, {x, b.y}, with_alpha(theme().kernel, 0.28F));
    line.push_back({run_start, run_y});
    line.push_back({x, run_y});
  };
  for (int p = 0; p < pixels; ++p) {
    const double c0 = view.x0 + (view.x1 - view.x0) * p / pixels, c1 = view.x0 + (view.x1 - view.x0) * (p + 1) / pixels;
    const auto last = static_cast<double>(arena.in_use.size()) - 1;
    const auto from = static_cast<size_t>(std::clamp(std::floor(c0), 0.0, last));
    const auto to = static_cast<size_t>(std::clamp(std::ceil(c1) - 1, static_cast<double>(from), last));
    int64_t most = 0;
    for (size_t i = from; i <= to; ++i) most = std::max(most, arena.in_use[i]);
    const float y = y_of(static_cast<double>(most)), x = a.x + static_cast<float>(p);
    if (p == 0) {
      run_y = y;
    } else if (y != run_y) {
      flush(x);
      run_start = x;
      run_y = y;
    }
  }
  flush(b.x);
  canvas.polyline(line, theme().kernel, scaled(1.5F));
  canvas.pop_clip();
  const float limit = y_of(static_cast<double>(arena.bytes));
  canvas.line({a.x, limit}, {b.x, limit}, theme().muted);
  canvas.line({a.x, b.y}, {b.x, b.y}, theme().grid);
  const std::string label = inspector::format_bytes(static_cast<int64_t>(top));
  canvas.text({a.x - text_width(label) - scaled(6), a.y - scaled(2)}, theme().muted, label, 0, Anchor::Right);
  const char* ground = "0";
  canvas.text({a.x - text_width(ground) - scaled(6), b.y - ImGui::GetFontSize() + scaled(2)}, theme().muted, ground, 0,
              Anchor::Right);
}

/// What a box says of its tensor, whole or not at all: what writes it, its name, else its shape, else its size. ""
/// where none fits.
std::string text_for_box(const MemoryModel& model, const PlanTensor& t, float room, float height) {
  if (height < ImGui::GetFontSize() * 0.9F) return {};
  const inspector::PlanInstruction* const by = t.producer < 0 ? nullptr : model.instruction_facts(t.producer);
  const std::string whole = by == nullptr ? std::string(inspector::role_name(t.role)) + ": " + tensor_label(t)
                                          : inspector::printable(by->title) + ": " + tensor_label(t);
  for (const std::string& text : {whole, tensor_label(t), t.shape, inspector::format_bytes(t.bytes)}) {
    if (text_width(text) + scaled(8) <= room) return text;
  }
  return {};
}

/// Below the numbers of the instructions: when they begin, on the shown basis.
void draw_time_axis(Canvas& canvas, const MemoryView& view, const MemoryAreas& areas, const MemoryDrawing& drawing) {
  const ImVec2 a = areas.plan_min, b = areas.plan_max;
  const std::vector<double>& begins = *drawing.begins;
  const double columns = view.x1 - view.x0;
  const double every = count_step(columns, std::max(2.0F, (b.x - a.x) / scaled(90)));
  float free = a.x;
  for (double i = std::max(0.0, std::ceil((view.x0 - 1) / every) * every); i + 1 < view.x1; i += every) {
    if (i >= static_cast<double>(begins.size())) break;
    const double begin = begins[static_cast<size_t>(i)];
    const std::string label = begin == 0 ? "0" : inspector::format_duration_with_unit(begin, drawing.unit);
    const float x = x_of(view, areas, i + 1), width = text_width(label);
    const float at = std::max(x - width / 2, a.x);
    if (at < free || at + width > b.x) continue;
    free = at + width + scaled(12);
    canvas.text({at, b.y + scaled(5) + ImGui::GetFontSize()}, theme().muted, label);
  }
}

void draw_axes(Canvas& canvas, const PlanArena& arena, const MemoryView& view, const MemoryAreas& areas) {
  const ImVec2 a = areas.plan_min, b = areas.plan_max;
  const double bytes = view.y1 - view.y0, height = b.y - a.y;
  const double step = byte_step(bytes, std::max(2.0, height / scaled(44)));
  for (double at = std::ceil(view.y0 / step) * step; at <= view.y1; at += step) {
    const float y = b.y - static_cast<float>((at - view.y0) / bytes * height);
    canvas.line({a.x, y}, {b.x, y}, theme().grid);
    const std::string label =
        at == 0 ? "0" : inspector::format_bytes(static_cast<int64_t>(at), static_cast<int64_t>(step));
    const float text_y = std::clamp(y - ImGui::GetFontSize() / 2, a.y - scaled(4), b.y - ImGui::GetFontSize());
    canvas.text({a.x - text_width(label) - scaled(6), text_y}, theme().muted, label, 0, Anchor::Right);
  }
  // The columns before the first and after the last instruction.
  for (const auto& [column, label] :
       {std::pair{0.5, "start"}, {static_cast<double>(arena.in_use.size()) - 0.5, "end"}}) {
    const float x = x_of(view, areas, column), width = x_of(view, areas, column + 1) - x;
    if (width > text_width(label) + scaled(8) && x > a.x && x < b.x) {
      canvas.text({x - text_width(label) / 2, b.y + scaled(4)}, theme().faint, label, 0, Anchor::Middle);
    }
  }
  const double columns = view.x1 - view.x0;
  const double every = count_step(columns, std::max(2.0F, (b.x - a.x) / scaled(70)));
  for (double i = std::max(0.0, std::ceil((view.x0 - 1) / every) * every); i + 1 < view.x1; i += every) {
    if (i >= static_cast<double>(arena.instructions())) break;
    const float x = x_of(view, areas, i + 1), middle = x_of(view, areas, i + 1.5);
    canvas.line({x, b.y}, {x, b.y + scaled(3)}, theme().muted);
    const std::string label = inspector::format_count(static_cast<int64_t>(i));
    const float width = text_width(label);
    const float at = every > 1 ? x - width / 2 : middle - width / 2;
    if (at + width < b.x) canvas.text({at, b.y + scaled(4)}, theme().muted, label);
  }
}

/// Where a name stands.
struct Label {
  ImVec2 min, max;
};

/// From top to bottom, but not through a name.
void upright_line(Canvas& canvas, float x, float top, float bottom, ImU32 color, const std::vector<Label>& labels) {
  std::vector<std::pair<float, float>> gaps;
  for (const Label& label : labels) {
    if (label.min.x < x && x < label.max.x) gaps.emplace_back(label.min.y, label.max.y);
  }
  std::sort(gaps.begin(), gaps.end());
  for (const auto& [from, to] : gaps) {
    if (from > top) canvas.line({x, top}, {x, from}, color);
    top = std::max(top, to);
  }
  if (bottom > top) canvas.line({x, top}, {x, bottom}, color);
}

void mark_column(Canvas& canvas, const MemoryView& view, const MemoryAreas& areas, int64_t instruction, ImU32 color,
                 bool filled, const std::vector<Label>& labels) {
  const float x0 = std::max(x_of(view, areas, static_cast<double>(instruction + 1)), areas.plan_min.x);
  const float x1 = std::min(x_of(view, areas, static_cast<double>(instruction + 2)), areas.plan_max.x);
  if (x1 <= areas.plan_min.x || x0 >= areas.plan_max.x) return;
  const float right = std::max(x1, x0 + 1);
  if (filled) canvas.fill({x0, areas.curve_min.y}, {right, areas.plan_max.y}, with_alpha(color, 0.14F));
  for (const float x : {x0, right}) upright_line(canvas, x, areas.curve_min.y, areas.plan_max.y, color, labels);
}

/// In the part of the box that no later one covers (views share the bytes of others), and that is seen.
void name_tensor(Canvas& canvas, const MemoryModel& model, const MemoryAreas& areas,
                 const std::vector<MemoryRect>& rects, size_t index, const PlanTensor& t, ImU32 color,
                 std::vector<Label>* labels) {
  constexpr size_t kMostCompared = 4000;  // of more no box is large enough to be covered in part
  const ImVec2 origin = areas.plan_min;
  const MemoryRect& r = rects[index];
  ImVec2 a = {std::max(origin.x + r.x0, origin.x), std::max(origin.y + r.y0, origin.y)};
  ImVec2 b = {std::min(origin.x + r.x1, areas.plan_max.x), std::min(origin.y + r.y1, areas.plan_max.y)};
  if (b.x - a.x < scaled(24) || b.y - a.y < ImGui::GetFontSize() * 0.9F) return;
  const float middle = (a.y + b.y) / 2, half = ImGui::GetFontSize() / 2;
  for (size_t i = index + 1; i < rects.size() && rects.size() < kMostCompared; ++i) {
    const float top = origin.y + rects[i].y0, bottom = origin.y + rects[i].y1;
    const float left = origin.x + rects[i].x0, right = origin.x + rects[i].x1;
    if (bottom < middle - half || top > middle + half || right <= a.x || left >= b.x) continue;
    // What is left on the wider side of it.
    if (left - a.x >= b.x - right) {
      b.x = std::max(left, a.x);
    } else {
      a.x = std::min(right, b.x);
    }
  }
  const std::string text = text_for_box(model, t, b.x - a.x, b.y - a.y);
  if (text.empty()) return;
  text_in_box(canvas, a, b, color, text);
  const float beside = scaled(4);  // of its first and last letter
  labels->push_back({{a.x - beside, middle - half}, {a.x + text_width(text) + 2 * beside, middle + half}});
}

constexpr float kOthers = 0.45F;   // of what does not stand out
constexpr double kSmallest = 0.2;  // of the colours, where sizes begin

void draw_tensors(Canvas& canvas, MemoryModel& model, const MemoryAreas& areas, const std::vector<int32_t>& highlighted,
                  const MemoryDrawing& drawing, std::vector<Label>* labels) {
  const PlanArena& arena = *model.arena();
  const ImVec2 a = areas.plan_min;
  const auto& rects = model.layout(areas.plan_max.x - a.x, areas.plan_max.y - a.y);
  const bool some = !highlighted.empty();
  const float inset = rects.size() > 2000 ? 0.0F : 0.5F;
  const int64_t largest = largest_bytes(arena);
  for (const MemoryRect& r : rects) {
    const PlanTensor& t = arena.tensors[static_cast<size_t>(r.tensor)];
    ImU32 color = tensor_color(t, largest, drawing.colors);
    const bool chosen = some && std::binary_search(highlighted.begin(), highlighted.end(), r.tensor);
    const bool bright = model.stands_out(r.tensor, highlighted);
    // What makes the peak, or was chosen, stands out of what is alive at other times.
    if (!bright) color = with_alpha(color, kOthers);
    const ImVec2 p = {a.x + r.x0 + inset, a.y + r.y0 + inset};
    const ImVec2 q = {std::max(a.x + r.x1 - inset, p.x + 1), std::max(a.y + r.y1 - inset, p.y + 1)};
    canvas.fill(p, q, color, scaled(2));
    // Boxes that are nearly of the ground's colour are told by their outlines.
    const ImU32 outline = bright ? theme().text : with_alpha(theme().muted, 0.6F);
    if (q.x - p.x > 4 && q.y - p.y > 4) canvas.frame(p, q, outline, 1, scaled(2));
    if (chosen) canvas.frame(p, q, theme().selection, scaled(2), scaled(2));
    if (r.tensor == model.selected()) canvas.frame(p, q, theme().selection, scaled(3), scaled(2));
    if (r.tensor == drawing.hovered) canvas.frame(p, q, theme().hover, scaled(2), scaled(2));
  }
  for (size_t i = 0; i < rects.size(); ++i) {
    const PlanTensor& t = arena.tensors[static_cast<size_t>(rects[i].tensor)];
    const ImU32 color = tensor_color(t, largest, drawing.colors);
    name_tensor(canvas, model, areas, rects, i, t,
                model.stands_out(rects[i].tensor, highlighted) ? text_on(color) : theme().text, labels);
  }
}

}  // namespace

int64_t largest_bytes(const PlanArena& arena) {
  int64_t largest = 0;
  for (const PlanTensor& t : arena.tensors) largest = std::max(largest, t.bytes);
  return largest;
}

MemoryAreas memory_areas(ImVec2 min, ImVec2 max) {
  const float left = min.x + scaled(84), right = std::max(max.x - scaled(8), left + 1);
  const float line = ImGui::GetFontSize();
  const float top = min.y + line * 1.5F, bottom = std::max(max.y - line * 2.7F, top + 4);
  const float curve = std::clamp((bottom - top) * 0.22F, scaled(24), scaled(110));
  return {.curve_min = {left, top},
          .curve_max = {right, top + curve},
          .plan_min = {left, std::min(top + curve + line * 1.6F, bottom - 1)},
          .plan_max = {right, bottom}};
}

ImU32 tensor_color(const PlanTensor& tensor, int64_t largest, MemoryColors colors) {
  switch (colors) {
    case MemoryColors::Size:
      // The first colours are all but the ground's.
      return cost_color(kSmallest + (1 - kSmallest) * static_cast<double>(tensor.bytes) /
                                        static_cast<double>(std::max<int64_t>(largest, 1)));
    case MemoryColors::Role:
      return tensor.role == PlanTensor::Role::Intermediate ? theme().kernel
                                                           : name_color(inspector::role_name(tensor.role));
    case MemoryColors::Type:
      break;
  }
  return name_color(tensor.dtype);
}

std::string tensor_label(const PlanTensor& tensor) {
  return tensor.name.empty() ? tensor.shape + " " + tensor.dtype : inspector::printable(tensor.name);
}

void draw_memory(Canvas& canvas, MemoryModel& model, const std::vector<int32_t>& highlighted,
                 const MemoryDrawing& drawing) {
  const PlanArena* arena = model.arena();
  if (arena == nullptr) return;
  const MemoryAreas areas = memory_areas(canvas.min(), canvas.max());
  const MemoryView& view = model.view();
  const float line = ImGui::GetFontSize();
  canvas.fill(areas.plan_min, areas.plan_max, theme().surface);
  canvas.text({areas.curve_min.x, canvas.min().y}, theme().muted, "bytes alive");
  draw_curve(canvas, *arena, view, areas);
  draw_axes(canvas, *arena, view, areas);
  canvas.push_clip(areas.plan_min, areas.plan_max);
  std::vector<Label> labels;
  draw_tensors(canvas, model, areas, highlighted, drawing, &labels);
  canvas.pop_clip();
  canvas.frame(areas.plan_min, areas.plan_max, theme().grid);
  // In the margin below the bytes, in line with the numbers.
  const auto name_axis = [&](const char* axis, float y) {
    canvas.text({areas.plan_min.x - text_width(axis) - scaled(8), y}, theme().faint, axis, 0, Anchor::Right);
  };
  name_axis("instruction", areas.plan_max.y + scaled(4));
  if (drawing.begins != nullptr && !drawing.begins->empty()) {
    draw_time_axis(canvas, view, areas, drawing);
    name_axis("time", areas.plan_max.y + scaled(5) + line);
  }
  // What there is room for, from the words to the bare names.
  const bool chosen = !model.searches() && (!highlighted.empty() || model.selected() >= 0);
  const std::string when = std::string(model.searches()  ? "found by the search"
                                       : model.at_peak() ? "alive at the peak"
                                                         : "alive at the chosen instruction") +
                           (chosen ? ", and framed what is selected" : "");
  std::string caption;
  const float room = areas.plan_max.x - areas.plan_min.x;
  for (const std::string& text :
       {"A box is a tensor: as high as its bytes, at its offset, as wide as it lives; bright: " + when,
        "box: a tensor's bytes and lifetime; bright: " + when, "tensors; bright: " + when,
        std::string(chosen ? "tensors; framed: what is selected" : "tensors")}) {
    caption = text;
    if (text_width(text) <= room) break;
  }
  caption = fitting(caption, room);
  const ImVec2 caption_at = {areas.plan_min.x, areas.plan_min.y - line * 1.25F};
  canvas.text(caption_at, theme().muted, caption);
  labels.push_back({caption_at, {caption_at.x + text_width(caption), caption_at.y + line}});
  mark_column(canvas, view, areas, arena->peak_at, theme().warning, false, labels);
  if (!model.at_peak()) mark_column(canvas, view, areas, model.instruction(), theme().selection, true, labels);
  if (drawing.cursor != INT64_MIN) mark_column(canvas, view, areas, drawing.cursor, theme().hover, false, labels);
  const std::string peak = "peak " + inspector::format_bytes(arena->peak);
  const float x = x_of(view, areas, static_cast<double>(arena->peak_at) + 1.5) - text_width(peak) / 2;
  canvas.text(
      {std::clamp(x, areas.curve_min.x + text_width("bytes alive") + scaled(12), areas.curve_max.x - text_width(peak)),
       canvas.min().y},
      theme().warning, peak);
}

}  // namespace et::gui
