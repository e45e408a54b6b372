// Fourth stage: the times of a run as a row of the run and samples of its ops.
//
// This stage works while runs are read: a trace may have millions of events, and what is kept of one is bounded by the
// sample buffer. So statistics come last, over the samples, and not from the runs as they pass.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "inspector/ingest/dump/dump_values.h"
#include "inspector/ingest/dump/run_groups.h"
#include "inspector/ingest/dump/sample_buffer.h"

namespace et::inspector {

/// A row of raw_run.
struct RunRow {
  int64_t id = 0, block = 0, ordinal = 0, execution = 0;
  std::optional<int64_t> start;
  int64_t duration = 0;
  bool cold = false, complete = false;
  std::optional<int64_t> error, lost;
  std::optional<std::string> phase;
};

/// Rows of raw_run, several at once: starting and ending a statement takes twice as long as a row.
class RunRows {
 public:
  explicit RunRows(const ImportContext& context);
  void add(RunRow row) {
    waiting_.push_back(std::move(row));
    if (waiting_.size() == kTogether) flush();
  }
  /// Writes those that wait. Before another thread has the store.
  void flush();

 private:
  static constexpr size_t kTogether = 32;
  void bind(Statement& st, int first, const RunRow& row) const;

  const Store& store_;
  int64_t trace_;
  Statement one_, many_;
  std::vector<RunRow> waiting_;
};

struct RunSamples {
  explicit RunSamples(ImportContext& context)
      : samples(context.store),
        run_ids(context.store, "raw_run"),
        block_ids(context.store, "raw_block"),
        op_ids(context.store, "raw_op"),
        rows(context) {}

  SampleBuffer samples;
  RowIds run_ids, block_ids, op_ids;
  RunRows rows;
  size_t runs = 0;  // of the ETDump
  bool saw_load = false;
  std::unordered_map<std::string, bool> method_ran;
};

/// Gives the block and its ops their rows. Before the first sample of a new block.
void declare_block(Trace& trace, Block& block, RunSamples& out);

/// Writes the run and adds its samples. Returns the run's row.
int64_t add_run(const DumpFile& dump, const RunEvents& run, const Variant& variant, Trace& trace, RunSamples& out,
                ImportContext& context);

}  // namespace et::inspector
