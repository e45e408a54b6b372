// Conversion of strided runs between any two dtypes. Between most pairs a run goes through a wide type (int64, double,
// complex128) in chunks on the stack, so that there are a few dozen loops rather than one for each pair.
// Defined where C++ leaves it open, as eager torch does on x86: a float outside of an int64 (int32) target gives its
// minimum, NaN too; narrower integers keep the low bits of that. Everything but zero is true; NaN is true. Complex to
// real drops the imaginary part. A double becomes a 16-bit float by way of float.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/scalar_type.h"
#include "runtime/kernels/common/variant.h"

namespace et::ET_KERNELS {

/// Writes n elements; strides are in elements, 0 repeats one element.
using ConvertRun = void (*)(void* out, int64_t out_stride, const void* in, int64_t in_stride, int64_t n);

/// How one dtype becomes another. Without conversion (same dtype) elements of any size are moved as they are.
class Converter {
 public:
  Converter() = default;
  Converter(ScalarType from, ScalarType to);
  /// False: a dtype that cannot be converted (quantised, float8, left out by a selective build).
  bool valid() const { return valid_; }
  void run(void* out, int64_t out_stride, const void* in, int64_t in_stride, int64_t n) const {
    if (first_ == nullptr) return load_(out, out_stride, in, in_stride, n);
    if (second_ == nullptr && out_stride == 1 && in_stride == 1) return first_(out, in, n);
    run_in_steps(out, out_stride, in, in_stride, n);
  }

 private:
  using Loop = void (*)(void* out, const void* in, int64_t n);
  void run_in_steps(void* out, int64_t out_stride, const void* in, int64_t in_stride, int64_t n) const;

  bool valid_ = false;
  Loop first_ = nullptr;   // straight, or into the wide type; null: the elements are only moved
  Loop second_ = nullptr;  // out of the wide type
  ConvertRun load_ = nullptr;
  ConvertRun store_ = nullptr;
  int64_t in_size_ = 0;
  int64_t out_size_ = 0;
};

/// The move of elements of 1, 2, 4, 8 or 16 bytes; null for other sizes.
ConvertRun find_move(size_t element_size);

}  // namespace et::ET_KERNELS
