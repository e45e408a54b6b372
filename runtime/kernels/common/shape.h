// Shapes of kernel arguments: dimensions, broadcasting, resizing of outputs, and walks over strided tensors.
#pragma once

#include <array>
#include <cstdint>

#include "runtime/core/kernel_context.h"
#include "runtime/core/tensor.h"
#include "runtime/kernels/common/variant.h"
#include "runtime/platform/log.h"

namespace et::ET_KERNELS {

/// Sizes of a tensor under construction.
struct Shape {
  int32_t sizes[kTensorDimensionLimit];
  size_t rank = 0;
  ArrayRef<int32_t> view() const { return {sizes, rank}; }
  void push(int64_t n) { sizes[rank++] = static_cast<int32_t>(n); }
};
inline Shape shape_of(const Tensor& t) {
  Shape s;
  for (int32_t n : t.sizes()) s.push(n);
  return s;
}

/// `dim` in [-rank, rank) made non-negative; a scalar counts as rank 1. False: out of range.
inline bool normalize_dim(int64_t* dim, int64_t rank) {
  const int64_t n = rank == 0 ? 1 : rank;
  if (*dim < -n || *dim >= n) return false;
  if (*dim < 0) *dim += n;
  return true;
}

/// Right-aligned broadcasting of two shapes; false: they do not fit.
bool broadcast_shapes(ArrayRef<int32_t> a, ArrayRef<int32_t> b, Shape* out);

/// Strides of `t` seen with `shape`, to which it broadcasts: 0 along stretched dimensions. In elements.
void broadcast_strides(const Tensor& t, ArrayRef<int32_t> shape, int64_t* strides);

/// Resizes the output, or fails the context with a message that names sizes and `operator_name`.
bool resize_out(KernelRuntimeContext& context, const Tensor& out, ArrayRef<int32_t> sizes, const char* operator_name);

bool same_sizes(const Tensor& a, const Tensor& b);
/// Some byte belongs to both. A kernel that checks numbers (positions, say) and then uses them where they lie must know
/// that its output is somewhere else.
bool share_memory(const Tensor& a, const Tensor& b);
bool same_dim_order(const Tensor& a, const Tensor& b);
inline bool is_contiguous(const Tensor& t) { return is_contiguous_dim_order(t.dim_order()); }
inline bool is_channels_last(const Tensor& t) { return is_channels_last_dim_order(t.dim_order()); }

/// Walks `sizes` in row-major order with K strided operands (strides in elements). Neighbouring dimensions that are one
/// run in all operands are merged; calls f(offsets, n, inner_strides) for each innermost row of n elements, both arrays
/// with K entries. `first` and `last` (rows, not elements) make a part of the walk, for threads.
template <size_t K>
class StridedWalk {
 public:
  StridedWalk(ArrayRef<int32_t> sizes, const std::array<const int64_t*, K>& strides) {
    for (size_t d = 0; d < sizes.size(); ++d) {
      if (sizes[d] == 1) continue;
      bool merge = rank_ > 0;
      for (size_t k = 0; merge && k < K; ++k) merge = strides_[rank_ - 1][k] == strides[k][d] * sizes[d];
      if (!merge) sizes_[rank_++] = 1;
      sizes_[rank_ - 1] *= sizes[d];
      for (size_t k = 0; k < K; ++k) strides_[rank_ - 1][k] = strides[k][d];
    }
    if (rank_ == 0) {
      sizes_[rank_++] = 1;
      for (size_t k = 0; k < K; ++k) strides_[0][k] = 1;
    }
    rows_ = 1;
    for (size_t d = 0; d + 1 < rank_; ++d) rows_ *= sizes_[d];
    if (sizes_[rank_ - 1] == 0) rows_ = 0;
  }

  int64_t rows() const { return rows_; }
  int64_t row_length() const { return sizes_[rank_ - 1]; }
  const std::array<int64_t, K>& inner_strides() const { return strides_[rank_ - 1]; }

  template <class F>
  void run(int64_t first, int64_t last, const F& f) const {
    std::array<int64_t, K> offsets{};
    int64_t index[kTensorDimensionLimit] = {};
    int64_t rest = first;
    for (size_t d = rank_ - 1; d-- > 0;) {
      index[d] = rest % sizes_[d];
      rest /= sizes_[d];
      for (size_t k = 0; k < K; ++k) offsets[k] += index[d] * strides_[d][k];
    }
    for (int64_t row = first; row < last; ++row) {
      f(offsets, sizes_[rank_ - 1], strides_[rank_ - 1]);
      for (size_t d = rank_ - 1; d-- > 0;) {
        for (size_t k = 0; k < K; ++k) offsets[k] += strides_[d][k];
        if (++index[d] < sizes_[d]) break;
        index[d] = 0;
        for (size_t k = 0; k < K; ++k) offsets[k] -= sizes_[d] * strides_[d][k];
      }
    }
  }
  template <class F>
  void run(const F& f) const {
    run(0, rows_, f);
  }

 private:
  std::array<int64_t, K> strides_[kTensorDimensionLimit] = {};
  int64_t sizes_[kTensorDimensionLimit] = {};
  size_t rank_ = 0;
  int64_t rows_ = 0;
};

}  // namespace et::ET_KERNELS
