// Turns a plain C++ function into a boxed kernel: its parameter types say how each EValue is read, so that the function
// is all that an operator needs. `Tensor& f(KernelRuntimeContext&, const Tensor& a, int64_t n, Tensor& out)`.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include "runtime/core/evalue.h"
#include "runtime/core/kernel_context.h"
#include "runtime/core/kernel_registry.h"

namespace et {

namespace boxing {

/// Reads one argument; false: the value is of another type.
inline bool read(const EValue& v, Tensor* out) {
  if (!v.isTensor()) return false;
  *out = v.payload.as_tensor;
  return true;
}
inline bool read(const EValue& v, int64_t* out) {
  *out = v.payload.copyable_union.as_int;
  return v.isInt();
}
inline bool read(const EValue& v, double* out) {
  if (v.isInt()) *out = static_cast<double>(v.payload.copyable_union.as_int);
  if (v.isDouble()) *out = v.payload.copyable_union.as_double;
  return v.isDouble() || v.isInt();
}
inline bool read(const EValue& v, bool* out) {
  if (!v.isBool()) return false;  // other bytes are no bool
  *out = v.payload.copyable_union.as_bool;
  return true;
}
inline bool read(const EValue& v, string_view* out) {
  if (!v.isString()) return false;
  *out = v.toString();
  return true;
}
inline bool read(const EValue& v, Scalar* out) {
  if (!v.isScalar()) return false;
  *out = v.toScalar();
  return true;
}
inline bool read(const EValue& v, ScalarType* out) {
  *out = static_cast<ScalarType>(v.payload.copyable_union.as_int);
  return v.isInt() && v.payload.copyable_union.as_int >= 0 && v.payload.copyable_union.as_int < 30;
}
inline bool read(const EValue& v, MemoryFormat* out) {
  *out = static_cast<MemoryFormat>(v.payload.copyable_union.as_int);
  return v.isInt() && v.payload.copyable_union.as_int >= 0 && v.payload.copyable_union.as_int < 4;
}
inline bool read(const EValue& v, ArrayRef<int64_t>* out) {
  if (!v.isIntList()) return false;
  *out = v.toIntList();
  return true;
}
inline bool read(const EValue& v, ArrayRef<double>* out) {
  if (!v.isDoubleList()) return false;
  *out = v.toDoubleList();
  return true;
}
inline bool read(const EValue& v, ArrayRef<bool>* out) {
  if (!v.isBoolList()) return false;
  *out = v.toBoolList();
  return true;
}
inline bool read(const EValue& v, ArrayRef<Tensor>* out) {
  if (!v.isTensorList()) return false;
  *out = v.toTensorList();
  return true;
}
inline bool read(const EValue& v, ArrayRef<optional<Tensor>>* out) {
  if (!v.isListOptionalTensor()) return false;
  *out = v.toListOptionalTensor();
  return true;
}
template <class T>
bool read(const EValue& v, optional<T>* out) {
  if (v.isNone()) {
    *out = nullopt;
    return true;
  }
  T item{};
  if (!read(v, &item)) return false;
  *out = item;
  return true;
}

void fail_count(KernelRuntimeContext& context, size_t given, size_t wanted);
void fail_type(KernelRuntimeContext& context, size_t index, const EValue& value);
void fail_layout(KernelRuntimeContext& context, Span<EValue*> args);

/// The runtime's kernels read strides, which an application may leave out when it makes a tensor.
template <class T>
bool has_layout(const T&) {
  return true;
}
inline bool has_layout(const Tensor& t) {
  const TensorImpl* impl = t.unsafeGetTensorImpl();
  return impl != nullptr && impl->has_layout();
}
inline bool has_layout(const optional<Tensor>& t) { return !t.has_value() || has_layout(*t); }
template <class T>
bool has_layout(ArrayRef<T> list) {
  for (const T& t : list) {
    if (!has_layout(t)) return false;
  }
  return true;
}

/// What a kernel writes is what it takes as Tensor&, and a list of tensors at the end. That must not be a constant, and
/// must not change its shape if it is another argument as well: kernels measure what they read before they resize.
template <class A, bool kLast>
inline constexpr bool kWritten = std::is_same_v<A, Tensor&> || (kLast && std::is_same_v<A, ArrayRef<Tensor>>);

inline bool needs_care(const Tensor& t) {
  const TensorImpl* impl = t.unsafeGetTensorImpl();
  return impl == nullptr || impl->is_read_only() || impl->shape_dynamism() != TensorShapeDynamism::STATIC;
}
inline bool needs_care(ArrayRef<Tensor> list) {
  for (const Tensor& t : list) {
    if (needs_care(t)) return true;
  }
  return false;
}
/// False: the context has failed. Fixes the shapes of tensors that are another argument too; `release` ends that.
bool prepare_write(KernelRuntimeContext& context, Span<EValue*> args, size_t index);
void release(const EValue& written);

/// A kernel with a context, or one that needs none.
template <auto Fn, class... A>
decltype(auto) call_function(KernelRuntimeContext& context, A&... args) {
  if constexpr (std::is_invocable_v<decltype(Fn), KernelRuntimeContext&, A&...>) {
    return Fn(context, args...);
  } else {
    return Fn(args...);
  }
}

template <class R, class... A>
struct Signature {
  static constexpr size_t kArgs = sizeof...(A);
  using Values = std::tuple<std::remove_cv_t<std::remove_reference_t<A>>...>;

  template <auto Fn, bool kStrided, size_t... I>
  static void call(KernelRuntimeContext& context, Span<EValue*> args, std::index_sequence<I...>) {
    Values values;
    size_t bad = kArgs;
    // Stops at the first argument of a wrong type.
    static_cast<void>(((read(*args[I], &std::get<I>(values)) || (bad = I, false)) && ...));
    if (bad != kArgs) [[unlikely]]
      return fail_type(context, bad, *args[bad]);
    if (kStrided && !(has_layout(std::get<I>(values)) && ...)) [[unlikely]]
      return fail_layout(context, args.first(kArgs));
    if ((care<A, I>(values) || ...)) [[unlikely]]
      return call_with_care<Fn>(context, args.first(kArgs), &values, std::index_sequence<I...>{});
    static_cast<void>(call_function<Fn>(context, std::get<I>(values)...));
  }

  template <class T, size_t I>
  static constexpr bool kWrites = kWritten<T, I + 1 == kArgs>;
  template <class T, size_t I>
  static bool care(const Values& values) {
    if constexpr (kWrites<T, I>) return needs_care(std::get<I>(values));
    return false;
  }
  template <auto Fn, size_t... I>
  static void call_with_care(KernelRuntimeContext& context, Span<EValue*> args, Values* values,
                             std::index_sequence<I...>) {
    if ((... && (!kWrites<A, I> || prepare_write(context, args, I)))) {
      static_cast<void>(call_function<Fn>(context, std::get<I>(*values)...));
    }
    static_cast<void>(((kWrites<A, I> ? release(*args[I]) : static_cast<void>(0)), ...));
  }
};

template <auto Fn, class R, class... A>
struct BoxOf {
  using S = Signature<R, A...>;
  /// As a program calls it: the arguments and the result again.
  static void native(KernelRuntimeContext& context, Span<EValue*> args) {
    if (args.size() != S::kArgs + 1) [[unlikely]]
      return fail_count(context, args.size(), S::kArgs + 1);
    S::template call<Fn, true>(context, args, std::make_index_sequence<S::kArgs>{});
  }
  /// The trailing result may be missing, and tensors come as the application made them.
  static void library(KernelRuntimeContext& context, Span<EValue*> args) {
    if (args.size() < S::kArgs) [[unlikely]]
      return fail_count(context, args.size(), S::kArgs);
    S::template call<Fn, false>(context, args, std::make_index_sequence<S::kArgs>{});
  }
  using Last = std::tuple_element_t<S::kArgs - 1, std::tuple<A...>>;
  static constexpr bool kEndsInOneOut =
      std::is_same_v<Last, Tensor&> && ((0 + ... + (std::is_same_v<A, Tensor&> ? 1 : 0)) == 1);
};

template <auto Fn, class R, class... A>
BoxOf<Fn, R, A...> box_of(R (*)(KernelRuntimeContext&, A...));
template <auto Fn, class R, class... A>
BoxOf<Fn, R, A...> box_of(R (*)(A...));
template <auto Fn>
struct Box : decltype(box_of<Fn>(Fn)) {};

}  // namespace boxing

/// The boxed form of a function that follows the ATen out schema.
template <auto Fn>
inline constexpr OpFunction kBoxed = &boxing::Box<Fn>::native;

}  // namespace et
