// The delegation of a program as a map: per method its instructions in program order, delegated and not, with what each
// costs; the stretches outside that part one delegate from the next; and for every operator that stayed outside what
// speaks for or against it. The files hold no word of a partitioner: reasons are derived from the program alone, by
// comparing what stayed outside with what was delegated, and say so.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "inspector/analysis/delegation/delegation.h"
#include "inspector/analysis/graph/graph_model.h"
#include "inspector/analysis/graph/node_counts.h"
#include "inspector/analysis/ops/op_table.h"
#include "inspector/store/store.h"

namespace et::inspector {

/// One instruction. Times are on the basis of the table, in the trace's unit, and include everything inside: also what
/// calling a kernel takes the runtime.
struct MapItem {
  enum class Kind : uint8_t { Delegate, Kernel, Control };
  Kind kind = Kind::Kernel;
  int64_t instruction = 0;
  std::string label;      ///< operator of a kernel, backend of a delegate, kind of a control instruction
  std::string title;      ///< as op_title() calls it: "aten.mean.dim"; without a graph "mean.out"
  std::string backend;    ///< of a delegate
  std::string part;       ///< of a delegate: lowered_module_0, "" without an ETRecord
  int64_t number = 0;     ///< of a delegate: which of the method's delegate calls, from 1
  std::string operators;  ///< of a delegate, that compute, most first: "aten.convolution ×52, aten.add.Tensor ×10"
  std::string module;     ///< the innermost one that all of its nodes lie in; "" when there is none
  std::vector<std::string> nodes;  ///< of the graph
  int64_t node_count = 0;          ///< of a delegate as upstream counts it; else nodes.size()
  int64_t shown_nodes = 0;         ///< of them, those that NodeCounts counts; for people
  int64_t payload_bytes = -1;      ///< of a delegate; -1 without a program
  int64_t payload_nodes = -1;      ///< of a delegate whose payload can be read
  double ns = 0, inner_ns = 0;     ///< inner: of a delegate, explained by its own events
  double hidden_ns = 0;            ///< of a delegate: at most so much more, where its events last whole microseconds
  int64_t calls = 0;
  int64_t bytes_in = -1, bytes_out = -1;  ///< of tensors that it reads and makes once a call; -1 when unknown
  std::string control;                    ///< node of control flow that it is a step of
  bool moves = false;          ///< copies, or changes layout or dtype: work that a delegate would spare or do itself
  bool crossing = false;       ///< reads what a delegate made, and makes what a delegate reads
  bool guessed = false;        ///< which nodes are inside is not certain
  int32_t non_delegated = -1;  ///< index into DelegationMap::non_delegated
};

/// What lies between two calls of delegates.
struct MapBreak {
  size_t first = 0, last = 0;  ///< items, both included
  std::string before, after;   ///< backends
  double ns = 0, move_ns = 0;  ///< time of its items, and of those among them that only move data
  int64_t moves = 0;
  int64_t layouts = -1;  ///< transposes inside of the two delegates, at the edges towards this break; -1 unknown
  double layout_ns = 0;  ///< their time, which is the delegates', not in `ns`
  int64_t bytes = -1;    ///< of tensors that leave a delegate for it or go from it into a delegate; -1 unknown
};

struct StayReason {
  enum class Kind : uint8_t {
    ControlFlow,       ///< holds bodies that the runtime interprets, or lies in one
    NotATensor,        ///< computes sizes or checks
    SameElsewhere,     ///< others of the same operator are delegated
    NotTaken,          ///< the backend's partitioner has no such operator
    Limits,            ///< its partitioner takes it within limits, and nothing like it was taken
    NeverDelegated,    ///< none of this operator is delegated in this program
    Dtype,             ///< works on a dtype that no delegated node works on
    DynamicShape,      ///< has a dynamic shape, which no delegated node has
    Between,           ///< reads from a delegate and feeds a delegate
    Moves,             ///< only moves data
    View,              ///< leaves no instruction: costs nothing
    NothingDelegated,  ///< the program has no delegate
    NoNode,            ///< no node of the graph leads to this instruction
    Uncertain,         ///< nodes share a debug handle: this one may be inside
    NotPartitioned,    ///< nothing of its method is delegated, while other methods have delegates
    DecomposedWeight,  ///< its partitioner wants constant weights, and they are transposed from constants at run time
  };
  Kind kind = Kind::NeverDelegated;
  std::string text;
};
const char* reason_name(StayReason::Kind kind);  ///< "dtype", for tables

/// A node of the graph, or, without an ETRecord, an instruction that stayed outside.
struct NonDelegatedOp {
  std::string op, node, dtype, shape, file, module_path;
  int64_t line = 0;
  int32_t scope = 0;         ///< 0: the outer graph, else a body of control flow
  int64_t instruction = -1;  ///< -1: needs none
  int32_t item = -1;         ///< index into DelegationMap::items
  double ns = 0;             ///< its item's time, shared evenly when several nodes became one instruction
  int64_t calls = 0;
  int64_t crossing_bytes = 0;  ///< it reads from delegates and makes for delegates; -1 unknown
  std::vector<StayReason> reasons;
};

struct DelegationMap {
  std::string method;  ///< "" when it is not known
  std::string unit = "ns";
  double total_ns = 0;      ///< of the executions of the method, on the basis
  double framework_ns = 0;  ///< of it, in no instruction; total = framework + variation + sum of items
  double variation_ns = 0;  ///< OpBlock::variation
  std::vector<MapItem> items;
  std::vector<MapBreak> breaks;
  std::vector<NonDelegatedOp> non_delegated;
  bool has_graph = false;
  NodeCounts nodes;           ///< of the graph, for people; empty without one
  DelegationSummary summary;  ///< shown_delegation: counts as get_delegation_info has them; empty without a graph

  double delegated_ns() const, non_delegated_ns() const;
  size_t delegates() const;
};

/// Of a span of time: takes out non-delegated operators that did not run in it, so that numbers of operators and times
/// are of the same.
void leave_what_ran(std::vector<DelegationMap>* maps);

/// A delegate call for people: "XnnpackBackend call 3".
std::string call_name(const MapItem& delegate);
/// The delegate calls on both sides of something: "XnnpackBackend calls 3 and 4", or of two backends each by its name.
std::string calls_between(const MapItem& before, const MapItem& after);
/// What runs in a break, the most time first: "aten.where.self, aten.view_copy ×2, and 3 more".
std::string break_operators(const DelegationMap& map, const MapBreak& x, size_t most = 3);
/// "a.b" of "a.b.c" and "a.b.d".
std::string module_of_both(const std::string& a, const std::string& b);
/// Operator types in the order of `titles`, those of which there are most first: "aten.add.Tensor ×2, and 3 more".
std::string counted_operators(const std::vector<std::string>& titles, size_t most = 3);
/// The innermost module that all of a break lies in; "" when there is none or the model itself.
std::string break_module(const DelegationMap& map, const MapBreak& x);

/// What a map says in numbers.
struct DelegationTotals {
  double delegated = 0, non_delegated = 0, framework = 0, variation = 0, total = 0;  ///< the others add up to total
  double breaks = 0, moves = 0;  ///< of `non_delegated`: between delegates; and of that, what only moves data
  int64_t break_bytes = -1;      ///< -1 when a part of it is unknown
  int64_t move_count = 0;
  int64_t layout_count = 0;  ///< transposes inside of delegates, at breaks
  double layouts = 0;        ///< their time, of `delegated`
};
DelegationTotals delegation_totals(const DelegationMap& map);

/// One map a method, in the program's order. Without a program instructions are those that the trace shows.
/// Errors: as load_graph.
Status delegation_map(const Store& store, const OpTable& table, std::vector<DelegationMap>* out);

/// Inside of delegation_map: fills the reasons of all `non_delegated` of `maps`; `models` are their graphs (by index,
/// null without one), `inside` the graphs that lie in delegates.
void explain_non_delegated(const std::vector<const GraphModel*>& models, const std::vector<GraphModel>& inside,
                           std::vector<DelegationMap>* maps);

/// An operator that only copies data, or changes its layout, shape or dtype: "aten.permute_copy.default".
bool only_moves_data(std::string_view op);

/// Bytes of a dense tensor; -1 when its shape is dynamic or its dtype is unknown.
int64_t tensor_bytes(const std::string& dtype, const std::string& shape);

}  // namespace et::inspector
