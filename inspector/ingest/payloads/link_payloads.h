// Payload nodes that carry no debug handle → graph nodes, known from program and ETRecord alone. Every run inherits
// what is found here; `where` and the delegation map need no run for it.
#pragma once

#include "inspector/ingest/program_import.h"
#include "inspector/ingest/record_import.h"

namespace et::inspector {

/// Calls `link_nodes` of the payload kinds that have it.
void link_payloads(ProgramImport& program, const RecordImport& record);

}  // namespace et::inspector
