// SharedPtrDataLoader: a program in memory that the loader keeps alive.
#pragma once

#include <memory>

#include "executorch/runtime/core/data_loader.h"
#include "executorch/runtime/core/error.h"

namespace executorch::extension {

class SharedPtrDataLoader final : public ::executorch::runtime::DataLoader {
 public:
  SharedPtrDataLoader(std::shared_ptr<void> data, size_t size) : data_(std::move(data)), size_(size) {}
  ET_NODISCARD ::et::Result<::et::FreeableBuffer> load(size_t offset, size_t size, const SegmentInfo&) const override {
    ET_CHECK_OR_RETURN_ERROR(offset <= size_ && size <= size_ - offset, InvalidArgument,
                             "load: %zu bytes at offset %zu exceed the buffer of %zu bytes", size, offset, size_);
    return ::et::FreeableBuffer(static_cast<const uint8_t*>(data_.get()) + offset, size);
  }
  ET_NODISCARD ::et::Result<size_t> size() const override { return size_; }

 private:
  std::shared_ptr<void> data_;
  size_t size_;
};

}  // namespace executorch::extension
namespace torch::executor::util {
using ::executorch::extension::SharedPtrDataLoader;
}
