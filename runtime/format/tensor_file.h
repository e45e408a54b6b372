// A file of external tensors (.ptd) as verified, zero-copy views: keys with their bytes and, for tensors, their layout.
// Layout and schema: specification of the tensor file (flat_tensor.fbs, header "FH01").
#pragma once

#include <cstdint>
#include <string_view>

#include "base/file_error.h"
#include "base/scalar_type.h"
#include "base/span.h"

namespace et::format {

namespace ptd_fb {
struct FlatTensor;
}

struct TensorFileHeader {
  uint32_t length = 0;               // as stored
  uint64_t flatbuffer_offset = 0;    // bytes from the start of the file, where the flatbuffer goes on behind the header
  uint64_t flatbuffer_size = 0;      // bytes from flatbuffer_offset
  uint64_t segment_base_offset = 0;  // bytes from the start of the file
  uint64_t segment_data_size = 0;    // bytes
};

struct TensorLayout {
  ScalarType scalar_type = ScalarType::Byte;
  Span<const int32_t> sizes;
  Span<const uint8_t> dim_order;
  uint64_t nbytes = 0;
};

struct TensorFileEntry {
  std::string_view key;
  bool has_layout = false;  // false: opaque bytes, e.g. a delegate's packed weights
  TensorLayout layout;
  uint32_t segment_index = 0;
  Span<const uint8_t> bytes;
};

class TensorFile {
 public:
  TensorFile() = default;

  /// Checks the whole file; reads metadata only. The buffer must be aligned to 8 bytes (else InvalidArgument);
  /// everything else that is wrong is InvalidExternalData.
  static FileError open(Span<const uint8_t> file, TensorFile* out);

  bool valid() const { return root_ != nullptr; }
  uint32_t version() const;
  const TensorFileHeader& header() const { return header_; }
  uint32_t entry_count() const;
  /// An empty entry outside [0, entry_count()).
  TensorFileEntry entry(uint32_t i) const;
  /// Linear search; false when the key is not there.
  bool find(std::string_view key, TensorFileEntry* out) const;
  uint32_t segment_count() const;
  Span<const uint8_t> segment(uint32_t i) const;

 private:
  Span<const uint8_t> file_;
  const ptd_fb::FlatTensor* root_ = nullptr;
  TensorFileHeader header_;
};

}  // namespace et::format
