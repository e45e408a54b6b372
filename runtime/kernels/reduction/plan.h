// The geometry of a reduction: which dimensions go, the shape of the result, and the walk over memory. The walk follows
// the input as it lies in memory, whatever its dim order: neighbouring dimensions of a kind are merged, and the
// innermost run, contiguous in the input, is either reduced (rows) or kept (columns).
#pragma once

#include <cstdint>

#include "runtime/kernels/common/kernel.h"

namespace et::ET_KERNELS {

struct DimSet {
  bool has[kTensorDimensionLimit] = {};
};

/// False, with a message and the context failed: a dim out of range or given twice. An empty list is all dims.
bool dims_of_list(KernelRuntimeContext& ctx, const char* op, const Tensor& in, ArrayRef<int64_t> dims, DimSet* set);
inline DimSet all_dims() {
  DimSet set;
  for (bool& b : set.has) b = true;
  return set;
}
/// One dim, in range already; all when `dim` is none.
DimSet dims_of(optional<int64_t> dim);

Shape reduced_shape(const Tensor& in, const DimSet& set, bool keepdim);
/// Elements that are reduced into one.
int64_t reduced_numel(const Tensor& in, const DimSet& set);

/// One merged dimension: its size and its strides, in elements.
struct Run {
  int64_t size = 1;
  int64_t in = 0;
  int64_t out[2] = {0, 0};
};

struct ReducePlan {
  Run kept[kTensorDimensionLimit];  // outermost first, without the innermost run
  Run reduced[kTensorDimensionLimit];
  size_t kept_rank = 0;
  size_t reduced_rank = 0;
  int64_t kept_count = 1;     // product of `kept`
  int64_t reduced_count = 1;  // product of `reduced`
  bool inner_kept = false;
  Run inner;  // in == 1 unless the input has one element only

  /// Calls f(input offset, first output's offset, second output's) for the outer kept positions [first, last).
  template <class F>
  void for_kept(int64_t first, int64_t last, const F& f) const {
    int64_t index[kTensorDimensionLimit] = {};
    int64_t rest = first;
    int64_t in = 0;
    int64_t out[2] = {0, 0};
    for (size_t d = kept_rank; d-- > 0;) {
      index[d] = rest % kept[d].size;
      rest /= kept[d].size;
      in += index[d] * kept[d].in;
      for (int k = 0; k < 2; ++k) out[k] += index[d] * kept[d].out[k];
    }
    for (int64_t i = first; i < last; ++i) {
      f(in, out[0], out[1]);
      for (size_t d = kept_rank; d-- > 0;) {
        in += kept[d].in;
        for (int k = 0; k < 2; ++k) out[k] += kept[d].out[k];
        if (++index[d] < kept[d].size) break;
        index[d] = 0;
        in -= kept[d].size * kept[d].in;
        for (int k = 0; k < 2; ++k) out[k] -= kept[d].size * kept[d].out[k];
      }
    }
  }

  /// Calls f(offset) for every outer reduced position, relative to an input offset.
  template <class F>
  void for_reduced(const F& f) const {
    if (reduced_rank <= 1) {
      const int64_t n = reduced_rank == 0 ? 1 : reduced[0].size;
      for (int64_t i = 0; i < n; ++i) f(i * reduced[0].in);
      return;
    }
    int64_t index[kTensorDimensionLimit] = {};
    int64_t in = 0;
    for (int64_t i = 0; i < reduced_count; ++i) {
      f(in);
      for (size_t d = reduced_rank; d-- > 0;) {
        in += reduced[d].in;
        if (++index[d] < reduced[d].size) break;
        index[d] = 0;
        in -= reduced[d].size * reduced[d].in;
      }
    }
  }
};

/// `in` must have elements. The outputs have the reduced shape; `out2` may be the same as `out`. False, with a message
/// and the context failed: strides that leave the tensor's memory.
bool make_plan(KernelRuntimeContext& ctx, const char* op, const Tensor& in, const DimSet& set, const Tensor& out,
               const Tensor& out2, bool keepdim, ReducePlan* plan);

/// True when the last element by strides lies within numel(): a tensor made by hand may say anything.
bool strides_fit(const Tensor& t);

/// Checks that are the same everywhere: tensors with elements have data, and their strides fit.
bool check_memory(KernelRuntimeContext& ctx, const char* op, const char* name, const Tensor& t);

/// out takes the reduced shape and has data. False, with the context failed.
bool prepare_out(KernelRuntimeContext& ctx, const char* op, const Tensor& out, const Shape& shape);

/// Writes `value` to all elements.
void fill_out(const Tensor& out, double value);

/// Grain for parallel_for over items of `work` elements each.
inline int64_t grain_for(int64_t work) {
  constexpr int64_t kGrain = 32768;
  return work >= kGrain ? 1 : kGrain / (work < 1 ? 1 : work);
}

}  // namespace et::ET_KERNELS
