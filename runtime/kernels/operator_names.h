// The names of all operators that et::kernels has, from the same table as the registry: for tools that look at a
// program without linking a kernel.
#pragma once

#include <cstddef>
#include <string_view>

namespace et {

inline constexpr const char* kOperatorNames[] = {
#define ET_OPERATOR(name, function) name,
#define ET_PRIM_OPERATOR(name, function) name,
#include "runtime/kernels/operators.def"
#undef ET_OPERATOR
#undef ET_PRIM_OPERATOR
};

inline constexpr const char* kPrimitiveNames[] = {
#define ET_OPERATOR(name, function)
#define ET_PRIM_OPERATOR(name, function) name,
#include "runtime/kernels/operators.def"
#undef ET_OPERATOR
#undef ET_PRIM_OPERATOR
};

/// Arithmetic of sizes and the like: the runtime gives it no event of its own.
constexpr bool is_primitive_operator(std::string_view name) {
  for (const char* primitive : kPrimitiveNames) {
    if (name == primitive) return true;
  }
  return false;
}

}  // namespace et
