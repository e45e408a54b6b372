#include "runtime/core/named_data_map.h"

#include <cstring>

#include "runtime/platform/log.h"

namespace et {

Error NamedDataMap::load_data_into(string_view key, void* buffer, size_t size) const {
  Result<FreeableBuffer> data = get_data(key);
  if (!data.ok()) return data.error();
  ET_CHECK_OR_RETURN_ERROR(size <= data->size(), InvalidArgument, "named data %.*s has %zu bytes, requested %zu",
                           static_cast<int>(key.size()), key.data(), data->size(), size);
  if (size > 0) std::memcpy(buffer, data->data(), size);
  return Error::Ok;
}

}  // namespace et
