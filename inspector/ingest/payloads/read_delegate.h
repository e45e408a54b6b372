// One delegate of a program → its payload's nodes and facts, by the table of payload kinds.
#pragma once

#include <string>

#include "inspector/ingest/import_context.h"
#include "inspector/ingest/program_facts.h"
#include "runtime/format/program.h"

namespace et::inspector {

/// Reads a payload with the reader of its kind. What cannot be read is a diagnostic that begins with `where`.
DelegateFacts read_delegate(const format::Delegate& delegate, ImportContext& context, const std::string& where);

}  // namespace et::inspector
