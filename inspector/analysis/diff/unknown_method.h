// A trace without a program does not say what its methods are called: which method of the other trace its unnamed one
// is, by what they contain.
#pragma once

#include <string>

#include "inspector/analysis/ops/op_table.h"

namespace et::inspector {

/// What the method without a name is called in each of two traces; "" where there is none, or where it stays unknown.
struct UnknownMethods {
  std::string before, after;

  std::string name(bool is_after, const std::string& method) const {
    return !method.empty() ? method : is_after ? after : before;
  }
};

/// A method without a name is the one of the other trace's that no other is, and that has most operators in common with
/// it; a single one is the other single one whatever they contain.
UnknownMethods find_unknown_methods(const OpTable& before, const OpTable& after);

}  // namespace et::inspector
