// Which nodes of the graph lie in which group.
#include <algorithm>
#include <cctype>
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
    if (grouping == GraphGrouping::Both) find_stretches();
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
    if (!stretches_.empty() && !stretches_[n].empty()) path.emplace_back(GraphGroup::Kind::Break, stretches_[n], 0);
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

  /// What runs between delegates' calls, in the order of execution: as one group it would be read by all delegates and
  /// read from all of them. Where all of it runs in one stretch nothing is to be told apart.
  void find_stretches() {
    stretches_.resize(graph_.nodes.size());
    for (size_t s = 0; s < graph_.scopes.size(); ++s) {
      const std::vector<inspector::GraphItem> items = execution_order(graph_, static_cast<int32_t>(s));
      std::vector<std::vector<int32_t>> runs(1);
      for (const inspector::GraphItem& item : items) {
        if (item.part < 0) {
          runs.back().push_back(item.node);
        } else if (runs.size() == 1 || !runs.back().empty()) {
          runs.emplace_back();
        }
      }
      const auto filled = std::count_if(runs.begin(), runs.end(), [](const auto& run) { return !run.empty(); });
      if (filled < 2) continue;
      for (size_t r = 0; r < runs.size(); ++r) {
        const std::string name = r == 0                 ? "before the first delegate"
                                 : r + 1 == runs.size() ? "after the last delegate"
                                                        : "graph break " + std::to_string(r);
        for (const int32_t n : runs[r]) stretches_[static_cast<size_t>(n)] = name;
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
  std::vector<std::string> stretches_;      ///< by node: what it runs between; empty where that is not asked for
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
  name_breaks();
  group_small_ops();
}

// Its module says more of a break than its number.
void GraphViewModel::name_breaks() {
  for (size_t i = 0; i < groups_.size(); ++i) {
    GraphGroup& g = groups_[i];
    if (g.kind != GraphGroup::Kind::Break) continue;
    bool first = true;
    for (const int32_t n : members_of(static_cast<int32_t>(i))) {
      const std::string& path = graph_->nodes[static_cast<size_t>(n)].module_path;
      if (path.empty()) continue;
      g.path = first ? path : common_module(g.path, path);
      first = false;
    }
    g.detail = g.path.starts_with(common_) ? g.path.substr(common_.size()) : "";
  }
}

std::vector<int32_t> GraphViewModel::members_of(int32_t group) const {
  const GraphGroup& g = groups_[static_cast<size_t>(group)];
  std::vector<int32_t> out = g.nodes;
  for (const int32_t inner : g.groups) {
    const std::vector<int32_t> more = members_of(inner);
    out.insert(out.end(), more.begin(), more.end());
  }
  return out;
}

// A module, or a break, with one node only is that node; one that only contains a module is that one, but a break keeps
// its name.
void GraphViewModel::simplify() {
  const auto children_of = [&](int32_t g) -> std::vector<int32_t>& {
    return g < 0 ? roots_ : groups_[static_cast<size_t>(g)].groups;
  };
  for (size_t i = groups_.size(); i-- > 0;) {
    GraphGroup& g = groups_[i];
    const bool is_break = g.kind == GraphGroup::Kind::Break;
    if (g.kind != GraphGroup::Kind::Module && !is_break) continue;
    auto& siblings = children_of(g.parent);
    const auto at = std::find(siblings.begin(), siblings.end(), static_cast<int32_t>(i));
    if (g.node_count == 1 && g.nodes.size() == 1) {
      group_of_node_[static_cast<size_t>(g.nodes.front())] = g.parent;
      if (g.parent >= 0) groups_[static_cast<size_t>(g.parent)].nodes.push_back(g.nodes.front());
      siblings.erase(at);
    } else if (g.nodes.empty() && g.groups.size() == 1 &&
               groups_[static_cast<size_t>(g.groups.front())].kind == GraphGroup::Kind::Module) {
      GraphGroup& only = groups_[static_cast<size_t>(g.groups.front())];
      if (is_break) {
        for (const int32_t n : only.nodes) group_of_node_[static_cast<size_t>(n)] = static_cast<int32_t>(i);
        for (const int32_t inner : only.groups) groups_[static_cast<size_t>(inner)].parent = static_cast<int32_t>(i);
        g.nodes = std::move(only.nodes);
        g.groups = std::move(only.groups);
        only = {};
        only.parent = -2;  // gone
        continue;
      }
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

}  // namespace et::gui
