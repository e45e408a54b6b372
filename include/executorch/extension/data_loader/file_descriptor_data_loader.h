// FileDescriptorDataLoader: reads parts of an open file, named as "fd:///<number>"; it closes the file.
#pragma once

#include <cstddef>

#include "executorch/runtime/core/data_loader.h"
#include "executorch/runtime/core/result.h"

namespace executorch::extension {

class FileDescriptorDataLoader final : public ::executorch::runtime::DataLoader {
 public:
  /// InvalidArgument: another text, or an alignment that is no power of two; AccessFailed: no such file.
  static ::et::Result<FileDescriptorDataLoader> fromFileDescriptorUri(const char* file_descriptor_uri,
                                                                      size_t alignment = alignof(std::max_align_t));
  FileDescriptorDataLoader(FileDescriptorDataLoader&& other) noexcept
      : fd_(other.fd_), size_(other.size_), alignment_(other.alignment_) {
    other.fd_ = -1;
  }
  FileDescriptorDataLoader(const FileDescriptorDataLoader&) = delete;
  FileDescriptorDataLoader& operator=(const FileDescriptorDataLoader&) = delete;
  FileDescriptorDataLoader& operator=(FileDescriptorDataLoader&&) = delete;
  ~FileDescriptorDataLoader() override;

  ET_NODISCARD ::et::Result<::et::FreeableBuffer> load(size_t offset, size_t size,
                                                       const SegmentInfo& segment_info) const override;
  ET_NODISCARD ::et::Error load_into(size_t offset, size_t size, const SegmentInfo& segment_info,
                                     void* buffer) const override;
  ET_NODISCARD ::et::Result<size_t> size() const override;

 private:
  FileDescriptorDataLoader(int fd, size_t size, size_t alignment) : fd_(fd), size_(size), alignment_(alignment) {}
  int fd_;
  size_t size_;
  size_t alignment_;
};

}  // namespace executorch::extension
namespace torch::executor::util {
using ::executorch::extension::FileDescriptorDataLoader;
}
