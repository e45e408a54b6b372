// Fourth stage: the times of a run as a row of the run and samples of its ops.
//
// This stage works while runs are read: a trace may have millions of events, and what is kept of one is bounded by the
// sample buffer. So statistics come last, over the samples, and not from the runs as they pass.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "inspector/ingest/dump/dump_values.h"
#include "inspector/ingest/dump/run_groups.h"
#include "inspector/ingest/dump/sample_buffer.h"

namespace et::inspector {

struct RunSamples {
  explicit RunSamples(ImportContext& context)
      : samples(context.store),
        run_ids(context.store, "raw_run"),
        block_ids(context.store, "raw_block"),
        op_ids(context.store, "raw_op"),
        insert_run(context.store.query("INSERT INTO raw_run VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12)")) {}

  SampleBuffer samples;
  RowIds run_ids, block_ids, op_ids;
  Statement insert_run;
  bool saw_load = false;
  std::unordered_map<std::string, bool> method_ran;
};

/// Gives the block and its ops their rows. Before the first sample of a new block.
void declare_block(Trace& trace, Block& block, RunSamples& out);

/// Writes the run and adds its samples. Returns the run's row.
int64_t add_run(const DumpFile& dump, const RunEvents& run, const Variant& variant, Trace& trace, RunSamples& out,
                ImportContext& context);

}  // namespace et::inspector
