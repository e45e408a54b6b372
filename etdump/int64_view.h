// A vector of int64 as a file stores it: read bytewise, so that no alignment is asked of the file or of its mapping.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace et::etdump {

static_assert(std::endian::native == std::endian::little, "files are little-endian and are read in place");

class Int64View {
 public:
  class Iterator {
   public:
    using value_type = int64_t;
    using difference_type = std::ptrdiff_t;
    explicit Iterator(const uint8_t* at = nullptr) : at_(at) {}
    int64_t operator*() const { return load(at_); }
    Iterator& operator++() {
      at_ += sizeof(int64_t);
      return *this;
    }
    Iterator operator++(int) {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    bool operator==(const Iterator& other) const = default;

   private:
    const uint8_t* at_;
  };

  Int64View() = default;
  /// `data` holds 8 × `count` bytes; the view does not own them.
  Int64View(const uint8_t* data, size_t count) : data_(data), count_(count) {}
  /// Of anything that converts to a span; the view does not own the numbers.
  template <class Numbers>
  requires std::convertible_to<const Numbers&, std::span<const int64_t>> Int64View(
      const Numbers& numbers)  // NOLINT: conversion is the point
      : Int64View(std::span<const int64_t>(numbers), 0) {}

  size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  int64_t operator[](size_t i) const { return load(data_ + i * sizeof(int64_t)); }
  Iterator begin() const { return Iterator(data_); }
  Iterator end() const { return Iterator(count_ == 0 ? data_ : data_ + count_ * sizeof(int64_t)); }

 private:
  Int64View(std::span<const int64_t> numbers, int)
      : data_(reinterpret_cast<const uint8_t*>(numbers.data())), count_(numbers.size()) {}

  static int64_t load(const uint8_t* at) {
    int64_t value;
    std::memcpy(&value, at, sizeof value);
    return value;
  }

  const uint8_t* data_ = nullptr;
  size_t count_ = 0;
};

}  // namespace et::etdump
