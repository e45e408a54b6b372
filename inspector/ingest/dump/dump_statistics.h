// Last stage of an ETDump: statistics, self times and totals over the samples of all runs.
#pragma once

#include "inspector/ingest/dump/sample_buffer.h"
#include "inspector/ingest/import_context.h"
#include "inspector/ingest/trace_model.h"

namespace et::inspector {

/// One op after the other: the buffer gives back what it wrote to the store, and lets go of what it kept.
void compute_statistics(Trace& trace, SampleBuffer& samples, ImportContext& context);

}  // namespace et::inspector
