// irange(n), irange(from, to): the whole numbers of a range.
#pragma once

#include <cstddef>
#include <iterator>
#include <type_traits>

namespace c10 {

template <class I>
class IntegerRange {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = I;
    using difference_type = std::ptrdiff_t;
    using pointer = const I*;
    using reference = I;
    constexpr explicit Iterator(I value) : value_(value) {}
    constexpr I operator*() const { return value_; }
    constexpr Iterator& operator++() {
      ++value_;
      return *this;
    }
    constexpr Iterator operator++(int) {
      const Iterator before = *this;
      ++value_;
      return before;
    }
    constexpr bool operator==(const Iterator& other) const { return value_ == other.value_; }
    constexpr bool operator!=(const Iterator& other) const { return value_ != other.value_; }

   private:
    I value_;
  };
  constexpr IntegerRange(I from, I to) : from_(from), to_(to < from ? from : to) {}
  constexpr Iterator begin() const { return Iterator(from_); }
  constexpr Iterator end() const { return Iterator(to_); }

 private:
  I from_, to_;
};

template <class I, std::enable_if_t<std::is_integral_v<I>, int> = 0>
constexpr IntegerRange<I> irange(I to) {
  return {I(), to};
}
/// Of the type of `to`.
template <class A, class B, std::enable_if_t<std::is_integral_v<A> && std::is_integral_v<B>, int> = 0>
constexpr IntegerRange<B> irange(A from, B to) {
  return {static_cast<B>(from), to};
}

}  // namespace c10
