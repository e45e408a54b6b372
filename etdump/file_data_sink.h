// A data sink that appends to a file, without padding. Needs the C library's files, so it is not part of a device
// build.
#pragma once

#include <cstdio>

#include "etdump/data_sink.h"

namespace et::etdump {

class FileDataSink : public DataSinkBase {
 public:
  /// Replaces the file. AccessFailed: it cannot be created.
  static Result<FileDataSink> create(const char* path);
  FileDataSink(FileDataSink&& other) noexcept;
  FileDataSink& operator=(FileDataSink&& other) noexcept;
  ~FileDataSink() override { close(); }

  /// OutOfResources: the disk is full, or another error of the system; AccessFailed: the file is closed.
  /// A blob that was written in part is cut off again.
  Result<size_t> write(const void* data, size_t length) override;
  Result<size_t> write_made(size_t length, Fill fill, void* context) override;
  size_t get_used_bytes() const override { return used_; }
  /// False: not everything reached the file.
  bool flush();
  bool close();

 private:
  explicit FileDataSink(std::FILE* file) : file_(file) {}
  Result<size_t> wrote(bool all, size_t length);

  std::FILE* file_ = nullptr;
  size_t used_ = 0;
};

}  // namespace et::etdump
