// One execution as a whole: where several of its ops lie, and below it the median one to compare it with.
#include <algorithm>
#include <cmath>

#include "gui/models/timeline_model.h"

namespace et::gui {

using inspector::Store;
using inspector::TimelineWindow;
using inspector::WindowRequest;
using inspector::WindowSlice;

namespace {

constexpr double kGhostPart = 0.25;  // of the view that an execution must fill to have a ghost
constexpr int kGhostPixels = 2000;

}  // namespace

void TimelineModel::update_ghost(int64_t run) {
  int64_t execution = run != 0 ? executions_.find(run) : -1;
  const auto part_in_view = [&](int64_t e) {
    const Run& r = data_->runs[static_cast<size_t>(executions_.run(static_cast<size_t>(e)))];
    const double begin = std::max(static_cast<double>(r.start - view.origin()), view.wanted_begin());
    const double end = std::min(static_cast<double>(r.start + r.duration - view.origin()), view.wanted_end());
    return (end - begin) / (view.wanted_end() - view.wanted_begin());
  };
  if (execution < 0 || part_in_view(execution) < kGhostPart) {
    execution = executions_.at_time(absolute((view.wanted_begin() + view.wanted_end()) / 2));
  }
  const bool near = execution >= 0 && part_in_view(execution) >= kGhostPart;
  const bool median =
      near && executions_.median_execution(static_cast<size_t>(execution)) == static_cast<size_t>(execution);
  no_ghost_ = !near    ? "Zoom to one execution to compare it"
              : median ? "This is the execution that is the nearest to the median"
                       : "";
  if (!ghost_wanted || *no_ghost_ != 0) {
    ghost_.reset();
    ghost_asked_ = 0;
    ghost_job_.reset();
    return;
  }
  const Run& looked_at = data_->runs[static_cast<size_t>(executions_.run(static_cast<size_t>(execution)))];
  align_ghost();
  if (ghost_asked_ == looked_at.id) return;
  ghost_asked_ = looked_at.id;
  read_ghost(static_cast<size_t>(execution));
}

void TimelineModel::read_ghost(size_t execution) {
  const size_t median = executions_.median_execution(execution);
  const Run& run = data_->runs[static_cast<size_t>(executions_.run(execution))];
  const Run& typical = data_->runs[static_cast<size_t>(executions_.run(median))];
  TimelineGhost ghost;
  ghost.run = run.id;
  ghost.median = typical.id;
  ghost.median_execution = median;
  ghost.shift = run.start - typical.start;
  ghost.duration = run.duration;
  ghost.median_duration = executions_.median_of(execution);
  if (ghost_ && ghost_->median == ghost.median) {  // its slices are there already
    ghost.window = std::move(ghost_->window);
    ghost_ = std::move(ghost);
    return;
  }
  ghost_job_ = jobs_.query<TimelineGhost>(
      data_->path,
      [index = index_, ghost, typical](const Store& store, const Cancel& cancel, TimelineGhost* out) {
        *out = ghost;
        WindowRequest request{.begin = typical.start, .end = typical.start + typical.duration};
        request.resolution = typical.duration / kGhostPixels;
        request.cancelled = [&] { return cancel.cancelled(); };
        return inspector::read_window(store, *index, request, &out->window);
      },
      [this](const Status& status, TimelineGhost read) {
        if (status.ok()) ghost_ = std::move(read);
      });
}

/// From where the chosen op begins in both, what is below it is the same op; without one both begin together.
void TimelineModel::align_ghost() {
  if (!ghost_) return;
  const Run& run =
      data_->runs[static_cast<size_t>(executions_.run(static_cast<size_t>(executions_.find(ghost_->run))))];
  const Run& typical = data_->runs[static_cast<size_t>(executions_.run(ghost_->median_execution))];
  ghost_->shift = run.start - typical.start;
  ghost_->aligned_at = -1;
  if (marked_ == nullptr) return;
  const WindowSlice* first = nullptr;
  for (const WindowSlice& s : window_.slices) {
    if (s.count != 1 || s.marked == 0 || s.start < run.start || s.end > run.start + run.duration) continue;
    if (end_of(s) < view.begin() || begin_of(s) > view.end()) continue;
    if (first == nullptr || s.start < first->start) first = &s;
  }
  if (first == nullptr) return;
  const auto same = std::find_if(ghost_->window.slices.begin(), ghost_->window.slices.end(), [&](const WindowSlice& s) {
    return s.count == 1 && data_->shown_op(s.op).id == data_->shown_op(first->op).id;
  });
  if (same == ghost_->window.slices.end()) return;
  ghost_->shift = first->start - same->start;
  ghost_->aligned_at = first->op;
}

void TimelineModel::fit(const std::vector<int32_t>& ops) {
  if (!ready()) return;
  if (are_several(ops)) return fit_in_execution(ops);
  if (at_ && std::find(ops.begin(), ops.end(), at_->op) != ops.end()) {
    view.show(static_cast<double>(at_->time.start - view.origin()), static_cast<double>(at_->time.end - view.origin()),
              0.5);
    return;
  }
  double begin = INFINITY, end = -INFINITY;
  for (const WindowSlice& s : window_.slices) {
    if (s.marked == 0 || end_of(s) < view.begin() || begin_of(s) > view.end()) continue;
    begin = std::min(begin, begin_of(s));
    end = std::max(end, end_of(s));
  }
  if (begin <= end) {
    view.show(begin, end);
  } else {
    step(ops, true);
  }
}

/// Blocks that differ by the cold run or the input case are one op.
bool TimelineModel::are_several(const std::vector<int32_t>& ops) const {
  return std::any_of(ops.begin(), ops.end(),
                     [&](int32_t op) { return data_->shown_op(op).id != data_->shown_op(ops.front()).id; });
}

/// From the first to the last of them, as of a module.
void TimelineModel::fit_in_execution(const std::vector<int32_t>& ops) {
  int64_t execution = executions_.at_time(absolute((view.wanted_begin() + view.wanted_end()) / 2));
  if (execution < 0) execution = executions_.find(run_of_basis(0));
  if (execution < 0) return step(ops, true);
  const Run& run = data_->runs[static_cast<size_t>(executions_.run(static_cast<size_t>(execution)))];
  auto marked = std::make_shared<std::vector<bool>>(data_->table.ops.size());
  // The call of a delegate says nothing of where in it they are.
  const auto encloses = [&](int32_t op) { return data_->table.ops[static_cast<size_t>(op)].encloses; };
  const bool all_enclose = std::all_of(ops.begin(), ops.end(), encloses);
  for (const int32_t op : ops) (*marked)[static_cast<size_t>(op)] = all_enclose || !encloses(op);
  using Extent = std::pair<int64_t, int64_t>;
  fit_job_ = jobs_.query<Extent>(
      data_->path,
      [index = index_, marked, begin = run.start, end = run.start + run.duration](const Store& store,
                                                                                  const Cancel& cancel, Extent* out) {
        WindowRequest request{.begin = begin, .end = end};
        request.resolution = (end - begin) / kGhostPixels;
        request.marked = marked.get();
        request.cancelled = [&] { return cancel.cancelled(); };
        TimelineWindow window;
        const Status status = inspector::read_window(store, *index, request, &window);
        *out = {end, begin};
        for (const WindowSlice& s : window.slices) {
          if (s.marked == 0 || (s.count > 1 && s.marked < s.count)) continue;
          *out = {std::min(out->first, std::max(s.start, begin)), std::max(out->second, std::min(s.end, end))};
        }
        return status;
      },
      [this, ops](const Status& status, Extent extent) {
        if (!status.ok() || extent.first >= extent.second) return step(ops, true);
        view.show(static_cast<double>(extent.first - view.origin()),
                  static_cast<double>(extent.second - view.origin()));
      });
}

}  // namespace et::gui
