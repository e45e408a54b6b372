// The headers of programs and tensor files, field by field.
#include <cinttypes>
#include <cstring>

#include "executorch/extension/flat_tensor/serialize/flat_tensor_header.h"
#include "executorch/runtime/platform/log.h"
#include "executorch/schema/extended_header.h"

namespace executorch {
namespace {

/// Little-endian, wherever it lies.
uint64_t number_at(const uint8_t* p, size_t bytes) {
  uint64_t v = 0;
  for (size_t i = 0; i < bytes; ++i) v |= uint64_t{p[i]} << (8 * i);
  return v;
}

/// The length field behind the magic; the fields, 8 bytes each, follow it.
template <class Header>
::et::Error find_header(const void* data, size_t size, uint32_t least, ::et::Error too_short, const uint8_t** at,
                        uint32_t* length) {
  ET_CHECK_OR_RETURN_ERROR(size >= Header::kNumHeadBytes, InvalidArgument,
                           "file header: expected at least %zu bytes, got %zu", Header::kNumHeadBytes, size);
  *at = static_cast<const uint8_t*>(data) + Header::kHeaderOffset;
  if (std::memcmp(*at, Header::kMagic, Header::kMagicSize) != 0) return ::et::Error::NotFound;
  *length = static_cast<uint32_t>(number_at(*at + Header::kMagicSize, 4));
  if (*length < least) {
    ET_LOG(Error, "file header: offset %zu: length: expected at least %" PRIu32 ", got %" PRIu32,
           Header::kHeaderOffset + Header::kMagicSize, least, *length);
    return too_short;
  }
  *at += Header::kMagicSize + 4;
  return ::et::Error::Ok;
}

}  // namespace

namespace runtime {

Result<ExtendedHeader> ExtendedHeader::Parse(const void* data, size_t size) {
  constexpr uint32_t kWithoutSegmentSize = kMagicSize + 4 + 2 * 8;  // of writers before 1.0
  const uint8_t* fields = nullptr;
  uint32_t length = 0;
  const Error found =
      find_header<ExtendedHeader>(data, size, kWithoutSegmentSize, Error::InvalidProgram, &fields, &length);
  if (found != Error::Ok) return found;
  const bool sized = length >= kWithoutSegmentSize + 8;
  return ExtendedHeader{number_at(fields, 8), number_at(fields + 8, 8), sized ? number_at(fields + 16, 8) : 0};
}

}  // namespace runtime

namespace extension {

::et::Result<FlatTensorHeader> FlatTensorHeader::Parse(const void* data, size_t size) {
  const uint8_t* fields = nullptr;
  uint32_t length = 0;
  const ::et::Error found = find_header<FlatTensorHeader>(data, size, kHeaderExpectedLength,
                                                          ::et::Error::InvalidExternalData, &fields, &length);
  if (found != ::et::Error::Ok) return found;
  return FlatTensorHeader{number_at(fields, 8), number_at(fields + 8, 8), number_at(fields + 16, 8),
                          number_at(fields + 24, 8)};
}

}  // namespace extension
}  // namespace executorch
