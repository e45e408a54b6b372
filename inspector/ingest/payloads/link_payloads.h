// Payload nodes that carry no debug handle → graph nodes, known from program and record alone. Traces inherit what is
// found here, `where` and the delegation map need no trace for it.
#pragma once

#include <string_view>

#include "inspector/ingest/program_import.h"
#include "inspector/ingest/record_import.h"

namespace et::inspector {

/// Fills `links` and `debug_handle` of the nodes of TOSA payloads.
void link_payloads(ProgramImport& program, const RecordImport& record);

/// One TOSA payload. `handles`: of the instruction that calls the delegate.
void link_tosa(const MethodGraph& graph, const std::vector<int64_t>& handles, DelegateFacts* delegate);

/// The node that an operator was made of as the location in the payload names it: Arm's `dump_debug_info` writes where
/// each node came from, with the id of the graph that held it. False when the text says none.
struct TosaOrigin {
  std::string name;
  int64_t graph_id = 0;
};
bool tosa_origin(std::string_view location, TosaOrigin* out);

}  // namespace et::inspector
