// One trace as the reports need it: blocks, ops with their statistics and their graph nodes, read from the store's
// views. Memory grows with the number of ops and links, never with samples.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/status.h"
#include "inspector/analysis/ops/basis.h"
#include "inspector/analysis/ops/execution_phases.h"
#include "inspector/store/line_rule.h"
#include "inspector/store/op_columns.h"
#include "inspector/store/store.h"
#include "inspector/text/compact.h"
#include "inspector/text/path_maps.h"

namespace et::inspector {

/// A graph node, as the store has it.
struct NodeFacts {
  int64_t id = 0;  // `nodes.node_id`
  std::string name, op, target, file, function, code, module_path, module_type;
  std::string frame;  // whose code the line is: user, library, torch, python or generated; "" when unknown
  std::optional<int64_t> line;
  bool has_module = false;  // module_path "" is the root when set, no module otherwise
};

/// A graph node that an op was linked to, with how and how surely.
struct OpNode {
  const NodeFacts* node = nullptr;  // in OpTable::facts
  std::string via;
  double confidence = 0, weight = 0;
};

/// Nodes that an op's time is shared among evenly when one of them is charged with `weight` of it.
int64_t nodes_sharing(double weight);

struct OpBlock {
  int64_t id = 0, ordinal = 0, runs = 0, total = 0;
  std::string name, kind;  // kind: load, execute or other
  std::optional<std::string> method, method_via;
  std::optional<double> method_confidence, warm_mean, warm_p50;
  std::optional<int64_t> bundled_input_index, cold;
  std::vector<BlockPhase> phases;  // in the order of their first runs
  std::vector<int64_t> merged;     // keys of the blocks that are in it, itself first; empty when it is alone
  double cost = 0;                 // of its executions, on the table's basis
  double variation = 0;            // of it: beyond what its ops usually take; only where the basis is a median
  bool complete = true;            // all its runs are: runs with the same events end alike
  std::optional<int64_t> error;
  size_t first_op = 0, ops = 0;  // range in OpTable::ops
};

/// A trace may have half a million of them: texts and lists are kept once, in the table.
struct OpEntry : OpStatistics {
  int64_t id = 0, ordinal = 0;
  uint32_t block = 0;      // index in OpTable::blocks
  Maybe<uint32_t> parent;  // index in OpTable::ops
  Text name, kind;
  Text unit;  // of its times: ns or cycles
  Maybe<int64_t> instruction_id, chain_index, outputs;
  MaybeText delegate_debug_id, backend, role, clock, metadata;
  MaybeText called;  // what the program has for a call that neither a kernel's event nor a node names
  SharedList<std::string> op_types;
  SharedList<int64_t> debug_handles;
  uint32_t first_node = 0, nodes = 0;  // range in OpTable::nodes, in the order of the links
  bool encloses = false;               // has measured ops inside on the same clock: its self time is unattributed
  bool is_delegated = false, resolution_limited = false;
  double cost = 0;  // exclusive time on the table's basis

  bool on_trace_clock() const { return !clock.has_value(); }
  /// A call whose kernel was measured as an op of its own.
  bool is_wrapper() const { return encloses && kind == "operator_call"; }
};

struct OpTable {
  OpTable() = default;
  OpTable(OpTable&&) = default;  // moving keeps the addresses of facts, texts and lists, copying would not
  OpTable& operator=(OpTable&&) = default;

  /// The same ops with costs that can be changed; texts, facts and lists stay where they are and live as long.
  static OpTable like(std::shared_ptr<const OpTable> other);

  int64_t trace_id = 0;
  std::string trace_name;  // "" without one
  std::string unit;        // of all times but those of ops on a foreign clock
  Basis basis = {BasisKind::Total};
  bool old_store = false;       // without costs: the warm median is the mean
  std::vector<OpBlock> blocks;  // by ordinal
  std::vector<OpEntry> ops;     // by block, then in order of execution
  std::vector<OpNode> nodes;
  ShownLines lines;             // which frame of a node its line is
  std::deque<NodeFacts> facts;  // each node once, however many ops are linked to it
  TextPool texts;
  std::deque<std::vector<int64_t>> handles;
  std::unordered_map<std::string, std::vector<std::string>> types;  // by their text in the store

  const OpBlock& block_of(const OpEntry& op) const { return blocks[op.block]; }
  /// The nodes that the op does work of: charged with its time, or taken in by a fused operator. An instruction that
  /// shares its handle with others is linked to the nodes of all of them; those are left out where its own are known.
  std::vector<const OpNode*> own_nodes(const OpEntry& op) const;
  /// The node that speaks for the op: the heaviest, then the surest, then the first. nullptr without links, and of a
  /// call whose ops inside have times of their own: no node of it is the call, unless all are of one line and module.
  const OpNode* main_node(const OpEntry& op) const;
  /// Nodes that the op is linked to, as `delegation` counts them.
  int64_t counted_nodes(const OpEntry& op) const;
  /// "delegate call of 42 nodes", of a call that no node speaks for; "" of any other op.
  std::string whole_call_text(const OpEntry& op) const;
  /// Basis::text(), and how many methods are added up: "warm median per execution, sum of 3 methods".
  std::string basis_text() const;
  bool has_links() const { return !nodes.empty(); }
  /// Index of an op by its key, or by that of one that was merged into it.
  std::optional<size_t> find(int64_t op_id) const;
  /// The same without those that were merged into another op, which has their costs.
  std::optional<size_t> find_own(int64_t op_id) const;
  /// Smallest and largest key; (0, -1) without ops.
  std::pair<int64_t, int64_t> ids() const;

  std::vector<uint32_t> by_id;                       // indices of ops by key; find() needs it
  std::unordered_map<int64_t, uint32_t> merged_ids;  // of ops that were merged into another, by key
  void index_ids();

 private:
  bool is_of_many_places(const OpEntry& op) const;
  std::shared_ptr<const OpTable> owner_;  // of texts, facts and lists that are another table's
};

/// A span of time on the trace's clock.
struct TimeRange {
  int64_t begin = 0, end = 0;
  bool operator==(const TimeRange&) const = default;
};

struct OpTableOptions {
  PathMaps maps = {};
  bool merge_blocks = true;
  Basis basis = {};
  std::optional<TimeRange> range = {};  ///< only what ran in it, instead of the basis
};
/// As people see a trace: executions of methods, on a basis. Errors: as below, and InvalidArgument for an execution
/// that the trace does not have.
Status load_shown_ops(const Store& store, int64_t trace_id, const OpTableOptions& options, OpTable* out);

/// From such a table, on whatever basis, another one on `basis` or of `range`; the ops are not read again. Errors: as
/// above.
Status load_other_basis(const Store& store, std::shared_ptr<const OpTable> shown, const Basis& basis,
                        const std::optional<TimeRange>& range, OpTable* out);

/// As upstream's Inspector groups it: block by block, costs are sums.

/// Errors: NotFound (no such trace; names those there are), AccessFailed or InvalidExternalData (damaged store).
Status load_op_table(const Store& store, int64_t trace_id, const PathMaps& maps, OpTable* out);

/// "file:line", "file" without a line, "" without a file.
std::string source_place(const NodeFacts& node);

/// Where an op's self time belongs. Everything inside a delegate call, whatever it is, belongs to that delegate.
enum class Part : uint8_t { Delegate, Kernel, Control, Framework };
struct OpPart {
  Part part = Part::Framework;
  bool overhead = false;  // of Delegate and Kernel: time of the call that no inner event explains
  Text backend;           // of Delegate, "" when unknown; of the table
};
/// For all ops, by index.
std::vector<OpPart> parts_of(const OpTable& table);

}  // namespace et::inspector
