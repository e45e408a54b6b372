// ExecuTorch's rows of kernels and settings of backends, as this runtime takes them.
#pragma once

#include <cstring>
#include <utility>
#include <vector>

#include "executorch/runtime/backend/backend_options_map.h"
#include "executorch/runtime/kernel/operator_registry.h"
#include "runtime/backends/backend.h"
#include "runtime/core/kernel_registry.h"

namespace executorch::runtime::internal {

inline ::et::Kernel our_kernel(const Kernel& k) {
  const bool native = std::strncmp(k.name_, "aten::", 6) == 0;
  return {k.name_, k.op_, native ? ::et::KernelKind::Native : ::et::KernelKind::Library, k.kernel_key_.data()};
}

/// The settings of a map (null: none). Lives as long as rows() is used.
class OurOptions {
 public:
  explicit OurOptions(const LoadBackendOptionsMap* map) {
    const size_t backends = map == nullptr ? 0 : map->size();
    lists_.reserve(backends);
    for (size_t i = 0; i < backends; ++i) {
      const LoadBackendOptionsMap::EntryView entry = map->entry_at(i);
      std::vector<::et::BackendOption>& list = lists_.emplace_back();
      for (const BackendOption& o : entry.options) {
        ::et::BackendOption ours{::et::string_view(o.key)};
        if (const bool* b = std::get_if<bool>(&o.value)) ours.set(*b);
        if (const int* n = std::get_if<int>(&o.value)) ours.set(*n);
        if (const auto* text = std::get_if<std::array<char, kMaxOptionValueLength>>(&o.value)) ours.set(text->data());
        list.push_back(ours);
      }
      rows_.push_back({entry.backend_id, list});
    }
  }
  OurOptions(const OurOptions&) = delete;
  OurOptions& operator=(const OurOptions&) = delete;
  ::et::ArrayRef<::et::BackendLoadOptions> rows() const { return rows_; }

 private:
  std::vector<std::vector<::et::BackendOption>> lists_;
  std::vector<::et::BackendLoadOptions> rows_;
};

}  // namespace executorch::runtime::internal
