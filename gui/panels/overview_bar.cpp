// The bar of the overview: where the time goes, at a glance. Parts of an execution above, the types of their operators
// below.
#include <algorithm>
#include <initializer_list>

#include "gui/panels/overview_tables.h"
#include "gui/widgets/cells.h"
#include "inspector/match/type_family.h"

namespace et::gui {

ImU32 part_color(const OverviewPart& part) {
  switch (part.kind) {
    case OverviewPart::Kind::Delegate:
      return backend_color(part.backend);
    case OverviewPart::Kind::Kernel:
      return theme().kernel;
    case OverviewPart::Kind::Control:
      return theme().control;
    case OverviewPart::Kind::Framework:
      return theme().framework;
    case OverviewPart::Kind::Unattributed:
      return theme().unattributed;
    case OverviewPart::Kind::Variation:
      break;
  }
  return theme().variation;
}

namespace {

double bar_sum(const std::vector<OverviewPart>& parts) {
  double sum = 0;
  for (const OverviewPart& part : parts) sum += std::max(part.share, 0.0);
  return sum;
}

/// The first of the labels that fits whole: two letters of a name say nothing. False: none does.
bool label_box(Canvas& canvas, ImVec2 a, ImVec2 b, ImU32 color, std::initializer_list<std::string> labels) {
  for (const std::string& label : labels) {
    if (text_width(label) + scaled(8) > b.x - a.x) continue;
    text_in_box(canvas, a, b, text_on(color), label);
    return true;
  }
  return false;
}

void draw_types(Canvas& canvas, ImVec2 a, ImVec2 b, const OverviewPart& part) {
  double before = 0;
  for (size_t i = 0; i < part.types.size(); ++i) {
    const OverviewSlice& slice = part.types[i];
    const float left = a.x + (b.x - a.x) * static_cast<float>(std::min(before / part.share, 1.0));
    before += slice.share;
    const float right = a.x + (b.x - a.x) * static_cast<float>(std::min(before / part.share, 1.0));
    if (right - left < 1) continue;
    const ImU32 color = type_color(slice.type);
    canvas.fill({left, a.y}, {right - (right - left > 3 ? 1.0F : 0.0F), b.y}, color);
    const std::string name = inspector::short_type(slice.type), share = inspector::format_share(slice.share);
    std::string part_of_name = right - left > scaled(52) ? fitting(name, right - left - scaled(8)) : name;
    (void)label_box(canvas, {left, a.y}, {right, b.y}, color, {name + "  " + share, name, part_of_name});
  }
}

}  // namespace

std::vector<const OverviewPart*> draw_stacked_bar(Canvas& canvas, ImVec2 a, ImVec2 b,
                                                  const std::vector<OverviewPart>& parts) {
  std::vector<const OverviewPart*> unnamed;
  const double sum = bar_sum(parts);
  if (!(sum > 0)) return unnamed;
  double before = 0;
  const float middle = (a.y + b.y) / 2;
  for (const OverviewPart& part : parts) {
    if (!(part.share > 0)) continue;
    const float left = a.x + (b.x - a.x) * static_cast<float>(before / sum);
    before += part.share;
    const float right = std::max(left + 1, a.x + (b.x - a.x) * static_cast<float>(before / sum) - 1);
    const float bottom = part.types.empty() ? b.y : middle;
    const ImU32 color = part_color(part);
    canvas.fill({left, a.y}, {right, bottom}, color);
    const std::string share = inspector::format_share(part.share);
    // What no op of the backend explains is a part of its own.
    const bool of_ops = part.kind == OverviewPart::Kind::Delegate &&
                        std::any_of(parts.begin(), parts.end(), [&](const OverviewPart& p) {
                          return p.kind == OverviewPart::Kind::Unattributed && p.backend == part.backend;
                        });
    const std::string name = of_ops ? "ops of " + part.name : part.name;
    if (!label_box(canvas, {left, a.y}, {right, bottom}, color, {name + "  " + share, name})) {
      unnamed.push_back(&part);
      (void)label_box(canvas, {left, a.y}, {right, bottom}, color, {share});
    }
    if (part.types.empty()) continue;
    canvas.fill({left, middle + 1}, {right, b.y}, with_alpha(color, 0.25F));
    draw_types(canvas, {left, middle + 1}, {right, b.y}, part);
  }
  return unnamed;
}

std::vector<WalkBox> bar_boxes(const std::vector<OverviewPart>& parts, ImVec2 a, ImVec2 b) {
  std::vector<WalkBox> out;
  const double sum = bar_sum(parts);
  if (!(sum > 0)) return out;
  const auto x_of = [&](double at) { return a.x + (b.x - a.x) * static_cast<float>(std::min(at / sum, 1.0)); };
  const float middle = (a.y + b.y) / 2;
  double before = 0;
  for (const OverviewPart& part : parts) {
    if (!(part.share > 0)) continue;
    const double begin = before;
    before += part.share;
    out.push_back({std::ssize(out), {x_of(begin), a.y}, {x_of(before), part.types.empty() ? b.y : middle}});
    double types = begin;
    for (const OverviewSlice& slice : part.types) {
      const double from = types;
      types += slice.share;
      if (x_of(types) - x_of(from) >= 1) out.push_back({std::ssize(out), {x_of(from), middle + 1}, {x_of(types), b.y}});
    }
  }
  return out;
}

BarPlace bar_place(const std::vector<OverviewPart>& parts, float x, float y) {
  const double sum = bar_sum(parts), at = static_cast<double>(x) * sum;
  double before = 0;
  for (const OverviewPart& part : parts) {
    const double begin = before;
    before += std::max(part.share, 0.0);
    if (!(part.share > 0) || at > before) continue;
    BarPlace out{&part};
    if (y < 0.5F) return out;
    double types = begin;
    for (const OverviewSlice& slice : part.types) {
      types += slice.share;
      if (at <= types) {
        out.slice = &slice;
        break;
      }
    }
    return out;
  }
  return {};
}

}  // namespace et::gui
