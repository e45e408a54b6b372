#include "runtime/executor/data_maps.h"

#include "runtime/platform/log.h"

namespace et {

Result<FlatTensorDataMap> FlatTensorDataMap::load(Span<const uint8_t> file, const DataLoader* loader) {
  format::TensorFile tensors;
  const FileError e = format::TensorFile::open(file, &tensors);
  ET_CHECK_OR_RETURN_ERROR(e.ok() || e.code == Error::InvalidArgument, InvalidExternalData,
                           "tensor file: offset %llu: %s: expected %s", static_cast<unsigned long long>(e.offset),
                           e.field, e.expected);
  ET_CHECK_OR_RETURN_ERROR(e.ok(), InvalidArgument, "tensor file: %s: expected %s", e.field, e.expected);
  return FlatTensorDataMap(tensors, loader);
}

Result<const TensorLayout> FlatTensorDataMap::get_tensor_layout(string_view key) const {
  format::TensorFileEntry entry;
  if (!file_.find(key, &entry)) return Error::NotFound;
  if (!entry.has_layout) return Error::NotImplemented;
  return TensorLayout::create(entry.layout.sizes, entry.layout.dim_order, entry.layout.scalar_type);
}

Result<FreeableBuffer> FlatTensorDataMap::get_data(string_view key) const {
  format::TensorFileEntry entry;
  if (!file_.find(key, &entry)) return Error::NotFound;
  return DataLoader::part(loader_, entry.bytes.data(), entry.bytes.size());
}

Result<const TensorLayout> ProgramDataMap::get_tensor_layout(string_view) const { return Error::NotImplemented; }

Result<FreeableBuffer> ProgramDataMap::get_data(string_view key) const {
  for (uint32_t i = 0; i < program_.named_data_count(); ++i) {
    const format::NamedData n = program_.named_data(i);
    if (n.key == key) return buffer({n.bytes.data(), n.bytes.size()});
  }
  return Error::NotFound;
}

Error MergedDataMap::check() const {
  for (size_t a = 0; a < maps_.size(); ++a) {
    const Result<uint32_t> count = maps_[a]->get_num_keys();
    if (!count.ok()) return count.error();
    for (uint32_t i = 0; i < *count; ++i) {
      const Result<const char*> key = maps_[a]->get_key(i);
      if (!key.ok()) return key.error();
      for (size_t b = a + 1; b < maps_.size(); ++b) {
        const Result<FreeableBuffer> twice = maps_[b]->get_data(*key);
        ET_CHECK_OR_RETURN_ERROR(!twice.ok(), InvalidArgument, "duplicate named data %s", *key);
      }
    }
  }
  return Error::Ok;
}

Result<const TensorLayout> MergedDataMap::get_tensor_layout(string_view key) const {
  Error error = Error::NotFound;
  for (const NamedDataMap* map : maps_) {
    Result<const TensorLayout> layout = map->get_tensor_layout(key);
    if (layout.ok()) return layout;
    if (layout.error() != Error::NotFound && layout.error() != Error::NotImplemented) error = layout.error();
  }
  return error;
}

Result<FreeableBuffer> MergedDataMap::get_data(string_view key) const {
  for (const NamedDataMap* map : maps_) {
    Result<FreeableBuffer> data = map->get_data(key);
    if (data.ok() || data.error() != Error::NotFound) return data;
  }
  return Error::NotFound;
}

Result<uint32_t> MergedDataMap::get_num_keys() const {
  uint32_t n = 0;
  for (const NamedDataMap* map : maps_) {
    const Result<uint32_t> count = map->get_num_keys();
    if (!count.ok()) return count.error();
    n += *count;
  }
  return n;
}

Result<const char*> MergedDataMap::get_key(uint32_t index) const {
  for (const NamedDataMap* map : maps_) {
    const Result<uint32_t> count = map->get_num_keys();
    if (!count.ok()) return count.error();
    if (index < *count) return map->get_key(index);
    index -= *count;
  }
  return Error::InvalidArgument;
}

}  // namespace et
