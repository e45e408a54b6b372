// One trace while it is being imported: blocks of ops, each op with its statistics and links. The stages of the ETDump
// fill in what it says, method inference and the links add to it, trace_writer puts it into the store.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "inspector/ingest/links/unlinked_reasons.h"
#include "inspector/match/execution_basis.h"
#include "inspector/match/xnnpack_kinds.h"
#include "inspector/store/op_columns.h"
#include "runtime/format/delegate_metadata.h"

namespace et::inspector {

enum class OpKind : uint8_t { Framework, OperatorCall, Kernel, DelegateCall, DelegateOp, Control, Backend, Value };
const char* op_kind_name(OpKind kind);

/// What tells one event of a run from another. Equal keys in one run are samples of one op (loops).
struct EventKey {
  /// Upstream keeps values logged outside instructions apart from framework events, which share their numbers.
  static constexpr int64_t kValueOutside = -2;

  bool debug = false;        // a logged value, not a measurement
  std::string name;          // "" for delegate events
  int32_t instruction = -1;  // as stored; framework events of upstream carry 0
  int64_t chain = 0;         // -1 outside instructions, kValueOutside for values logged there
  int32_t delegate_int = -1;
  std::string delegate_str;

  bool operator==(const EventKey&) const = default;
  bool delegated() const { return delegate_int != -1 || !delegate_str.empty(); }
  /// Same instruction, chain and delegate id: upstream shows such events side by side.
  bool same_group(const EventKey& o) const {
    return instruction == o.instruction && chain == o.chain && delegate_int == o.delegate_int &&
           delegate_str == o.delegate_str;
  }
};

enum class Via : uint8_t { Instruction, DelegateMap, PayloadNode, Dataflow, Inferred };
const char* via_name(Via via);

struct Link {
  int32_t node = -1;  // index into the nodes of the method's edge program
  Via via = Via::Instruction;
  double confidence = 1;
  double weight = 0;  // part of the op's self time charged to the node
};

struct Op {
  int64_t row = 0;
  int32_t block = 0;
  int32_t ordinal = 0;
  int32_t parent = -1;  // index into Trace::ops
  bool has_children = false;
  EventKey key;
  std::string name;  // what is shown
  OpKind kind = OpKind::Kernel;
  std::string backend;
  int32_t delegate = -1;                   // index into MethodFacts::delegates
  int32_t payload_node = -1;               // index into DelegateFacts::nodes
  Conversion converts = Conversion::None;  // of a Convert of XNNPACK
  std::string role;                        // "layout", "clamp", "init", "plan" or ""
  // A clock that is not the trace's: its name, and how its ticks become ns (0/0: not at all).
  std::string clock;
  uint64_t clock_numerator = 1, clock_denominator = 1;
  bool clock_given = false;  // the user said what the clock counts
  std::string unit = "ns";   // of this op's times
  bool whole_microseconds = false;
  std::string metadata;
  std::string map_key;  // how the delegate map calls it, where that is not its name
  // What a backend of this project says of the event itself (runtime/format/delegate_metadata.h).
  bool recorded = false;
  std::vector<format::DelegateNode> recorded_nodes;

  std::vector<int64_t> handles;
  bool has_handles = false;
  std::vector<std::string> op_types;
  std::optional<int64_t> outputs;
  std::vector<Link> links;
  Unlinked unlinked_reason = Unlinked::none;

  OpStatistics stats;
  int32_t merged_into = -1;  // index into Trace::ops: the same op in an earlier block of the method
  PartCost cost;             // an execution's; of what others were merged into

  bool in_instruction() const { return kind != OpKind::Framework && key.chain >= 0; }
  bool foreign() const { return !clock.empty(); }
};

struct Block {
  int64_t row = 0;
  int32_t ordinal = 0;
  std::string name;
  std::string kind;  // load, execute, other
  int32_t bundled_input_index = -1;
  std::string trailer_method;  // "" when the ETDump has no trailer
  std::string method;          // "" where it cannot be told
  std::string method_via;
  double method_confidence = 0;
  bool complete = true;      // its runs have Method::execute
  std::vector<int32_t> ops;  // indices into Trace::ops, in order of execution
  std::vector<int64_t> run_durations;
  std::vector<int64_t> run_rows;
  int64_t cold_run = -1;  // row of the cold execution
  std::optional<int64_t> cold;
  int64_t total = 0;
};

/// The executions of one method, whichever block they are in; of an unknown method those of one block.
struct Executions {
  std::vector<int32_t> blocks;  // indices into Trace::blocks
  int64_t count = 0, warm = 0, cold = 0, tail = 0;
  double warm_median = 0;
};

/// Statistics over all blocks of a method.
struct MergedOp {
  int32_t op = -1;  // index into Trace::ops: the one that the others were merged into
  OpStatistics stats;
};

struct Trace {
  std::vector<Block> blocks;
  std::vector<Op> ops;
  std::vector<Executions> executions_of;  // by method, as they first ran
  std::vector<MergedOp> merged;           // of ops in several blocks
  uint64_t events = 0;
  uint64_t executions = 0;
  bool cycles = false;  // the unit of the trace is cycles, not ns
};

}  // namespace et::inspector
