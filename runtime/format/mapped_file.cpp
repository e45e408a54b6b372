#include "runtime/format/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace et::format {

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

void MappedFile::swap(MappedFile& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(path_, other.path_);
}

Status MappedFile::open(const std::string& path, MappedFile* out) {
  // O_NONBLOCK: opening a FIFO that nobody writes to must not hang.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return {Error::AccessFailed, path + ": cannot open: " + std::strerror(errno)};
  struct stat st = {};
  Status status;
  if (::fstat(fd, &st) != 0) {
    status = {Error::AccessFailed, path + ": cannot stat: " + std::strerror(errno)};
  } else if (S_ISDIR(st.st_mode)) {
    status = {Error::AccessFailed, path + ": is a directory, expected a file"};
  } else if (!S_ISREG(st.st_mode)) {
    status = {Error::AccessFailed, path + ": is not a regular file"};
  } else if (st.st_size == 0) {
    status = {Error::InvalidArgument, path + ": the file is empty"};
  } else {
    void* data = ::mmap(nullptr, static_cast<size_t>(st.st_size), PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED) {
      status = {Error::AccessFailed, path + ": cannot map: " + std::strerror(errno)};
    } else {
      MappedFile file;
      file.data_ = data;
      file.size_ = static_cast<size_t>(st.st_size);
      file.path_ = path;
      *out = std::move(file);
    }
  }
  ::close(fd);
  return status;
}

void MappedFile::release_pages() const {
  if (data_ != nullptr) ::madvise(data_, size_, MADV_DONTNEED);
}

}  // namespace et::format
