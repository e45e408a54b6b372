#include "runtime/loader/file_data_loader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>

#include "runtime/platform/log.h"

namespace et {

Result<FileDataLoader> FileDataLoader::from(const char* path, size_t alignment) {
  ET_CHECK_OR_RETURN_ERROR(alignment != 0 && (alignment & (alignment - 1)) == 0, InvalidArgument,
                           "alignment %zu is not a power of two", alignment);
  ET_CHECK_OR_RETURN_ERROR(path != nullptr, InvalidArgument, "no file was named");
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  ET_CHECK_OR_RETURN_ERROR(fd >= 0, AccessFailed, "%s: cannot open: %s", path, std::strerror(errno));
  struct stat st {};
  if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
    close(fd);
    ET_LOG(Error, "%s: not a regular file", path);
    return Error::AccessFailed;
  }
  return FileDataLoader(fd, static_cast<size_t>(st.st_size), alignment < kAlignment ? kAlignment : alignment);
}

FileDataLoader::~FileDataLoader() {
  if (fd_ >= 0) close(fd_);
}

Error FileDataLoader::load_into(size_t offset, size_t size, const SegmentInfo&, void* buffer) const {
  ET_CHECK_OR_RETURN_ERROR(fd_ >= 0, InvalidState, "the loader was moved from");
  ET_CHECK_OR_RETURN_ERROR(offset <= size_ && size <= size_ - offset, InvalidArgument,
                           "load: %zu bytes at offset %zu exceed the file of %zu bytes", size, offset, size_);
  ET_CHECK_OR_RETURN_ERROR(buffer != nullptr, InvalidArgument, "load: no buffer was given");
  constexpr size_t kMaxAtOnce = size_t{1} << 30;  // read() takes at most 2 GiB
  auto* to = static_cast<uint8_t*>(buffer);
  while (size > 0) {
    const ssize_t n = pread(fd_, to, size < kMaxAtOnce ? size : kMaxAtOnce, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    ET_CHECK_OR_RETURN_ERROR(n > 0, AccessFailed, "read at offset %zu: %s", offset,
                             n == 0 ? "unexpected end of file" : std::strerror(errno));
    to += n;
    offset += static_cast<size_t>(n);
    size -= static_cast<size_t>(n);
  }
  return Error::Ok;
}

Result<FreeableBuffer> FileDataLoader::load(size_t offset, size_t size, const SegmentInfo& info) const {
  ET_CHECK_OR_RETURN_ERROR(fd_ >= 0, InvalidState, "the loader was moved from");
  ET_CHECK_OR_RETURN_ERROR(offset <= size_ && size <= size_ - offset, InvalidArgument,
                           "load: %zu bytes at offset %zu exceed the file of %zu bytes", size, offset, size_);
  if (size == 0) return FreeableBuffer();
  void* memory = platform().allocate(size + alignment_);
  ET_CHECK_OR_RETURN_ERROR(memory != nullptr, MemoryAllocationFailed, "cannot allocate %zu bytes to load a file", size);
  auto* data = reinterpret_cast<uint8_t*>((reinterpret_cast<uintptr_t>(memory) + alignment_ - 1) & ~(alignment_ - 1));
  FreeableBuffer buffer(
      data, size, [](void* block, void*, size_t) { platform().free(block); }, memory);
  ET_CHECK_OK_OR_RETURN_ERROR(load_into(offset, size, info, data));
  return buffer;
}

}  // namespace et
