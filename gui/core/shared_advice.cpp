#include "gui/core/shared_advice.h"

#include <algorithm>
#include <mutex>
#include <utility>

namespace et::gui {
namespace {

struct AdviceOfTrace {
  std::weak_ptr<const TraceData> data;
  std::mutex mutex;
  std::shared_ptr<const SharedAdvice> found;
};

std::shared_ptr<AdviceOfTrace> advice_entry(const std::shared_ptr<const TraceData>& data) {
  static std::mutex mutex;
  static std::vector<std::shared_ptr<AdviceOfTrace>> entries;
  const std::lock_guard lock(mutex);
  std::erase_if(entries, [](const auto& entry) { return entry->data.expired(); });
  const auto at = std::find_if(entries.begin(), entries.end(), [&](const auto& e) { return e->data.lock() == data; });
  if (at != entries.end()) return *at;
  entries.push_back(std::make_shared<AdviceOfTrace>());
  entries.back()->data = data;
  return entries.back();
}

}  // namespace

std::shared_ptr<const SharedAdvice> shared_advice(const inspector::Store& store,
                                                  const std::shared_ptr<const TraceData>& data) {
  const std::shared_ptr<AdviceOfTrace> entry = advice_entry(data);
  const std::lock_guard lock(entry->mutex);
  if (entry->found == nullptr) {
    auto found = std::make_shared<SharedAdvice>();
    found->status = inspector::find_advice(store, data->shown, &found->advice, nullptr, &found->notes);
    entry->found = std::move(found);
  }
  return entry->found;
}

}  // namespace et::gui
