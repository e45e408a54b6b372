// One execution that was chosen in the timeline: against its method's median, and what in it took longer than usual.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gui/core/trace_data.h"
#include "inspector/analysis/ops/execution_notes.h"

namespace et::gui {

struct ExecutionDetails {
  int64_t run = 0;                            ///< run_id
  std::vector<inspector::ExtraTime> longer;   ///< what took more than it usually does, the most first
  std::vector<inspector::ExtraTime> shorter;  ///< what took less, with ticks below zero
};

/// `usual`: median of its method, in ticks. Errors: InvalidExternalData (damaged store).
Status read_execution_details(const inspector::Store& store, const TraceData& data, int64_t run_id, double usual,
                              ExecutionDetails* out);

}  // namespace et::gui
