// NamedDataMap: tensors and blobs that a program or a delegate asks for by key. The sources are in
// executor/data_maps.h.
#pragma once

#include "base/result.h"
#include "base/scalar_type.h"
#include "runtime/core/freeable_buffer.h"
#include "runtime/core/span.h"

namespace et {

/// dtype and shape of a named tensor; the spans live as long as the map.
class TensorLayout {
 public:
  /// InvalidArgument: a negative size, an overflow, or a dim order that does not fit the sizes.
  static Result<const TensorLayout> create(ArrayRef<int32_t> sizes, ArrayRef<uint8_t> dim_order,
                                           ScalarType scalar_type);
  ArrayRef<int32_t> sizes() const { return sizes_; }
  ArrayRef<uint8_t> dim_order() const { return dim_order_; }
  ScalarType scalar_type() const { return scalar_type_; }
  size_t nbytes() const { return nbytes_; }

 private:
  TensorLayout(ArrayRef<int32_t> sizes, ArrayRef<uint8_t> dim_order, ScalarType scalar_type, size_t nbytes)
      : sizes_(sizes), dim_order_(dim_order), nbytes_(nbytes), scalar_type_(scalar_type) {}
  ArrayRef<int32_t> sizes_;
  ArrayRef<uint8_t> dim_order_;
  size_t nbytes_;
  ScalarType scalar_type_;
};

class NamedDataMap {
 public:
  virtual ~NamedDataMap() = default;
  /// NotFound: no such key; NotImplemented: the entry has no layout.
  virtual Result<const TensorLayout> get_tensor_layout(string_view key) const = 0;
  virtual Result<FreeableBuffer> get_data(string_view key) const = 0;
  /// Copies exactly `size` bytes. InvalidArgument: the entry has fewer.
  virtual Error load_data_into(string_view key, void* buffer, size_t size) const;
  virtual Result<uint32_t> get_num_keys() const = 0;
  /// Zero-terminated. InvalidArgument: outside [0, get_num_keys()).
  virtual Result<const char*> get_key(uint32_t index) const = 0;
};

}  // namespace et
