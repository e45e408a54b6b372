// Bytes in memory that outlive the loader: zero copy. The start must be a multiple of 16 for a program.
#pragma once

#include <cstring>

#include "runtime/loader/data_loader.h"
#include "runtime/platform/log.h"

namespace et {

class BufferDataLoader final : public DataLoader {
 public:
  BufferDataLoader(const void* data, size_t size) : data_(static_cast<const uint8_t*>(data)), size_(size) {}

  Result<FreeableBuffer> load(size_t offset, size_t size, const SegmentInfo&) const override {
    ET_CHECK_OR_RETURN_ERROR(inside(offset, size), InvalidArgument,
                             "load: %zu bytes at offset %zu exceed the buffer of %zu bytes", size, offset, size_);
    return FreeableBuffer(data_ + offset, size);
  }
  Error load_into(size_t offset, size_t size, const SegmentInfo&, void* buffer) const override {
    ET_CHECK_OR_RETURN_ERROR(inside(offset, size), InvalidArgument,
                             "load: %zu bytes at offset %zu exceed the buffer of %zu bytes", size, offset, size_);
    ET_CHECK_OR_RETURN_ERROR(buffer != nullptr, InvalidArgument, "load: no buffer was given");
    if (size > 0) std::memcpy(buffer, data_ + offset, size);
    return Error::Ok;
  }
  Result<size_t> size() const override { return size_; }

 private:
  bool inside(size_t offset, size_t size) const { return offset <= size_ && size <= size_ - offset; }

  const uint8_t* data_;
  size_t size_;
};

}  // namespace et
