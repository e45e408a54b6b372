#include "runtime/backends/tosa/loops.h"

#include <cstring>

#include "runtime/platform/parallel.h"

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

void for_rows(const Nest& nest, RowFunction row, const void* context) {
  const size_t outer = nest.levels.size() - 1;
  const Nest::Level& inner = nest.levels[outer];
  if (outer == 0) {  // one row: cut it
    parallel_for(0, inner.size, 16384, [&](int64_t begin, int64_t end) {
      int64_t at[kMaxOperands] = {};
      for (size_t k = 0; k < nest.operands; ++k) at[k] = begin * inner.strides[k];
      row(context, at, end - begin, inner.strides.data());
    });
    return;
  }
  int64_t rows = 1;
  for (size_t l = 0; l < outer; ++l) rows *= nest.levels[l].size;
  parallel_for(0, rows, 16384 / inner.size + 1, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      int64_t at[kMaxOperands] = {};
      int64_t rest = r;
      for (size_t l = outer; l-- > 0;) {
        const int64_t i = rest % nest.levels[l].size;
        rest /= nest.levels[l].size;
        for (size_t k = 0; k < nest.operands; ++k) at[k] += i * nest.levels[l].strides[k];
      }
      row(context, at, inner.size, inner.strides.data());
    }
  });
}

namespace {

template <class T>
void copy_as(const Nest& nest, uint8_t* to, const uint8_t* from) {
  auto* target = reinterpret_cast<T*>(to);
  const auto* source = reinterpret_cast<const T*>(from);
  for_rows(nest, [&](const int64_t* at, int64_t n, const int64_t* strides) {
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
