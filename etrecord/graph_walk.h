// Questions about a program's graphs: who makes and who uses a value, which nodes have a debug handle, which nodes of
// the exported program an edge node came from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "etrecord/graph.h"

namespace et::etrecord {

/// Index over one program, which must outlive it. All node numbers index Program::nodes.
class GraphWalk {
 public:
  explicit GraphWalk(const Program& program);

  /// The node that makes a value of `graph`; -1 for inputs of the graph and unknown names.
  int32_t producer(int32_t graph, std::string_view value) const;
  /// Nodes of `graph` that read a value, in execution order, each once.
  const std::vector<int32_t>& consumers(int32_t graph, std::string_view value) const;
  /// Nodes whose outputs `node` reads, in order of its arguments, each once.
  std::vector<int32_t> producers_of(int32_t node) const;
  /// Nodes that read any output of `node`, in execution order, each once.
  std::vector<int32_t> consumers_of(int32_t node) const;
  bool is_graph_output(int32_t graph, std::string_view value) const;
  /// Node by its name within a graph, -1 if none.
  int32_t node(int32_t graph, std::string_view name) const;

  /// Nodes with a debug handle, those of subgraphs included, in execution order.
  const std::vector<int32_t>& nodes_of_handle(int64_t handle) const;
  /// All handles of the program, ascending.
  std::vector<int64_t> handles() const;

  const Program& program() const { return *program_; }

 private:
  struct Uses {
    int32_t producer = -1;
    std::vector<int32_t> consumers;
    bool output = false;
  };
  const Uses* uses(int32_t graph, std::string_view value) const;

  const Program* program_;
  std::vector<std::unordered_map<std::string_view, Uses>> values_;      // by graph
  std::vector<std::unordered_map<std::string_view, int32_t>> by_name_;  // by graph
  std::map<int64_t, std::vector<int32_t>> by_handle_;
};

/// Outputs of a node that somebody reads, as upstream counts getitem users: outputs of a node with several of them (or
/// a list) that are not called "<node>_unused_<i>"; 0 for a node with one plain output.
size_t getitem_users(const Node& node);

/// True for the name of an output that nobody reads ("<node>_unused_<i>").
bool is_unused_output(const Node& node, std::string_view output);

/// Debug handles carried back from the edge program to the exported one through Node::from.
struct BackPropagation {
  /// By node of the exported program (index into its nodes); no value where no edge node came from it.
  std::vector<std::optional<int64_t>> handle;
  /// Edge node → the exported nodes it came from (ascending).
  std::vector<std::vector<int32_t>> exported_of_edge;
  /// Edge handles that reached no exported node: when there are any, upstream holds the exported graph unusable.
  std::vector<int64_t> unmatched;
  /// Exported nodes that got two different handles (name, handles); the first one is kept.
  std::vector<std::pair<int32_t, std::vector<int64_t>>> conflicts;

  /// Exported nodes in bodies of control flow, matched by name within the body that the same call holds: the ETRecord
  /// has no id for those graphs, and upstream leaves them (and so the whole exported graph) unusable.
  std::vector<int32_t> matched_in_bodies;

  bool complete() const { return unmatched.empty() && conflicts.empty(); }
};
BackPropagation propagate_handles(const Program& edge, const Program& exported, int64_t export_graph_id);

}  // namespace et::etrecord
