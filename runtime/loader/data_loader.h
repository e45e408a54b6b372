// DataLoader: where the bytes of a program come from. FreeableBuffer: bytes that a loader gave out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/error.h"
#include "base/result.h"

namespace et {

/// Bytes that are given back by Free() or the destructor. A view when there is no function.
class FreeableBuffer {
 public:
  using FreeFunction = void (*)(void* context, void* data, size_t size);

  FreeableBuffer() = default;
  FreeableBuffer(const void* data, size_t size, FreeFunction free = nullptr, void* context = nullptr)
      : data_(data), size_(size), free_(free), context_(context) {}
  FreeableBuffer(FreeableBuffer&& other) noexcept { swap(other); }
  FreeableBuffer& operator=(FreeableBuffer&& other) noexcept {
    swap(other);
    return *this;
  }
  FreeableBuffer(const FreeableBuffer&) = delete;
  FreeableBuffer& operator=(const FreeableBuffer&) = delete;
  ~FreeableBuffer() { Free(); }

  void Free() {
    if (free_ != nullptr && data_ != nullptr) free_(context_, const_cast<void*>(data_), size_);
    data_ = nullptr;
    size_ = 0;
  }
  const void* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  void swap(FreeableBuffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(free_, other.free_);
    std::swap(context_, other.context_);
  }

  const void* data_ = nullptr;
  size_t size_ = 0;
  FreeFunction free_ = nullptr;
  void* context_ = nullptr;
};

class DataLoader {
 public:
  /// What a part of the file is for; a loader may place it accordingly.
  struct SegmentInfo {
    enum class Type : uint8_t { Program, Constant, Backend, Mutable, External };
    Type segment_type = Type::Program;
    size_t segment_index = 0;
    const char* descriptor = nullptr;  // Backend: the backend's id
  };

  virtual ~DataLoader() = default;
  /// `size` bytes from `offset`, at an address that is a multiple of 16. InvalidArgument: outside of the data.
  virtual Result<FreeableBuffer> load(size_t offset, size_t size, const SegmentInfo& info) const = 0;
  /// The same, copied to `buffer`.
  virtual Error load_into(size_t offset, size_t size, const SegmentInfo& info, void* buffer) const = 0;
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
