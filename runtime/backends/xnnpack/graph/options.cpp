#include "runtime/backends/xnnpack/graph/options.h"

#include "runtime/platform/log.h"

namespace et::xnn {

Error Options::set(const BackendOption& option) {
  const string_view key = option.key;
  const auto int_in = [&](int min, int max, std::atomic<int>* to) {
    const Result<int> value = option.get<int>();
    ET_CHECK_OR_RETURN_ERROR(value.ok() && *value >= min && *value <= max, InvalidArgument,
                             "XNNPACK: %s: expected a number from %d to %d", option.key, min, max);
    to->store(*value);
    return Error::Ok;
  };
  if (key == kSharingOption) return int_in(0, 2, &sharing_);
  if (key == kWorkspaceLimitOption) return int_in(1, 1 << 20, &limit_mb_);
  const auto truth = [&](std::atomic<bool>* to) {
    const Result<bool> value = option.get<bool>();
    ET_CHECK_OR_RETURN_ERROR(value.ok(), InvalidArgument, "XNNPACK: %s: expected true or false", option.key);
    to->store(*value);
    return Error::Ok;
  };
  if (key == kWeightCacheOption) return truth(&weight_cache_);
  if (key == kWinogradOption) return truth(&winograd_);
  if (key == kSavePackedOption || key == kPackedPathOption) {
    ET_LOG(Error, "XNNPACK: %s: storing packed weights in files is not supported", option.key);
    return Error::NotSupported;
  }
  return Error::Ok;
}

void Options::get(BackendOption* option) const {
  const string_view key = option->key;
  if (key == kSharingOption) option->set(sharing_.load());
  if (key == kWorkspaceLimitOption) option->set(limit_mb_.load());
  if (key == kWinogradOption) option->set(winograd_.load());
  if (key == kWeightCacheOption) option->set(weight_cache_.load());
}

Error Options::resolve(const BackendInitContext& context, Options* out) const {
  out->sharing_.store(sharing_.load());
  out->weight_cache_.store(weight_cache_.load());
  out->winograd_.store(winograd_.load());
  out->limit_mb_.store(limit_mb_.load());
  for (const BackendOption& option : context.runtime_specs()) ET_CHECK_OK_OR_RETURN_ERROR(out->set(option));
  return Error::Ok;
}

}  // namespace et::xnn
