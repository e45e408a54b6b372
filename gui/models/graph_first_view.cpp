// Where a graph that is too large to be read as a whole is seen first.
#include <algorithm>
#include <cmath>
#include <vector>

#include "gui/models/graph_model.h"

namespace et::gui {

using inspector::LayoutPoint;
using inspector::LayoutRect;

namespace {

constexpr size_t kMostNear = 48;  // boxes that are tried: views begin or end at one
constexpr float kCut = 0.5F;      // what a box that is seen in part spoils

/// Those that one view could have together with `box`, the nearest ones of many.
std::vector<size_t> near_boxes(const std::vector<LayoutRect>& boxes, size_t box, float wide, float high) {
  const LayoutRect& own = boxes[box];
  std::vector<std::pair<float, size_t>> found;
  for (size_t i = 0; i < boxes.size(); ++i) {
    const LayoutRect& r = boxes[i];
    const float across = std::max(own.max.x, r.max.x) - std::min(own.min.x, r.min.x);
    const float down = std::max(own.max.y, r.max.y) - std::min(own.min.y, r.min.y);
    if (i == box || (across <= wide && down <= high)) found.emplace_back(across / wide + down / high, i);
  }
  std::sort(found.begin(), found.end());
  found.resize(std::min(found.size(), kMostNear));
  std::vector<size_t> out;
  for (const auto& [distance, i] : found) out.push_back(i);
  return out;
}

/// Where a view of `length` may begin along an axis, so that `low` to `high` is in it.
std::vector<float> begins(const std::vector<std::pair<float, float>>& spans, float low, float high, float length,
                          float size, float margin) {
  if (size + 2 * margin <= length) return {(size - length) / 2};
  const float first = std::max(-margin, high + margin - length), last = std::min(low - margin, size + margin - length);
  if (first >= last) return {std::clamp(low - margin, -margin, size + margin - length)};
  std::vector<float> out = {first, last};
  for (const auto& [from, to] : spans) {
    out.push_back(std::clamp(from - margin, first, last));
    out.push_back(std::clamp(to + margin - length, first, last));
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace

LayoutPoint GraphViewModel::best_view(int32_t box, float wide, float high, float margin) const {
  const auto index = static_cast<size_t>(box);
  const std::vector<LayoutRect>& boxes = layout_.boxes;
  const std::vector<size_t> near = near_boxes(boxes, index, wide, high);
  std::vector<std::pair<float, float>> across, down;
  double all = 0;
  for (const size_t i : near) {
    across.emplace_back(boxes[i].min.x, boxes[i].max.x);
    down.emplace_back(boxes[i].min.y, boxes[i].max.y);
    all += drawn_.boxes[i].ns;
  }
  const auto value_at = [&](float x, float y) {
    double value = 0;
    for (const size_t i : near) {
      const LayoutRect& r = boxes[i];
      if (r.max.x <= x || r.min.x >= x + wide || r.max.y <= y || r.min.y >= y + high) continue;
      const bool whole = r.min.x >= x && r.max.x <= x + wide && r.min.y >= y && r.max.y <= y + high;
      const double costs = all > 0 ? static_cast<double>(near.size()) * drawn_.boxes[i].ns / all : 0;
      value += whole ? 1 + costs : -static_cast<double>(kCut);
    }
    return value;
  };
  LayoutPoint best;
  double most = -1e9;
  const LayoutRect& own = boxes[index];
  // Of views that are worth the same the one that has the box nearest to its middle.
  const auto away = [&](float x, float y) {
    return static_cast<double>(std::abs((own.min.x + own.max.x - wide) / 2 - x) / wide +
                               std::abs((own.min.y + own.max.y - high) / 2 - y) / high);
  };
  constexpr double kAway = 0.2;  // less than a box is worth
  for (const float y : begins(down, own.min.y, own.max.y, high, layout_.height, margin)) {
    for (const float x : begins(across, own.min.x, own.max.x, wide, layout_.width, margin)) {
      if (const double value = value_at(x, y) - kAway * away(x, y); value > most) most = value, best = {x, y};
    }
  }
  return best;
}

}  // namespace et::gui
