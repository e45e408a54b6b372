// Last stage of an ETDump: statistics, self times and totals over the samples of all runs.
#pragma once

#include "inspector/ingest/dump/sample_buffer.h"
#include "inspector/ingest/import_context.h"
#include "inspector/ingest/trace_model.h"

namespace et::inspector {

/// One op after the other, of a sealed buffer. Does not touch the store, which another thread may write meanwhile.
Status compute_statistics(Trace& trace, SampleBuffer& samples, ImportContext& context);

}  // namespace et::inspector
