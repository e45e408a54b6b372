// The document restricted to a range of time.
#include <algorithm>

#include "gui/core/document.h"
#include "gui/core/range_text.h"

namespace et::gui {

void Document::restrict_to(std::optional<inspector::TimeRange> range) {
  if (data_ == nullptr || !data_->has_etdump() || (range && range->end <= range->begin)) range.reset();
  if (range == restriction_) return;
  restriction_ = range;
  restrict_job_.reset();
  if (!range && selection_.kind == Selection::Kind::Range) select({});
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
        Status status = load_other_times(store, whole, cancel, data.get());
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
  return restriction_ && data_ != nullptr ? range_text(*data_, *restriction_) : std::string();
}

}  // namespace et::gui
