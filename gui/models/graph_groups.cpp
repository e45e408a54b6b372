// Which nodes of the graph lie in which group, and which groups are open.
#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <tuple>

#include "gui/core/text.h"
#include "gui/models/graph_model.h"
#include "gui/models/module_calls.h"
#include "inspector/analysis/graph/node_counts.h"

namespace et::gui {

using inspector::GraphNode;
using inspector::GraphPart;

namespace {

/// Kind, what it is, and for a module which call of it, 0 when there is one only.
using Step = std::tuple<GraphGroup::Kind, std::string, int32_t>;
using Path = std::vector<Step>;
constexpr size_t kMaxLevels = 32;

/// The groups around each node, outermost first.
class NodePaths {
 public:
  NodePaths(const inspector::GraphModel& graph, GraphGrouping grouping)
      : graph_(graph),
        parts_(grouping == GraphGrouping::Both || grouping == GraphGrouping::Delegates),
        modules_(grouping == GraphGrouping::Both || grouping == GraphGrouping::Modules),
        caller_(graph.scopes.size(), -1),
        module_(graph.nodes.size()) {
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
      for (const std::string& body : graph.nodes[n].bodies) {
        const int32_t scope = graph.find_scope(body);
        if (scope > 0) caller_[static_cast<size_t>(scope)] = static_cast<int32_t>(n);
      }
    }
    find_modules();
    calls_ = std::make_unique<ModuleCalls>(graph, module_);
  }

  Path of(size_t n, size_t depth = 0) const {
    const GraphNode& node = graph_.nodes[n];
    Path path;
    if (node.scope > 0) {
      const int32_t from = caller_[static_cast<size_t>(node.scope)];
      if (from >= 0 && depth < kMaxLevels) path = of(static_cast<size_t>(from), depth + 1);
      path.emplace_back(GraphGroup::Kind::Body, node.subgraph, 0);
    }
    if (parts_ && node.part >= 0) path.emplace_back(GraphGroup::Kind::Part, std::to_string(node.part), 0);
    const std::string& module = module_[n] == nullptr ? node.module_path : *module_[n];
    for (size_t begin = 0; modules_ && begin < module.size() && path.size() < kMaxLevels;) {
      const size_t dot = std::min(module.find('.', begin), module.size());
      const std::string inner = module.substr(0, dot);
      path.emplace_back(GraphGroup::Kind::Module, inner, calls_->count(inner) > 1 ? calls_->call_of(n, inner) : 0);
      begin = dot + 1;
    }
    return path;
  }

 private:
  /// Nodes that a pass inserted (quantization, sizes of dynamic shapes) have no module: they take the innermost one
  /// that all of their users are in, else that of their producers.
  void find_modules() {
    const auto& nodes = graph_.nodes;
    for (size_t n = 0; n < nodes.size(); ++n) {
      // Quantization nodes are recorded under the root module, whatever layer they serve.
      const bool inserted = nodes[n].op.starts_with("quantized_decomposed.") || nodes[n].op.starts_with("torchao.");
      if (!nodes[n].module_path.empty() || (!nodes[n].module_type.empty() && !inserted))
        module_[n] = &nodes[n].module_path;
    }
    std::vector<bool> recorded(nodes.size());
    for (size_t n = 0; n < nodes.size(); ++n) recorded[n] = module_[n] != nullptr;
    for (size_t n = nodes.size(); n-- > 0;) {
      if (module_[n] == nullptr) continue;
      for (const int32_t p : nodes[n].producers) {
        if (recorded[static_cast<size_t>(p)]) continue;
        const std::string*& of = module_[static_cast<size_t>(p)];
        of = of == nullptr ? module_[n] : shared_module(*of, *module_[n]);
      }
    }
    for (size_t n = 0; n < nodes.size(); ++n) {
      for (const int32_t p : nodes[n].producers) {
        if (module_[n] == nullptr) module_[n] = module_[static_cast<size_t>(p)];
      }
    }
  }

  const std::string* shared_module(const std::string& a, const std::string& b) {
    return &*shared_.insert(common_module(a, b)).first;
  }

  const inspector::GraphModel& graph_;
  bool parts_, modules_;
  std::vector<int32_t> caller_;             ///< by scope: the control flow node that runs it, -1 for none
  std::vector<const std::string*> module_;  ///< by node: path of the module it is drawn in
  std::set<std::string> shared_;            ///< paths that several nodes have in common
  std::unique_ptr<ModuleCalls> calls_;
};

GraphGroup make_group(const inspector::GraphModel& graph, const GraphNode& node, const Step& step, int32_t parent) {
  GraphGroup g;
  const auto& [kind, path, call] = step;
  g.kind = kind;
  g.parent = parent;
  g.label = path;
  if (kind == GraphGroup::Kind::Part) {
    g.part = node.part;
    const GraphPart& part = graph.parts[static_cast<size_t>(node.part)];
    g.label = part.name;
    g.detail = part.backend;
    g.ns = part.ns;
  } else if (kind == GraphGroup::Kind::Module) {
    g.path = path;
    g.call = call;
    const size_t dot = path.rfind('.');
    g.label = dot == std::string::npos ? path : path.substr(dot + 1);
    // A number alone says little: the third of a list is "layer.2".
    for (size_t at = dot; at != std::string::npos && at > 0 && std::isdigit(static_cast<unsigned char>(g.label[0]));) {
      at = path.rfind('.', at - 1);
      g.label = path.substr(at == std::string::npos ? 0 : at + 1);
    }
  }
  return g;
}

}  // namespace

void GraphViewModel::build_groups() {
  groups_.clear();
  roots_.clear();
  group_of_node_.clear();
  if (graph_ == nullptr) return;
  const NodePaths paths(*graph_, grouping_);
  std::map<std::pair<int32_t, Step>, int32_t> known;
  for (size_t n = 0; n < graph_->nodes.size(); ++n) {
    const GraphNode& node = graph_->nodes[n];
    int32_t at = -1;
    for (const Step& step : paths.of(n)) {
      const auto [found, added] = known.try_emplace({at, step}, static_cast<int32_t>(groups_.size()));
      if (added) {
        (at < 0 ? roots_ : groups_[static_cast<size_t>(at)].groups).push_back(found->second);
        groups_.push_back(make_group(*graph_, node, step, at));
        // What is inside of a call is that of this call, without saying so again.
        GraphGroup& made = groups_.back();
        if (made.call > 0 && (at < 0 || groups_[static_cast<size_t>(at)].call == 0)) {
          made.label += " (call " + std::to_string(made.call) + ")";
        }
      }
      at = found->second;
    }
    group_of_node_.push_back(at);
    if (at < 0) continue;
    GraphGroup& inner = groups_[static_cast<size_t>(at)];
    inner.nodes.push_back(static_cast<int32_t>(n));
    if (inner.kind == GraphGroup::Kind::Module && inner.path == node.module_path && !node.module_type.empty()) {
      inner.detail = node.module_type.substr(node.module_type.rfind('.') + 1);
    }
    for (int32_t g = at; g >= 0; g = groups_[static_cast<size_t>(g)].parent) {
      GraphGroup& group = groups_[static_cast<size_t>(g)];
      ++group.node_count;
      group.shown_nodes += inspector::is_counted_node(node.op) ? 1 : 0;
      if (group.kind != GraphGroup::Kind::Part) group.ns += node.ns;
    }
  }
  simplify();
  group_small_ops();
}

// A module with one node only is that node; one that only contains another one is that one.
void GraphViewModel::simplify() {
  const auto children_of = [&](int32_t g) -> std::vector<int32_t>& {
    return g < 0 ? roots_ : groups_[static_cast<size_t>(g)].groups;
  };
  for (size_t i = groups_.size(); i-- > 0;) {
    GraphGroup& g = groups_[i];
    if (g.kind != GraphGroup::Kind::Module) continue;
    auto& siblings = children_of(g.parent);
    const auto at = std::find(siblings.begin(), siblings.end(), static_cast<int32_t>(i));
    if (g.node_count == 1 && g.nodes.size() == 1) {
      group_of_node_[static_cast<size_t>(g.nodes.front())] = g.parent;
      if (g.parent >= 0) groups_[static_cast<size_t>(g.parent)].nodes.push_back(g.nodes.front());
      siblings.erase(at);
    } else if (g.nodes.empty() && g.groups.size() == 1 &&
               groups_[static_cast<size_t>(g.groups.front())].kind == GraphGroup::Kind::Module) {
      GraphGroup& only = groups_[static_cast<size_t>(g.groups.front())];
      only.parent = g.parent;
      // Of numbers, names have what is before them, too.
      const bool by_path = only.path.starts_with(g.path + ".") && only.label.find(" (") == std::string::npos;
      only.label = by_path ? g.label + only.path.substr(g.path.size()) : g.label + "." + only.label;
      *at = g.groups.front();
    } else {
      continue;
    }
    g = {};
    g.parent = -2;  // gone
  }
}

void GraphViewModel::set_open(int32_t group, bool open) {
  if (group < 0 || static_cast<size_t>(group) >= groups_.size()) return;
  groups_[static_cast<size_t>(group)].open = open;
  build_scene();
}

void GraphViewModel::set_brief(bool brief) {
  brief_ = brief;
  build_scene();
}

void GraphViewModel::open_all() {
  for (GraphGroup& g : groups_) g.open = true;
  build_scene();
}
void GraphViewModel::close_all() {
  for (GraphGroup& g : groups_) g.open = false;
  build_scene();
}

size_t GraphViewModel::visible_count() const {
  size_t count = 0;
  const std::function<void(int32_t)> visit = [&](int32_t g) {
    const GraphGroup& group = groups_[static_cast<size_t>(g)];
    if (!group.open) {
      ++count;
      return;
    }
    count += group.nodes.size();
    for (const int32_t inner : group.groups) visit(inner);
  };
  for (const int32_t g : roots_) visit(g);
  return count + static_cast<size_t>(std::count(group_of_node_.begin(), group_of_node_.end(), -1));
}

void GraphViewModel::open_some() {
  first_boxes_ = kFirstBoxes;
  open_up_to(first_boxes_);
  build_scene();
}

bool GraphViewModel::open_less() {
  const std::vector<bool> before = open_groups();
  const size_t count = visible_count();
  // Few boxes around one that hides most of the time say less than a part of the graph.
  const auto try_at = [&](size_t most) {
    open_up_to(most);
    const size_t now = visible_count();
    if (now >= count || now < kFewestBoxes || hides_most()) return false;
    first_boxes_ = most;
    build_scene();
    return true;
  };
  // In large steps, as each takes a layout, and in small ones where these leave too little.
  size_t most = first_boxes_ * 3 / 4;
  for (; most >= kFewestBoxes; most = most * 3 / 4) {
    if (try_at(most)) return true;
    if (visible_count() < count) break;
  }
  for (size_t fewer = std::min(first_boxes_, count) - 1; fewer > std::max(most, kFewestBoxes); --fewer) {
    if (try_at(fewer)) return true;
  }
  set_open_groups(before);
  return false;
}

std::vector<bool> GraphViewModel::open_groups() const {
  std::vector<bool> out;
  for (const GraphGroup& g : groups_) out.push_back(g.open);
  return out;
}

void GraphViewModel::set_open_groups(const std::vector<bool>& open) {
  for (size_t g = 0; g < groups_.size(); ++g) groups_[g].open = open[g];
}

double GraphViewModel::whole_time() const {
  double whole = 0;
  for (const int32_t g : roots_) whole += groups_[static_cast<size_t>(g)].ns;
  for (size_t n = 0; n < group_of_node_.size(); ++n) whole += group_of_node_[n] < 0 ? graph_->nodes[n].ns : 0;
  return whole;
}

bool GraphViewModel::hides_most() const {
  constexpr double kMostOfIt = 0.5;
  double hidden = 0;
  for (const GraphGroup& g : groups_) {
    if (!g.open && (g.parent < 0 || groups_[static_cast<size_t>(g.parent)].open)) hidden = std::max(hidden, g.ns);
  }
  return hidden > kMostOfIt * whole_time();
}

void GraphViewModel::open_up_to(size_t most) {
  for (GraphGroup& g : groups_) g.open = false;
  size_t count = visible_count();
  const bool timed =
      std::any_of(roots_.begin(), roots_.end(), [&](int32_t g) { return groups_[static_cast<size_t>(g)].ns > 0; });
  if (timed) {
    open_along_cost(most, count);
    const std::vector<bool> along = open_groups();
    const bool hid_most = hides_most();
    open_around_costliest(most);
    // Where both have no room, one node is not worth a closed group with most of the time.
    if (most < kFirstBoxes && !hid_most && hides_most()) set_open_groups(along);
    return;
  }
  // Without times level by level while there is room.
  std::vector<int32_t> level = roots_;
  while (!level.empty()) {
    std::vector<int32_t> next;
    for (const int32_t g : level) {
      GraphGroup& group = groups_[static_cast<size_t>(g)];
      group.open = true;
      next.insert(next.end(), group.groups.begin(), group.groups.end());
    }
    const size_t opened = visible_count();
    if (opened > most) {
      for (const int32_t g : level) groups_[static_cast<size_t>(g)].open = false;
      break;
    }
    count = opened;
    level = std::move(next);
  }
  open_one_by_one(level, most, count);
}

/// The costliest closed group first, then what is in it, and so on while there is room. Where much is to be seen
/// already, what costs little stays closed.
void GraphViewModel::open_along_cost(size_t most, size_t count) {
  constexpr double kLittleCost = 0.05;
  const size_t little = std::min<size_t>(15, most);
  const double whole = whole_time();
  std::vector<int32_t> closed = roots_;
  while (!closed.empty()) {
    const auto costliest = std::max_element(closed.begin(), closed.end(), [&](int32_t a, int32_t b) {
      return groups_[static_cast<size_t>(a)].ns < groups_[static_cast<size_t>(b)].ns;
    });
    GraphGroup& group = groups_[static_cast<size_t>(*costliest)];
    closed.erase(costliest);
    if (group.ns < kLittleCost * whole && count >= little) break;
    // A delegate that holds the whole model is opened even if it is large.
    const size_t after = count + group.nodes.size() + group.groups.size() - 1;
    if (after > most && count > 3) continue;
    group.open = true;
    count = after;
    closed.insert(closed.end(), group.groups.begin(), group.groups.end());
  }
}

/// If little is to be seen, more of a level.
void GraphViewModel::open_one_by_one(const std::vector<int32_t>& level, size_t most, size_t count) {
  const size_t little = std::min<size_t>(15, most);
  for (const int32_t g : level) {
    GraphGroup& group = groups_[static_cast<size_t>(g)];
    if (count >= little) break;
    const size_t more = group.nodes.size() + group.groups.size() - 1;
    if (count + more > most && count > 3) continue;
    group.open = true;
    count += more;
  }
}

/// What costs most is to be seen at first, unless the group around it is too large to draw.
void GraphViewModel::open_around_costliest(size_t most) {
  const size_t largest = most == kFirstBoxes ? 200 : most;
  const int32_t costliest = first_costliest_node();
  if (costliest < 0) return;
  std::vector<int32_t> around;
  for (int32_t g = group_of_node_[static_cast<size_t>(costliest)]; g >= 0; g = groups_[static_cast<size_t>(g)].parent)
    around.push_back(g);
  for (auto g = around.rbegin(); g != around.rend(); ++g) {
    GraphGroup& group = groups_[static_cast<size_t>(*g)];
    if (!group.open && group.nodes.size() + group.groups.size() > largest) break;
    group.open = true;
  }
  // Others make room for them, the cheapest first.
  std::vector<int32_t> others;
  for (size_t g = 0; g < groups_.size(); ++g) {
    const auto index = static_cast<int32_t>(g);
    if (groups_[g].open && std::find(around.begin(), around.end(), index) == around.end()) others.push_back(index);
  }
  std::stable_sort(others.begin(), others.end(), [&](int32_t a, int32_t b) {
    return groups_[static_cast<size_t>(a)].ns < groups_[static_cast<size_t>(b)].ns;
  });
  for (const int32_t g : others) {
    if (visible_count() <= most) break;
    groups_[static_cast<size_t>(g)].open = false;
  }
  // What does not fit even so is closed again, the innermost first: a mark tells which group holds it.
  for (auto g = around.begin(); most < kFirstBoxes && g != around.end() && visible_count() > most; ++g)
    groups_[static_cast<size_t>(*g)].open = false;
}

void GraphViewModel::reveal(int32_t node) {
  if (node < 0 || static_cast<size_t>(node) >= group_of_node_.size()) return;
  bool changed = false;
  for (int32_t g = group_of_node_[static_cast<size_t>(node)]; g >= 0; g = groups_[static_cast<size_t>(g)].parent) {
    changed = changed || !groups_[static_cast<size_t>(g)].open;
    groups_[static_cast<size_t>(g)].open = true;
  }
  if (changed) build_scene();
}

}  // namespace et::gui
