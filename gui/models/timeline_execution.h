// One execution that was chosen in the timeline: against its method's median, and what in it took longer than usual.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gui/core/trace_data.h"
#include "inspector/analysis/ops/execution_notes.h"
#include "inspector/analysis/ops/extra_time.h"

namespace et::gui {

struct ExecutionDetails {
  int64_t run = 0;                            ///< run_id
  std::vector<inspector::ExtraTime> longer;   ///< what took more than it usually does, the most first
  std::vector<inspector::ExtraTime> shorter;  ///< what took less, with ticks below zero
  inspector::ExplainedParts parts;            ///< what the difference to the median adds up from
};

/// The difference to the median by its parts, which add up to it: what, by how much.
struct ExecutionPart {
  const char* what = "";  ///< "in its ops", "in no op", "variation"
  double ticks = 0;       ///< more than usual
  std::string text;       ///< the figures that it is the difference of
};
std::vector<ExecutionPart> parts_of_execution(const ExecutionDetails& details, const std::string& unit);

/// `usual`: median of its method, in ticks. Errors: InvalidExternalData (damaged store).
Status read_execution_details(const inspector::Store& store, const TraceData& data, int64_t run_id, double usual,
                              ExecutionDetails* out);

}  // namespace et::gui
