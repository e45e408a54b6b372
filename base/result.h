// Result<T>: a value or an Error, without exceptions and without allocation.
#pragma once

#include <cassert>
#include <new>
#include <utility>

#include "base/error.h"

namespace et {

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : error_(Error::Ok), value_(std::move(value)) {}  // NOLINT: conversion is the point
  Result(Error error) : error_(error) {                             // NOLINT
    assert(error != Error::Ok);
  }
  Result(Result&& other) noexcept : error_(other.error_) {
    if (ok()) new (&value_) T(std::move(other.value_));
  }
  Result(const Result&) = delete;
  Result& operator=(const Result&) = delete;
  Result& operator=(Result&&) = delete;
  ~Result() {
    if (ok()) value_.~T();
  }

  bool ok() const { return error_ == Error::Ok; }
  Error error() const { return error_; }
  T& get() {
    assert(ok());
    return value_;
  }
  const T& get() const {
    assert(ok());
    return value_;
  }
  T& operator*() & { return get(); }
  const T& operator*() const& { return get(); }
  T&& operator*() && { return std::move(get()); }
  T* operator->() { return &get(); }
  const T* operator->() const { return &get(); }

 private:
  Error error_;
  union {
    T value_;
  };
};

}  // namespace et
