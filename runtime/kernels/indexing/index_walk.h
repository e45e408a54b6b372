// What index, index_put, index_select and embedding share: a tensor addressed by positions ("indexed"), against a plain
// one whose dimensions are those of the positions and those of the indexed tensor that no position addresses.
#pragma once

#include <cstdint>
#include <type_traits>

#include "runtime/core/kernel_context.h"
#include "runtime/kernels/common/dtype.h"
#include "runtime/kernels/movement/view.h"

namespace et::ET_KERNELS {

/// Positions along one dimension of the indexed tensor: a tensor of them, or one coordinate of a mask's true elements.
struct IndexColumn {
  const Tensor* tensor = nullptr;
  bool mask = false;
  size_t mask_dim = 0;
  int64_t mask_count = 0;  // of true elements
  size_t argument = 0;     // place in the list of indices, for messages
  size_t dim = 0;          // of the indexed tensor
};

struct IndexPlan {
  const char* name = "";  // of the operator
  bool negative_wraps = true;
  size_t columns = 0;
  IndexColumn column[kTensorDimensionLimit];
  bool addressed[kTensorDimensionLimit] = {};  // by dimension of the indexed tensor
  Sizes positions;                             // shape of the positions
  size_t positions_at = 0;                     // their first dimension in the plain tensor
  Sizes result;                                // shape of the plain tensor
};

/// Reads aten's list of indices: integers of int32 or int64, masks of bool or uint8, None. Fails with a message.
bool make_index_plan(KernelRuntimeContext& context, const Tensor& self, ArrayRef<optional<Tensor>> indices,
                     const char* operator_name, IndexPlan* plan);
/// One tensor of positions along `dim`; they do not wrap.
bool make_index_plan(KernelRuntimeContext& context, const Tensor& self, size_t dim, const Tensor& index,
                     const char* operator_name, IndexPlan* plan);

enum class IndexMode {
  Get,  // plain = indexed
  Put,  // indexed = plain
  Add,  // indexed += plain
};
/// Does it. `plain` has the sizes of plan.result, with steps of 0 where it repeats. A position outside fails the
/// context with a message; what was done until then stays.
void run_index_plan(KernelRuntimeContext& context, const IndexPlan& plan, IndexMode mode, const View& indexed,
                    const View& plain, ScalarType type);

/// A bool in memory: any byte, which C++ must not read as bool.
struct BoolByte {
  uint8_t v;
};
template <class T>
using Addend = std::conditional_t<std::is_same_v<T, bool>, BoolByte, T>;

/// t += v with one rounding; integers wrap around, bool is "or".
template <class T>
inline void add_to(T& t, T v) {
  if constexpr (std::is_same_v<T, BoolByte>) {
    t.v = t.v != 0 || v.v != 0;
  } else if constexpr (std::is_integral_v<T>) {
    t = static_cast<T>(static_cast<uint64_t>(t) + static_cast<uint64_t>(v));
  } else {
    using M = opmath_t<T>;
    t = static_cast<T>(static_cast<M>(t) + static_cast<M>(v));
  }
}
inline constexpr DtypeSet kAddable = kRealHB | kUnsigned | kComplex;

/// to[i] += from[i], steps in bytes; null: no sums of that dtype.
using AddRow = void (*)(uint8_t* to, int64_t to_step, const uint8_t* from, int64_t from_step, int64_t n);
AddRow find_adder(ScalarType type);

}  // namespace et::ET_KERNELS
