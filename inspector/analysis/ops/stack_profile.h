// A trace as stacks with weights, the form in which profilers exchange what they measured (pprof, folded stacks,
// speedscope): below the method either the lines of the model and the operator that they asked for, or the ops as they
// enclose each other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "inspector/store/store.h"
#include "inspector/text/path_maps.h"

namespace et::inspector {

enum class StackKind : uint8_t { Python, Ops };

struct ProfileFrame {
  std::string name;  ///< function of a line, operator, event, or the reason why there is no line
  std::string file;  ///< "" but for lines
  int64_t line = 0;  ///< 0 but for lines
};

struct ProfileStack {
  std::vector<int32_t> frames;  ///< indices into StackProfile::frames, outermost first
  std::string backend, module;  ///< "" where there is none
  int64_t samples = 0;          ///< of the ops that are charged to it
  int64_t total = 0;            ///< over all executions
  int64_t warm = 0;             ///< of the warm median execution
};

/// Times are self times and never negative: where measured inner events exceed the one around them, they are shrunk
/// until they fit. `total` adds up to the time of all executions, `warm` to the warm median.
struct StackProfile {
  std::string unit;   ///< ns or cycles
  std::string title;  ///< of the trace
  std::string lines;  ///< which frames there are, for people
  std::vector<ProfileFrame> frames;
  std::vector<ProfileStack> stacks;  ///< in the order in which they first ran
};

/// Executions of methods only, unless the trace has none. Ops on a clock of their own are left out.
/// Errors: NotFound (no such trace), InvalidExternalData (damaged store).
Status stack_profile(const Store& store, int64_t trace_id, StackKind kind, const PathMaps& maps, StackProfile* out);

}  // namespace et::inspector
