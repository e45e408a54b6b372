// What method inference and links need of a program, as plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "inspector/ingest/trace_model.h"
#include "inspector/match/xnnpack_kinds.h"
#include "runtime/format/program.h"

namespace et::inspector {

/// One node of a delegate's payload, of whatever format.
struct PayloadNode {
  int64_t row = 0;
  std::string type;           // node type of the format: "FullyConnected", "CONV2D", "aten.mm.default"
  int64_t debug_handle = -1;  // -1: none
  bool inserted = false;      // put there by the lowering (XNNPACK: transposes around NHWC operators)
  bool clamped = false;       // XNNPACK: finite output bounds
  std::string label;
  std::string location;                  // TOSA: where it came from, when the export kept that
  std::vector<int64_t> inputs, outputs;  // value ids of the payload
  std::vector<int64_t> sizes;            // of its first output, empty when not known; upper bounds where they vary
  std::vector<Link> links;  // nodes of the graph, best first, where the payload's handle is not all (links)
  // XNNPACK: what it goes by when it makes a table of a quantised chain (lookup_chains.h).
  std::vector<int64_t> scalars;  // inputs that are constants of one element
  std::vector<int64_t> narrow;   // inputs and outputs of 8 bits
  bool leaves = false;           // its output is one of the delegate's
  Conversion converts = Conversion::None;
  int64_t events = 0;       // ops aligned with it (set by the links)
  int64_t fused_into = -1;  // index of the node whose event includes it, -1 none (set by the links)
};

/// A value of a payload whose values have names.
struct PayloadValue {
  std::string name, dtype;
};

/// A command that makes an NPU work.
struct PayloadCommand {
  int64_t offset = 0;  // bytes from the first command of the stream
  int64_t macs = 0;    // multiplications of a convolution
  size_t node = 0;     // index into DelegateFacts::nodes, while these are the commands
};

/// An operator as the compiler of the payload saw it: what it expected, in cycles of the device.
struct CompiledOperator {
  std::string type, name;
  std::optional<int64_t> cycles, compute_cycles, memory_cycles;
  std::string memory;  // the busiest
  std::optional<int64_t> macs, staging_bytes;
  std::optional<int64_t> commands;         // how many it became, without transfers
  std::optional<int64_t> measured_cycles;  // median over the inferences of a trace of the device
  int32_t node = -1;                       // index into DelegateFacts::nodes
};

/// When an operator ran on the device: cycles of its clock, from the start of the trace.
struct DeviceSlice {
  size_t op = 0;  // index into DelegateFacts::compiled
  int64_t inference = 0, start = 0, end = 0;
};

/// What else is worth knowing of a payload, see the view payload_facts.
struct PayloadFact {
  std::string kind, name;
  std::optional<int64_t> value;
  std::string text;
};

struct PayloadKind;

struct DelegateFacts {
  int64_t row = 0;
  std::string backend, payload_kind, note;
  uint64_t payload_bytes = 0, weights_bytes = 0;
  const PayloadKind* kind = nullptr;  // null: unknown
  bool readable = false;              // nodes are known
  std::vector<PayloadNode> nodes;
  std::vector<PayloadValue> values;  // TOSA: by value id
  std::vector<PayloadFact> facts;
  std::vector<std::vector<int64_t>> inputs, outputs;  // sizes without leading ones, where the payload says them
  std::vector<PayloadCommand> commands;               // Vela
  std::vector<CompiledOperator> compiled;
  std::vector<DeviceSlice> slices;
};

struct InstructionFacts {
  format::InstructionKind kind = format::InstructionKind::None;
  std::string op;         // "aten::add.out" for a KernelCall
  int32_t delegate = -1;  // index into MethodFacts::delegates for a DelegateCall
  std::vector<int32_t> args;
  std::vector<int64_t> sizes;  // of the tensor that a KernelCall returns, upper bounds where they vary; empty: none
};

struct MethodFacts {
  std::string name;
  int64_t inputs = 0, outputs = 0;
  bool jumps = false;  // has JumpFalse: an execution need not visit every instruction
  std::vector<InstructionFacts> instructions;
  std::vector<DelegateFacts> delegates;
};

}  // namespace et::inspector
