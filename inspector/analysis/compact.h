// Values that may be absent, as small as values that may not. A trace may have half a million different operators, each
// with some twenty such members: std::optional would double what they take.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_set>

namespace et::inspector {

/// A number that may be absent, read as std::optional is. One value of the type means "absent": NaN for floating
/// point, the smallest of signed and the largest of unsigned integers; set to that it is absent as well.
template <class T>
class Maybe {
 public:
  Maybe() = default;
  Maybe(std::nullopt_t) {}
  Maybe(T value) : value_(value) {}
  Maybe(const std::optional<T>& value) : value_(value.value_or(absent())) {}

  bool has_value() const {
    if constexpr (std::is_floating_point_v<T>)
      return !std::isnan(value_);
    else
      return value_ != absent();
  }
  explicit operator bool() const { return has_value(); }
  T operator*() const { return value_; }
  T value_or(T otherwise) const { return has_value() ? value_ : otherwise; }
  operator std::optional<T>() const { return has_value() ? std::optional<T>(value_) : std::nullopt; }
  bool operator==(const Maybe& other) const {
    return has_value() == other.has_value() && (!has_value() || value_ == other.value_);
  }
  bool operator==(std::nullopt_t) const { return !has_value(); }
  // std::optional would take this for one of its values, which an absent one never equals.
  bool operator==(const std::optional<T>& other) const { return *this == Maybe(other); }
  template <class U>
  requires std::is_arithmetic_v<U>
  bool operator==(U other) const { return has_value() && value_ == static_cast<T>(other); }

 private:
  static constexpr T absent() {
    if constexpr (std::is_floating_point_v<T>)
      return std::numeric_limits<T>::quiet_NaN();
    else if constexpr (std::is_signed_v<T>)
      return std::numeric_limits<T>::min();
    else
      return std::numeric_limits<T>::max();
  }
  T value_ = absent();
};

/// Texts that are kept once, however often they occur. Their addresses stay when the pool is moved.
class TextPool {
 public:
  TextPool() = default;
  TextPool(TextPool&&) = default;
  TextPool& operator=(TextPool&&) = default;

  const std::string* keep(std::string_view text) { return &*texts_.emplace(text).first; }

 private:
  std::unordered_set<std::string> texts_;
};

/// A text of a pool that may be absent, read as std::optional<std::string> is. Valid as long as its pool.
class MaybeText {
 public:
  MaybeText() = default;
  MaybeText(const std::string* kept) : text_(kept) {}

  bool has_value() const { return text_ != nullptr; }
  explicit operator bool() const { return has_value(); }
  const std::string& operator*() const { return *text_; }
  const std::string* operator->() const { return text_; }
  std::string value_or(std::string_view otherwise) const { return has_value() ? *text_ : std::string(otherwise); }
  std::optional<std::string_view> view() const {
    return has_value() ? std::optional<std::string_view>(*text_) : std::nullopt;
  }
  operator std::optional<std::string>() const {
    return has_value() ? std::optional<std::string>(*text_) : std::nullopt;
  }
  bool operator==(const MaybeText& other) const {
    return has_value() == other.has_value() && (!has_value() || *text_ == *other.text_);
  }
  bool operator==(const std::optional<std::string>& other) const {
    return has_value() == other.has_value() && (!has_value() || *text_ == *other);
  }
  bool operator==(std::string_view other) const { return has_value() && *text_ == other; }
  bool operator==(const char* other) const { return *this == std::string_view(other); }

 private:
  const std::string* text_ = nullptr;
};

}  // namespace et::inspector
