#include "runtime/loader/mmap_data_loader.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>

#include "runtime/platform/log.h"

namespace et {

Result<MmapDataLoader> MmapDataLoader::from(const char* path, MlockConfig config) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  ET_CHECK_OR_RETURN_ERROR(fd >= 0, AccessFailed, "%s: cannot open: %s", path, std::strerror(errno));
  struct stat st {};
  if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size == 0) {
    close(fd);
    ET_LOG(Error, "%s: not a regular file, or empty", path);
    return Error::AccessFailed;
  }
  const size_t size = static_cast<size_t>(st.st_size);
  void* data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  const int why = errno;
  close(fd);
  ET_CHECK_OR_RETURN_ERROR(data != MAP_FAILED, AccessFailed, "%s: cannot map: %s", path, std::strerror(why));
  MmapDataLoader loader(data, size);
  if (config == MlockConfig::UseMadvise) {
    madvise(data, size, MADV_SEQUENTIAL);
    madvise(data, size, MADV_WILLNEED);
  } else if (config != MlockConfig::NoMlock && mlock(data, size) != 0) {
    ET_CHECK_OR_RETURN_ERROR(config == MlockConfig::UseMlockIgnoreErrors, NotSupported,
                             "%s: %zu bytes cannot be locked in memory: %s", path, size, std::strerror(errno));
  }
  return loader;
}

MmapDataLoader::~MmapDataLoader() {
  if (data_ != nullptr) munmap(data_, size_);
}

Result<FreeableBuffer> MmapDataLoader::load(size_t offset, size_t size, const SegmentInfo&) const {
  ET_CHECK_OR_RETURN_ERROR(data_ != nullptr, InvalidState, "the loader was moved from");
  ET_CHECK_OR_RETURN_ERROR(offset <= size_ && size <= size_ - offset, InvalidArgument,
                           "load: %zu bytes at offset %zu exceed the file of %zu bytes", size, offset, size_);
  return FreeableBuffer(static_cast<const uint8_t*>(data_) + offset, size);
}

Error MmapDataLoader::load_into(size_t offset, size_t size, const SegmentInfo&, void* buffer) const {
  ET_CHECK_OR_RETURN_ERROR(data_ != nullptr, InvalidState, "the loader was moved from");
  ET_CHECK_OR_RETURN_ERROR(offset <= size_ && size <= size_ - offset, InvalidArgument,
                           "load: %zu bytes at offset %zu exceed the file of %zu bytes", size, offset, size_);
  if (size > 0) std::memcpy(buffer, static_cast<const uint8_t*>(data_) + offset, size);
  return Error::Ok;
}

// The pages are those of the file: who reads them later gets them again from there.
void MmapDataLoader::release(const void* data, size_t size) const {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t begin = (reinterpret_cast<uintptr_t>(data) + page - 1) / page * page;
  const uintptr_t end = (reinterpret_cast<uintptr_t>(data) + size) / page * page;
  const auto first = reinterpret_cast<uintptr_t>(data_);
  // Pages that are locked stay: the system refuses.
  if (begin >= first && begin < end && end <= first + size_)
    madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

}  // namespace et
