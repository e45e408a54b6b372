// MergedDataMap: several maps as one.
#pragma once

#include <utility>
#include <vector>

#include "executorch/runtime/core/named_data_map.h"
#include "executorch/runtime/core/result.h"
#include "executorch/runtime/core/span.h"
#include "runtime/executor/data_maps.h"

namespace executorch::extension::merged_data_map {

/// Looks in each of several maps, which must outlive it.
class Merged : public ::et::NamedDataMap {
 public:
  ::et::Result<const ::et::TensorLayout> get_tensor_layout(std::string_view key) const override {
    return all().get_tensor_layout(key);
  }
  ::et::Result<::et::FreeableBuffer> get_data(std::string_view key) const override { return all().get_data(key); }
  ::et::Error load_data_into(std::string_view key, void* buffer, size_t size) const override {
    return all().load_data_into(key, buffer, size);
  }
  ::et::Result<uint32_t> get_num_keys() const override { return all().get_num_keys(); }
  ::et::Result<const char*> get_key(uint32_t index) const override { return all().get_key(index); }

 protected:
  explicit Merged(std::vector<const ::et::NamedDataMap*> maps) : maps_(std::move(maps)) {}
  /// InvalidArgument: one is null, or two share a key; the log names it.
  static ::et::Error check(::et::ArrayRef<const ::et::NamedDataMap*> maps) {
    for (const ::et::NamedDataMap* map : maps) {
      ET_CHECK_OR_RETURN_ERROR(map != nullptr, InvalidArgument, "merged data maps: one of %zu is null", maps.size());
    }
    return ::et::MergedDataMap(maps).check();
  }

 private:
  ::et::MergedDataMap all() const { return ::et::MergedDataMap({maps_.data(), maps_.size()}); }
  std::vector<const ::et::NamedDataMap*> maps_;
};

class MergedDataMap final : public Merged {
 public:
  /// InvalidArgument: no maps, one is null, or two share a key.
  static ::et::Result<MergedDataMap> load(::et::Span<const ::et::NamedDataMap*> maps) {
    ET_CHECK_OR_RETURN_ERROR(!maps.empty(), InvalidArgument, "merged data maps: got none");
    const ::et::Error error = check({maps.data(), maps.size()});
    if (error != ::et::Error::Ok) return error;
    return MergedDataMap({maps.begin(), maps.end()});
  }

 private:
  using Merged::Merged;
};

}  // namespace executorch::extension::merged_data_map
