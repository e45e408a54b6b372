// Registers an application's kernel in one line:
//   Tensor& add_3_out(KernelRuntimeContext& context, const Tensor& a, Tensor& out);
//   EXECUTORCH_LIBRARY(my_ops, "add_3.out", add_3_out);
#pragma once

#include "runtime/core/boxing.h"
#include "runtime/core/kernel_registry.h"

#define ET_CONCAT_2(a, b) a##b
#define ET_CONCAT(a, b) ET_CONCAT_2(a, b)

/// `ns` without quotes, `name` with its overload, `function` with the context first and exactly one `Tensor&`, last.
#define EXECUTORCH_LIBRARY(ns, name, function) ET_LIBRARY_ROW(ns, name, function, __COUNTER__)
#define ET_LIBRARY_ROW(ns, name, function, id)                                                                    \
  static_assert(::et::boxing::Box<&function>::kEndsInOneOut,                                                      \
                "the last parameter of an out kernel must be a non-const Tensor&");                               \
  static const ::et::Kernel ET_CONCAT(et_library_row_, id){#ns "::" name, &::et::boxing::Box<&function>::library, \
                                                           ::et::KernelKind::Library};                            \
  [[maybe_unused]] static const ::et::KernelRegistration ET_CONCAT(                                               \
      et_library_registration_, id)(::et::ArrayRef<::et::Kernel>(&ET_CONCAT(et_library_row_, id), 1))
