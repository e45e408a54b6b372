// The single measurements of one op, for distributions: all of them, or a regular subset of very many.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/status.h"
#include "inspector/analysis/ops/op_table.h"
#include "inspector/store/store.h"

namespace et::inspector {

struct OpSamples {
  int64_t op_id = 0;
  int64_t total = 0;               ///< samples that the op has
  int64_t step = 1;                ///< every step-th was read; 1: all
  std::vector<int64_t> durations;  ///< in the op's unit, in the order in which they happened
  std::vector<int64_t> runs;       ///< executions that they belong to (run_id), of the same length
};

/// Reads at most `limit` samples; of more, every n-th from the first on. Of an op that others were merged into, also
/// theirs.
/// Errors: NotFound (no such op), InvalidArgument (limit 0), InvalidExternalData (damaged store).
Status load_op_samples(const Store& store, int64_t op_id, size_t limit, OpSamples* out);
/// Those in a span of time alone, each with its part inside, as restrict_ops counts them; `total` is of these. Samples
/// on a foreign clock are all there.
Status load_op_samples_in(const Store& store, int64_t op_id, const TimeRange& range, size_t limit, OpSamples* out);

}  // namespace et::inspector
