#include "gui/models/timeline_gaps.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gui/models/timeline_model.h"
#include "inspector/analysis/ops/op_title.h"

namespace et::gui {
namespace {

bool is_execution(const TraceData& data, const Run& run) {
  return data.table.blocks[static_cast<size_t>(run.block)].kind == "execute";
}

/// Whether only frames are around the op.
bool is_outermost(const TraceData& data, const inspector::TimelineIndex& index, int32_t op) {
  const auto places = index.places();
  for (int32_t around = places[static_cast<size_t>(op)].parent; around >= 0;
       around = places[static_cast<size_t>(around)].parent) {
    if (!is_frame(data.table.ops[static_cast<size_t>(around)])) return false;
  }
  return true;
}

}  // namespace

bool is_frame(const inspector::OpEntry& op) { return op.kind == "framework" && op.encloses; }

int32_t frame_levels(const TraceData& data, const inspector::TimelineIndex& index) {
  int32_t levels = 0;
  for (size_t i = 0; i < data.table.ops.size(); ++i) {
    const inspector::OpEntry& op = data.table.ops[i];
    if (is_frame(op) && index.places()[i].track == 0 && data.table.block_of(op).kind == "execute") {
      levels = std::max(levels, index.ops()[i].level + 1);
    }
  }
  return levels;
}

std::vector<IdleGap> find_gaps(const TraceData& data, const inspector::TimelineWindow& window, int64_t least) {
  struct Busy {
    int64_t start, end;
    int32_t op;
  };
  std::vector<Busy> busy;
  for (const inspector::WindowRow& row : window.rows) {
    if (row.track != 0) continue;
    for (size_t i = row.first; i < row.last; ++i) {
      const inspector::WindowSlice& s = window.slices[i];
      // Merged slices of a row of frames are frames.
      if (!is_frame(data.table.ops[static_cast<size_t>(s.op)])) busy.push_back({s.start, s.end, s.op});
    }
  }
  std::sort(busy.begin(), busy.end(),
            [](const Busy& a, const Busy& b) { return a.start != b.start ? a.start < b.start : a.end < b.end; });
  std::vector<IdleGap> out;
  auto at = busy.begin();
  auto run = std::partition_point(data.runs.begin(), data.runs.end(),
                                  [&](const Run& r) { return r.start + r.duration <= window.begin; });
  for (; run != data.runs.end() && run->start < window.end; ++run) {
    if (!is_execution(data, *run) || run->duration < least) continue;
    int64_t free = std::max(run->start, window.begin);
    const int64_t end = std::min(run->start + run->duration, window.end);
    int32_t last = -1;
    const auto close = [&](int64_t until, int32_t next) {
      if (until - free >= least)
        out.push_back({free, until, static_cast<int32_t>(run - data.runs.begin()), last, next});
    };
    at = std::partition_point(at, busy.end(), [&](const Busy& b) { return b.start < run->start; });
    for (; at != busy.end() && at->start < end; ++at) {
      close(at->start, at->op);
      if (at->end >= free) last = at->op;
      free = std::max(free, at->end);
    }
    close(end, -1);
  }
  return out;
}

std::vector<CallGap> find_call_gaps(const TraceData& data, const inspector::TimelineWindow& window, int64_t least) {
  std::vector<CallGap> out;
  for (const inspector::WindowRow& row : window.rows) {
    const auto inner = std::find_if(window.rows.begin(), window.rows.end(), [&](const inspector::WindowRow& r) {
      return r.track == row.track && r.lane == row.lane && r.level == row.level + 1;
    });
    if (row.track != 0 || inner == window.rows.end()) continue;
    const auto last = window.slices.begin() + static_cast<std::ptrdiff_t>(inner->last);
    auto at = window.slices.begin() + static_cast<std::ptrdiff_t>(inner->first);
    for (size_t i = row.first; i < row.last; ++i) {
      const inspector::WindowSlice& call = window.slices[i];
      if (call.count != 1 || data.table.ops[static_cast<size_t>(call.op)].kind != "delegate_call") continue;
      at = std::partition_point(at, last, [&](const inspector::WindowSlice& s) { return s.end <= call.start; });
      if (at == last || at->start >= call.end) continue;
      int64_t free = call.start;
      const auto close = [&](int64_t until) {
        if (until - free >= least) out.push_back({free, until, call.op, inner->lane, inner->level});
      };
      for (auto s = at; s != last && s->start < call.end; ++s) {
        close(s->start);
        free = std::max(free, s->end);
      }
      close(call.end);
    }
  }
  return out;
}

std::optional<double> far_from_usual(const TraceData& data, const inspector::WindowSlice& slice) {
  constexpr double kLonger = 1.3, kShorter = 0.7, kMatters = 0.01;
  if (slice.count != 1) return {};
  const inspector::OpEntry& op = data.usual_op(slice.op);
  if (op.encloses || !op.on_trace_clock() || !op.warm_p50 || !(*op.warm_p50 > 0)) return {};
  const double time = static_cast<double>(slice.sum), times = time / *op.warm_p50;
  const double execution = data.usual().block_of(op).warm_p50.value_or(0);
  if (times < kLonger && times > kShorter) return {};
  if (std::abs(time - *op.warm_p50) < kMatters * execution) return {};
  return times;
}

std::string gap_text(const TraceData& data, const IdleGap& gap) {
  const auto name = [&](int32_t op) { return op_title(data.table, data.table.ops[static_cast<size_t>(op)]); };
  if (gap.before < 0 && gap.after < 0) return "the execution has no op: its events are not in the trace";
  if (gap.before < 0) return "before the first op, " + name(gap.after) + ": Method::execute starts";
  if (gap.after < 0) return "after the last op, " + name(gap.before) + ": Method::execute ends";
  return "between " + name(gap.before) + " and " + name(gap.after) +
         ": the runtime's step to the next instruction and the writing of events; where it is long, the processor was "
         "taken away";
}

RangeRest rest_of(const TraceData& data, const inspector::TimelineIndex& index,
                  const inspector::RangeStatistics& statistics) {
  RangeRest out;
  for (const Run& run : data.runs) {
    if (!is_execution(data, run)) continue;
    out.executions += std::max<int64_t>(
        std::min(run.start + run.duration, statistics.end) - std::max(run.start, statistics.begin), 0);
  }
  out.between = std::max<int64_t>(statistics.end - statistics.begin - out.executions, 0);
  out.idle = out.executions;
  for (const inspector::RangeOp& r : statistics.ops) {
    const inspector::OpEntry& op = data.table.ops[static_cast<size_t>(r.op)];
    if (data.table.block_of(op).kind != "execute" || is_frame(op) || !is_outermost(data, index, r.op)) continue;
    out.idle -= r.total;
  }
  out.idle = std::max<int64_t>(out.idle, 0);
  return out;
}

void TimelineModel::update_gaps() {
  constexpr int64_t kLeastPixels = 2;
  const int64_t least = std::max<int64_t>(window_.resolution * kLeastPixels, 1);
  gaps_ = find_gaps(*data_, window_, least);
  call_gaps_ = find_call_gaps(*data_, window_, least);
  far_slices_.clear();
  for (const inspector::WindowSlice& s : window_.slices) {
    if (const auto far = far_from_usual(*data_, s)) far_slices_.push_back({s.op, *far, begin_of(s), end_of(s)});
  }
  std::stable_sort(far_slices_.begin(), far_slices_.end(),
                   [](const FarSlice& a, const FarSlice& b) { return a.times > b.times; });
}

RangeRest TimelineModel::range_rest() const {
  return statistics_ ? rest_of(*data_, *index_, *statistics_) : RangeRest();
}

}  // namespace et::gui
