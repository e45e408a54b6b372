#include "gui/models/graph_model.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "gui/models/text_search.h"
#include "inspector/text/format.h"

namespace et::gui {

using inspector::GraphNode;
using inspector::GraphPart;
using inspector::GraphValue;
using inspector::LayoutPoint;
using inspector::LayoutRect;

namespace {

// Sizes of boxes in the graph's own units, which are pixels at a zoom of 1.
constexpr float kCharacter = 6.7F, kPadding = 20, kLine = 15;

float box_width(const GraphBox& b) {
  const int chars = std::max(inspector::text_width(b.title), inspector::text_width(b.name));
  return std::clamp(static_cast<float>(chars) * kCharacter + kPadding, 70.0F, 250.0F);
}

float box_height(const GraphBox& b) {
  const int lines = 1 + (b.name.empty() ? 0 : 1) + (b.ns > 0 ? 1 : 0);
  return static_cast<float>(lines) * kLine + 10;
}

std::string tensor_text(const GraphValue& v) {
  if (v.dtype.empty()) return v.shape;
  return v.shape.empty() ? v.dtype : v.dtype + " " + v.shape;
}

}  // namespace

std::string short_operator(const std::string& op) {
  std::string out = op;
  for (const char* prefix : {"aten.", "dim_order_ops.", "quantized_decomposed.", "torchao."}) {
    if (out.starts_with(prefix)) {
      out.erase(0, std::string_view(prefix).size());
      break;
    }
  }
  if (out.ends_with(".default")) out.resize(out.size() - 8);
  return out;
}

void GraphCamera::zoom_at(float factor, LayoutPoint screen) {
  const LayoutPoint fixed = to_graph(screen);
  zoom = std::clamp(zoom * factor, 0.02F, 6.0F);
  x = fixed.x - screen.x / zoom;
  y = fixed.y - screen.y / zoom;
}

void GraphCamera::fit(const LayoutRect& rect, float width, float height, float largest_zoom) {
  constexpr float kMargin = 24;
  const float w = std::max(1.0F, rect.width()), h = std::max(1.0F, rect.height());
  zoom = std::clamp(std::min((width - kMargin) / w, (height - kMargin) / h), 0.02F, largest_zoom);
  center({(rect.min.x + rect.max.x) / 2, (rect.min.y + rect.max.y) / 2}, width, height);
}

void GraphCamera::center(LayoutPoint p, float width, float height) {
  x = p.x - width / 2 / zoom;
  y = p.y - height / 2 / zoom;
}

void GraphViewModel::set(std::shared_ptr<const TraceData> data, size_t graph) {
  data_ = std::move(data);
  graph_index_ = graph;
  graph_ = data_ != nullptr && graph < data_->graphs.size() ? &data_->graphs[graph] : nullptr;
  found_.clear();
  drawn_ = {};
  layout_ = {};
  drawn_box_of_node_.clear();
  // Delegates first where they are few; many small ones would tear the modules apart.
  constexpr size_t kFewParts = 8;
  const bool few = graph_ != nullptr && !graph_->parts.empty() && graph_->parts.size() <= kFewParts;
  grouping_ = few ? GraphGrouping::Both : GraphGrouping::Modules;
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

void GraphViewModel::build_scene() {
  const uint64_t version = scene_.version + 1;
  scene_ = {};
  scene_.version = version;
  box_of_node_.assign(group_of_node_.size(), -1);
  if (graph_ == nullptr) return;
  std::vector<int32_t> cluster_of(groups_.size(), -1);
  const auto add_box = [&](GraphBox box) {
    const int32_t cluster = box.group < 0 ? -1 : cluster_of[static_cast<size_t>(box.group)];
    scene_.input.boxes.push_back({box_width(box), box_height(box), cluster});
    scene_.boxes.push_back(std::move(box));
    return static_cast<int32_t>(scene_.boxes.size()) - 1;
  };
  const auto add_node = [&](int32_t n) {
    const GraphNode& node = graph_->nodes[static_cast<size_t>(n)];
    GraphBox box;
    box.index = n;
    box.group = group_of_node_[static_cast<size_t>(n)];
    box.title = short_operator(node.op);
    box.name = node.name;
    box.ns = node.ns;
    if (node.part >= 0) box.backend = graph_->parts[static_cast<size_t>(node.part)].backend;
    box_of_node_[static_cast<size_t>(n)] = add_box(std::move(box));
  };
  const auto& inputs = graph_->scopes[0].inputs;
  std::map<std::string, int32_t> box_of_input;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const GraphValue* const v = graph_->value(0, inputs[i]);
    if (v == nullptr || v->producer >= 0 || v->is_constant()) continue;
    GraphBox box;
    box.kind = GraphBox::Kind::Input;
    box.index = static_cast<int32_t>(i);
    box.title = v->name;
    box.name = tensor_text(*v);
    box_of_input[v->name] = add_box(std::move(box));
  }
  const std::function<void(int32_t)> add_group = [&](int32_t g) {
    const GraphGroup& group = groups_[static_cast<size_t>(g)];
    if (group.open) {
      cluster_of[static_cast<size_t>(g)] = static_cast<int32_t>(scene_.clusters.size());
      scene_.clusters.push_back(g);
      const int32_t parent = group.parent < 0 ? -1 : cluster_of[static_cast<size_t>(group.parent)];
      const int chars = inspector::text_width(group.label) + inspector::text_width(group.detail) + 4;
      scene_.input.clusters.push_back({parent, static_cast<float>(chars) * kCharacter, 18});
      for (const int32_t n : group.nodes) add_node(n);
      for (const int32_t inner : group.groups) add_group(inner);
      return;
    }
    GraphBox box;
    box.kind = GraphBox::Kind::Group;
    box.index = g;
    box.group = group.parent;
    box.title = group.label;
    box.name = (group.detail.empty() ? "" : group.detail + ", ") + inspector::format_count(group.node_count) + " nodes";
    box.ns = group.ns;
    const auto at = add_box(std::move(box));
    std::set<std::string> backends;
    const std::function<void(int32_t)> claim = [&](int32_t inside) {
      for (const int32_t n : groups_[static_cast<size_t>(inside)].nodes) {
        box_of_node_[static_cast<size_t>(n)] = at;
        const int32_t part = graph_->nodes[static_cast<size_t>(n)].part;
        backends.insert(part < 0 ? "" : graph_->parts[static_cast<size_t>(part)].backend);
      }
      for (const int32_t inner : groups_[static_cast<size_t>(inside)].groups) claim(inner);
    };
    claim(g);
    if (backends.size() == 1) scene_.boxes[static_cast<size_t>(at)].backend = *backends.begin();
  };
  for (size_t n = 0; n < group_of_node_.size(); ++n) {
    if (group_of_node_[n] < 0) add_node(static_cast<int32_t>(n));
  }
  for (const int32_t g : roots_) add_group(g);
  int32_t output = -1;
  if (!graph_->scopes[0].outputs.empty()) {
    GraphBox box;
    box.kind = GraphBox::Kind::Output;
    box.title = graph_->scopes[0].outputs.size() == 1 ? "output" : "outputs";
    output = add_box(std::move(box));
  }

  std::map<std::pair<int32_t, int32_t>, std::vector<const GraphValue*>> values;
  std::set<std::pair<int32_t, int32_t>> control;
  const auto link = [&](int32_t scope, const std::string& name, int32_t to) {
    const GraphValue* const v = graph_->value(scope, name);
    if (v == nullptr || to < 0) return;
    int32_t from = -1;
    if (v->producer >= 0) {
      from = box_of_node_[static_cast<size_t>(v->producer)];
    } else if (const auto input = box_of_input.find(name); scope == 0 && input != box_of_input.end()) {
      from = input->second;
    }
    if (from < 0 || from == to) return;
    auto& list = values[{from, to}];
    if (std::find(list.begin(), list.end(), v) == list.end()) list.push_back(v);
  };
  for (size_t n = 0; n < graph_->nodes.size(); ++n) {
    const GraphNode& node = graph_->nodes[n];
    for (const inspector::GraphArgument& a : node.arguments) {
      for (const std::string_view id : inspector::identifiers(a.text))
        link(node.scope, std::string(id), box_of_node_[n]);
    }
    for (const std::string& body : node.bodies) {
      const int32_t scope = graph_->find_scope(body);
      if (scope <= 0 || graph_->scopes[static_cast<size_t>(scope)].nodes.empty()) continue;
      const auto first = static_cast<size_t>(graph_->scopes[static_cast<size_t>(scope)].nodes.front());
      if (box_of_node_[n] != box_of_node_[first]) control.emplace(box_of_node_[n], box_of_node_[first]);
    }
  }
  for (const std::string& o : graph_->scopes[0].outputs) link(0, o, output);
  for (const auto& [ends, list] : values) {
    GraphLink l;
    l.from = ends.first;
    l.to = ends.second;
    l.count = static_cast<int32_t>(list.size());
    l.label = list.size() == 1 ? tensor_text(*list.front()) : std::to_string(list.size()) + " values";
    for (const GraphValue* v : list) l.values += (l.values.empty() ? "" : "\n") + v->name + "  " + tensor_text(*v);
    scene_.input.edges.push_back({l.from, l.to});
    scene_.links.push_back(std::move(l));
  }
  for (const auto& [from, to] : control) {
    GraphLink l;
    l.from = from;
    l.to = to;
    l.control = true;
    l.values = "control flow";
    scene_.input.edges.push_back({from, to});
    scene_.links.push_back(std::move(l));
  }
}

void GraphViewModel::set_layout(inspector::GraphLayout layout, uint64_t version) {
  if (version != scene_.version || layout.boxes.size() != scene_.boxes.size()) return;
  layout_ = std::move(layout);
  layout_version_ = version;
  drawn_ = scene_;
  drawn_box_of_node_ = box_of_node_;
  hottest_ = 0;
  for (const GraphBox& b : drawn_.boxes) hottest_ = std::max(hottest_, b.ns);
}

GraphViewModel::Hit GraphViewModel::hit(LayoutPoint at) const {
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

void GraphViewModel::search(const std::string& text) {
  found_.clear();
  if (graph_ == nullptr || text.empty()) return;
  const std::string wanted = lower(text);
  for (size_t i = 0; i < graph_->nodes.size(); ++i) {
    const GraphNode& n = graph_->nodes[i];
    for (const std::string* field : {&n.name, &n.op, &n.module_path, &n.module_type, &n.file}) {
      if (lower(*field).find(wanted) == std::string::npos) continue;
      found_.push_back(static_cast<int32_t>(i));
      break;
    }
  }
  found_at_ = found_.size();
}

int32_t GraphViewModel::next_found(int direction) { return step_found(found_, direction, &found_at_); }

}  // namespace et::gui
