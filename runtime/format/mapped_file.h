// A whole file mapped read-only. Refuses what is not a regular file, with a message that says why.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "runtime/format/status.h"

namespace et::format {

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

  /// Maps `path`. Errors: AccessFailed (missing, directory, permission), InvalidArgument (empty file).
  static Status open(const std::string& path, MappedFile* out);

  std::span<const uint8_t> bytes() const { return {static_cast<const uint8_t*>(data_), size_}; }
  const std::string& path() const { return path_; }

  /// Gives the pages back to the kernel; they are read again on the next touch.
  void release_pages() const;

 private:
  void swap(MappedFile& other) noexcept;

  void* data_ = nullptr;
  size_t size_ = 0;
  std::string path_;
};

}  // namespace et::format
