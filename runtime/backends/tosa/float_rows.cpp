#include "runtime/backends/tosa/float_rows.h"

namespace et::tosa {
namespace {

template <class T>
void widen(int64_t n, const T* from, int64_t step, float* to) {
  for (int64_t i = 0; i < n; ++i) to[i] = static_cast<float>(from[i * step]);
}

template <class T>
void narrow(int64_t n, const float* from, T* to) {
  for (int64_t i = 0; i < n; ++i) to[i] = static_cast<T>(from[i]);
}

}  // namespace

void half_to_floats(Type type, int64_t n, const uint8_t* from, int64_t step, float* to) {
  if (type == Type::Fp16) return widen(n, reinterpret_cast<const Half*>(from), step, to);
  widen(n, reinterpret_cast<const BFloat16*>(from), step, to);
}

void floats_to_half(Type type, int64_t n, const float* from, uint8_t* to) {
  if (type == Type::Fp16) return narrow(n, from, reinterpret_cast<Half*>(to));
  narrow(n, from, reinterpret_cast<BFloat16*>(to));
}

}  // namespace et::tosa
