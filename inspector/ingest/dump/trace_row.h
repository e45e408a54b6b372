// What an ETDump and its trailer say of the whole trace.
#pragma once

#include "inspector/ingest/dump/dump_file.h"
#include "inspector/ingest/trace_model.h"

namespace et::inspector {

/// Losses and oddities that the reader met, as diagnostics. After the last run.
void report_dump(const DumpFile& dump, const Trace& trace, bool saw_values, ImportContext& context);

void write_trace_row(const DumpFile& dump, const Trace& trace, ImportContext& context);

}  // namespace et::inspector
