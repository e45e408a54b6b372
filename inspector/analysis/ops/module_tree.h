// The time of a trace as a tree: by the modules of the model, or as calls enclose each other. Each node's total is the
// sum of what it contains, and the root's is the time of all executions: what leads to no module, and what no inner
// event explains, are nodes of their own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "inspector/analysis/ops/op_table.h"
#include "inspector/store/store.h"

namespace et::inspector {

enum class CostKind : uint8_t {
  Root,          ///< all executions
  Method,        ///< executions of one method; name "" when it cannot be told
  Module,        ///< a module of the model with all that is inside
  Node,          ///< a graph node
  Call,          ///< an op of the trace
  Unattributed,  ///< time of an op that encloses others, which they do not explain
  Outside,       ///< everything that leads to no module
};

/// There may be as many as ops, and more: texts are kept once, in the tree.
struct CostNode {
  CostKind kind = CostKind::Root;
  Part part = Part::Framework;
  bool mixed = false;  ///< its time is spent in several parts; part and backend say nothing then
  Text name;           ///< what a box shows: "attn", "aten_linear_default_3"
  Text path;           ///< of a module: "blocks.0.attn"; of anything else inside of one: that module's
  Text type;           ///< class of a module, operator of a node, kind of an op
  Text node;           ///< of Node: its name in the graph, else ""
  Text method;         ///< "" when unknown
  Text backend;        ///< where all of its time is spent, "" for several, or none
  int32_t parent = -1;
  int32_t op = -1;      ///< of Call and Unattributed: index into OpTable::ops, the first when several were merged
  int32_t ops = 0;      ///< ops that are charged to it and its children, once a leaf
  int64_t samples = 0;  ///< of these ops
  double self = 0;      ///< time charged to itself only, in the unit of the trace; may be negative, see Call
  double total = 0;     ///< and of everything inside
  std::vector<int32_t> children;  ///< in the order in which they first ran
};

struct CostTree {
  std::string unit = "ns";
  std::vector<CostNode> nodes;  ///< [0] is the root; parents before their children
  TextPool texts;
  int64_t other_clock_ops = 0;  ///< ops that are in no sum, as their clock is not the trace's
};

/// Modules contain each other as their paths do. Classes of modules come from the view `modules`.
/// Errors: InvalidExternalData (damaged store).
Status module_tree(const Store& store, const OpTable& table, CostTree* out);

/// Ops as they enclose each other. `merge_names`: siblings of one name become one node.
CostTree call_tree(const OpTable& table, bool merge_names);

}  // namespace et::inspector
