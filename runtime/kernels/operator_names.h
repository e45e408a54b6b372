// The names of all operators that et::kernels has, from the same table as the registry: for tools that look at a
// program without linking a kernel.
#pragma once

#include <cstddef>

namespace et {

inline constexpr const char* kOperatorNames[] = {
#define ET_OPERATOR(name, function) name,
#define ET_PRIM_OPERATOR(name, function) name,
#include "runtime/kernels/operators.def"
#undef ET_OPERATOR
#undef ET_PRIM_OPERATOR
};

}  // namespace et
