// From box to box, and where a box is in the model.
#include <algorithm>
#include <cmath>
#include <limits>

#include "gui/models/graph_model.h"

namespace et::gui {

using inspector::LayoutPoint;
using inspector::LayoutRect;

namespace {

LayoutPoint middle_of(const LayoutRect& r) { return {(r.min.x + r.max.x) / 2, (r.min.y + r.max.y) / 2}; }

}  // namespace

double GraphViewModel::cost_level(double ns) const {
  return ns > 0 && scale_end_ > 0 ? std::sqrt(std::min(1.0, ns / scale_end_)) : 0;
}

std::string GraphViewModel::place_of(int32_t node) const {
  if (graph_ == nullptr || node < 0 || static_cast<size_t>(node) >= graph_->nodes.size()) return {};
  const std::string& path = graph_->nodes[static_cast<size_t>(node)].module_path;
  return path.starts_with(common_) ? path.substr(common_.size()) : path;
}

std::vector<int32_t> GraphViewModel::path_to(int32_t group) const {
  std::vector<int32_t> out;
  for (; group >= 0 && out.size() < groups_.size(); group = groups_[static_cast<size_t>(group)].parent)
    out.push_back(group);
  std::reverse(out.begin(), out.end());
  return out;
}

int32_t GraphViewModel::group_around(int32_t box) const {
  if (box < 0 || static_cast<size_t>(box) >= drawn_.boxes.size()) return -1;
  const GraphBox& b = drawn_.boxes[static_cast<size_t>(box)];
  return b.kind == GraphBox::Kind::Group ? b.index : b.group;
}

int32_t GraphViewModel::neighbour(int32_t box, Toward toward) const {
  if (box < 0 || static_cast<size_t>(box) >= layout_.boxes.size() || layout_.boxes.size() != drawn_.boxes.size())
    return box;
  const LayoutRect& own = layout_.boxes[static_cast<size_t>(box)];
  const LayoutPoint from = middle_of(own);
  int32_t best = box;
  float nearest = std::numeric_limits<float>::max();
  const auto take = [&](int32_t other, float distance) {
    const GraphBox::Kind kind = drawn_.boxes[static_cast<size_t>(other)].kind;
    if (kind == GraphBox::Kind::Input || kind == GraphBox::Kind::Output || distance >= nearest) return;
    nearest = distance;
    best = other;
  };
  if (toward == Toward::Producer || toward == Toward::Consumer) {
    for (const GraphLink& l : drawn_.links) {
      const int32_t here = toward == Toward::Producer ? l.to : l.from,
                    there = toward == Toward::Producer ? l.from : l.to;
      if (here != box) continue;
      const LayoutPoint to = middle_of(layout_.boxes[static_cast<size_t>(there)]);
      take(there, std::hypot(to.x - from.x, to.y - from.y));
    }
    return best;
  }
  for (size_t i = 0; i < layout_.boxes.size(); ++i) {
    const LayoutRect& r = layout_.boxes[i];
    if (static_cast<int32_t>(i) == box || r.max.y < own.min.y || r.min.y > own.max.y) continue;
    const float distance = (middle_of(r).x - from.x) * (toward == Toward::Left ? -1.0F : 1.0F);
    if (distance > 0) take(static_cast<int32_t>(i), distance);
  }
  return best;
}

}  // namespace et::gui
