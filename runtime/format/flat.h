// Shared by the readers of this folder, not for their users: flatbuffers vectors and strings as spans, verification
// with limits that follow the size of the input, and checked arithmetic.
#pragma once

#include <flatbuffers/flatbuffers.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>

#include "base/file_error.h"
#include "base/span.h"

namespace et::format {

static_assert(std::endian::native == std::endian::little, "views read little-endian numbers in place");

inline std::string_view view(const flatbuffers::String* s) {
  return s == nullptr ? std::string_view() : std::string_view(s->c_str(), s->size());
}

/// Elements in place. 64-bit elements need vector_aligned() to have been checked.
template <class T>
Span<const T> span_of(const flatbuffers::Vector<T>* v) {
  if (v == nullptr) return {};
  return {reinterpret_cast<const T*>(v->Data()), v->size()};
}

template <class T>
uint32_t count_of(const flatbuffers::Vector<T>* v) {
  return v == nullptr ? 0 : v->size();
}

/// Element `i` of a vector of tables, null outside.
template <class T>
const T* element(const flatbuffers::Vector<flatbuffers::Offset<T>>* v, uint32_t i) {
  return v != nullptr && i < v->size() ? v->Get(i) : nullptr;
}

/// The generated verifier checks the alignment of a vector's count but not that of wider elements.
template <class T>
bool vector_aligned(const flatbuffers::Vector<T>* v) {
  return v == nullptr || reinterpret_cast<uintptr_t>(v->Data()) % sizeof(T) == 0;
}

inline bool aligned(const void* p, size_t to) { return reinterpret_cast<uintptr_t>(p) % to == 0; }

template <class T>
T read(Span<const uint8_t> bytes, uint64_t at) {
  T v;
  std::memcpy(&v, bytes.data() + at, sizeof(T));
  return v;
}

inline bool add(uint64_t a, uint64_t b, uint64_t* out) { return !__builtin_add_overflow(a, b, out); }
inline bool mul(uint64_t a, uint64_t b, uint64_t* out) { return !__builtin_mul_overflow(a, b, out); }

/// [offset, offset + size) lies in [0, limit).
inline bool inside(uint64_t offset, uint64_t size, uint64_t limit) { return offset <= limit && size <= limit - offset; }

/// Limits of a verification. A file may let many places share one table or list, so that reading it all costs far more
/// than its size; no writer does that. Twice what a file without sharing can hold is allowed.
inline flatbuffers::Verifier::Options verifier_options(size_t bytes) {
  flatbuffers::Verifier::Options options;
  options.max_depth = 32;
  options.max_tables = static_cast<flatbuffers::uoffset_t>(bytes / 4 + 16);  // a table and its offset take 8 bytes
  return options;
}

inline bool fits_flatbuffer(size_t bytes) { return bytes >= 8 && bytes < FLATBUFFERS_MAX_BUFFER_SIZE; }

/// Work that the checks may spend on list elements, see verifier_options().
class Budget {
 public:
  explicit Budget(size_t bytes) : left_(bytes / 2 + 64) {}
  bool spend(uint64_t elements) {
    if (elements > left_) return false;
    left_ -= elements;
    return true;
  }

 private:
  uint64_t left_;
};

inline FileError failure(Error code, uint64_t offset, const char* field, const char* expected, int64_t index = -1) {
  return {code, offset, field, expected, index};
}
/// A payload that its program carries is as wrong as the program.
inline FileError invalid_payload(uint64_t offset, const char* field, const char* expected, int64_t index = -1) {
  return failure(Error::InvalidProgram, offset, field, expected, index);
}

}  // namespace et::format
