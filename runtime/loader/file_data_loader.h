// Reads parts of a file into memory of the platform's heap. POSIX; safe to use from several threads.
#pragma once

#include "runtime/loader/data_loader.h"

namespace et {

class FileDataLoader final : public DataLoader {
 public:
  static constexpr size_t kAlignment = 64;

  /// What load() gives begins at a multiple of `alignment`. AccessFailed: the file cannot be opened, or is not a
  /// regular file; InvalidArgument: an alignment that is not a power of two.
  static Result<FileDataLoader> from(const char* path, size_t alignment = kAlignment);
  /// Kept for source compatibility.
  static Result<FileDataLoader> From(const char* path, size_t alignment = kAlignment) { return from(path, alignment); }
  FileDataLoader(FileDataLoader&& other) noexcept : fd_(other.fd_), size_(other.size_), alignment_(other.alignment_) {
    other.fd_ = -1;
  }
  FileDataLoader& operator=(FileDataLoader&&) = delete;
  FileDataLoader(const FileDataLoader&) = delete;
  FileDataLoader& operator=(const FileDataLoader&) = delete;
  ~FileDataLoader() override;

  Result<FreeableBuffer> load(size_t offset, size_t size, const SegmentInfo& info) const override;
  Error load_into(size_t offset, size_t size, const SegmentInfo& info, void* buffer) const override;
  /// InvalidState: the loader was moved from.
  Result<size_t> size() const override {
    if (fd_ < 0) return Error::InvalidState;
    return size_;
  }

 private:
  FileDataLoader(int fd, size_t size, size_t alignment) : fd_(fd), size_(size), alignment_(alignment) {}
  int fd_;
  size_t size_;
  size_t alignment_;
};

}  // namespace et
