// Views of tensors for kernels that only move elements: address, sizes and steps in bytes. An operator such as slice or
// permute is a change of the source's or the result's view, followed by one copy.
#pragma once

#include <cstdint>

#include "runtime/core/kernel_context.h"
#include "runtime/core/tensor.h"
#include "runtime/kernels/common/shape.h"

namespace et::ET_KERNELS {

/// Enough for a tensor whose dimensions have all been split in two.
inline constexpr size_t kViewRank = 2 * kTensorDimensionLimit + 2;

struct View {
  uint8_t* data = nullptr;  // of a source too, which is never written
  size_t item = 0;          // bytes of an element
  size_t rank = 0;
  int64_t sizes[kViewRank];
  int64_t steps[kViewRank];  // bytes; 0 repeats an element, negative ones walk backwards

  void push(int64_t size, int64_t step) {
    sizes[rank] = size;
    steps[rank++] = step;
  }
  void insert(size_t dim, int64_t size, int64_t step);
  void remove(size_t dim);
  /// Elements start, start + by, …: `length` of them.
  void slice(size_t dim, int64_t start, int64_t length, int64_t by = 1) {
    data += start * steps[dim];
    sizes[dim] = length;
    steps[dim] *= by;
  }
  int64_t numel() const {
    int64_t n = 1;
    for (size_t d = 0; d < rank; ++d) n *= sizes[d];
    return n;
  }
};

/// Steps follow from the dim order in 64 bits.
View view_of(const Tensor& t);

/// `dst` and `src` have the same sizes and items. Places that overlap get one or the other value.
void copy_view(const View& dst, const View& src);
/// The elements of `src` from number `from` on, in row-major order, to those of `dst` from `to` on.
void copy_elements(const View& dst, int64_t to, const View& src, int64_t from, int64_t count);
/// All of dst becomes `value`, which has dst.item bytes.
void fill_view(const View& dst, const void* value);
/// Converts as it copies. False: one of the types cannot be converted.
bool convert_view(const View& dst, ScalarType dst_type, const View& src, ScalarType src_type);
/// `value` as an element of `type`. False: it does not fit, or the type takes no numbers.
bool scalar_to_element(const Scalar& value, ScalarType type, void* element);

/// Sizes of a result, before it is known that they fit.
struct Sizes {
  int64_t v[kTensorDimensionLimit];
  size_t rank = 0;
  bool fits = true;
  void push(int64_t n) {
    if (rank == kTensorDimensionLimit) {
      fits = false;
    } else {
      v[rank++] = n;
    }
  }
};
inline Sizes sizes_of(const Tensor& t) {
  Sizes s;
  for (int32_t n : t.sizes()) s.push(n);
  return s;
}
/// Checks the sizes, resizes `out`, and checks that it has data.
bool resize_result(KernelRuntimeContext& context, const Tensor& out, const Sizes& sizes, const char* operator_name);
/// False (and the context fails): `t` should have elements, but no memory.
bool has_data(KernelRuntimeContext& context, const Tensor& t, const char* operator_name, const char* argument);
/// Makes `dim` non-negative, or fails with a message; a scalar has one dimension.
bool wrap_dim(KernelRuntimeContext& context, int64_t* dim, int64_t rank, const char* operator_name);
/// has_data, and the same dtype as `out`.
bool check_source(KernelRuntimeContext& context, const Tensor& t, const Tensor& out, const char* operator_name);

}  // namespace et::ET_KERNELS
