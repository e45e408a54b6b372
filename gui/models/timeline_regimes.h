// Executions of a method that took two different times: before and after a step, or in two groups that take turns. One
// median stands for neither of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gui/models/executions_model.h"
#include "inspector/analysis/findings/finding.h"

namespace et::gui {

struct TimelineRegime {
  size_t first = 0, last = 0;  ///< positions in ExecutionsModel, both included
  size_t typical = 0;          ///< the one that is nearest to the median
  int64_t count = 0;
  double median = 0;
  bool whole = true;  ///< no other execution of the method lies in between: it can be restricted to
};

/// Two of a method each, in the order of their executions (groups: the faster first); none of a method whose executions
/// are alike. Cold and incomplete executions are in none. `groups`: whether the notes on the executions name two
/// groups; stalls of one length, each in another op, only look like them.
std::vector<TimelineRegime> find_regimes(const ExecutionsModel& executions, bool groups = true);
/// Executions are held against the median of their own regime.
void use_medians(const std::vector<TimelineRegime>& regimes, ExecutionsModel* executions);
bool names_groups(const std::vector<inspector::Finding>& findings);

/// "#1 to #26: median 992 µs"; of groups "13 executions around 707 µs".
std::string regime_text(const TraceData& data, const ExecutionsModel& executions, const TimelineRegime& regime);

/// Of one method's: "26 around 7.14 ms, 3 around 11.7 ms"; of a step "20 around 1.2 ms, then 10 around 1.9 ms". ""
/// without.
std::string regimes_in_short(const std::vector<TimelineRegime>& regimes, const std::string& unit);

}  // namespace et::gui
