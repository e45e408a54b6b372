#include "runtime/backends/tosa/loops.h"

#include <cstring>

namespace et::tosa {

Dims dense_strides(const Dims& shape) {
  Dims strides(shape.size());
  int64_t step = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    strides[d] = step;
    step *= shape[d];
  }
  return strides;
}

Dims broadcast_strides(const Dims& shape) {
  Dims strides = dense_strides(shape);
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1) strides[d] = 0;
  }
  return strides;
}

Nest make_nest(const Dims& shape, std::initializer_list<Dims> strides) {
  Nest nest;
  nest.operands = strides.size();
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1) continue;
    Nest::Level level;
    level.size = shape[d];
    size_t k = 0;
    for (const Dims& s : strides) level.strides[k++] = s[d];
    bool joined = !nest.levels.empty();
    for (k = 0; joined && k < nest.operands; ++k) {
      joined = nest.levels.back().strides[k] == level.strides[k] * level.size;
    }
    if (joined) {
      level.size *= nest.levels.back().size;
      nest.levels.back() = level;
    } else {
      nest.levels.push_back(level);
    }
  }
  if (nest.levels.empty()) nest.levels.emplace_back();
  return nest;
}

namespace {

template <class T>
void copy_as(const Nest& nest, uint8_t* to, const uint8_t* from) {
  auto* target = reinterpret_cast<T*>(to);
  const auto* source = reinterpret_cast<const T*>(from);
  for_rows(nest, [&](const auto& at, int64_t n, const auto& strides) {
    T* t = target + at[0];
    const T* s = source + at[1];
    if (strides[0] == 1 && strides[1] == 1) {
      std::memcpy(t, s, static_cast<size_t>(n) * sizeof(T));
      return;
    }
    for (int64_t i = 0; i < n; ++i) t[i * strides[0]] = s[i * strides[1]];
  });
}

}  // namespace

void copy_elements(const Nest& nest, size_t width, uint8_t* to, const uint8_t* from) {
  if (width == 1) return copy_as<uint8_t>(nest, to, from);
  if (width == 2) return copy_as<uint16_t>(nest, to, from);
  if (width == 4) return copy_as<uint32_t>(nest, to, from);
  copy_as<uint64_t>(nest, to, from);
}

}  // namespace et::tosa
