// Ticks of a platform's clock to nanoseconds: exact where the compiler has 128-bit integers, else within 2^-31 of the
// value. Monotone; what does not fit becomes the greatest number.
#pragma once

#include <cstdint>

#include "runtime/platform/platform.h"

namespace et::etdump {

class TickScale {
 public:
  explicit TickScale(TickRatio ratio) : num_(ratio.numerator), den_(ratio.denominator == 0 ? 1 : ratio.denominator) {
#ifndef __SIZEOF_INT128__
    while ((num_ | den_) >> 32 != 0) {
      num_ >>= 1;
      den_ >>= 1;
    }
    if (den_ == 0) den_ = 1;
#endif
  }

  uint64_t ns(uint64_t ticks) const {
    if (num_ == den_) return ticks;
#ifdef __SIZEOF_INT128__
    __extension__ using Wide = unsigned __int128;
    const Wide ns = static_cast<Wide>(ticks) * num_ / den_;
    return ns >> 64 != 0 ? UINT64_MAX : static_cast<uint64_t>(ns);
#else
    const uint64_t whole = ticks / den_;
    const uint64_t rest = ticks % den_ * num_ / den_;
    if (num_ != 0 && whole > (UINT64_MAX - rest) / num_) return UINT64_MAX;
    return whole * num_ + rest;
#endif
  }
  double ns(double ticks) const { return ticks * static_cast<double>(num_) / static_cast<double>(den_); }

 private:
  uint64_t num_, den_;
};

}  // namespace et::etdump
