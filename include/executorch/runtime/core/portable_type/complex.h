// complex<T>, of Half too; arithmetic is that of the textbook.
#pragma once

#include <complex>
#include <type_traits>

#include "executorch/runtime/core/portable_type/half.h"

namespace executorch::runtime::etensor {

template <class T>
struct alignas(2 * sizeof(T)) complex {
  using value_type = T;

  T real_ = T(0);
  T imag_ = T(0);

  constexpr complex() = default;
  constexpr complex(T re, T im = T(0)) : real_(re), imag_(im) {}  // NOLINT: conversion is the point
  template <class U>
  explicit constexpr complex(const complex<U>& other)
      : real_(static_cast<T>(other.real_)), imag_(static_cast<T>(other.imag_)) {}
  template <class U>
  constexpr complex(const std::complex<U>& other)  // NOLINT
      : real_(static_cast<T>(other.real())), imag_(static_cast<T>(other.imag())) {}

  constexpr T real() const { return real_; }
  constexpr T imag() const { return imag_; }
  constexpr void real(T value) { real_ = value; }
  constexpr void imag(T value) { imag_ = value; }

  constexpr complex& operator+=(const complex& o) { return *this = *this + o; }
  constexpr complex& operator-=(const complex& o) { return *this = *this - o; }
  constexpr complex& operator*=(const complex& o) { return *this = *this * o; }
  constexpr complex& operator/=(const complex& o) { return *this = *this / o; }
  friend constexpr complex operator-(const complex& a) { return {T(-a.real_), T(-a.imag_)}; }
  friend constexpr complex operator+(const complex& a, const complex& b) {
    return {T(a.real_ + b.real_), T(a.imag_ + b.imag_)};
  }
  friend constexpr complex operator-(const complex& a, const complex& b) {
    return {T(a.real_ - b.real_), T(a.imag_ - b.imag_)};
  }
  friend constexpr complex operator*(const complex& a, const complex& b) {
    return {T(a.real_ * b.real_ - a.imag_ * b.imag_), T(a.real_ * b.imag_ + a.imag_ * b.real_)};
  }
  friend constexpr complex operator/(const complex& a, const complex& b) {
    const auto n = b.real_ * b.real_ + b.imag_ * b.imag_;
    return {T((a.real_ * b.real_ + a.imag_ * b.imag_) / n), T((a.imag_ * b.real_ - a.real_ * b.imag_) / n)};
  }
  friend constexpr bool operator==(const complex& a, const complex& b) {
    return a.real_ == b.real_ && a.imag_ == b.imag_;
  }
  friend constexpr bool operator!=(const complex& a, const complex& b) { return !(a == b); }
};

static_assert(sizeof(complex<::et::Half>) == 4 && sizeof(complex<float>) == 8 && sizeof(complex<double>) == 16);

}  // namespace executorch::runtime::etensor

namespace torch::executor {
using ::executorch::runtime::etensor::complex;
}
