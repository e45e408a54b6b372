// Windows of pixels to one: the largest value of each channel, or the mean. Channels in blocks whose results stay in
// registers.
#include "runtime/backends/xnnpack/compute/variant_matrix.h"
#include "runtime/kernels/matrix/tile.h"

namespace et::xnn::ET_XNN_VARIANT {
namespace {

constexpr int kBytes = static_cast<int>(sizeof(et::ET_KERNELS::VectorOf<float>::Type));

/// All channels of a window: out = finish(each input pixel's value added to `start` by `add`), four vectors at a time.
template <class T, class Add, class Finish>
[[gnu::always_inline]] inline void pool(const PoolWindow<T>& w, T start, const Add& add, const Finish& finish) {
  constexpr int64_t kLanes = kBytes / sizeof(T);
  using Wide = LanesOf<T, kLanes>;
  const typename Wide::Type starts = start - typename Wide::Type{};
  int64_t first = 0;
  for (; first + 4 * kLanes <= w.channels; first += 4 * kLanes) {
    typename Wide::Type x[4] = {starts, starts, starts, starts};
    for (int64_t t = 0; t < w.count; ++t) {
      ET_UNROLL
      for (int v = 0; v < 4; ++v) x[v] = add(x[v], Wide::load(w.pixels[t] + first + v * kLanes));
    }
    ET_UNROLL
    for (int v = 0; v < 4; ++v) Wide::store(w.out + first + v * kLanes, finish(x[v]));
  }
  if (first == w.channels) return;
  with_lanes<kLanes>(w.channels, [&]<int64_t Lanes>() {
    using V = LanesOf<T, Lanes>;
    each_lanes<Lanes>(first, w.channels, [&](int64_t c) {
      typename V::Type x = start - typename V::Type{};
      for (int64_t t = 0; t < w.count; ++t) x = add(x, V::load(w.pixels[t] + c));
      V::store(w.out + c, finish(x));
    });
  });
}

/// `b`, or `a` where that is smaller: what decides between lanes and between numbers alike.
constexpr auto kLarger = [](auto a, auto b) __attribute__((always_inline)) { return b > a ? b : a; };

template <class T>
[[gnu::always_inline]] inline void largest(const PoolWindow<T>& w, T low, T high) {
  pool(
      w, low, kLarger, [&](auto x) __attribute__((always_inline)) {
        const decltype(x) bound = high - decltype(x){};
        return x < bound ? x : bound;
      });
}

}  // namespace

void max_pool_f32(const PoolWindow<float>& w, float low, float high) { largest(w, low, high); }
void max_pool_s8(const PoolWindow<int8_t>& w, int8_t low, int8_t high) { largest(w, low, high); }
void max_pool_u8(const PoolWindow<uint8_t>& w, uint8_t low, uint8_t high) { largest(w, low, high); }

void mean_pool_f32(const PoolWindow<float>& w, float part, Clamp clamp) {
  pool(
      w, 0.0f, [](auto a, auto b) __attribute__((always_inline)) { return a + b; },
      [&](auto x) __attribute__((always_inline)) {
        const decltype(x) low = clamp.min - decltype(x){}, high = clamp.max - decltype(x){};
        x *= part;
        x = x < low ? low : x;
        return x > high ? high : x;
      });
}

void sum_rows_f32(int64_t rows, int64_t channels, const float* in, float* sums) {
  constexpr int64_t kLanes = kBytes / sizeof(float);
  using Wide = LanesOf<float, kLanes>;
  int64_t first = 0;
  for (; first + 4 * kLanes <= channels; first += 4 * kLanes) {
    Wide::Type x[4] = {};
    for (int64_t t = 0; t < rows; ++t) {
      ET_UNROLL
      for (int v = 0; v < 4; ++v) x[v] += Wide::load(in + t * channels + first + v * kLanes);
    }
    ET_UNROLL
    for (int v = 0; v < 4; ++v) Wide::store(sums + first + v * kLanes, x[v]);
  }
  if (first == channels) return;
  with_lanes<kLanes>(channels, [&]<int64_t Lanes>() {
    using V = LanesOf<float, Lanes>;
    each_lanes<Lanes>(first, channels, [&](int64_t c) {
      typename V::Type x{};
      for (int64_t t = 0; t < rows; ++t) x += V::load(in + t * channels + c);
      V::store(sums + c, x);
    });
  });
}

}  // namespace et::xnn::ET_XNN_VARIANT
