// Span: a view of objects in a row, and ArrayRef, the same of constant ones. It owns nothing; the objects must outlive
// it. std::span and more, because public headers are C++17 and ExecuTorch users know these members.
#pragma once

#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>
#if __cplusplus >= 202002L
#include <ranges>
#endif

namespace et {

template <class T>
class Span;

namespace span_internal {

template <class C>
using Element = std::remove_pointer_t<decltype(std::data(std::declval<C&>()))>;
template <class C>
inline constexpr bool kIsSpan = false;
template <class T>
inline constexpr bool kIsSpan<Span<T>> = true;

/// Containers of T whose memory a Span<T> may show: a temporary one only if nothing can be written to it.
template <class C, class T, class = void>
inline constexpr bool kShows = false;
template <class C, class T>
inline constexpr bool kShows<C, T, std::void_t<Element<C>, decltype(std::size(std::declval<C&>()))>> =
    !std::is_array_v<std::remove_reference_t<C>> && std::is_convertible_v<Element<C> (*)[], T (*)[]> &&
    (std::is_lvalue_reference_v<C> || std::is_const_v<T> || kIsSpan<std::remove_cv_t<std::remove_reference_t<C>>>);

}  // namespace span_internal

template <class T>
class Span {
 public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;
  using size_type = size_t;
  using difference_type = std::ptrdiff_t;
  using pointer = T*;
  using const_pointer = const T*;
  using reference = T&;
  using const_reference = const T&;
  using iterator = T*;
  using const_iterator = const T*;
  using reverse_iterator = std::reverse_iterator<iterator>;

  constexpr Span() noexcept = default;
  constexpr Span(T* data, size_t size) noexcept : data_(data), size_(size) {}
  template <class P, std::enable_if_t<std::is_pointer_v<P> && std::is_convertible_v<P, T*>, int> = 0>
  constexpr Span(T* begin, P end) noexcept : data_(begin), size_(static_cast<size_t>(end - begin)) {}
  template <size_t N>
  constexpr Span(T (&array)[N]) noexcept : data_(array), size_(N) {}  // NOLINT: conversions are the point
  template <class C, std::enable_if_t<span_internal::kShows<C, T>, int> = 0>
  constexpr Span(C&& c) noexcept : data_(std::data(c)), size_(std::size(c)) {}  // NOLINT
  /// One object.
  template <class U, std::enable_if_t<std::is_same_v<std::remove_cv_t<U>, value_type> && !std::is_const_v<T> &&
                                          std::is_convertible_v<U (*)[], T (*)[]> && !span_internal::kShows<U&, T>,
                                      int> = 0>
  constexpr Span(U& one) noexcept : data_(&one), size_(1) {}  // NOLINT

  /// One object, or what converts to one, which may be a temporary of the call.
  template <class U = T, std::enable_if_t<std::is_const_v<U>, int> = 0>
  constexpr Span(const std::remove_const_t<T>& one) noexcept : data_(&one), size_(1) {}  // NOLINT

  constexpr iterator begin() const noexcept { return data_; }
  constexpr iterator end() const noexcept { return data_ + size_; }
  constexpr const_iterator cbegin() const noexcept { return data_; }
  constexpr const_iterator cend() const noexcept { return data_ + size_; }
  constexpr reverse_iterator rbegin() const noexcept { return reverse_iterator(end()); }
  constexpr reverse_iterator rend() const noexcept { return reverse_iterator(begin()); }

  constexpr T* data() const noexcept { return data_; }
  constexpr size_t size() const noexcept { return size_; }
  constexpr size_t size_bytes() const noexcept { return size_ * sizeof(T); }
  constexpr bool empty() const noexcept { return size_ == 0; }
  /// `i` below size().
  constexpr T& operator[](size_t i) const { return data_[i]; }
  /// These end the process outside of the span.
  constexpr T& at(size_t i) const { return expect(i < size_), data_[i]; }
  constexpr T& front() const { return expect(size_ > 0), data_[0]; }
  constexpr T& back() const { return expect(size_ > 0), data_[size_ - 1]; }
  constexpr Span slice(size_t from, size_t count) const {
    return expect(from <= size_ && count <= size_ - from), Span(data_ + from, count);
  }
  constexpr Span slice(size_t from) const { return expect(from <= size_), Span(data_ + from, size_ - from); }

  /// Inside of the span; the caller has checked.
  constexpr Span first(size_t count) const { return Span(data_, count); }
  constexpr Span last(size_t count) const { return Span(data_ + (size_ - count), count); }
  constexpr Span subspan(size_t from) const { return Span(data_ + from, size_ - from); }
  constexpr Span subspan(size_t from, size_t count) const { return Span(data_ + from, count); }

  constexpr bool equals(Span<const T> other) const {
    if (size_ != other.size()) return false;
    for (size_t i = 0; i < size_; ++i) {
      if (!(data_[i] == other[i])) return false;
    }
    return true;
  }

 private:
  static constexpr void expect(bool good) {
    if (!good) __builtin_trap();
  }

  T* data_ = nullptr;
  size_t size_ = 0;
};

template <class C>
Span(C&&) -> Span<span_internal::Element<C>>;

template <class T>
using ArrayRef = Span<const T>;

template <class T>
constexpr bool operator==(Span<const T> a, Span<const T> b) {
  return a.equals(b);
}
template <class T>
constexpr bool operator!=(Span<const T> a, Span<const T> b) {
  return !a.equals(b);
}

}  // namespace et

#if __cplusplus >= 202002L
template <class T>
inline constexpr bool std::ranges::enable_borrowed_range<et::Span<T>> = true;
template <class T>
inline constexpr bool std::ranges::enable_view<et::Span<T>> = true;
#endif
