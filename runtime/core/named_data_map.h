// NamedDataMap: tensors and blobs that a program or a delegate asks for by key. The sources are in
// executor/data_maps.h.
#pragma once

#include "base/result.h"
#include "base/scalar_type.h"
#include "runtime/core/freeable_buffer.h"
#include "runtime/core/span.h"

namespace et {

/// dtype and shape of a named tensor; the spans live as long as the map.
struct TensorLayout {
  ScalarType scalar_type = ScalarType::Byte;
  ArrayRef<int32_t> sizes;
  ArrayRef<uint8_t> dim_order;
  size_t nbytes = 0;
};

class NamedDataMap {
 public:
  virtual ~NamedDataMap() = default;
  /// NotFound: no such key; NotImplemented: the entry has no layout.
  virtual Result<TensorLayout> get_tensor_layout(string_view key) const = 0;
  virtual Result<FreeableBuffer> get_data(string_view key) const = 0;
  /// Copies exactly `size` bytes. InvalidArgument: the entry has fewer.
  Error load_data_into(string_view key, void* buffer, size_t size) const;
  virtual uint32_t get_num_keys() const = 0;
  /// Empty outside [0, get_num_keys()).
  virtual string_view get_key(uint32_t index) const = 0;
};

}  // namespace et
