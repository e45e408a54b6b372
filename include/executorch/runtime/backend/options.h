// Settings of backends: a key and a bool, an int or a text.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <variant>

#include "executorch/runtime/core/error.h"
#include "executorch/runtime/core/span.h"

namespace executorch::runtime {

static constexpr size_t kMaxOptionKeyLength = 64;
static constexpr size_t kMaxOptionValueLength = 256;
using OptionValue = std::variant<bool, int, std::array<char, kMaxOptionValueLength>>;

struct BackendOption {
  char key[kMaxOptionKeyLength]{};
  OptionValue value;
};

/// At most kCapacity settings.
template <size_t kCapacity>
class BackendOptions {
 public:
  Span<BackendOption> view() { return {options_, size_}; }
  /// A key that is there gets the new value. InvalidArgument: there is no room.
  template <size_t N>
  Error set_option(const char (&key)[N], bool value) noexcept {
    return set<N>(key, value);
  }
  template <size_t N>
  Error set_option(const char (&key)[N], int value) noexcept {
    return set<N>(key, value);
  }
  /// A longer text is cut.
  template <size_t N>
  Error set_option(const char (&key)[N], const char* value) noexcept {
    std::array<char, kMaxOptionValueLength> text{};
    std::strncpy(text.data(), value, text.size() - 1);
    return set<N>(key, text);
  }
  /// T: bool, int or const char*. NotFound: no such key; InvalidArgument: a value of another type.
  template <class T, size_t N>
  Error get_option(const char (&key)[N], T& out) const {
    static_assert(N <= kMaxOptionKeyLength, "the key is too long");
    for (size_t i = 0; i < size_; ++i) {
      if (std::strcmp(options_[i].key, key) != 0) continue;
      if constexpr (std::is_same_v<T, const char*>) {
        const auto* text = std::get_if<std::array<char, kMaxOptionValueLength>>(&options_[i].value);
        if (text == nullptr) return Error::InvalidArgument;
        out = text->data();
      } else {
        const T* value = std::get_if<T>(&options_[i].value);
        if (value == nullptr) return Error::InvalidArgument;
        out = *value;
      }
      return Error::Ok;
    }
    return Error::NotFound;
  }

 private:
  template <size_t N, class V>
  Error set(const char* key, const V& value) {
    static_assert(N <= kMaxOptionKeyLength, "the key is too long");
    size_t at = 0;
    while (at < size_ && std::strcmp(options_[at].key, key) != 0) ++at;
    if (at == kCapacity) return Error::InvalidArgument;
    if (at == size_) {
      ++size_;
      std::memset(options_[at].key, 0, kMaxOptionKeyLength);
      std::strncpy(options_[at].key, key, kMaxOptionKeyLength - 1);
    }
    options_[at].value = value;
    return Error::Ok;
  }

  BackendOption options_[kCapacity]{};
  size_t size_ = 0;
};

}  // namespace executorch::runtime
