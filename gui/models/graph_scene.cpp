// What is drawn of the graph: boxes for what is visible, clusters for open groups, links between boxes.
#include <algorithm>
#include <map>
#include <set>

#include "gui/models/graph_model.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/text/words.h"

namespace et::gui {

using inspector::GraphNode;
using inspector::GraphValue;

std::string tensor_text(const GraphValue& v) {
  if (v.dtype.empty()) return v.shape;
  return v.shape.empty() ? v.dtype : v.dtype + " " + v.shape;
}

namespace {

// Mean widths of a letter.
constexpr float kCharacter = GraphViewModel::kText * 0.53F, kSmallCharacter = GraphViewModel::kSmallText * 0.53F;

float box_width(const GraphBox& b) {
  constexpr float kPadding = 22, kToggle = 18;
  const float title =
      static_cast<float>(inspector::text_width(b.title)) * kCharacter + (b.kind == GraphBox::Kind::Group ? kToggle : 0);
  const int small = std::max(inspector::text_width(b.name), inspector::text_width(b.output));
  const float name = static_cast<float>(small) * kSmallCharacter;
  return std::clamp(std::max(title, name) + kPadding, 110.0F, 300.0F);
}

float box_height(const GraphBox& b) {
  const int lines = 1 + (b.name.empty() ? 0 : 1) + (b.output.empty() ? 0 : 1) + (b.ns > 0 || !b.fused.empty() ? 1 : 0);
  return static_cast<float>(lines) * GraphViewModel::kLine + 10;
}

class SceneBuilder {
 public:
  /// `box_of_node` gets the box that shows each node: its own, or that of the closed group around it.
  SceneBuilder(const GraphViewModel& model, const inspector::GraphModel& graph, const std::vector<GraphGroup>& groups,
               const std::vector<int32_t>& group_of_node, GraphScene* scene, std::vector<int32_t>* box_of_node)
      : model_(model),
        graph_(graph),
        groups_(groups),
        group_of_node_(group_of_node),
        scene_(*scene),
        box_of_node_(*box_of_node),
        cluster_of_(groups.size(), -1) {}

  void build(const std::vector<int32_t>& roots) {
    add_inputs();
    for (size_t n = 0; n < group_of_node_.size(); ++n) {
      if (group_of_node_[n] < 0) add_node(static_cast<int32_t>(n));
    }
    for (const int32_t g : roots) add_group(g);
    const int32_t output = add_output();
    for (size_t n = 0; n < graph_.nodes.size(); ++n) link_node(n);
    for (const std::string& o : graph_.scopes[0].outputs) link(0, o, output);
    add_links();
  }

 private:
  using Ends = std::pair<int32_t, int32_t>;

  int32_t add_box(GraphBox box) {
    const int32_t cluster = box.group < 0 ? -1 : cluster_of_[static_cast<size_t>(box.group)];
    scene_.input.boxes.push_back({box_width(box), box_height(box), cluster});
    scene_.boxes.push_back(std::move(box));
    return static_cast<int32_t>(scene_.boxes.size()) - 1;
  }

  void add_inputs() {
    const auto& inputs = graph_.scopes[0].inputs;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const GraphValue* const v = graph_.value(0, inputs[i]);
      if (v == nullptr || v->producer >= 0 || v->is_constant()) continue;
      GraphBox box;
      box.kind = GraphBox::Kind::Input;
      box.index = static_cast<int32_t>(i);
      box.title = v->name;
      box.name = tensor_text(*v);
      box_of_input_[v->name] = add_box(std::move(box));
    }
  }

  /// Its box, -1 without outputs.
  int32_t add_output() {
    const auto& outputs = graph_.scopes[0].outputs;
    if (outputs.empty()) return -1;
    GraphBox box;
    box.kind = GraphBox::Kind::Output;
    box.title = outputs.size() == 1 ? "output" : "outputs";
    return add_box(std::move(box));
  }

  /// Where a node is, without what the frames around it say; of what is directly in a module its line.
  std::string place_in(int32_t n, int32_t group) const {
    const std::string& path = graph_.nodes[static_cast<size_t>(n)].module_path;
    const auto has_path = [&](const GraphGroup& g) {
      return g.kind == GraphGroup::Kind::Module || (g.kind == GraphGroup::Kind::Break && !g.path.empty());
    };
    while (group >= 0 && !has_path(groups_[static_cast<size_t>(group)]))
      group = groups_[static_cast<size_t>(group)].parent;
    std::string out = model_.place_of(n);
    if (group >= 0) {
      const std::string& around = groups_[static_cast<size_t>(group)].path;
      if (path == around) out.clear();
      if (path.starts_with(around + ".")) out = path.substr(around.size() + 1);
    }
    return out.empty() ? model_.line_or_name(n) : out;
  }

  void add_node(int32_t n) {
    const GraphNode& node = graph_.nodes[static_cast<size_t>(n)];
    GraphBox box;
    box.index = n;
    box.group = group_of_node_[static_cast<size_t>(n)];
    box.title = inspector::operator_title(node.op.empty() ? node.name : node.op);
    box.name = place_in(n, box.group);
    box.type = node.op;
    box.ns = node.ns;
    box.fused = model_.fused_into(n);
    if (!node.dtype.empty() && !model_.brief()) box.output = node.dtype + (node.shape.empty() ? "" : " " + node.shape);
    if (node.has_results && node.results.size() > 1 && !model_.brief())
      box.output += ", " + std::to_string(node.results.size()) + " results";
    if (node.part >= 0) box.backend = graph_.parts[static_cast<size_t>(node.part)].backend;
    box_of_node_[static_cast<size_t>(n)] = add_box(std::move(box));
  }

  void add_group(int32_t g) {
    const GraphGroup& group = groups_[static_cast<size_t>(g)];
    if (!group.open) return add_closed_group(g);
    cluster_of_[static_cast<size_t>(g)] = static_cast<int32_t>(scene_.clusters.size());
    scene_.clusters.push_back(g);
    const int32_t parent = group.parent < 0 ? -1 : cluster_of_[static_cast<size_t>(group.parent)];
    constexpr int kToggleAndTime = 23;
    const int detail = model_.brief() ? 0 : inspector::text_width(group.detail);
    const int chars = inspector::text_width(group.label) + detail + kToggleAndTime;
    scene_.input.clusters.push_back({parent, static_cast<float>(chars) * kSmallCharacter, 20});
    for (const int32_t n : group.nodes) add_node(n);
    for (const int32_t inner : group.groups) add_group(inner);
  }

  void add_closed_group(int32_t g) {
    const GraphGroup& group = groups_[static_cast<size_t>(g)];
    GraphBox box;
    box.kind = GraphBox::Kind::Group;
    box.index = g;
    box.group = group.parent;
    box.title = group.label;
    box.name = (group.detail.empty() ? "" : group.detail + ", ") + inspector::plural(group.shown_nodes, "node");
    box.ns = group.ns;
    const int32_t at = add_box(std::move(box));
    std::set<std::string> backends;
    std::map<std::string, std::pair<double, int>> types;  // time and nodes
    for (const int32_t n : model_.members_of(g)) {
      const GraphNode& node = graph_.nodes[static_cast<size_t>(n)];
      box_of_node_[static_cast<size_t>(n)] = at;
      backends.insert(node.part < 0 ? "" : graph_.parts[static_cast<size_t>(node.part)].backend);
      auto& [ns, nodes] = types[node.op];
      ns += node.ns;
      ++nodes;
    }
    if (backends.size() == 1) scene_.boxes[static_cast<size_t>(at)].backend = *backends.begin();
    const auto most =
        std::max_element(types.begin(), types.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most != types.end()) scene_.boxes[static_cast<size_t>(at)].type = most->first;
  }

  void link_node(size_t n) {
    const GraphNode& node = graph_.nodes[n];
    for (const inspector::GraphArgument& a : node.arguments) {
      for (const std::string_view id : inspector::identifiers(a.text))
        link(node.scope, std::string(id), box_of_node_[n]);
    }
    for (const std::string& body : node.bodies) {
      const int32_t scope = graph_.find_scope(body);
      if (scope <= 0 || graph_.scopes[static_cast<size_t>(scope)].nodes.empty()) continue;
      const auto first = static_cast<size_t>(graph_.scopes[static_cast<size_t>(scope)].nodes.front());
      if (box_of_node_[n] != box_of_node_[first]) control_.emplace(box_of_node_[n], box_of_node_[first]);
    }
  }

  /// The value of that name goes into the box `to`.
  void link(int32_t scope, const std::string& name, int32_t to) {
    const GraphValue* const v = graph_.value(scope, name);
    if (v == nullptr || to < 0) return;
    int32_t from = -1;
    if (v->producer >= 0) {
      from = box_of_node_[static_cast<size_t>(v->producer)];
    } else if (const auto input = box_of_input_.find(name); scope == 0 && input != box_of_input_.end()) {
      from = input->second;
    }
    if (from < 0 || from == to) return;
    auto& list = values_[{from, to}];
    if (std::find(list.begin(), list.end(), v) == list.end()) list.push_back(v);
  }

  void add_links() {
    for (const auto& [ends, list] : values_) {
      GraphLink l;
      l.count = static_cast<int32_t>(list.size());
      l.label = list.size() == 1 ? tensor_text(*list.front()) : std::to_string(list.size()) + " values";
      for (const GraphValue* v : list) l.values += (l.values.empty() ? "" : "\n") + v->name + "  " + tensor_text(*v);
      add_link(ends, std::move(l));
    }
    for (const Ends& ends : control_) {
      GraphLink l;
      l.control = true;
      l.values = "control flow";
      add_link(ends, std::move(l));
    }
  }

  void add_link(const Ends& ends, GraphLink link) {
    link.from = ends.first;
    link.to = ends.second;
    scene_.input.edges.push_back({link.from, link.to});
    scene_.links.push_back(std::move(link));
  }

  const GraphViewModel& model_;
  const inspector::GraphModel& graph_;
  const std::vector<GraphGroup>& groups_;
  const std::vector<int32_t>& group_of_node_;
  GraphScene& scene_;
  std::vector<int32_t>& box_of_node_;
  std::vector<int32_t> cluster_of_;  ///< by group; -1 while it is closed
  std::map<std::string, int32_t> box_of_input_;
  std::map<Ends, std::vector<const GraphValue*>> values_;
  std::set<Ends> control_;
};

}  // namespace

void GraphViewModel::build_scene() {
  const uint64_t version = scene_.version + 1;
  scene_ = {};
  scene_.version = version;
  box_of_node_.assign(group_of_node_.size(), -1);
  if (graph_ == nullptr) return;
  SceneBuilder(*this, *graph_, groups_, group_of_node_, &scene_, &box_of_node_).build(roots_);
  constexpr float kLowGap = 20;  // a link's label still fits
  if (brief_) scene_.input.row_gap = kLowGap;
}

}  // namespace et::gui
