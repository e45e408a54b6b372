// The engine of the elementwise operators: broadcasts the operands, walks them in the order of the output's memory and
// calls a loop over contiguous runs of one compute type. Operands of another dtype, with gaps or stretched go through
// buffers on the stack, chunk by chunk. There is one loop for each functor and compute type: int64 for all integers
// and bool, float for float32 and the 16-bit floats, double, complex128.
#pragma once

#include <complex>
#include <type_traits>
#include <utility>

#include "runtime/kernels/common/kernel.h"

namespace et::ET_KERNELS {

using Complex = std::complex<double>;

/// A number argument, ready for any compute type.
struct Number {
  Number(const Scalar& s) : real(s.to<double>()), integer(s.to<int64_t>()) {}  // NOLINT: conversion is the point
  template <class T>
  T as() const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(integer);
    } else {
      return static_cast<T>(real);
    }
  }
  double real;
  int64_t integer;
};

/// One input: a tensor, a part of a tensor, or a number that stretches to any shape.
struct Operand {
  Operand() = default;
  explicit Operand(const Tensor& t);
  /// The number rounded to `as`, one of the dtypes that Converter knows.
  Operand(const Scalar& s, ScalarType as);

  ArrayRef<int32_t> shape() const { return {sizes, rank}; }
  const void* address() const { return data == nullptr && is_number ? number : data; }

  const void* data = nullptr;
  ScalarType dtype = ScalarType::Float;
  bool is_number = false;
  size_t rank = 0;
  int32_t sizes[kTensorDimensionLimit];
  int64_t strides[kTensorDimensionLimit];
  alignas(16) unsigned char number[16];
};

/// out[k] = functor(in[0][k], …) for k < n.
using Loop = void (*)(void* out, const void* const* in, int64_t n, const void* functor);

inline constexpr size_t kMaxOperands = 3;
/// What to compute with.
struct Work {
  const char* name;     // of the operator, for messages
  ScalarType logical;   // dtype of the result as torch sees it; the output must be able to hold it
  Loop loop = nullptr;  // null: the dtype is not supported
  const void* functor = nullptr;
  ScalarType in[kMaxOperands];  // what the loop reads
  ScalarType out;               // what the loop writes
};

/// Resizes the output to the broadcast shape and fills it. False: the context has failed.
bool run_elementwise(KernelRuntimeContext& context, const Work& work, ArrayRef<Operand> operands, const Tensor& out);
/// The same after the caller has given the output its shape, to which all operands must broadcast.
bool run_elementwise_into(KernelRuntimeContext& context, const Work& work, ArrayRef<Operand> operands,
                          const Tensor& out);

inline constexpr ScalarType compute_type(ScalarType t) {
  if (is_complex(t)) return ScalarType::ComplexDouble;
  if (t == ScalarType::Double) return t;
  return is_floating(t) ? ScalarType::Float : ScalarType::Long;
}
/// What a loop computes in, and the dtype of its result as torch sees it.
struct Types {
  Types(ScalarType common) : compute(compute_type(common)), logical(common) {}  // NOLINT: the usual case
  Types(ScalarType compute_in, ScalarType result) : compute(compute_in), logical(result) {}
  ScalarType compute, logical;
};
/// torch's common dtype of two arguments.
ScalarType common_type(const Tensor& a, const Tensor& b);
ScalarType common_type(const Tensor& a, const Scalar& b);
/// dtype of operators that make floats out of integers.
inline constexpr ScalarType float_type(ScalarType t) { return is_integral(t, true) ? ScalarType::Float : t; }

inline constexpr DtypeSet kBitF = dtype_bit(ScalarType::Float);
inline constexpr DtypeSet kBitD = dtype_bit(ScalarType::Double);
inline constexpr DtypeSet kBitI = dtype_bit(ScalarType::Long);
inline constexpr DtypeSet kBitC = dtype_bit(ScalarType::ComplexDouble);
inline constexpr DtypeSet kBitB = dtype_bit(ScalarType::Bool);  // bytes; any but 0 is true
// The compute types of most operators.
inline constexpr DtypeSet kReals = kBitF | kBitD;
inline constexpr DtypeSet kNumbers = kReals | kBitI;

namespace elementwise {

template <class F, class R, class... A>
void loop_over(R* __restrict out, const F f, int64_t n, const A* __restrict... in) {
  for (int64_t k = 0; k < n; ++k) {
    out[k] = static_cast<R>(f(in[k]...));
    // Complex loops are not worth the code size of vectorised forms.
    if constexpr ((std::is_same_v<A, Complex> || ...)) asm volatile("");
  }
}

template <class T, size_t>
using Same = T;

template <class F, class T, class I>
struct Typed;
template <class F, class T, size_t... I>
struct Typed<F, T, std::index_sequence<I...>> {
  using Result = std::invoke_result_t<const F&, Same<T, I>...>;
  using Stored = std::conditional_t<std::is_same_v<Result, bool>, uint8_t, Result>;
  static void loop(void* out, const void* const* in, int64_t n, const void* functor) {
    loop_over<F, Stored, Same<T, I>...>(static_cast<Stored*>(out), *static_cast<const F*>(functor), n,
                                        static_cast<const T*>(in[I])...);
  }
};

/// The loops of one functor, by compute type.
struct Loops {
  struct Row {
    Loop loop = nullptr;  // null: not supported
    ScalarType out = ScalarType::Float;
  } integer, single, real, complex, boolean;
};

template <class F, DtypeSet kTypes, size_t kArity, class T, ScalarType kType>
constexpr Loops::Row row_of() {
  if constexpr ((kTypes & kSelectedDtypes & dtype_bit(kType)) != 0) {
    using L = Typed<F, T, std::make_index_sequence<kArity>>;
    return {&L::loop, kDtypeOf<typename L::Result>};
  } else {
    return {};
  }
}
template <class F, DtypeSet kTypes, size_t kArity>
inline constexpr Loops kLoops = {row_of<F, kTypes, kArity, int64_t, ScalarType::Long>(),
                                 row_of<F, kTypes, kArity, float, ScalarType::Float>(),
                                 row_of<F, kTypes, kArity, double, ScalarType::Double>(),
                                 row_of<F, kTypes, kArity, Complex, ScalarType::ComplexDouble>(),
                                 row_of<F, kTypes, kArity, uint8_t, ScalarType::Bool>()};

Work make_work(const char* name, const Loops& loops, const void* functor, Types types);
void map1(KernelRuntimeContext& context, const char* name, const Loops& loops, const void* functor, Types types,
          const Tensor& in, const Tensor& out);
void map2(KernelRuntimeContext& context, const char* name, const Loops& loops, const void* functor, Types types,
          const Operand& a, const Operand& b, const Tensor& out);

}  // namespace elementwise

/// The work of `functor`, which takes kArity values of the compute type and exists for the compute types `kTypes`.
/// It must outlive the work.
template <DtypeSet kTypes, size_t kArity, class F>
Work make_work(const char* name, const F& functor, Types types) {
  return elementwise::make_work(name, elementwise::kLoops<F, kTypes, kArity>, &functor, types);
}

template <DtypeSet kTypes, class F>
Tensor& map1(KernelRuntimeContext& context, const char* name, const F& functor, Types types, const Tensor& in,
             Tensor& out) {
  elementwise::map1(context, name, elementwise::kLoops<F, kTypes, 1>, &functor, types, in, out);
  return out;
}
template <DtypeSet kTypes, class F>
Tensor& map2(KernelRuntimeContext& context, const char* name, const F& functor, Types types, const Operand& a,
             const Operand& b, Tensor& out) {
  elementwise::map2(context, name, elementwise::kLoops<F, kTypes, 2>, &functor, types, a, b, out);
  return out;
}

/// True when the number fits into the dtype, as torch demands of fill values and bounds: no integer overflow, no finite
/// number that becomes infinite.
bool fits(const Scalar& s, ScalarType t);

}  // namespace et::ET_KERNELS
