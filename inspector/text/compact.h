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
#include <utility>
#include <vector>

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

/// A text of a pool, read as std::string is; "" until one is set. Valid as long as its pool.
class Text {
 public:
  Text() = default;
  Text(const std::string* kept) : text_(kept) {}

  const std::string& str() const {
    static const std::string none;
    return text_ == nullptr ? none : *text_;
  }
  operator const std::string&() const { return str(); }
  operator std::string_view() const { return str(); }
  bool empty() const { return str().empty(); }
  size_t size() const { return str().size(); }
  const char* c_str() const { return str().c_str(); }
  bool starts_with(std::string_view text) const { return str().starts_with(text); }
  std::string substr(size_t from) const { return str().substr(from); }
  size_t find(std::string_view text) const { return str().find(text); }
  bool operator==(const Text& other) const { return text_ == other.text_ || str() == other.str(); }
  bool operator==(std::string_view other) const { return str() == other; }
  bool operator==(const std::string& other) const { return str() == other; }
  bool operator==(const char* other) const { return str() == other; }
  friend std::string operator+(std::string before, const Text& text) { return std::move(before) + text.str(); }
  friend std::string operator+(const Text& text, std::string_view after) { return text.str() + std::string(after); }

 private:
  const std::string* text_ = nullptr;
};

/// A list that others may share, read as a std::vector is; empty until one is set. Valid as long as its owner.
template <class T>
class SharedList {
 public:
  SharedList() = default;
  SharedList(const std::vector<T>* kept) : list_(kept) {}

  const std::vector<T>& list() const {
    static const std::vector<T> none;
    return list_ == nullptr ? none : *list_;
  }
  operator const std::vector<T>&() const { return list(); }
  auto begin() const { return list().begin(); }
  auto end() const { return list().end(); }
  size_t size() const { return list().size(); }
  bool empty() const { return list_ == nullptr || list_->empty(); }
  const T& front() const { return list().front(); }
  const T& operator[](size_t i) const { return list()[i]; }

 private:
  const std::vector<T>* list_ = nullptr;
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
  Text text() const { return text_; }  ///< "" when absent
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
