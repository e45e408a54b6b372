// ArrayRef: a view of constant objects in a row.
#pragma once

#include <array>

#include "executorch/runtime/platform/assert.h"
#include "runtime/core/span.h"

namespace executorch::runtime {
using ::et::ArrayRef;
using ::et::IntArrayRef;
}  // namespace executorch::runtime
namespace executorch::runtime {

template <class T>
ArrayRef<T> makeArrayRef(const T& one) {
  return one;
}
template <class T>
ArrayRef<T> makeArrayRef(const T* data, size_t length) {
  return ArrayRef<T>(data, length);
}
template <class T>
ArrayRef<T> makeArrayRef(const T* begin, const T* end) {
  return ArrayRef<T>(begin, end);
}
template <class T, std::size_t N>
ArrayRef<T> makeArrayRef(const std::array<T, N>& array) {
  return array;
}
template <class T>
ArrayRef<T> makeArrayRef(const ::et::Span<const T>& list) {
  return list;
}
template <class T>
::et::Span<const T>& makeArrayRef(::et::Span<const T>& list) {
  return list;
}
template <class T, size_t N>
ArrayRef<T> makeArrayRef(const T (&array)[N]) {
  return ArrayRef<T>(array);
}

}  // namespace executorch::runtime

namespace torch::executor {
using ::executorch::runtime::ArrayRef;
using ::executorch::runtime::IntArrayRef;
using ::executorch::runtime::makeArrayRef;
}  // namespace torch::executor
