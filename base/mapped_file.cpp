#include "base/mapped_file.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/files_read.h"
#include "base/lfs_pointer.h"
#include "base/stream_input.h"

namespace et {
namespace {

constexpr size_t kAlignment = 64;  // of memory that a file was read to
constexpr size_t kPage = 4096;     // the smallest there is

}  // namespace

MappedFile::~MappedFile() {
  if (mapped_) {
    ::munmap(data_, size_);
  } else {
    std::free(data_);
  }
}

void MappedFile::swap(MappedFile& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(mapped_, other.mapped_);
  std::swap(path_, other.path_);
}

Status MappedFile::open(const std::string& path, MappedFile* out) {
  int fd = open_input(path);
  if (fd < 0) return {Error::AccessFailed, path + ": cannot open: " + std::strerror(errno)};
  struct stat st = {};
  Status status;
  bool known = ::fstat(fd, &st) == 0;
  if (known && is_stream(st)) {
    int copy = -1;
    status = stream_as_file(fd, st, path, &copy);
    ::close(fd);
    if (!status.ok()) return status;
    fd = copy;
    known = ::fstat(fd, &st) == 0;
  }
  if (!known) {
    status = {Error::AccessFailed, path + ": cannot stat: " + std::strerror(errno)};
  } else if (S_ISDIR(st.st_mode)) {
    status = {Error::AccessFailed, path + ": is a directory, expected a file"};
  } else if (!S_ISREG(st.st_mode)) {
    status = {Error::AccessFailed, path + ": is not a regular file"};
  } else if (st.st_size == 0) {
    status = {Error::InvalidArgument, path + ": the file is empty"};
  } else {
    MappedFile file;
    file.size_ = static_cast<size_t>(st.st_size);
    file.path_ = path;
    status = file.size_ <= kSmallBytes ? file.read(fd) : file.map(fd);
    const std::span<const uint8_t> bytes = file.bytes();
    if (status.ok() && is_lfs_pointer({reinterpret_cast<const char*>(bytes.data()), bytes.size()})) {
      status = {Error::InvalidExternalData,
                path + ": is a Git LFS pointer, not the file itself; fetch it with: git lfs pull"};
    }
    if (status.ok()) {
      remember_input(st, path);
      *out = std::move(file);
    }
  }
  ::close(fd);
  return status;
}

Status MappedFile::map(int fd) {
  void* data = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd, 0);
  if (data == MAP_FAILED) return {Error::AccessFailed, path_ + ": cannot map: " + std::strerror(errno)};
  data_ = data;
  mapped_ = true;
  return {};
}

Status MappedFile::read(int fd) {
  data_ = std::aligned_alloc(kAlignment, (size_ + kAlignment - 1) / kAlignment * kAlignment);
  if (data_ == nullptr) return {Error::MemoryAllocationFailed, path_ + ": out of memory"};
  for (size_t done = 0; done < size_;) {
    const ssize_t n = ::pread(fd, static_cast<char*>(data_) + done, size_ - done, static_cast<off_t>(done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return {Error::AccessFailed, path_ + ": cannot read: " + std::strerror(errno)};
    if (n == 0) return {Error::AccessFailed, path_ + ": became shorter while it was read"};
    done += static_cast<size_t>(n);
  }
  return {};
}

size_t MappedFile::readable_behind() const {
  const size_t unit = mapped_ ? kPage : kAlignment;
  return (unit - size_ % unit) % unit;
}

void MappedFile::release_pages() const {
  if (mapped_) ::madvise(data_, size_, MADV_DONTNEED);
}

}  // namespace et
