// The time of a trace as a tree: by the modules of the model, or as ops enclose each other (by the frames of the Python
// stack: frame_tree.h). Each node's total is the
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
  Frame,         ///< a frame of the Python stack: what a line calls, with all that is inside
  Call,          ///< an op of the trace
  Group,         ///< of a type_tree: a backend, "kernels", an operator type
  Unattributed,  ///< time of an op that encloses others, which they do not explain
  Outside,       ///< everything that leads to no module, of a frame_tree to no line
};

/// There may be as many as ops, and more: texts are kept once, in the tree.
struct CostNode {
  CostKind kind = CostKind::Root;
  Part part = Part::Framework;
  bool mixed = false;  ///< its time is spent in several parts; part and backend say nothing then
  Text name;           ///< what a box shows: "attn", "aten_linear_default_3"
  Text path;           ///< of a module: "blocks.0.attn"; of anything else inside of one: that module's; of a frame
                       ///< the innermost that has all of its time, "blocks.*.attn" of several that differ by a number
  Text type;           ///< class of a module, operator of a node, kind of an op
  Text node;           ///< of Node: its name in the graph, else ""
  Text method;         ///< "" when unknown
  Text backend;        ///< where all of its time is spent, "" for several, or none
  Text file, code;     ///< of Frame: as the ETRecord has it
  Text note;           ///< of what leads to no line: what can be done about it
  int64_t line = 0;    ///< of Frame
  int32_t parent = -1;
  int32_t op = -1;        ///< of Call and Unattributed: index into OpTable::ops, the first when several were merged
  int32_t ops = 0;        ///< ops that have time in it and its children (op_count.h); 0: time of no op
  int64_t samples = 0;    ///< of these ops, or of that time
  double self = 0;        ///< time charged to itself only, in the unit of the trace; may be negative, see Call
  double total = 0;       ///< and of everything inside
  double shared = 0;      ///< of `self` of a graph node: even shares of ops that are linked to several nodes
  int64_t shared_by = 1;  ///< nodes that such an op is shared among, at most
  double middle = 0;      ///< instruction in the middle of its time: where in an execution it is
  std::vector<int32_t> children;  ///< in the order in which they first ran
};

/// A part of an op's time that a node is charged with.
struct CostCharge {
  int32_t node = 0;   ///< index into CostTree::nodes, one without children
  uint32_t op = 0;    ///< index into OpTable::ops
  int32_t link = -1;  ///< index into OpTable::nodes, -1 for time that leads to no graph node
  double time = 0;
};

struct CostTree {
  std::string unit = "ns";
  std::vector<CostNode> nodes;  ///< [0] is the root; parents before their children
  TextPool texts;
  std::vector<CostCharge> charges;  ///< op by op; they are all of it but for the variation
  int64_t other_clock_ops = 0;      ///< ops that are in no sum, as their clock is not the trace's
};

/// What executions take beyond the usual times of their ops.
inline bool is_variation(const CostNode& node) { return node.kind == CostKind::Outside && node.name == "(variation)"; }

/// Modules contain each other as their paths do. Classes of modules come from the view `modules`.
/// Errors: InvalidExternalData (damaged store).
Status module_tree(const Store& store, const OpTable& table, CostTree* out);

/// Ops as they enclose each other. `merge_names`: siblings of one name become one node.
CostTree call_tree(const OpTable& table, bool merge_names);

/// By what runs it (a backend, kernels, the framework), then by operator type; ops below a type of several. What is
/// there to see without an ETRecord.
CostTree type_tree(const OpTable& table);

}  // namespace et::inspector
