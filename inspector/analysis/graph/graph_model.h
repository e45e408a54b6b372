// One graph of the record as a model: nodes, values, control flow bodies, and which nodes went into which delegate. The
// record holds the graph before delegation; the handles of the delegate calls tell what was delegated.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "inspector/analysis/ops/op_table.h"
#include "inspector/store/store.h"

namespace et::inspector {

/// "self=x" of a node's arguments. `name` is "" where the operator's inputs have no names.
struct GraphArgument {
  std::string name;
  std::string text;
};
/// Splits the column `arguments` of the view nodes at its outer commas.
std::vector<GraphArgument> split_arguments(std::string_view text);
/// The identifiers of an argument's text, outside of quotes: names of values and symbols, or words such as None.
std::vector<std::string_view> identifiers(std::string_view text);

struct GraphValue {
  std::string name;
  std::string kind;    ///< of an input of the outer graph: user_input, parameter, …; "" when unknown
  std::string target;  ///< fully qualified name of a parameter or buffer
  std::string dtype, shape;
  int32_t producer = -1;  ///< node, -1 for an input
  int32_t index = 0;      ///< among the results of its producer

  /// Weights, buffers and constants, which a delegate takes along.
  bool is_constant() const { return producer < 0 && !kind.empty() && kind != "user_input" && kind != "token"; }
};

/// From this part of a time on, what was shared evenly makes the whole an estimate.
inline constexpr double kShareOfEstimate = 0.1;

struct GraphNode {
  int64_t id = 0;
  std::string name, op, target, subgraph, file, function, code, module_path, module_type, dtype, shape;
  std::optional<int64_t> debug_handle;
  int64_t line = 0;
  std::vector<GraphArgument> arguments;
  std::vector<std::string> results;    ///< values that it makes; one of the node's own name unless `has_results`
  bool has_results = false;            ///< several results, or a list: taken apart by getitem
  std::vector<std::string> bodies;     ///< control flow bodies among the arguments, as paths
  int32_t scope = 0;                   ///< index into GraphModel::scopes
  std::optional<int64_t> instruction;  ///< that runs it, when known; nodes of a delegate have its call's
  int32_t part = -1;                   ///< index into GraphModel::parts, -1 outside of delegates
  std::vector<int32_t> producers;      ///< nodes of the same scope that it reads, each once
  double ns = 0;                       ///< time charged to it, on `GraphModel::basis`
  int64_t ops = 0;                     ///< ops that this time comes from
  double shared_ns = 0;                ///< of `ns`: even shares of ops that are linked to several nodes
  int64_t shared_by = 1;               ///< nodes that such an op is shared among, at most

  /// Not measured for this node: a good part of the time is an even share.
  bool is_estimate() const { return shared_by > 1 && shared_ns > kShareOfEstimate * ns; }
};

/// A list of nodes in one scope of names: [0] is the outer graph, others are bodies of control flow.
struct GraphScope {
  std::string path;  ///< as in the column `subgraph`
  std::vector<int32_t> nodes;
  std::vector<std::string> inputs;   ///< in order
  std::vector<std::string> outputs;  ///< in order
  std::unordered_map<std::string, GraphValue> values;
};

/// What was lowered to a backend and is called by one instruction.
struct GraphPart {
  std::string name;  ///< lowered_module_0, …
  std::string backend;
  int64_t instruction = 0;
  std::optional<int64_t> delegate_id;
  std::vector<int32_t> nodes;
  std::vector<std::string> inputs;     ///< values that the call passes, in the order of the graph
  std::vector<std::string> constants;  ///< weights that it took along
  std::vector<std::string> outputs;    ///< values that others read
  /// Several nodes share a debug handle and the handles alone do not say which of them is here.
  bool guessed = false;
  double ns = 0;  ///< its call with all that happens inside
};

/// A node in the graph of a delegate, which records of lowered programs have as such.
struct InnerNode {
  int64_t id = 0;
  std::string op;
  double ns = 0;
};

struct GraphModel {
  std::string method, graph;
  std::vector<GraphNode> nodes;  ///< in the order of execution
  std::vector<GraphScope> scopes;
  std::vector<GraphPart> parts;   ///< in the order of their instructions
  std::vector<InnerNode> inside;  ///< of an edge graph that calls delegates by nodes: all nodes in them
  double total_ns = 0;            ///< of the method's executions, on the basis
  Basis basis = {BasisKind::Total};
  std::string unit = "ns";

  /// Value of a scope, or of the scope itself only; nullptr when the name is no value.
  const GraphValue* value(int32_t scope, const std::string& name) const;
  int32_t find_scope(std::string_view path) const;  ///< -1 when there is none
};

/// Methods that have a graph of that name, in order; "" stands for a graph of no known method.
std::vector<std::string> graph_methods(const Store& store, int64_t trace_id, const std::string& graph);
/// Names of the graphs of the record.
std::vector<std::string> graph_names(const Store& store, int64_t trace_id);

/// Times are those of the table's ops, on its basis. Errors: NotFound when there are no nodes; InvalidExternalData for
/// a damaged store.
Status load_graph(const Store& store, const OpTable& table, const std::string& method, const std::string& graph,
                  GraphModel* out);

/// A node, or a delegate's call in place of its nodes.
struct GraphItem {
  int32_t node = -1;  ///< -1 for a delegate
  int32_t part = -1;
};
/// The items of a scope as they run: in the order of their instructions where these are known, else of the graph, and
/// each behind what it reads.
std::vector<GraphItem> execution_order(const GraphModel& model, int32_t scope);

// Inside of load_graph.

/// Assigns nodes to delegates.
void assign_parts(const Store& store, int64_t trace_id, GraphModel* model);
/// Charges the table's ops to nodes and delegates.
void charge_graph(const OpTable& table, GraphModel* model);

}  // namespace et::inspector
