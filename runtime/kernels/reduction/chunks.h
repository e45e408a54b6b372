// Chunks of a tensor in the type that a kernel computes in. Reductions, normalisation and pooling compute in float,
// double or int64 only; all other dtypes are converted a chunk at a time, so that no kernel exists once per pair of
// dtypes.
#pragma once

#include <cstdint>

#include "runtime/core/tensor.h"
#include "runtime/kernels/common/dtype.h"

namespace et::ET_KERNELS {

/// Elements of a chunk: 4 KiB of double.
inline constexpr int64_t kChunk = 512;

/// dtypes that can be read and written in chunks.
inline constexpr DtypeSet kChunkDtypes = (kRealHB | kUnsigned) & static_cast<DtypeSet>(ET_SELECTED_DTYPES);
inline constexpr DtypeSet kChunkFloats = kFloatsH & kChunkDtypes;

/// Where a dtype is computed: Float for float16, bfloat16 and float32; Double; Long for integers and bool.
constexpr ScalarType compute_dtype(ScalarType t) {
  if (t == ScalarType::Double) return t;
  return is_floating(t) ? ScalarType::Float : ScalarType::Long;
}
/// Calls f.template operator()<C>() with C = float, double or int64_t.
template <class F>
void dispatch_compute(ScalarType t, F&& f) {
  switch (compute_dtype(t)) {
    case ScalarType::Float:
      return f.template operator()<float>();
    case ScalarType::Double:
      return f.template operator()<double>();
    default:
      return f.template operator()<int64_t>();
  }
}

/// Offsets and strides are in elements of the stored dtype.
template <class C>
using LoadChunk = void (*)(const void* base, int64_t offset, int64_t stride, int64_t n, C* out);
template <class C>
using StoreChunk = void (*)(void* base, int64_t offset, int64_t stride, int64_t n, const C* in);
/// Null for a dtype outside of kChunkDtypes. C is float, double or int64_t; floats become integers by truncation, those
/// that do not fit the minimum, as torch on x86; integers keep their low bits; bool is 0 or 1.
template <class C>
LoadChunk<C> chunk_loader(ScalarType t);
/// Reads 1 for what is not zero, else 0.
template <class C>
LoadChunk<C> truth_loader(ScalarType t);
template <class C>
StoreChunk<C> chunk_storer(ScalarType t);

/// Rounds floats to what `via` (float16 or bfloat16) can represent, as torch does when a reduction is given a dtype:
/// the input is cast first.
template <class C>
void round_chunk(ScalarType via, C* values, int64_t n);

template <class C>
class ChunkReader {
 public:
  ChunkReader() = default;
  /// `via`: the dtype that the elements are cast to before C.
  ChunkReader(const Tensor& t, ScalarType via)
      : base_(t.const_data_ptr()),
        load_(via == ScalarType::Bool ? truth_loader<C>(t.scalar_type()) : chunk_loader<C>(t.scalar_type())),
        via_(via),
        rounds_(via != t.scalar_type() && is_reduced_float(via)),
        direct_(t.scalar_type() == kDtypeOf<C> && !rounds_ && via != ScalarType::Bool) {}
  explicit ChunkReader(const Tensor& t) : ChunkReader(t, t.scalar_type()) {}

  /// n ≤ kChunk elements; `buffer` takes n and may or may not be used.
  const C* get(int64_t offset, int64_t stride, int64_t n, C* buffer) const {
    if (direct_ && (stride == 1 || n == 1)) return static_cast<const C*>(base_) + offset;
    load_(base_, offset, stride, n, buffer);
    if (rounds_) round_chunk(via_, buffer, n);
    return buffer;
  }
  C at(int64_t offset) const {
    C buffer;
    return *get(offset, 1, 1, &buffer);
  }
  /// The elements themselves when they are C already, else null.
  const C* direct() const { return direct_ ? static_cast<const C*>(base_) : nullptr; }
  /// Calls f(first, chunk, n) for pieces of a run of n elements; a contiguous run of C is one piece.
  template <class F>
  void for_each(int64_t offset, int64_t stride, int64_t n, const F& f) const {
    if (direct_ && stride == 1) {
      f(int64_t{0}, static_cast<const C*>(base_) + offset, n);
      return;
    }
    C buffer[kChunk];
    for (int64_t i = 0; i < n; i += kChunk) {
      const int64_t m = n - i < kChunk ? n - i : kChunk;
      f(i, get(offset + i * stride, stride, m, buffer), m);
    }
  }

 private:
  const void* base_ = nullptr;
  LoadChunk<C> load_ = nullptr;
  ScalarType via_ = ScalarType::Float;
  bool rounds_ = false;
  bool direct_ = false;
};

template <class C>
class ChunkWriter {
 public:
  ChunkWriter() = default;
  explicit ChunkWriter(const Tensor& t)
      : base_(t.mutable_data_ptr()),
        store_(chunk_storer<C>(t.scalar_type())),
        direct_(t.scalar_type() == kDtypeOf<C>) {}

  void put(int64_t offset, int64_t stride, int64_t n, const C* values) const {
    if (direct_) {
      C* out = static_cast<C*>(base_) + offset;
      for (int64_t i = 0; i < n; ++i) out[i * stride] = values[i];
      return;
    }
    store_(base_, offset, stride, n, values);
  }
  void put(int64_t offset, C value) const { put(offset, 1, 1, &value); }
  C* direct() const { return direct_ ? static_cast<C*>(base_) : nullptr; }

 private:
  void* base_ = nullptr;
  StoreChunk<C> store_ = nullptr;
  bool direct_ = false;
};

}  // namespace et::ET_KERNELS
