// ExtendedHeader: what a program file says of itself before its flatbuffer.
#pragma once

#include <cstddef>
#include <cstdint>

#include "executorch/runtime/core/result.h"

namespace executorch::runtime {

struct ExtendedHeader {
  static constexpr size_t kNumHeadBytes = 64;
  static constexpr size_t kHeaderOffset = 8;
  static constexpr size_t kMagicSize = 4;
  static constexpr char kMagic[kMagicSize] = {'e', 'h', '0', '0'};

  /// Of the first bytes of a file, at least kNumHeadBytes of them. InvalidArgument: fewer; NotFound: a file without
  /// this header; InvalidProgram: it is too short for its fields.
  static Result<ExtendedHeader> Parse(const void* data, size_t size);

  /// Bytes: the flatbuffer with this header; where the segments begin, and their sum (0: none, or an old file).
  uint64_t program_size;
  uint64_t segment_base_offset;
  uint64_t segment_data_size;
};

}  // namespace executorch::runtime

namespace torch::executor {
using ::executorch::runtime::ExtendedHeader;
}
