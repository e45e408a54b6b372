#include "etdump/data_sink.h"

#include <cstring>

#include "runtime/platform/log.h"

namespace et::etdump {

Result<size_t> DataSinkBase::write_made(size_t length, Fill fill, void* context) {
  const Platform& p = platform();
  uint8_t* blob = p.allocate == nullptr ? nullptr : static_cast<uint8_t*>(p.allocate(length));
  if (blob == nullptr) return Error::MemoryAllocationFailed;
  fill(context, 0, blob, length);
  Result<size_t> at = write(blob, length);
  p.free(blob);
  return at;
}

Result<BufferDataSink> BufferDataSink::create(Span<uint8_t> buffer, size_t alignment) {
  ET_CHECK_OR_RETURN_ERROR(alignment != 0 && (alignment & (alignment - 1)) == 0, InvalidArgument,
                           "BufferDataSink: alignment %zu is not a power of two", alignment);
  ET_CHECK_OR_RETURN_ERROR(buffer.data() != nullptr || buffer.empty(), InvalidArgument,
                           "BufferDataSink: null buffer of %zu bytes", buffer.size());
  return BufferDataSink(buffer, alignment);
}

Result<size_t> BufferDataSink::reserve(size_t length) {
  if (buffer_.empty()) return Error::OutOfResources;
  const uintptr_t at = reinterpret_cast<uintptr_t>(buffer_.data()) + used_;
  const size_t padding = (alignment_ - static_cast<size_t>(at & (alignment_ - 1))) & (alignment_ - 1);
  const size_t left = buffer_.size() - used_;
  if (padding > left || length > left - padding) return Error::OutOfResources;
  std::memset(buffer_.data() + used_, 0, padding);
  const size_t begin = used_ + padding;
  used_ = begin + length;
  return begin;
}

Result<size_t> BufferDataSink::write(const void* data, size_t length) {
  if (length == 0) return used_;
  if (data == nullptr) return Error::InvalidArgument;
  Result<size_t> at = reserve(length);
  if (at.ok()) std::memcpy(buffer_.data() + *at, data, length);
  return at;
}

Result<size_t> BufferDataSink::write_made(size_t length, Fill fill, void* context) {
  if (length == 0) return used_;
  Result<size_t> at = reserve(length);
  if (at.ok()) fill(context, 0, buffer_.data() + *at, length);
  return at;
}

}  // namespace et::etdump
