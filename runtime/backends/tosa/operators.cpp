#include "runtime/backends/tosa/operators.h"

namespace et::tosa {
namespace {

constexpr OperatorRow kRows[] = {
#define TOSA_OPERATOR(name, min_in, max_in, min_out, max_out, prepare) \
  {#name, min_in, max_in, min_out, max_out, &prepare},
#include "runtime/backends/tosa/operators.def"
#undef TOSA_OPERATOR
};

}  // namespace

const OperatorRow* find_operator(std::string_view name) {
  for (const OperatorRow& row : kRows) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

}  // namespace et::tosa
