// Windows of pixels to one: the largest value of each channel, or the mean. Channels in blocks whose results stay in
// registers.
#include "runtime/backends/xnnpack/compute/variant_matrix.h"
#include "runtime/kernels/matrix/tile.h"

namespace et::xnn::ET_XNN_VARIANT {
namespace {

constexpr int kBytes = static_cast<int>(sizeof(et::ET_KERNELS::VectorOf<float>::Type));

/// Channels [c, c + Vectors * Lanes) of all windows: out = finish(each input pixel's value added to `start` by `add`).
template <int64_t Lanes, int Vectors, class T, class Add, class Finish>
[[gnu::always_inline]] inline void pool_channels(const PoolWindow<T>& w, int64_t c, T start, const Add& add,
                                                 const Finish& finish) {
  using V = LanesOf<T, Lanes>;
  T* out = w.out + c;
  for (int64_t r = 0; r < w.repeat; ++r, out += w.channels) {
    const int64_t at = r * w.step + c;
    typename V::Type x[Vectors];
    ET_UNROLL
    for (int v = 0; v < Vectors; ++v) x[v] = start - typename V::Type{};
    for (int64_t t = 0; t < w.count; ++t) {
      ET_UNROLL
      for (int v = 0; v < Vectors; ++v) x[v] = add(x[v], V::load(w.pixels[t] + at + v * Lanes));
    }
    ET_UNROLL
    for (int v = 0; v < Vectors; ++v) V::store(out + v * Lanes, finish(x[v]));
  }
}

constexpr int64_t kFewPixels = 16;

template <class T, class Add, class Finish>
void pool(const PoolWindow<T>& w, T start, const Add& add, const Finish& finish) {
  constexpr int64_t kLanes = kBytes / sizeof(T);
  // Window by window where one takes several steps, so that pixels are read from one end to the other.
  if (w.repeat > 1 && w.channels > 4 * kLanes) {
    PoolWindow<T> one = w;
    one.repeat = 1;
    const T* moved[kFewPixels];
    if (w.count <= kFewPixels) {
      one.pixels = moved;
      for (int64_t r = 0; r < w.repeat; ++r, one.out += w.channels) {
        for (int64_t t = 0; t < w.count; ++t) moved[t] = w.pixels[t] + r * w.step;
        pool(one, start, add, finish);
      }
      return;
    }
  }
  int64_t first = 0;
  for (; first + 4 * kLanes <= w.channels; first += 4 * kLanes) pool_channels<kLanes, 4>(w, first, start, add, finish);
  if (first == w.channels) return;
  with_lanes<kLanes>(w.channels, [&]<int64_t Lanes>() {
    each_lanes<Lanes>(first, w.channels, [&](int64_t c) { pool_channels<Lanes, 1>(w, c, start, add, finish); });
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
