// The document restricted to a range of time.
#include <algorithm>

#include "gui/core/document.h"
#include "inspector/text/format.h"

namespace et::gui {

void Document::restrict_to(std::optional<inspector::TimeRange> range) {
  if (data_ == nullptr || !data_->has_etdump() || (range && range->end <= range->begin)) range.reset();
  if (range == restriction_) return;
  restriction_ = range;
  restrict_job_.reset();
  if (data_ == nullptr) return;
  const std::shared_ptr<const TraceData> whole = data_->whole != nullptr ? data_->whole : data_;
  if (!range) {
    if (data_ == whole) return;
    data_ = whole;
    ++version_;
    return;
  }
  using Read = std::shared_ptr<TraceData>;
  restrict_job_ = jobs_.query<Read>(
      store_path_,
      [range, whole](const inspector::Store& store, const Cancel& cancel, Read* out) {
        auto data = std::make_shared<TraceData>();
        data->range = range;
        data->whole = whole;
        Status status = load_trace_data(store, whole->trace_id(), cancel, data.get());
        if (status.ok() && !cancel.cancelled()) *out = std::move(data);
        return status;
      },
      [this](const Status& status, Read data) { restricted(status, std::move(data)); });
}

void Document::restricted(const Status& status, std::shared_ptr<TraceData> data) {
  // The file may have become another one meanwhile: indices would lead elsewhere.
  const bool fits = data != nullptr && is_alike(*data, data->whole.get());
  if (!status.ok() || !fits) {
    notice_ = status.ok() ? "the store changed while the range was read" : status.message();
    restriction_ = data_->range;
    return;
  }
  data_ = std::move(data);
  ++version_;
}

std::string Document::restriction_text() const {
  if (!restriction_ || data_ == nullptr) return {};
  const inspector::TimeRange range = *restriction_;
  const auto time = [&](int64_t ticks) {
    return inspector::format_duration_with_unit(static_cast<double>(ticks), data_->unit());
  };
  const auto executes = [&](const Run& run) {
    return data_->table.blocks[static_cast<size_t>(run.block)].kind == "execute";
  };
  const Run* first = nullptr;
  const Run* last = nullptr;
  for (const Run& run : data_->runs) {
    if (!executes(run) || run.start >= range.end || run.start + run.duration <= range.begin) continue;
    if (first == nullptr) first = &run;
    last = &run;
  }
  const int64_t start = data_->runs.empty() ? 0 : data_->runs.front().start;
  const auto name = [&](const Run& run) { return "#" + std::to_string(run.execution); };
  if (first == nullptr) return time(range.begin - start) + " to " + time(range.end - start) + " of the trace";
  if (first == last && range.begin >= first->start && range.end <= first->start + first->duration) {
    if (range.begin == first->start && range.end == first->start + first->duration) return "execution " + name(*first);
    return time(range.begin - first->start) + " to " + time(range.end - first->start) + " of execution " + name(*first);
  }
  return time(range.begin - start) + " to " + time(range.end - start) + " of the trace, execution" +
         (first == last ? " " + name(*first) : "s " + name(*first) + " to " + name(*last));
}

}  // namespace et::gui
