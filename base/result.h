// Result<T>: a value or an Error, without exceptions and without allocation.
#pragma once

#include <new>
#include <type_traits>
#include <utility>

#include "base/error.h"

namespace et {

template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  Result(T value) : error_(Error::Ok), value_(std::move(value)) {}  // NOLINT: conversion is the point
  /// Without a value there is an error: Ok becomes Internal.
  Result(Error error) : error_(error == Error::Ok ? Error::Internal : error) {}  // NOLINT
  Result(Result&& other) noexcept : error_(other.error_) {
    if (ok()) new (const_cast<std::remove_const_t<T>*>(&value_)) T(std::move(other.value_));
  }
  Result(const Result&) = delete;
  Result& operator=(const Result&) = delete;
  Result& operator=(Result&&) = delete;
  ~Result() {
    if (ok()) value_.~T();
  }

  bool ok() const { return error_ == Error::Ok; }
  Error error() const { return error_; }
  /// Without a value these end the process: nothing may go on with what is not there.
  T& get() {
    expect();
    return value_;
  }
  const T& get() const {
    expect();
    return value_;
  }
  T& operator*() & { return get(); }
  const T& operator*() const& { return get(); }
  T&& operator*() && { return std::move(get()); }
  T* operator->() { return &get(); }
  const T* operator->() const { return &get(); }

 private:
  void expect() const {
    if (!ok()) [[unlikely]]
      __builtin_trap();
  }

  Error error_;
  union {
    T value_;
  };
};

}  // namespace et
