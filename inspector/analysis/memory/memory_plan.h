// The memory that a program plans: its arenas, who lies where and from when to when, and what of it is in use at each
// instruction. Everything is counted in bytes.
//
// A tensor is alive from the first instruction that touches it to the last. Inputs are alive from before the first
// instruction (-1), outputs until after the last (the number of instructions), and state, which outlives an execution,
// all the time. Tensors that share bytes at the same time (views, updates in place) are counted once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "inspector/store/store.h"

namespace et::inspector {

/// What an instruction is, in words of the program and, where the record or the trace leads there, of the model.
struct PlanInstruction {
  std::string kind;   ///< KernelCall, DelegateCall, …
  std::string what;   ///< operator, or backend of a DelegateCall
  std::string title;  ///< as op_title() calls it: "aten.add.Tensor", "XnnpackBackend call"
  std::optional<int64_t> op_id;
  std::string node, file, module;  ///< "" where nothing leads to a node; of a delegate's call, its first node
  int64_t line = 0;
  int64_t delegate = -1;             ///< of a delegate's call: PlanDelegate::ordinal
  std::string lines, common_module;  ///< of a delegate's call, of all its nodes: "attention.py:119–124"
};

struct PlanTensor {
  enum class Role : uint8_t { Intermediate, Input, Output, State };
  int64_t value = 0;  ///< index in the method's table of values
  std::string name;   ///< fully qualified name, "" without
  std::string dtype, shape;
  int64_t offset = 0, bytes = 0;
  int64_t first = 0, last = 0;     ///< instructions, both included
  int64_t producer = -1;           ///< instruction that writes it first; -1 for inputs and state
  int64_t reader = -1;             ///< instruction that first takes it as an argument, -1 when only lists have it
  int64_t view_of = -1;            ///< value whose bytes it shows under another shape, -1 for none
  std::string node, file, module;  ///< of a delegate's output, the node inside that makes it; "" else: writer_place()
  int64_t line = 0;
  Role role = Role::Intermediate;
  bool initialised = false;  ///< state with a value in the program
};
const char* role_name(PlanTensor::Role role);

/// File and line of what writes it: of the node inside of a delegate where it is known, else of the instruction.
inline std::pair<std::string, int64_t> writer_place(const PlanInstruction& by, const PlanTensor& t) {
  return t.file.empty() ? std::pair(by.file, by.line) : std::pair(t.file, t.line);
}
/// The same for people: "attention.py:124"; where it is only known that a delegate's call writes it, the lines of that:
/// "attention.py:119–124".
std::string written_at(const PlanInstruction& by, const PlanTensor& t);

/// One memory id of one method.
struct PlanArena {
  std::string method, device;
  size_t method_index = 0;  ///< in MemoryPlan::methods
  int64_t memory_id = 0;
  int64_t bytes = 0;                            ///< as the program asks for it
  std::vector<PlanTensor> tensors;              ///< by first, then offset
  std::vector<int64_t> in_use;                  ///< [0]: before the first instruction; [i + 1]: at instruction i
  int64_t peak = 0;                             ///< largest of in_use: no plan with these lifetimes needs less
  int64_t peak_at = -1;                         ///< first instruction with it
  int64_t reach = 0;                            ///< end of the furthest tensor
  std::optional<int64_t> capacity, high_water;  ///< largest of all executions, where the trace has them

  int64_t instructions() const { return static_cast<int64_t>(in_use.size()) - 2; }
  int64_t used_at(int64_t instruction) const;
  /// Part of the arena that not even the peak fills.
  double lost() const { return bytes > 0 ? 1 - static_cast<double>(peak) / static_cast<double>(bytes) : 0; }
  /// Indices of tensors that are alive at the instruction, largest first.
  std::vector<int32_t> alive_at(int64_t instruction) const;
};

struct PlanMethod {
  std::string name;
  std::vector<PlanInstruction> instructions;
  bool jumps = false;  ///< instructions may repeat or be skipped; lifetimes are those of the list
  int64_t constants = 0, constant_bytes = 0;
  int64_t unplanned = 0, unplanned_bytes = 0;  ///< inputs and outputs that the caller provides
  int64_t external = 0, external_bytes = 0;    ///< constants of a tensor file
};

struct PlanSegment {
  int64_t ordinal = 0, offset = 0, bytes = 0;
  std::string content;  ///< what refers to it, "" when nothing does
};

struct PlanDelegate {
  std::string method, backend, payload_kind;
  int64_t ordinal = 0;
  std::optional<int64_t> payload_bytes, weights_bytes, nodes;  ///< without a program nobody knows
};

/// A high-water mark at run time, the largest of all executions (of the method, where that is known).
struct RuntimeArena {
  std::string method, name;
  int64_t capacity = 0, high_water = 0, executions = 0;  ///< capacity 0: without a limit
};

/// What an allocator gave out while the program ran.
struct AllocatorUse {
  std::string allocator;
  int64_t count = 0, bytes = 0, largest = 0;
};

struct MemoryPlan {
  std::vector<PlanMethod> methods;
  std::vector<PlanArena> arenas;  ///< by method, then memory id
  std::vector<PlanSegment> segments;
  std::vector<PlanDelegate> delegates;
  std::vector<RuntimeArena> runtime;
  std::vector<AllocatorUse> allocators;

  /// The trace has no program: nothing is known of a plan.
  bool empty() const { return methods.empty(); }
};

/// What a method needs in all, as far as its files and its trace tell.
struct MemoryTotal {
  int64_t planned = 0;    ///< arenas
  int64_t constants = 0;  ///< of the program, and of a tensor file
  int64_t delegates = 0;  ///< payloads, and named data of the program, which are weights of delegates
  int64_t caller = 0;     ///< inputs and outputs that are not planned
  int64_t runtime = 0;    ///< allocators of the runtime beside the arenas, where the trace has them
  int64_t twice = 0;      ///< the most that a delegate may hold twice while it is prepared: as stored, packed
  std::vector<std::string> unknown;  ///< backends: what their delegates allocate for themselves is in no file

  int64_t sum() const;
  /// The most while the method is loaded: one delegate after another is prepared, which may copy what it is given; the
  /// stored form of those before it is gone by then.
  int64_t load_peak() const;
};
MemoryTotal memory_total(const MemoryPlan& plan, const std::string& method);
/// "in all 1.9 MiB: planned 0.4 MiB, constants 1.2 MiB, delegates 0.3 MiB; beside that the workspace of XnnpackBackend,
/// which is in no file: unknown"
std::string memory_total_text(const MemoryTotal& total);

/// Errors: InvalidExternalData (damaged store). A trace without a program gives an empty plan, possibly with marks of
/// the run time.
Status load_memory_plan(const Store& store, int64_t trace_id, MemoryPlan* out);

}  // namespace et::inspector
