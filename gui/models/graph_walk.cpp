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
  const double share = graph_ != nullptr && graph_->total_ns > 0 ? ns / graph_->total_ns : 0;
  return share > kLeastShare ? std::min(1.0, std::log(share / kLeastShare) / std::log(kMostShare / kLeastShare)) : 0;
}

std::string GraphViewModel::place_of(int32_t node) const {
  if (graph_ == nullptr || node < 0 || static_cast<size_t>(node) >= graph_->nodes.size()) return {};
  const std::string& path = graph_->nodes[static_cast<size_t>(node)].module_path;
  return path.starts_with(common_) ? path.substr(common_.size()) : path;
}

namespace {

/// "model.py:12", "" for a node without a line.
std::string line_of(const inspector::GraphNode& n) {
  return n.file.empty() ? "" : n.file.substr(n.file.find_last_of('/') + 1) + ":" + std::to_string(n.line);
}

std::string type_and_module(const inspector::GraphNode& n) { return n.op + "\n" + n.module_path; }

}  // namespace

void GraphViewModel::count_alike() {
  alike_.clear();
  for (size_t i = 0; graph_ != nullptr && i < graph_->nodes.size(); ++i) {
    const inspector::GraphNode& n = graph_->nodes[i];
    ++alike_[type_and_module(n)];
    if (const std::string line = line_of(n); !line.empty()) ++alike_[type_and_module(n) + "\n" + line];
  }
}

GraphViewModel::Place GraphViewModel::place_apart(int32_t node) const {
  Place out = {place_of(node), ""};
  if (graph_ == nullptr || node < 0 || static_cast<size_t>(node) >= graph_->nodes.size()) return out;
  const inspector::GraphNode& n = graph_->nodes[static_cast<size_t>(node)];
  const auto is_alone = [&](const std::string& key) {
    const auto found = alike_.find(key);
    return found == alike_.end() || found->second == 1;
  };
  if (!out.module.empty() && is_alone(type_and_module(n))) return out;
  // A line that all of them have says nothing.
  const std::string line = line_of(n), on_line = type_and_module(n) + "\n" + line;
  const auto alike = alike_.find(type_and_module(n)), there = alike_.find(on_line);
  const bool same_line = there != alike_.end() && alike != alike_.end() && there->second == alike->second;
  if (!line.empty() && (!same_line || is_alone(on_line))) out.rest = line;
  if (line.empty() || !is_alone(on_line)) out.rest += (out.rest.empty() ? "" : " · ") + n.name;
  return out;
}

std::string GraphViewModel::line_or_name(int32_t node) const {
  const inspector::GraphNode& n = graph_->nodes[static_cast<size_t>(node)];
  const std::string line = line_of(n);
  return line.empty() ? n.name : line;
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

int32_t GraphViewModel::group_around(const std::vector<bool>& boxes) const {
  std::vector<int32_t> common;
  bool first = true;
  for (size_t b = 0; b < boxes.size(); ++b) {
    if (!boxes[b]) continue;
    const std::vector<int32_t> path = path_to(group_around(static_cast<int32_t>(b)));
    if (first) common = path;
    first = false;
    const auto end = std::mismatch(common.begin(), common.end(), path.begin(), path.end()).first;
    common.erase(end, common.end());
  }
  return common.empty() ? -1 : common.back();
}

std::string GraphViewModel::continued(int32_t cluster, const LayoutRect& piece) const {
  const int32_t group = drawn_.clusters[static_cast<size_t>(cluster)];
  const std::vector<int32_t> path = path_to(group);
  // The outer ones that go on in this column, too: the same top, and this one lies in them.
  std::vector<int32_t> going_on;
  for (const auto& [other, r] : layout_.pieces) {
    if (other == cluster || std::abs(r.min.y - piece.min.y) > 0.5F) continue;
    const int32_t of = drawn_.clusters[static_cast<size_t>(other)];
    const bool outer = r.min.x <= piece.min.x && r.max.x >= piece.max.x;
    const bool inner = r.min.x >= piece.min.x && r.max.x <= piece.max.x;
    const std::vector<int32_t> their = path_to(of);
    if (inner && std::find(their.begin(), their.end(), group) != their.end()) return {};
    if (outer && std::find(path.begin(), path.end(), of) != path.end()) going_on.push_back(of);
  }
  std::string out;
  for (const int32_t g : path) {
    if (g != group && std::find(going_on.begin(), going_on.end(), g) == going_on.end()) continue;
    out += (out.empty() ? "" : " › ") + groups_[static_cast<size_t>(g)].label;
  }
  return out + ", continued";
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
