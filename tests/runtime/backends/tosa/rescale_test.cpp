// The vector form of RESCALE is the specification's arithmetic, bit by bit.
#include "runtime/backends/tosa/rescale.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

namespace et::tosa {
namespace {

template <class From, class To>
void compare(int64_t in_zp, int64_t out_zp) {
  std::mt19937 rng(5);
  std::vector<Scale> scales = {{INT32_MAX, 2}, {INT32_MAX, 62}, {0, 31}, {1, 2}, {1 << 30, 31}};
  while (scales.size() < 37) {
    scales.push_back({static_cast<int32_t>(rng() >> 1), 2 + static_cast<int>(rng() % 61)});
  }
  const int64_t least = std::numeric_limits<To>::min(), most = std::numeric_limits<To>::max();
  const ScaleRow row(scales, in_zp, out_zp, least, most);
  ASSERT_EQ(row.size() % static_cast<int64_t>(scales.size()), 0);
  std::vector<From> from(static_cast<size_t>(row.size()) - 1);  // not a multiple of any vector
  for (From& v : from) v = static_cast<From>(rng());
  for (size_t i = 0; i < 40; ++i)
    from[i] = i % 2 == 0 ? std::numeric_limits<From>::min() : std::numeric_limits<From>::max();
  std::vector<To> to(from.size());
  rescale(from.data(), static_cast<int64_t>(from.size()), row, to.data());
  for (size_t i = 0; i < from.size(); ++i) {
    const Scale& s = scales[i % scales.size()];
    const int64_t want = apply_scale(from[i] - in_zp, s.multiplier, s.shift, false) + out_zp;
    ASSERT_EQ(to[i], std::clamp(want, least, most))
        << i << ": " << +from[i] << " by " << s.multiplier << ", " << s.shift;
  }
}

TEST(Rescale, IsWhatTheSpecificationComputes) {
  compare<int32_t, int8_t>(0, -128);
  compare<int32_t, int8_t>(0, 127);
  compare<int8_t, int32_t>(-128, 0);
  compare<int8_t, int32_t>(127, 0);
  compare<int8_t, int8_t>(3, -7);
  compare<int32_t, int32_t>(0, 0);
}

}  // namespace
}  // namespace et::tosa
