// FreeableBuffer: bytes that a loader or a data map gave out, with the way to give them back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/result.h"

namespace et {

/// Bytes that are given back by Free() or the destructor. A view when there is no function.
class FreeableBuffer {
 public:
  using FreeFunction = void (*)(void* context, void* data, size_t size);
  using FreeFn = FreeFunction;
  /// For bytes that this processor does not address: a number stands for them.
  using FreeUInt64Fn = void (*)(void* context, uint64_t data, size_t size);

  FreeableBuffer() = default;
  FreeableBuffer(const void* data, size_t size, FreeFunction free = nullptr, void* context = nullptr)
      : data_(data), size_(size), free_(free), context_(context) {}
  explicit FreeableBuffer(uint64_t number, size_t size, FreeUInt64Fn free, void* context = nullptr)
      : number_(number), size_(size), free_number_(free), context_(context), is_number_(true) {}
  /// What was moved from is empty and of the same kind.
  FreeableBuffer(FreeableBuffer&& other) noexcept {
    swap(other);
    other.is_number_ = is_number_;
  }
  FreeableBuffer& operator=(FreeableBuffer&& other) noexcept {
    swap(other);
    return *this;
  }
  FreeableBuffer(const FreeableBuffer&) = delete;
  FreeableBuffer& operator=(const FreeableBuffer&) = delete;
  ~FreeableBuffer() { Free(); }

  void Free() {
    if (is_number_) {
      if (free_number_ != nullptr && number_ != 0) free_number_(context_, number_, size_);
    } else if (free_ != nullptr && data_ != nullptr) {
      free_(context_, const_cast<void*>(data_), size_);
    }
    data_ = nullptr;
    number_ = 0;
    size_ = 0;
  }
  /// Of a number this ends the process.
  const void* data() const {
    if (is_number_) __builtin_trap();
    return data_;
  }
  /// InvalidType: it is the other kind.
  Result<const void*> data_safe() const {
    if (is_number_) return Error::InvalidType;
    return data_;
  }
  Result<uint64_t> data_uint64_type() const {
    if (!is_number_) return Error::InvalidType;
    return number_;
  }
  size_t size() const { return size_; }

 private:
  void swap(FreeableBuffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(free_, other.free_);
    std::swap(context_, other.context_);
    std::swap(number_, other.number_);
    std::swap(free_number_, other.free_number_);
    std::swap(is_number_, other.is_number_);
  }

  const void* data_ = nullptr;
  uint64_t number_ = 0;
  size_t size_ = 0;
  FreeFunction free_ = nullptr;
  FreeUInt64Fn free_number_ = nullptr;
  void* context_ = nullptr;
  bool is_number_ = false;
};

}  // namespace et
