// FlatTensorHeader: what a tensor file says of itself before its flatbuffer.
#pragma once

#include <cstddef>
#include <cstdint>

#include "executorch/runtime/core/result.h"

namespace executorch::extension {

struct FlatTensorHeader {
  static constexpr size_t kNumHeadBytes = 64;
  static constexpr size_t kHeaderOffset = 8;
  static constexpr size_t kMagicSize = 4;
  static constexpr char kMagic[kMagicSize] = {'F', 'H', '0', '1'};
  /// Magic, length and four fields.
  static constexpr uint32_t kHeaderExpectedLength = 4 + 4 + 4 * 8;

  /// Of the first bytes of a file, at least kNumHeadBytes of them. InvalidArgument: fewer; NotFound: no tensor file;
  /// InvalidExternalData: it is too short for its fields.
  static ::executorch::runtime::Result<FlatTensorHeader> Parse(const void* data, size_t size);

  /// Bytes, offsets from the start of the file.
  uint64_t flatbuffer_offset;
  uint64_t flatbuffer_size;
  uint64_t segment_base_offset;
  uint64_t segment_data_size;
};

}  // namespace executorch::extension
