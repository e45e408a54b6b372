// Windows of pixels to one: the largest value of each channel, or the mean. Channels in blocks whose results stay in
// registers.
#include <algorithm>

#include "runtime/backends/xnnpack/compute/variant_matrix.h"
#include "runtime/kernels/matrix/tile.h"

namespace et::xnn::ET_XNN_VARIANT {
namespace {

constexpr int kBytes = static_cast<int>(sizeof(et::ET_KERNELS::VectorOf<float>::Type));

/// f(t) for the pixels of a window, of which there are Count, or, if that is 0, `count`.
template <int Count, class F>
[[gnu::always_inline]] inline void each_pixel(int64_t count, const F& f) {
  if constexpr (Count > 0) {
    ET_UNROLL
    for (int t = 0; t < Count; ++t) f(t);
  } else {
    for (int64_t t = 0; t < count; ++t) f(t);
  }
}

/// Channels [c, c + Vectors * Lanes) of all windows: out = finish(each input pixel's value added to `start` by `add`).
/// What lies `ahead` values behind each pixel, if not 0, is asked for.
template <int64_t Lanes, int Vectors, int Count = 0, class T, class Add, class Finish>
[[gnu::always_inline]] inline void pool_channels(const PoolWindow<T>& w, int64_t c, T start, const Add& add,
                                                 const Finish& finish, int64_t ahead = 0) {
  using V = LanesOf<T, Lanes>;
  constexpr int kLine = 64;
  T* out = w.out + c;
  for (int64_t r = 0; r < w.repeat; ++r, out += w.channels) {
    const int64_t at = r * w.step + c;
    typename V::Type x[Vectors];
    ET_UNROLL
    for (int v = 0; v < Vectors; ++v) x[v] = start - typename V::Type{};
    each_pixel<Count>(
        w.count, [&](int64_t t) __attribute__((always_inline)) {
          const T* const from = w.pixels[t] + at;
          if (ahead != 0) {
            ET_UNROLL
            for (int v = 0; v < Vectors; ++v) {
              if (v * kBytes % kLine == 0) __builtin_prefetch(from + ahead + v * Lanes);
            }
          }
          ET_UNROLL
          for (int v = 0; v < Vectors; ++v) x[v] = add(x[v], V::load(from + v * Lanes));
        });
    ET_UNROLL
    for (int v = 0; v < Vectors; ++v) V::store(out + v * Lanes, finish(x[v]));
  }
}

constexpr int64_t kFewPixels = 16;

/// All channels of windows of Count pixels, or, if that is 0, of any number.
template <int Count, class T, class Add, class Finish>
[[gnu::always_inline]] inline void pool_window(const PoolWindow<T>& w, T start, const Add& add, const Finish& finish,
                                               int64_t ahead) {
  constexpr int64_t kLanes = kBytes / sizeof(T);
  int64_t first = 0;
  for (; first + 4 * kLanes <= w.channels; first += 4 * kLanes) {
    pool_channels<kLanes, 4, Count>(w, first, start, add, finish, ahead);
  }
  if (first == w.channels) return;
  with_lanes<kLanes>(w.channels, [&]<int64_t Lanes>() {
    each_lanes<Lanes>(first, w.channels, [&](int64_t c) { pool_channels<Lanes, 1>(w, c, start, add, finish); });
  });
}

/// Whether the windows leave out pixels between them: the processor, which reads on where a window ends, then reads the
/// wrong ones ahead.
template <class T>
bool skips_pixels(const PoolWindow<T>& w) {
  const T* const next = w.pixels[0] + w.step;
  return std::none_of(w.pixels, w.pixels + w.count,
                      [&](const T* pixel) { return pixel == next || pixel + w.channels == next; });
}

template <class T, class Add, class Finish>
void pool(const PoolWindow<T>& w, T start, const Add& add, const Finish& finish) {
  constexpr int64_t kLanes = kBytes / sizeof(T);
  // Window by window where one takes several steps, so that pixels are read from one end to the other.
  if (w.repeat > 1 && w.channels > 4 * kLanes && w.count > 0 && w.count <= kFewPixels) {
    PoolWindow<T> one = w;
    const T* moved[kFewPixels];
    one.repeat = 1;
    one.pixels = moved;
    const int64_t ahead = skips_pixels(w) ? w.step : 0;
    for (int64_t r = 0; r < w.repeat; ++r, one.out += w.channels) {
      for (int64_t t = 0; t < w.count; ++t) moved[t] = w.pixels[t] + r * w.step;
      const int64_t next = r + 1 < w.repeat ? ahead : 0;
      if (w.count == 9)
        pool_window<9>(one, start, add, finish, next);
      else
        pool_window<0>(one, start, add, finish, next);
    }
    return;
  }
  pool_window<0>(w, start, add, finish, 0);
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

namespace {

/// Sums of Vectors vectors of channels. Two rows at once: a sum waits for one addition, not for two.
template <int64_t Lanes, int Vectors>
[[gnu::always_inline]] inline void sum_channels(int64_t rows, int64_t channels, const float* in, float* sums) {
  using V = LanesOf<float, Lanes>;
  typename V::Type x[Vectors] = {};
  int64_t t = 0;
  for (; t + 2 <= rows; t += 2, in += 2 * channels) {
    ET_UNROLL
    for (int v = 0; v < Vectors; ++v) x[v] += V::load(in + v * Lanes) + V::load(in + channels + v * Lanes);
  }
  if (t < rows) {
    ET_UNROLL
    for (int v = 0; v < Vectors; ++v) x[v] += V::load(in + v * Lanes);
  }
  ET_UNROLL
  for (int v = 0; v < Vectors; ++v) V::store(sums + v * Lanes, x[v]);
}

}  // namespace

void sum_rows_f32(int64_t rows, int64_t channels, const float* in, float* sums) {
  constexpr int64_t kLanes = kBytes / sizeof(float);
  int64_t first = 0;
  const auto with = [&]<int Vectors>() __attribute__((always_inline)) {
    sum_channels<kLanes, Vectors>(rows, channels, in + first, sums + first);
    first += Vectors * kLanes;
  };
  while (first + 4 * kLanes <= channels) with.template operator()<4>();
  if (first + 2 * kLanes <= channels) with.template operator()<2>();
  if (first == channels) return;
  with_lanes<kLanes>(channels, [&]<int64_t Lanes>() {
    each_lanes<Lanes>(first, channels, [&](int64_t c) { sum_channels<Lanes, 1>(rows, channels, in + c, sums + c); });
  });
}

}  // namespace et::xnn::ET_XNN_VARIANT
