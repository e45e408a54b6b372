// The table of delegate payloads: who writes each kind, how it is recognised, read, and linked. A kind is a folder here
// and a row of the table (CONTRIBUTING.md, "Add a delegate payload").
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/file_error.h"
#include "base/span.h"

namespace et::inspector {

struct DelegateCall;
struct DelegateFacts;
struct MethodGraph;
struct Op;

struct PayloadKind {
  const char* name;                          // `payload_kind` in the store
  const char* backend;                       // id of the backend that writes it
  bool (*magic)(Span<const uint8_t> bytes);  // looks at the first bytes only; called with at least one
  bool by_content = true;                    // the first bytes suffice, whatever the backend is called

  /// Payload → nodes and facts.
  FileError (*read)(Span<const uint8_t> bytes, DelegateFacts* out);

  // How events and nodes get to the graph; what a kind does not need stays null.
  /// Payload nodes without debug handles → graph nodes, known without a run. `handles`: of the calling instruction.
  void (*link_nodes)(const MethodGraph& graph, const std::vector<int64_t>& handles, DelegateFacts* out) = nullptr;
  /// Events of one call → payload nodes → graph nodes.
  void (*link_events)(DelegateCall& call) = nullptr;
  /// The same without the program. Not called when the ETRecord's delegate map already says it.
  void (*link_by_graph)(DelegateCall& call) = nullptr;
  /// Without the program: of the nodes that share a recorded event's debug handle those that its name speaks of; all
  /// where it speaks of none. Returns how many of them are of the operator that gives the event its name; they come
  /// first.
  size_t (*keep_nodes_of_event)(const MethodGraph& graph, std::string_view event,
                                std::vector<int32_t>* nodes) = nullptr;
  /// How badly the events of one call fit this payload, 0 for a perfect fit; tells methods apart.
  int64_t (*unmatched_events)(const DelegateFacts& delegate, const std::vector<std::string_view>& events) = nullptr;
  /// The same without the program. `handles`: of the calling instruction.
  int64_t (*unmatched_by_graph)(const MethodGraph& graph, const std::vector<int64_t>& handles,
                                const std::vector<const Op*>& events) = nullptr;
};

/// The kinds that et-inspect reads.
std::span<const PayloadKind> payload_kinds();

/// The row for a payload: by the backend's id where a row has it, for other ids by content. Null for none.
const PayloadKind* find_payload_kind(std::span<const PayloadKind> kinds, std::string_view backend,
                                     std::span<const uint8_t> bytes);

}  // namespace et::inspector
