#include "gui/models/graph_model.h"

#include <algorithm>
#include <cmath>

#include "gui/core/text.h"

namespace et::gui {

using inspector::GraphNode;
using inspector::LayoutPoint;
using inspector::LayoutRect;

namespace {

constexpr float kLeastZoom = 0.004F;  // 600 nodes in a chain are seen as a whole

}  // namespace

void GraphCamera::zoom_at(float factor, LayoutPoint screen) {
  const LayoutPoint fixed = to_graph(screen);
  zoom = std::clamp(zoom * factor, kLeastZoom, 6.0F);
  x = fixed.x - screen.x / zoom;
  y = fixed.y - screen.y / zoom;
}

void GraphCamera::fit(const LayoutRect& rect, float width, float height, float largest_zoom) {
  constexpr float kMargin = 24;
  const float w = std::max(1.0F, rect.width()), h = std::max(1.0F, rect.height());
  zoom = std::clamp(std::min((width - kMargin) / w, (height - kMargin) / h), kLeastZoom, largest_zoom);
  center({(rect.min.x + rect.max.x) / 2, (rect.min.y + rect.max.y) / 2}, width, height);
}

void GraphCamera::center(LayoutPoint p, float width, float height) {
  x = p.x - width / 2 / zoom;
  y = p.y - height / 2 / zoom;
}

size_t costliest_graph(const TraceData& data) {
  size_t best = 0;
  std::pair<bool, double> most = {false, -1};
  for (size_t i = 0; i < data.graphs.size(); ++i) {
    const inspector::GraphModel& graph = data.graphs[i];
    const bool timed = std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const GraphNode& n) { return n.ns > 0; });
    const std::pair<bool, double> rank = {timed, graph.total_ns};
    if (rank > most) best = i, most = rank;
  }
  return best;
}

void GraphViewModel::set(std::shared_ptr<const TraceData> data, size_t graph) {
  data_ = std::move(data);
  graph_index_ = graph;
  graph_ = data_ != nullptr && graph < data_->graphs.size() ? &data_->graphs[graph] : nullptr;
  found_.clear();
  brief_ = false;
  common_.clear();
  bool first = true;
  for (size_t n = 0; graph_ != nullptr && n < graph_->nodes.size(); ++n) {
    const std::string path = graph_->nodes[n].module_path + ".";
    if (path.size() == 1) continue;
    if (first) common_ = path;
    first = false;
    // "model." of "model.layers.0" and "model.norm": whole steps, and each node keeps one.
    size_t same = 0;
    while (same < common_.size() && same < path.size() && common_[same] == path[same]) ++same;
    const size_t dot = same == 0 ? std::string::npos : common_.rfind('.', same - 1);
    common_.resize(dot == std::string::npos ? 0 : dot + 1);
  }
  count_alike();
  drawn_ = {};
  layout_ = {};
  drawn_box_of_node_.clear();
  // Delegates first where they are few; many small ones would tear the modules apart.
  constexpr size_t kFewParts = 8;
  const bool few = graph_ != nullptr && !graph_->parts.empty() && graph_->parts.size() <= kFewParts;
  grouping_ = few ? GraphGrouping::Both : GraphGrouping::Modules;
  add_times();
  find_fused();
  build_groups();
  open_some();
}

void GraphViewModel::set_grouping(GraphGrouping grouping) {
  if (grouping == grouping_) return;
  grouping_ = grouping;
  // What is drawn refers to groups that go away.
  drawn_ = {};
  layout_ = {};
  drawn_box_of_node_.clear();
  build_groups();
  open_some();
}

void GraphViewModel::set_layout(inspector::GraphLayout layout, uint64_t version) {
  if (version != scene_.version || layout.boxes.size() != scene_.boxes.size()) return;
  layout_ = std::move(layout);
  layout_version_ = version;
  drawn_ = scene_;
  drawn_box_of_node_ = box_of_node_;
  const int32_t costliest = costliest_node(), longest = longest_box();
  hottest_ = costliest >= 0 ? graph_->nodes[static_cast<size_t>(costliest)].ns
             : longest >= 0 ? drawn_.boxes[static_cast<size_t>(longest)].ns
                            : 0;
}

int32_t GraphViewModel::costliest_node() const {
  int32_t best = -1;
  double most = 0;
  for (size_t n = 0; graph_ != nullptr && n < graph_->nodes.size(); ++n) {
    if (graph_->nodes[n].ns > most) most = graph_->nodes[n].ns, best = static_cast<int32_t>(n);
  }
  return best;
}

int32_t GraphViewModel::first_costliest_node() const {
  constexpr double kAlike = 0.95;
  const int32_t costliest = costliest_node();
  if (costliest < 0) return costliest;
  const double least = kAlike * graph_->nodes[static_cast<size_t>(costliest)].ns;
  const auto first = std::find_if(graph_->nodes.begin(), graph_->nodes.end(),
                                  [&](const inspector::GraphNode& n) { return n.ns >= least; });
  return static_cast<int32_t>(first - graph_->nodes.begin());
}

int32_t GraphViewModel::costliest_box() const {
  if (const int32_t box = box_of(first_costliest_node()); box >= 0) return box;
  // Times of groups only: delegates whose events are of no node.
  return drawn_.boxes.empty() ? -1 : std::max(0, longest_box());
}

int32_t GraphViewModel::longest_box() const {
  const auto best = std::max_element(drawn_.boxes.begin(), drawn_.boxes.end(),
                                     [](const GraphBox& a, const GraphBox& b) { return a.ns < b.ns; });
  return best == drawn_.boxes.end() || !(best->ns > 0) ? -1 : static_cast<int32_t>(best - drawn_.boxes.begin());
}

std::string link_in_words(std::string_view via, double confidence) {
  if (confidence > 0.99) return "exact";
  const char* const by = via == "instruction"    ? "by instruction"
                         : via == "delegate_map" ? "by delegate map"
                         : via == "payload_node" ? "by payload"
                         : via == "dataflow"     ? "by data flow"
                                                 : "by order";
  const int tenths = std::clamp(static_cast<int>(std::lround(confidence * 10)), 1, 9);
  return std::string(by) + ": " + std::to_string(tenths) + " in 10";
}

LayoutPoint curve_point(const LayoutPoint* p, float t) {
  const float u = 1 - t, a = u * u * u, b = 3 * u * u * t, c = 3 * u * t * t, d = t * t * t;
  return {a * p[0].x + b * p[1].x + c * p[2].x + d * p[3].x, a * p[0].y + b * p[1].y + c * p[2].y + d * p[3].y};
}

namespace {

float distance_to_segment(LayoutPoint p, LayoutPoint a, LayoutPoint b) {
  const float dx = b.x - a.x, dy = b.y - a.y, length = dx * dx + dy * dy;
  const float t = length > 0 ? std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / length, 0.0F, 1.0F) : 0;
  return std::hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

/// Distance to the curves of an edge, more than `reach` when it is farther.
float distance_to_edge(const std::vector<LayoutPoint>& points, LayoutPoint p, float reach) {
  float best = reach + 1;
  constexpr int kSteps = 12;
  for (size_t i = 0; i + 3 < points.size(); i += 3) {
    const auto [left, right] = std::minmax({points[i].x, points[i + 1].x, points[i + 2].x, points[i + 3].x});
    const auto [top, bottom] = std::minmax({points[i].y, points[i + 1].y, points[i + 2].y, points[i + 3].y});
    if (p.x < left - reach || p.x > right + reach || p.y < top - reach || p.y > bottom + reach) continue;
    LayoutPoint before = points[i];
    for (int s = 1; s <= kSteps; ++s) {
      const LayoutPoint next = curve_point(&points[i], static_cast<float>(s) / kSteps);
      best = std::min(best, distance_to_segment(p, before, next));
      before = next;
    }
  }
  return best;
}

}  // namespace

GraphViewModel::Hit GraphViewModel::hit(LayoutPoint at, float reach) const {
  Hit out;
  for (size_t i = 0; i < layout_.boxes.size(); ++i) {
    if (layout_.boxes[i].contains(at)) {
      out.box = static_cast<int32_t>(i);
      return out;
    }
  }
  for (size_t i = 0; i < layout_.clusters.size(); ++i) {  // inner ones stand behind outer ones
    if (layout_.clusters[i].contains(at)) out.cluster = static_cast<int32_t>(i);
  }
  for (const auto& [cluster, rect] : layout_.pieces) {
    if (rect.contains(at)) out.cluster = std::max(out.cluster, cluster);
  }
  float nearest = reach;
  for (size_t i = 0; reach > 0 && i < layout_.edges.size(); ++i) {
    const float d = distance_to_edge(layout_.edges[i], at, reach);
    if (d >= nearest) continue;
    nearest = d;
    out.link = static_cast<int32_t>(i);
  }
  return out;
}

int32_t GraphViewModel::box_of(int32_t node) const {
  return node < 0 || static_cast<size_t>(node) >= drawn_box_of_node_.size()
             ? -1
             : drawn_box_of_node_[static_cast<size_t>(node)];
}

int32_t GraphViewModel::find_node(const std::string& name) const {
  if (graph_ == nullptr || name.empty()) return -1;
  for (size_t i = 0; i < graph_->nodes.size(); ++i) {
    if (graph_->nodes[i].name == name) return static_cast<int32_t>(i);
  }
  return -1;
}

std::vector<bool> GraphViewModel::selected(const Selection& s) const {
  std::vector<bool> out(drawn_.boxes.size());
  if (graph_ == nullptr || s.empty()) return out;
  if (!s.method.empty() && !graph_->method.empty() && s.method != graph_->method) return out;
  for (size_t n = 0; n < drawn_box_of_node_.size() && n < graph_->nodes.size(); ++n) {
    if (drawn_box_of_node_[n] >= 0 && s.has_node(graph_->nodes[n].name)) {
      out[static_cast<size_t>(drawn_box_of_node_[n])] = true;
    }
  }
  return out;
}

std::vector<bool> GraphViewModel::found_boxes() const {
  std::vector<bool> out(drawn_.boxes.size());
  for (const int32_t n : found_) {
    if (const int32_t box = box_of(n); box >= 0) out[static_cast<size_t>(box)] = true;
  }
  return out;
}

bool GraphViewModel::bounds(const std::vector<bool>& boxes, LayoutRect* out) const {
  bool any = false;
  for (size_t i = 0; i < boxes.size() && i < layout_.boxes.size(); ++i) {
    if (!boxes[i]) continue;
    const LayoutRect& r = layout_.boxes[i];
    if (!any) *out = r;
    any = true;
    out->min = {std::min(out->min.x, r.min.x), std::min(out->min.y, r.min.y)};
    out->max = {std::max(out->max.x, r.max.x), std::max(out->max.y, r.max.y)};
  }
  return any;
}

}  // namespace et::gui
