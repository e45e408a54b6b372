#include "gui/models/timeline_loading.h"

#include <algorithm>

#include "inspector/text/format.h"

namespace et::gui {

std::vector<LoadingSpan> loading_spans(const TraceData& data) {
  std::vector<LoadingSpan> out;
  const auto time = [&](int64_t ticks) {
    return inspector::format_duration_with_unit(static_cast<double>(ticks), data.unit());
  };
  const Run* first = nullptr;
  for (const Run& run : data.runs) {
    const inspector::OpBlock& block = data.table.blocks[static_cast<size_t>(run.block)];
    if (block.kind == "execute") {
      if (first == nullptr || run.start < first->start) first = &run;
      continue;
    }
    const std::string what = block.kind == "load" ? "loading" : block.kind;
    const std::string method = block.method.value_or("");
    out.push_back({run.start, run.start + run.duration, true,
                   what + (method.empty() ? "" : " " + method) + " " + time(run.duration),
                   block.kind == "load" ? "load" : ""});
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& x, const auto& y) { return x.start < y.start; });
  if (first == nullptr || out.empty()) return out;
  int64_t end = out.front().start;
  for (const LoadingSpan& s : out) {
    if (s.start < first->start) end = std::max(end, s.end);
  }
  if (first->start - end > first->duration)
    out.push_back({end, first->start, false, "no events " + time(first->start - end), ""});
  return out;
}

QuietScale::QuietScale(const std::vector<LoadingSpan>& spans, int64_t origin, double extent) : extent_(extent) {
  constexpr double kKept = 0.06;  // of the rest
  for (const LoadingSpan& s : spans) {
    if (s.events) continue;
    begin_ = std::clamp(static_cast<double>(s.start - origin), 0.0, extent);
    end_ = std::clamp(static_cast<double>(s.end - origin), begin_, extent);
    cut_ = std::max(0.0, end_ - begin_ - kKept * (extent - (end_ - begin_)));
  }
}

double QuietScale::to_map(double time) const {
  if (time <= begin_ || cut_ <= 0) return time;
  if (time >= end_) return time - cut_;
  return begin_ + (time - begin_) * (1 - cut_ / (end_ - begin_));
}

double QuietScale::from_map(double place) const {
  if (place <= begin_ || cut_ <= 0) return place;
  if (place >= end_ - cut_) return place + cut_;
  return begin_ + (place - begin_) / (1 - cut_ / (end_ - begin_));
}

}  // namespace et::gui
