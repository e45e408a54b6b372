// The table of operators: operators.def as functions and rows.
#pragma once

#include <string_view>

#include "runtime/backends/tosa/op_builder.h"

namespace et::tosa {

/// Checks an operator and gives the function that computes it; empty after builder.fail().
using Prepare = Kernel (*)(OpBuilder& builder);

#define TOSA_OPERATOR(name, min_in, max_in, min_out, max_out, prepare) Kernel prepare(OpBuilder& builder);
#include "runtime/backends/tosa/operators.def"
#undef TOSA_OPERATOR

struct OperatorRow {
  std::string_view name;
  size_t min_in, max_in, min_out, max_out;
  Prepare prepare;
};

/// Null: no such operator, or one that the loader handles itself.
const OperatorRow* find_operator(std::string_view name);

}  // namespace et::tosa
