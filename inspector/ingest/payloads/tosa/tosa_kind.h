// TOSA payloads: their operators, and the graph nodes that these were lowered from.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_error.h"
#include "base/span.h"

namespace et::inspector {

struct DelegateFacts;
struct MethodGraph;

FileError read_tosa(Span<const uint8_t> bytes, DelegateFacts* out);

/// Fills `links` and `debug_handle` of the payload's nodes. `handles`: of the instruction that calls the delegate.
void link_tosa_nodes(const MethodGraph& graph, const std::vector<int64_t>& handles, DelegateFacts* delegate);

/// The node that an operator was lowered from, as the location in the payload names it: Arm's `dump_debug_info` writes
/// where each node came from, with the id of the graph that contained it. False when the text names none.
struct TosaOrigin {
  std::string name;
  int64_t graph_id = 0;
};
bool tosa_origin(std::string_view location, TosaOrigin* out);

}  // namespace et::inspector
