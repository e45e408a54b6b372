// What quantised integers and bits without a meaning have in common: an integer that is no number.
#pragma once

#include <cstdint>

#define ET_INTERNAL_ELEMENT_TYPE(name, integer)                                       \
  struct alignas(sizeof(integer)) name {                                              \
    using underlying = integer;                                                       \
    integer val_;                                                                     \
    name() = default;                                                                 \
    explicit name(integer value) : val_(value) {}                                     \
    friend bool operator==(const name& a, const name& b) { return a.val_ == b.val_; } \
  };
