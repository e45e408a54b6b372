// Windows of pixels to one: the largest value of each channel, or the mean. Channels in blocks whose results stay in
// registers.
#include "runtime/backends/xnnpack/compute/variant_matrix.h"
#include "runtime/kernels/matrix/tile.h"

namespace et::xnn::ET_XNN_VARIANT {
namespace {

constexpr int kBytes = static_cast<int>(sizeof(et::ET_KERNELS::VectorOf<float>::Type));
template <class T>
struct Lanes {
  typedef T Type __attribute__((vector_size(kBytes), may_alias, aligned(1)));
  static constexpr int64_t kCount = kBytes / sizeof(T);
};

/// All channels of a window: out = finish(each input pixel's value added to `start` by `add`), four vectors at a time.
template <class T, class Add, class Finish>
[[gnu::always_inline]] inline void pool(const PoolWindow<T>& w, T start, const Add& add, const Finish& finish) {
  using V = typename Lanes<T>::Type;
  constexpr int64_t kLanes = Lanes<T>::kCount;
  const V starts = start - V{};
  int64_t c = 0;
  for (; c + 4 * kLanes <= w.channels; c += 4 * kLanes) {
    V x[4] = {starts, starts, starts, starts};
    for (int64_t t = 0; t < w.count; ++t) {
      const V* from = reinterpret_cast<const V*>(w.pixels[t] + c);
      ET_UNROLL
      for (int v = 0; v < 4; ++v) x[v] = add(x[v], from[v]);
    }
    ET_UNROLL
    for (int v = 0; v < 4; ++v) reinterpret_cast<V*>(w.out + c)[v] = finish(x[v]);
  }
  for (; c + kLanes <= w.channels; c += kLanes) {
    V x = starts;
    for (int64_t t = 0; t < w.count; ++t) x = add(x, *reinterpret_cast<const V*>(w.pixels[t] + c));
    *reinterpret_cast<V*>(w.out + c) = finish(x);
  }
  for (; c < w.channels; ++c) {
    T x = start;
    for (int64_t t = 0; t < w.count; ++t) x = add(x, w.pixels[t][c]);
    w.out[c] = finish(x);
  }
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
  using V = Lanes<float>::Type;
  constexpr int64_t kLanes = Lanes<float>::kCount;
  int64_t c = 0;
  for (; c + 4 * kLanes <= channels; c += 4 * kLanes) {
    V x[4] = {};
    for (int64_t t = 0; t < rows; ++t) {
      const V* from = reinterpret_cast<const V*>(in + t * channels + c);
      ET_UNROLL
      for (int v = 0; v < 4; ++v) x[v] += from[v];
    }
    ET_UNROLL
    for (int v = 0; v < 4; ++v) reinterpret_cast<V*>(sums + c)[v] = x[v];
  }
  for (; c < channels; ++c) {
    float x = 0;
    for (int64_t t = 0; t < rows; ++t) x += in[t * channels + c];
    sums[c] = x;
  }
}

}  // namespace et::xnn::ET_XNN_VARIANT
