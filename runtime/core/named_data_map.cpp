#include "runtime/core/named_data_map.h"

#include <cstring>

#include "runtime/platform/log.h"

namespace et {

Result<const TensorLayout> TensorLayout::create(ArrayRef<int32_t> sizes, ArrayRef<uint8_t> dim_order,
                                                ScalarType scalar_type) {
  if (dim_order.size() != sizes.size()) return Error::InvalidArgument;
  size_t bytes = element_size(scalar_type);
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < 0 || dim_order[i] >= sizes.size()) return Error::InvalidArgument;
    if (__builtin_mul_overflow(bytes, static_cast<size_t>(sizes[i]), &bytes)) return Error::InvalidArgument;
  }
  return TensorLayout(sizes, dim_order, scalar_type, bytes);
}

Error NamedDataMap::load_data_into(string_view key, void* buffer, size_t size) const {
  Result<FreeableBuffer> data = get_data(key);
  if (!data.ok()) return data.error();
  ET_CHECK_OR_RETURN_ERROR(size <= data->size(), InvalidArgument, "named data %.*s has %zu bytes, requested %zu",
                           static_cast<int>(key.size()), key.data(), data->size(), size);
  if (size > 0) std::memcpy(buffer, data->data(), size);
  return Error::Ok;
}

}  // namespace et
