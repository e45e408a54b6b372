// What a window shows of a timeline: the slices of a span of time at the resolution of the screen. Slices that would be
// narrower than a pixel are merged with their neighbours on the same row, so that an answer grows with the window's
// width and not with the samples in it.
//
// Up to WindowRequest::exact samples in the window are read and placed one by one, as Timeline::walk does. Of more,
// each op is looked at only where a column of the window begins: how many samples it has there is exact, their time is
// its mean times their number (WindowSlice::estimated). Slices of a row never overlap, and the counts of all slices add
// up to the samples in the window.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "inspector/analysis/timeline/timeline_index.h"

namespace et::inspector {

struct WindowRequest {
  int64_t begin = 0, end = 0;                 ///< on the trace's clock
  int64_t resolution = 0;                     ///< ticks of a pixel; 0: nothing is merged
  int64_t exact = 200'000;                    ///< most samples to read one by one
  const std::vector<bool>* marked = nullptr;  ///< by op: counted in WindowSlice::marked
  const std::vector<bool>* found = nullptr;   ///< likewise in WindowSlice::found
  std::function<bool()> cancelled = {};       ///< looked at from time to time; the answer is then incomplete
};

/// One sample, or neighbours that are too narrow to be told apart.
struct WindowSlice {
  int64_t start = 0, end = 0;  ///< where it is drawn, on the trace's clock
  int64_t sum = 0;             ///< inclusive time of its samples, in the unit of the op's clock
  int64_t count = 0;
  int64_t sample = 0;      ///< position of the first among the samples of `op`
  int64_t clamped = 0;     ///< time that is not drawn since it sticks out of what encloses it
  int64_t marked = 0;      ///< how many belong to marked ops
  int64_t marked_sum = 0;  ///< their part of `sum`
  int64_t found = 0;       ///< how many belong to ops that were searched for
  int64_t found_sum = 0;   ///< their part of `sum`
  int32_t op = 0;          ///< the costliest of its ops, index into OpTable::ops
  bool mixed = false;      ///< more than one op
  bool estimated = false;
};

struct WindowRow {
  int32_t track = 0;           ///< index into TimelineIndex::tracks()
  int32_t lane = 0;            ///< of the track: more than one where samples overlap
  int32_t level = 0;           ///< nesting on the lane
  size_t first = 0, last = 0;  ///< range in TimelineWindow::slices, by start
};

struct TimelineWindow {
  int64_t begin = 0, end = 0, resolution = 0;
  std::vector<WindowRow> rows;  ///< by track, lane, level
  std::vector<WindowSlice> slices;
  int64_t samples = 0;
  bool estimated = false;  ///< too many samples to read
};

/// Samples on a foreign clock have no place on the trace's clock: those of a run are laid over the call that encloses
/// them (else over the run), stretched so that they fill it; their `sum` stays in their own unit.
/// Errors: InvalidExternalData (damaged store).
Status read_window(const Store& store, const TimelineIndex& index, const WindowRequest& request, TimelineWindow* out);

}  // namespace et::inspector
