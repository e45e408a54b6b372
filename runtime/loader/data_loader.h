// DataLoader: where the bytes of a program come from.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/error.h"
#include "base/result.h"
#include "runtime/core/freeable_buffer.h"

namespace et {

class DataLoader {
 public:
  /// What a part of the file is for; a loader may place it accordingly.
  struct SegmentInfo {
    enum class Type : uint8_t { Program, Constant, Backend, Mutable, External };
    Type segment_type = Type::Program;
    size_t segment_index = 0;
    const char* descriptor = nullptr;  // Backend: the backend's id

    SegmentInfo() = default;
    SegmentInfo(Type type, size_t index = 0, const char* of = nullptr)
        : segment_type(type), segment_index(index), descriptor(of) {}
  };

  virtual ~DataLoader() = default;
  /// `size` bytes from `offset`, at an address that is a multiple of 16. InvalidArgument: outside of the data.
  virtual Result<FreeableBuffer> load(size_t offset, size_t size, const SegmentInfo& info) const = 0;
  /// The same, copied to `buffer`.
  virtual Error load_into(size_t /*offset*/, size_t /*size*/, const SegmentInfo&, void* /*buffer*/) const {
    return Error::NotImplemented;
  }
  virtual Result<size_t> size() const = 0;
  /// Nobody needs these bytes of load() for now; they may be read again. A loader that maps a file lets their memory
  /// go.
  virtual void release(const void* /*data*/, size_t /*size*/) const {}
  /// A part of what load() of `from` gave, released when it is freed. Null: of bytes that no loader knows.
  static FreeableBuffer part(const DataLoader* from, const void* data, size_t size) {
    if (from == nullptr) return FreeableBuffer(data, size);
    return FreeableBuffer(
        data, size,
        [](void* loader, void* bytes, size_t n) { static_cast<const DataLoader*>(loader)->release(bytes, n); },
        const_cast<DataLoader*>(from));
  }
};

}  // namespace et
