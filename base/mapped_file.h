// A whole file, read-only: mapped, or a small one read, which costs less. A pipe is read into memory; what is neither
// is refused with a message that says why.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/status.h"

namespace et {

class MappedFile {
 public:
  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept { swap(other); }
  MappedFile& operator=(MappedFile&& other) noexcept {
    swap(other);
    return *this;
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  /// Up to this size files are read.
  static constexpr size_t kSmallBytes = size_t{64} << 10;

  /// The bytes begin at a multiple of 64. Errors: AccessFailed (missing, directory, permission), InvalidArgument (empty
  /// file).
  static Status open(const std::string& path, MappedFile* out);

  std::span<const uint8_t> bytes() const { return {static_cast<const uint8_t*>(data_), size_}; }
  const std::string& path() const { return path_; }
  /// How many bytes behind the last may be read (they mean nothing): parsers want some.
  size_t readable_behind() const;

  /// Gives the pages back to the kernel; they are read again on the next touch.
  void release_pages() const;

 private:
  void swap(MappedFile& other) noexcept;
  Status map(int fd);
  Status read(int fd);

  void* data_ = nullptr;
  size_t size_ = 0;
  bool mapped_ = false;  // else from the heap
  std::string path_;
};

}  // namespace et
