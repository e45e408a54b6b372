// What if: how long an execution would take if ops were delegated, reached the machine's roof, or if copies or the
// runtime went away. Each is a bound with its assumption, not a forecast: nothing is faster than that.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "inspector/analysis/ops/filter.h"
#include "inspector/analysis/work/roofline.h"

namespace et::inspector {

struct Scenario {
  std::string id;         ///< "delegated", stable
  std::string text;       ///< "the ops outside of delegates are delegated"
  std::string assumes;    ///< "a delegate takes no time for them"
  int64_t rows = 0;       ///< ops that it is about; calls of one kernel are one
  double touched_ns = 0;  ///< their time
  double saved_ns = 0;    ///< of it, at most
};

struct Scenarios {
  Basis basis;
  double total_ns = 0;            ///< of the executions, one of each method
  double usual_ns = 0;            ///< of it, what the ops usually take
  bool with_machine = false;      ///< roofs are known
  double without_roof_ns = 0;     ///< of ops whose work is not known: scenarios with roofs leave it as it is
  std::vector<Scenario> list;     ///< in a fixed order; those that are about nothing are left out
  std::set<std::string> symbols;  ///< of dynamic shapes, that have no number
  std::string left_out;           ///< as Roofline::left_out; it counts as variation

  /// Without the variation, which is no op's: a quiet machine has none.
  double after(const Scenario& s) const { return usual_ns - s.saved_ns; }
};

/// `filter`: the ops that scenarios are about; empty: all. `machine`, `dims`: as roofline() takes them.
/// Errors: as roofline().
Status scenarios(const Store& store, const OpTable& shown, const Filter& filter, const MachinePeaks* machine,
                 const DimValues& dims, Scenarios* out);

}  // namespace et::inspector
