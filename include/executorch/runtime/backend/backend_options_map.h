// LoadBackendOptionsMap: settings for several backends while a method is loaded.
#pragma once

#include <cstddef>
#include <cstring>

#include "executorch/runtime/backend/options.h"
#include "executorch/runtime/platform/assert.h"

namespace executorch::runtime {

/// The options must outlive the map.
class LoadBackendOptionsMap {
 public:
  struct EntryView {
    const char* backend_id = nullptr;
    Span<const BackendOption> options;
  };

  /// Replaces those of the same backend. InvalidArgument: an empty or too long id, or too many backends.
  Error set_options(const char* backend_id, Span<BackendOption> options) {
    if (backend_id == nullptr || backend_id[0] == 0) return Error::InvalidArgument;
    size_t at = find(backend_id);
    if (at == size_) {
      if (size_ == kMaxBackends || std::strlen(backend_id) >= kMaxBackendIdLength) return Error::InvalidArgument;
      std::strcpy(entries_[size_++].backend_id, backend_id);
    }
    entries_[at].options = options;
    return Error::Ok;
  }
  /// Of anything with backend_id() and view().
  template <class Builder>
  Error set_options(Builder& builder) {
    return set_options(builder.backend_id(), builder.view());
  }
  Span<const BackendOption> get_options(const char* backend_id) const {
    return has_options(backend_id) ? entries_[find(backend_id)].options : Span<const BackendOption>();
  }
  bool has_options(const char* backend_id) const { return backend_id != nullptr && find(backend_id) < size_; }
  size_t size() const { return size_; }
  EntryView entry_at(size_t i) const {
    ET_DCHECK_MSG(i < size_, "entry %zu of %zu", i, size_);
    return {entries_[i].backend_id, entries_[i].options};
  }

 private:
  static constexpr size_t kMaxBackends = 8;
  static constexpr size_t kMaxBackendIdLength = 64;
  struct Entry {
    char backend_id[kMaxBackendIdLength] = {};
    Span<const BackendOption> options;
  };
  size_t find(const char* backend_id) const {
    size_t i = 0;
    while (i < size_ && std::strcmp(entries_[i].backend_id, backend_id) != 0) ++i;
    return i;
  }
  Entry entries_[kMaxBackends];
  size_t size_ = 0;
};

}  // namespace executorch::runtime
