// Views of arrays under the names that ExecuTorch users know. ArrayRef never owns; a temporary list must outlive it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace et {

template <class T>
using Span = std::span<T>;
template <class T>
using ArrayRef = std::span<const T>;
using IntArrayRef = ArrayRef<int64_t>;
using std::nullopt;
using std::optional;
using string_view = std::string_view;

}  // namespace et
