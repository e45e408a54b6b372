#include "etdump/file_data_sink.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "runtime/platform/log.h"

namespace et::etdump {

Result<FileDataSink> FileDataSink::create(const char* path) {
  std::FILE* file = path == nullptr ? nullptr : std::fopen(path, "wb");
  ET_CHECK_OR_RETURN_ERROR(file != nullptr, AccessFailed, "FileDataSink: %s: %s", path == nullptr ? "(null)" : path,
                           path == nullptr ? "no path" : std::strerror(errno));
  return FileDataSink(file);
}

FileDataSink::FileDataSink(FileDataSink&& other) noexcept
    : file_(std::exchange(other.file_, nullptr)), used_(other.used_) {}

FileDataSink& FileDataSink::operator=(FileDataSink&& other) noexcept {
  if (this != &other) {
    close();
    file_ = std::exchange(other.file_, nullptr);
    used_ = other.used_;
  }
  return *this;
}

Result<size_t> FileDataSink::wrote(bool all, size_t length) {
  if (!all) {
    ET_LOG(Error, "FileDataSink: cannot write %zu bytes: %s", length, std::strerror(errno));
    std::clearerr(file_);
    std::fseek(file_, static_cast<long>(used_), SEEK_SET);
    return Error::OutOfResources;
  }
  const size_t at = used_;
  used_ += length;
  return at;
}

Result<size_t> FileDataSink::write(const void* data, size_t length) {
  if (file_ == nullptr) return Error::AccessFailed;
  if (length != 0 && data == nullptr) return Error::InvalidArgument;
  return wrote(length == 0 || std::fwrite(data, 1, length, file_) == length, length);
}

Result<size_t> FileDataSink::write_made(size_t length, Fill fill, void* context) {
  if (file_ == nullptr) return Error::AccessFailed;
  uint8_t piece[kPiece];
  bool all = true;
  for (size_t at = 0; at < length && all; at += kPiece) {
    const size_t count = std::min(kPiece, length - at);
    fill(context, at, piece, count);
    all = std::fwrite(piece, 1, count, file_) == count;
  }
  return wrote(all, length);
}

bool FileDataSink::flush() { return file_ == nullptr || std::fflush(file_) == 0; }

bool FileDataSink::close() {
  std::FILE* file = std::exchange(file_, nullptr);
  return file == nullptr || std::fclose(file) == 0;
}

}  // namespace et::etdump
