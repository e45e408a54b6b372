// What the rules say of a trace, which several panels ask for: the first job that does works it out, the others wait
// for it, and whoever comes later finds it, for as long as the trace is there.
#pragma once

#include <memory>
#include <vector>

#include "gui/core/trace_data.h"
#include "inspector/analysis/advice/advice.h"

namespace et::gui {

struct SharedAdvice {
  Status status;  ///< errors as find_advice
  std::vector<inspector::Advice> advice;
  inspector::AdviceNotes notes;
};

/// Of data->shown. On any thread; never nullptr.
std::shared_ptr<const SharedAdvice> shared_advice(const inspector::Store& store,
                                                  const std::shared_ptr<const TraceData>& data);

}  // namespace et::gui
