// Third stage: which op of a new block encloses which, and what that makes of the ops and of the block.
#pragma once

#include <cstdint>
#include <vector>

#include "inspector/ingest/dump/nesting.h"
#include "inspector/ingest/dump/run_groups.h"

namespace et::inspector {

/// Measurements of one run with what encloses them.
struct NestedRun {
  std::vector<NestingEvent> events;
  std::vector<uint32_t> at;      // place of each in the run's events
  std::vector<int32_t> parents;  // index into `events`, -1 for outermost ones

  Op& op(size_t n, const Variant& variant, Trace& trace) const {
    return trace.ops[static_cast<size_t>(variant.op_of_event[at[n]])];
  }
};
NestedRun nest_run(const RunEvents& run, const EventKeys& keys);

/// Parents and kinds of a new block's ops, kind of the block and the method that the trailer names.
void nest_block(const DumpFile& dump, const RunEvents& run, const NestedRun& nested, const Variant& variant,
                Trace& trace);

/// The events whose times add up to the run's. Call when clocks are known: other clocks take no part.
void find_roots(const NestedRun& nested, Trace& trace, Variant& variant);

}  // namespace et::inspector
