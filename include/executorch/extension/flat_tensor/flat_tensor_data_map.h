// FlatTensorDataMap: a tensor file (.ptd).
#pragma once

#include <utility>

#include "executorch/runtime/core/data_loader.h"
#include "executorch/runtime/core/freeable_buffer.h"
#include "executorch/runtime/core/named_data_map.h"
#include "executorch/runtime/core/result.h"
#include "executorch/runtime/core/tensor_layout.h"
#include "runtime/executor/data_maps.h"

namespace executorch::extension {

class FlatTensorDataMap final : public ::executorch::runtime::NamedDataMap {
 public:
  /// InvalidExternalData: not a valid tensor file; errors of the loader, which must outlive the map.
  static ::et::Result<FlatTensorDataMap> load(::et::DataLoader* loader);
  FlatTensorDataMap(FlatTensorDataMap&&) = default;

  ::et::Result<const ::et::TensorLayout> get_tensor_layout(std::string_view key) const override {
    return map_.get_tensor_layout(key);
  }
  ::et::Result<::et::FreeableBuffer> get_data(std::string_view key) const override { return map_.get_data(key); }
  ::et::Error load_data_into(std::string_view key, void* buffer, size_t size) const override {
    return map_.load_data_into(key, buffer, size);
  }
  ::et::Result<uint32_t> get_num_keys() const override { return map_.get_num_keys(); }
  ::et::Result<const char*> get_key(uint32_t index) const override { return map_.get_key(index); }

 private:
  FlatTensorDataMap(::et::FreeableBuffer&& bytes, ::et::FlatTensorDataMap&& map)
      : bytes_(std::move(bytes)), map_(std::move(map)) {}
  ::et::FreeableBuffer bytes_;
  ::et::FlatTensorDataMap map_;
};

}  // namespace executorch::extension
