// The transforms of winograd_f32.h: sums and differences of pixels, channels side by side.
#include "runtime/backends/xnnpack/compute/variant_matrix.h"
#include "runtime/kernels/matrix/tile.h"

namespace et::xnn::ET_XNN_VARIANT {
namespace {

constexpr int kLanes = et::ET_KERNELS::VectorOf<float>::kLanes;
using Lanes = LanesOf<float, kLanes>;
using V = Lanes::Type;
constexpr int kTile = 4;

/// A column of a tile, transformed along it.
struct Column {
  V x[kTile];
};
[[gnu::always_inline]] inline Column column_of(const WinogradTiles& t, int64_t at) {
  const V a = Lanes::load(t.rows[0] + at), b = Lanes::load(t.rows[1] + at);
  const V c = Lanes::load(t.rows[2] + at), d = Lanes::load(t.rows[3] + at);
  return {{a - c, b + c, c - b, b - d}};
}

}  // namespace

void winograd_in(const WinogradTiles& t) {
  each_lanes<kLanes>(0, t.channels, [&](int64_t c) {
    // Neighbours share two columns.
    Column left[2] = {column_of(t, c), column_of(t, c + t.pixel)};
    float* out = t.out + c;
    int64_t at = c + 2 * t.pixel;
    for (int64_t i = 0; i < t.count; ++i, at += 2 * t.pixel, out += t.channels) {
      const Column right[2] = {column_of(t, at), column_of(t, at + t.pixel)};
      ET_UNROLL
      for (int r = 0; r < kTile; ++r) {
        float* const to = out + r * kTile * t.out_step;
        Lanes::store(to, left[0].x[r] - right[0].x[r]);
        Lanes::store(to + t.out_step, left[1].x[r] + right[0].x[r]);
        Lanes::store(to + 2 * t.out_step, right[0].x[r] - left[1].x[r]);
        Lanes::store(to + 3 * t.out_step, left[1].x[r] - right[1].x[r]);
      }
      left[0] = right[0];
      left[1] = right[1];
    }
  });
}

bool winograd_out(const WinogradSums& s, Clamp clamp) {
  V bad{};
  each_lanes<kLanes>(0, s.channels, [&](int64_t c) {
    const V bias = Lanes::load(s.bias + c);
    const float* at = s.sums + c;
    int64_t to = c;
    for (int64_t i = 0; i < s.count; ++i, at += s.channels, to += 2 * s.pixel) {
      V upper[kTile], lower[kTile];
      ET_UNROLL
      for (int x = 0; x < kTile; ++x) {
        const float* const column = at + x * s.step;
        const V second = Lanes::load(column + kTile * s.step), third = Lanes::load(column + 2 * kTile * s.step);
        upper[x] = Lanes::load(column) + (second + third);
        lower[x] = (second - third) - Lanes::load(column + 3 * kTile * s.step);
      }
      const auto left = [&](const V(&row)[kTile]) __attribute__((always_inline)) {
        return (row[0] + row[1]) + (row[2] + bias);
      };
      const auto right = [&](const V(&row)[kTile]) __attribute__((always_inline)) {
        return (row[1] - row[2]) - (row[3] - bias);
      };
      const V results[] = {left(upper), right(upper), left(lower), right(lower)};
      // A difference of itself is 0, or a NaN, which stays.
      const V all = (results[0] + results[1]) + (results[2] + results[3]);
      bad += all - all;
      Lanes::store(s.upper + to, bounded(results[0], clamp));
      Lanes::store(s.upper + to + s.pixel, bounded(results[1], clamp));
      Lanes::store(s.lower + to, bounded(results[2], clamp));
      Lanes::store(s.lower + to + s.pixel, bounded(results[3], clamp));
    }
  });
  for (int l = 0; l < kLanes; ++l) {
    if (bad[l] != 0.0f) return false;
  }
  return true;
}

}  // namespace et::xnn::ET_XNN_VARIANT
