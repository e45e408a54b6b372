// Functions as types, known while compiling.
#pragma once

#include <type_traits>

#include "executorch/extension/kernel_util/type_list.h"

namespace executorch::extension::kernel_util_internal {

template <class T>
struct is_function_type : std::is_function<T> {};

template <class Function, Function* kFunction, const char* kName>
struct CompileTimeFunctionPointer {
  static_assert(std::is_function_v<Function>, "EXECUTORCH_FN wraps functions");
  using FuncType = Function;
  static constexpr const char* func_name_ = kName;
  static constexpr Function* func_ptr() { return kFunction; }
};
template <class T>
struct is_compile_time_function_pointer : std::false_type {};
template <class Function, Function* kFunction, const char* kName>
struct is_compile_time_function_pointer<CompileTimeFunctionPointer<Function, kFunction, kName>> : std::true_type {};

template <class F>
struct function_traits;
template <class R, class... A>
struct function_traits<R(A...)> {
  using func_type = R(A...);
  using return_type = R;
  using parameter_types = typelist<A...>;
  static constexpr auto number_of_parameters = sizeof...(A);
};
/// Of functions, pointers to them and objects that are called.
template <class F>
struct infer_function_traits;
template <class R, class... A>
struct infer_function_traits<R(A...)> {
  using type = function_traits<R(A...)>;
};
template <class R, class... A>
struct infer_function_traits<R (*)(A...)> {
  using type = function_traits<R(A...)>;
};
template <class F>
using infer_function_traits_t = typename infer_function_traits<F>::type;

}  // namespace executorch::extension::kernel_util_internal

#define EXECUTORCH_FN_TYPE(function, name)                                   \
  ::executorch::extension::kernel_util_internal::CompileTimeFunctionPointer< \
      std::remove_pointer_t<std::remove_reference_t<decltype(function)>>, function, name>
#define EXECUTORCH_FN(function, name) EXECUTORCH_FN_TYPE(function, name)()
