// Tensor files, and programs behind a file descriptor.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "executorch/extension/data_loader/file_descriptor_data_loader.h"
#include "executorch/extension/flat_tensor/flat_tensor_data_map.h"

namespace executorch::extension {

using ::et::Error;
using ::et::FreeableBuffer;
using ::et::Result;

Result<FlatTensorDataMap> FlatTensorDataMap::load(::et::DataLoader* loader) {
  const Result<size_t> size = loader->size();
  if (!size.ok()) return size.error();
  Result<FreeableBuffer> bytes =
      loader->load(0, *size, ::et::DataLoader::SegmentInfo(::et::DataLoader::SegmentInfo::Type::External));
  if (!bytes.ok()) return bytes.error();
  Result<::et::FlatTensorDataMap> map =
      ::et::FlatTensorDataMap::load({static_cast<const uint8_t*>(bytes->data()), bytes->size()});
  if (!map.ok()) return map.error();
  return FlatTensorDataMap(std::move(*bytes), std::move(*map));
}

Result<FileDescriptorDataLoader> FileDescriptorDataLoader::fromFileDescriptorUri(const char* uri, size_t alignment) {
  constexpr char kPrefix[] = "fd:///";
  ET_CHECK_OR_RETURN_ERROR(alignment != 0 && (alignment & (alignment - 1)) == 0, InvalidArgument,
                           "alignment %zu is not a power of two", alignment);
  ET_CHECK_OR_RETURN_ERROR(std::strncmp(uri, kPrefix, sizeof kPrefix - 1) == 0, InvalidArgument,
                           "%s: expected %s and a number", uri, kPrefix);
  char* end = nullptr;
  const long fd = std::strtol(uri + sizeof kPrefix - 1, &end, 10);
  ET_CHECK_OR_RETURN_ERROR(end != uri + sizeof kPrefix - 1 && *end == 0 && fd >= 0, InvalidArgument,
                           "%s: expected %s and a number", uri, kPrefix);
  struct stat st {};
  if (fstat(static_cast<int>(fd), &st) != 0) {
    ET_LOG(Error, "%s: %s", uri, std::strerror(errno));
    return Error::AccessFailed;
  }
  return FileDescriptorDataLoader(static_cast<int>(fd), static_cast<size_t>(st.st_size), alignment);
}

FileDescriptorDataLoader::~FileDescriptorDataLoader() {
  if (fd_ >= 0) close(fd_);
}

Result<size_t> FileDescriptorDataLoader::size() const {
  if (fd_ < 0) return Error::InvalidState;
  return size_;
}

Result<FreeableBuffer> FileDescriptorDataLoader::load(size_t offset, size_t size, const SegmentInfo& info) const {
  ET_CHECK_OR_RETURN_ERROR(fd_ >= 0, InvalidState, "the loader was moved from");
  ET_CHECK_OR_RETURN_ERROR(offset <= size_ && size <= size_ - offset, InvalidArgument,
                           "load: %zu bytes at offset %zu exceed the file of %zu bytes", size, offset, size_);
  if (size == 0) return FreeableBuffer();
  void* memory = nullptr;
  const size_t alignment = alignment_ < sizeof(void*) ? sizeof(void*) : alignment_;
  if (posix_memalign(&memory, alignment, size) != 0) return Error::MemoryAllocationFailed;
  FreeableBuffer buffer(memory, size, [](void*, void* data, size_t) { std::free(data); });
  ET_CHECK_OK_OR_RETURN_ERROR(load_into(offset, size, info, memory));
  return buffer;
}

Error FileDescriptorDataLoader::load_into(size_t offset, size_t size, const SegmentInfo&, void* buffer) const {
  ET_CHECK_OR_RETURN_ERROR(fd_ >= 0, InvalidState, "the loader was moved from");
  ET_CHECK_OR_RETURN_ERROR(offset <= size_ && size <= size_ - offset, InvalidArgument,
                           "load: %zu bytes at offset %zu exceed the file of %zu bytes", size, offset, size_);
  ET_CHECK_OR_RETURN_ERROR(buffer != nullptr, InvalidArgument, "load: no buffer was given");
  auto* to = static_cast<uint8_t*>(buffer);
  while (size > 0) {
    const ssize_t n = pread(fd_, to, size < (size_t{1} << 30) ? size : size_t{1} << 30, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    ET_CHECK_OR_RETURN_ERROR(n > 0, AccessFailed, "read at offset %zu: %s", offset,
                             n == 0 ? "unexpected end of file" : std::strerror(errno));
    to += n;
    offset += static_cast<size_t>(n);
    size -= static_cast<size_t>(n);
  }
  return Error::Ok;
}

}  // namespace executorch::extension
