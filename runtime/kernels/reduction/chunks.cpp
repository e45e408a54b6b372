#include "runtime/kernels/reduction/chunks.h"

#include <limits>
#include <type_traits>

namespace et::ET_KERNELS {
namespace {

// A bool of a file may be any byte, which C++ must not read as bool.
template <class T>
using Stored = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;
template <class T>
opmath_t<T> value_of(const Stored<T>* p) {
  if constexpr (std::is_same_v<T, bool>) {
    return *p != 0;
  } else {
    return static_cast<opmath_t<T>>(*p);
  }
}

template <class To, class From>
To convert(From x) {
  using Wide = opmath_t<From>;
  const Wide w = static_cast<Wide>(x);
  if constexpr (std::is_same_v<To, bool>) {
    return w != Wide{0};
  } else if constexpr (std::is_floating_point_v<Wide> && std::is_integral_v<To>) {
    constexpr Wide kLimit = static_cast<Wide>(9223372036854775808.0);
    if (!(w >= -kLimit && w < kLimit)) return static_cast<To>(std::numeric_limits<int64_t>::min());
    return static_cast<To>(static_cast<int64_t>(w));
  } else if constexpr (std::is_same_v<To, Half> || std::is_same_v<To, BFloat16>) {
    return To(static_cast<float>(w));
  } else {
    return static_cast<To>(w);
  }
}

template <class To, class From>
void load(const void* base, int64_t offset, int64_t stride, int64_t n, To* out) {
  const Stored<From>* in = static_cast<const Stored<From>*>(base) + offset;
  if (stride == 1) {
    for (int64_t i = 0; i < n; ++i) out[i] = convert<To>(value_of<From>(in + i));
  } else {
    for (int64_t i = 0; i < n; ++i) out[i] = convert<To>(value_of<From>(in + i * stride));
  }
}

template <class To, class From>
void load_truth(const void* base, int64_t offset, int64_t stride, int64_t n, To* out) {
  const Stored<From>* in = static_cast<const Stored<From>*>(base) + offset;
  for (int64_t i = 0; i < n; ++i) out[i] = convert<bool>(value_of<From>(in + i * stride)) ? To{1} : To{0};
}

template <class From, class To>
void store(void* base, int64_t offset, int64_t stride, int64_t n, const From* in) {
  To* out = static_cast<To*>(base) + offset;
  if (stride == 1) {
    for (int64_t i = 0; i < n; ++i) out[i] = convert<To>(in[i]);
  } else {
    for (int64_t i = 0; i < n; ++i) out[i * stride] = convert<To>(in[i]);
  }
}

}  // namespace

template <class C>
LoadChunk<C> chunk_loader(ScalarType t) {
  LoadChunk<C> f = nullptr;
  dispatch<kChunkDtypes>(t, [&]<class T>() { f = &load<C, T>; });
  return f;
}

template <class C>
LoadChunk<C> truth_loader(ScalarType t) {
  LoadChunk<C> f = nullptr;
  dispatch<kChunkDtypes>(t, [&]<class T>() { f = &load_truth<C, T>; });
  return f;
}

template <class C>
StoreChunk<C> chunk_storer(ScalarType t) {
  StoreChunk<C> f = nullptr;
  dispatch<kChunkDtypes>(t, [&]<class T>() { f = &store<C, T>; });
  return f;
}

template <class C>
void round_chunk(ScalarType via, C* values, int64_t n) {
  if (via == ScalarType::Half) {
    for (int64_t i = 0; i < n; ++i) values[i] = static_cast<C>(static_cast<float>(Half(static_cast<float>(values[i]))));
  } else if (via == ScalarType::BFloat16) {
    for (int64_t i = 0; i < n; ++i) {
      values[i] = static_cast<C>(static_cast<float>(BFloat16(static_cast<float>(values[i]))));
    }
  }
}

#define ET_CHUNKS(C)                                  \
  template LoadChunk<C> chunk_loader<C>(ScalarType);  \
  template LoadChunk<C> truth_loader<C>(ScalarType);  \
  template StoreChunk<C> chunk_storer<C>(ScalarType); \
  template void round_chunk<C>(ScalarType, C*, int64_t);
ET_CHUNKS(float)
ET_CHUNKS(double)
ET_CHUNKS(int64_t)
#undef ET_CHUNKS

}  // namespace et::ET_KERNELS
