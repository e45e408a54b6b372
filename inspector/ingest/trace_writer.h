// Writes blocks, ops and links of a finished trace into the store.
#pragma once

#include <map>
#include <string>

#include "inspector/ingest/import_context.h"
#include "inspector/ingest/program_import.h"
#include "inspector/ingest/record_import.h"
#include "inspector/ingest/trace_model.h"

namespace et::inspector {

void write_trace(ImportContext& context, const Trace& trace, const RecordImport& record, const ProgramImport& program,
                 const std::map<std::string, int64_t>& method_rows);

}  // namespace et::inspector
