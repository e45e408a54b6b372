// An OPERATOR_CALL and the one kernel that it calls take nearly the same time: drawn one below the other they are the
// same band twice. They share a place instead, the kernel upon its call, which is seen at its edges where it takes
// longer.
#pragma once

#include <cstdint>
#include <vector>

#include "gui/core/trace_data.h"
#include "inspector/analysis/timeline/timeline_index.h"

namespace et::gui {

class TimelineFolds {
 public:
  TimelineFolds() = default;
  TimelineFolds(const TraceData& data, const inspector::TimelineIndex& index);

  /// A kernel that is drawn upon its call.
  bool is_kernel(int32_t op) const { return is(op, kKernel); }
  /// A call that its kernel is drawn upon.
  bool is_call(int32_t op) const { return is(op, kCall); }
  /// All that the level of the trace's own clock has is drawn on the level above: it needs no row.
  bool whole_level(int32_t level) const { return is_level(folded_levels_, level); }
  /// The level has calls alone whose ops are drawn: delegates' calls with ops below them, and is not whole_level() with
  /// what is below it.
  bool calls_level(int32_t level) const { return is_level(calls_levels_, level) && !whole_level(level + 1); }

 private:
  enum Kind : uint8_t { kNone, kKernel, kCall };
  bool is(int32_t op, Kind kind) const {
    return op >= 0 && static_cast<size_t>(op) < kinds_.size() && kinds_[static_cast<size_t>(op)] == kind;
  }
  std::vector<uint8_t> kinds_;  // by op
  static bool is_level(const std::vector<bool>& levels, int32_t level) {
    return level >= 0 && static_cast<size_t>(level) < levels.size() && levels[static_cast<size_t>(level)];
  }
  std::vector<bool> folded_levels_, calls_levels_;
};

}  // namespace et::gui
