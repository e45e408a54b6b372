#include "gui/panels/timeline_pins.h"

#include <algorithm>
#include <array>

#include "gui/widgets/theme.h"

namespace et::gui {
namespace {

constexpr float kPinWidth = 9, kPinHeight = 7;
constexpr float kApart = 150;  // pins of one op, whose slices repeat: the ruler stays legible

ImU32 pin_color(const std::string& name) {
  if (name == "good") return theme().good;
  if (name == "bad") return theme().bad;
  return name == "warning" ? theme().warning : theme().selection;
}

}  // namespace

std::vector<PlacedPin> place_pins(const std::vector<NotePin>& pins, const TimelineModel& model, float width) {
  std::vector<PlacedPin> out;
  const auto x_of = [&](double time) { return static_cast<float>(model.view.x_of(time, static_cast<double>(width))); };
  for (size_t i = 0; i < pins.size(); ++i) {
    const Selection& s = pins[i].target;
    if (s.kind == Selection::Kind::Range) {
      const float x = x_of(static_cast<double>(s.start - model.view.origin()));
      const float until = x_of(static_cast<double>(s.end - model.view.origin()));
      if (until >= 0 && x <= width) out.push_back({i, x, until});
      continue;
    }
    const int32_t op = model.data() == nullptr ? -1 : model.data()->find_op(s.op);
    std::vector<float> places;
    for (const inspector::WindowSlice& slice : model.window().slices) {
      if (slice.op == op) places.push_back(x_of(model.begin_of(slice)));
    }
    std::sort(places.begin(), places.end());
    float last = -1e9F;
    for (const float x : places) {
      if (x < 0 || x > width || x - last < scaled(kApart)) continue;
      out.push_back({i, x, x});
      last = x;
    }
  }
  std::stable_sort(out.begin(), out.end(), [](const PlacedPin& p, const PlacedPin& q) { return p.x < q.x; });
  return out;
}

void draw_pins(Canvas& canvas, ImVec2 a, ImVec2 b, const std::vector<NotePin>& pins,
               const std::vector<PlacedPin>& placed) {
  canvas.push_clip(a, b);
  for (const PlacedPin& p : placed) {
    const ImU32 color = pin_color(pins[p.pin].color);
    const float x = a.x + p.x;
    if (p.until > p.x) canvas.fill({x, b.y - scaled(3)}, {a.x + p.until, b.y}, with_alpha(color, 0.6F));
    canvas.line({x, a.y + 1}, {x, b.y}, color, 1.5F);
    const std::array<ImVec2, 3> flag = {
        {{x, a.y + 1}, {x + scaled(kPinWidth), a.y + 1 + scaled(kPinHeight) / 2}, {x, a.y + 1 + scaled(kPinHeight)}}};
    canvas.polygon(flag, color);
  }
  canvas.pop_clip();
}

int32_t pin_at(const std::vector<PlacedPin>& placed, float x) {
  for (const PlacedPin& p : placed) {
    if (x >= p.x - scaled(3) && x <= p.x + scaled(kPinWidth + 2)) return static_cast<int32_t>(p.pin);
  }
  return -1;
}

}  // namespace et::gui
