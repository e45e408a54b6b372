// FreeableBuffer: bytes that a loader or a data map gave out, with the way to give them back.
#pragma once

#include <cstddef>
#include <utility>

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

}  // namespace et
