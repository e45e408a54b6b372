// Where a debug handle or an instruction leads: to graph nodes, Python lines, and nodes inside of delegates. What a
// backend that fails reports, and the runtime's error, become a line of the model by this.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "inspector/store/store.h"

namespace et::inspector {

/// A frame of a node's stack trace.
struct PlaceFrame {
  std::string file, function;
  int64_t line = 0;
};

/// A graph node. Empty texts and line 0: not known.
struct Place {
  int64_t id = 0;       ///< `nodes.node_id`
  int64_t handle = -1;  ///< -1: the node has none
  std::string method, node, op;
  std::string file, function, code, module_path, module_type;
  int64_t line = 0;
  std::string frame;               ///< whose code the line is, as `source_files.owner`
  std::vector<PlaceFrame> frames;  ///< the whole stack trace, outermost first

  /// "model.py:41", "" without a line.
  std::string file_line() const;
  /// "handle 73 → aten.convolution.default → model.py:41"
  std::string text() const;
};

/// A node inside of a delegate's payload.
struct PayloadPlace {
  std::string method, backend, type;
  int64_t delegate = 0;  ///< position in the method's list of delegates
  int64_t ordinal = 0;   ///< position in the payload
  std::string label;     ///< what else is known of it, and how it is known to belong to the handle
};

/// An instruction, and what it stands for.
struct InstructionPlace {
  std::string method, kind;
  int64_t instruction = 0;
  std::string op;              ///< of a kernel call
  std::string backend;         ///< of a delegate call
  int64_t delegate = -1;       ///< of a delegate call
  int64_t payload_bytes = -1;  ///< -1: not known
  int64_t node_count = 0;      ///< nodes that it stands for: its handles, one a node; 0 without a record
  std::vector<Place> nodes;    ///< those that have one of the handles, in the graph's order
};

struct HandlePlaces {
  std::vector<Place> nodes;
  std::vector<PayloadPlace> payload_nodes;
  std::vector<InstructionPlace> instructions;  ///< that hold the handle; their `nodes` are empty
};

/// Edge nodes are looked at, or those of the record's other graphs when no edge node has the handle. `method` "": all.
HandlePlaces places_of_handle(const Store& store, int64_t trace_id, const std::string& method, int64_t handle);

/// "handles are 1 to 72, 60 of them"; empty when there are none. `method` "": of all.
std::string handle_range_text(const Store& store, int64_t trace_id, const std::string& method);

/// Errors: NotFound, with the number of instructions that there are. `method` "": the first with such an instruction.
Status place_of_instruction(const Store& store, int64_t trace_id, const std::string& method, int64_t instruction,
                            InstructionPlace* out);

}  // namespace et::inspector
