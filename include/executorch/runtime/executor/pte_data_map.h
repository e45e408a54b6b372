// PteDataMap: the named data of a program file, read through its flatbuffer tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "executorch/runtime/core/data_loader.h"
#include "executorch/runtime/core/named_data_map.h"
#include "executorch/runtime/core/result.h"
#include "executorch/runtime/platform/compiler.h"

namespace executorch_flatbuffer {
struct NamedData;
struct DataSegment;
}  // namespace executorch_flatbuffer

// Vectors of FlatBuffers have a second parameter from 23.5.26 on.
#if __has_include("flatbuffers/base.h")
#include "flatbuffers/base.h"
#endif
namespace flatbuffers {
template <typename T>
struct Offset;
#if !defined(FLATBUFFERS_VERSION_MAJOR) || \
    FLATBUFFERS_VERSION_MAJOR * 10000 + FLATBUFFERS_VERSION_MINOR * 100 + FLATBUFFERS_VERSION_REVISION >= 230526
template <typename T, typename SizeT>
class Vector;
template <typename T>
using VectorOf = Vector<Offset<T>, uint32_t>;
#else
template <typename T>
class Vector;
template <typename T>
using VectorOf = Vector<Offset<T> >;
#endif
using FlatbufferNamedData = VectorOf<executorch_flatbuffer::NamedData>;
using FlatbufferDataSegment = VectorOf<executorch_flatbuffer::DataSegment>;
}  // namespace flatbuffers

namespace executorch::runtime::internal {

class PteDataMap final : public NamedDataMap {
 public:
  /// All must outlive the map. InvalidArgument: one of them is null.
  static Result<PteDataMap> create(DataLoader* loader, size_t segment_base_offset,
                                   const flatbuffers::FlatbufferNamedData* named_data,
                                   const flatbuffers::FlatbufferDataSegment* segments);

  /// NotImplemented: these data have no layout.
  Result<const TensorLayout> get_tensor_layout(std::string_view) const override { return Error::NotImplemented; }
  /// NotFound: no such key; InvalidArgument: its segment is not there; errors of the loader.
  Result<FreeableBuffer> get_data(std::string_view key) const override;
  Error load_data_into(std::string_view, void*, size_t) const override { return Error::NotImplemented; }
  Result<uint32_t> get_num_keys() const override;
  Result<const char*> get_key(uint32_t index) const override;

 private:
  PteDataMap(DataLoader* loader, size_t segment_base_offset, const flatbuffers::FlatbufferNamedData* named_data,
             const flatbuffers::FlatbufferDataSegment* segments)
      : loader_(loader), segment_base_offset_(segment_base_offset), named_data_(named_data), segments_(segments) {}

  DataLoader* loader_;
  size_t segment_base_offset_;
  const flatbuffers::FlatbufferNamedData* named_data_;
  const flatbuffers::FlatbufferDataSegment* segments_;
};

}  // namespace executorch::runtime::internal
