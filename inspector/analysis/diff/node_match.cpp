#include "inspector/analysis/diff/node_match.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "inspector/match/alignment.h"

namespace et::inspector {
namespace {

struct Node {
  const NodeFacts* facts = nullptr;
  std::string method;
  std::string place;  // "model.py:12"
  bool matched = false;
};

/// Each node once, in the order in which its ops first ran.
std::vector<Node> nodes_of(const OpTable& table, const UnknownMethods& unknown, bool after) {
  std::vector<Node> out;
  std::set<int64_t> seen;
  for (const OpEntry& op : table.ops) {
    for (uint32_t l = op.first_node; l < op.first_node + op.nodes; ++l) {
      const NodeFacts* const facts = table.nodes[l].node;
      if (!seen.insert(facts->id).second) continue;
      out.push_back({facts, unknown.name(after, table.block_of(op).method.value_or("")), short_place(*facts), false});
    }
  }
  return out;
}

/// What nodes have in common at a stage; "" takes a node out of it.
std::string key_of(const Node& n, NodeMatchVia via) {
  const NodeFacts& f = *n.facts;
  const std::string what = n.method + "\n" + f.op + "\n";
  const std::string module = f.has_module ? "m" + f.module_path : "";
  switch (via) {
    case NodeMatchVia::Same:
      return what + f.name + "\n" + module + "\n" + n.place;
    case NodeMatchVia::Renamed:
      return module.empty() && n.place.empty() ? "" : what + module + "\n" + n.place;
    case NodeMatchVia::Moved:
      return module.empty() ? "" : what + module;
    case NodeMatchVia::OtherPath:
      return n.place.empty() ? "" : what + n.place;
    case NodeMatchVia::Place:
      return module.empty() || n.place.empty() ? "" : n.method + "\n" + module + "\n" + n.place;
    case NodeMatchVia::Order:
      break;
  }
  return {};
}

class NodeMatcher {
 public:
  NodeMatcher(std::vector<Node> a, std::vector<Node> b) : a_(std::move(a)), b_(std::move(b)) {}

  std::vector<NodeMatch> run() {
    for (const NodeMatchVia via :
         {NodeMatchVia::Same, NodeMatchVia::Renamed, NodeMatchVia::Moved, NodeMatchVia::OtherPath})
      by_key(via);
    by_order();
    by_place();
    return std::move(out_);
  }

 private:
  void pair(Node& a, Node& b, NodeMatchVia via) {
    a.matched = b.matched = true;
    out_.push_back({a.facts->id, b.facts->id, via});
  }

  void by_key(NodeMatchVia via) {
    std::map<std::string, std::vector<Node*>> alike;
    for (Node& n : b_) {
      if (n.matched) continue;
      if (std::string key = key_of(n, via); !key.empty()) alike[std::move(key)].push_back(&n);
    }
    std::map<std::string, size_t> next;
    for (Node& n : a_) {
      if (n.matched) continue;
      const std::string key = key_of(n, via);
      const auto found = key.empty() ? alike.end() : alike.find(key);
      if (found == alike.end()) continue;
      size_t& at = next[key];
      if (at < found->second.size()) pair(n, *found->second[at++], via);
    }
  }

  void by_order() {
    std::vector<Node*> left_a, left_b;
    for (Node& n : a_)
      if (!n.matched) left_a.push_back(&n);
    for (Node& n : b_)
      if (!n.matched) left_b.push_back(&n);
    const Alignment found = align(left_a.size(), left_b.size(), [&](size_t i, size_t j) {
      return left_a[i]->method == left_b[j]->method && left_a[i]->facts->op == left_b[j]->facts->op;
    });
    for (size_t i = 0; i < left_a.size(); ++i) {
      const int32_t j = found.of_a[i];
      // What could as well be another one is not the same.
      if (j != Alignment::kNone && !found.ambiguous[i])
        pair(*left_a[i], *left_b[static_cast<size_t>(j)], NodeMatchVia::Order);
    }
  }

  /// What is left of one line of one module does the same work in both: linear, or permute and addmm.
  void by_place() {
    std::map<std::string, std::pair<std::vector<Node*>, std::vector<Node*>>> left;
    const auto collect = [&](std::vector<Node>& nodes, bool first) {
      for (Node& n : nodes) {
        const std::string key = n.matched ? "" : key_of(n, NodeMatchVia::Place);
        if (!key.empty()) (first ? left[key].first : left[key].second).push_back(&n);
      }
    };
    collect(a_, true);
    collect(b_, false);
    for (const auto& [key, nodes] : left) {
      if (nodes.first.empty() || nodes.second.empty()) continue;
      for (Node* n : nodes.first) pair(*n, *nodes.second.front(), NodeMatchVia::Place);
      for (Node* n : nodes.second) pair(*nodes.first.front(), *n, NodeMatchVia::Place);
    }
  }

  std::vector<Node> a_, b_;
  std::vector<NodeMatch> out_;
};

}  // namespace

std::string short_place(const NodeFacts& node) {
  const std::string place = source_place(node);
  return place.substr(place.find_last_of("/\\") + 1);
}

const char* node_match_name(NodeMatchVia via) {
  switch (via) {
    case NodeMatchVia::Same:
      return "same";
    case NodeMatchVia::Renamed:
      return "renamed";
    case NodeMatchVia::Moved:
      return "moved";
    case NodeMatchVia::OtherPath:
      return "module renamed";
    case NodeMatchVia::Order:
      return "by order";
    case NodeMatchVia::Place:
      return "by place";
  }
  return "";
}

std::vector<NodeMatch> match_nodes(const OpTable& a, const OpTable& b, const UnknownMethods& unknown) {
  return NodeMatcher(nodes_of(a, unknown, false), nodes_of(b, unknown, true)).run();
}

}  // namespace et::inspector
