#include "runtime/backends/tosa/operators.h"

namespace et::tosa {
namespace {

constexpr OperatorRow kRows[] = {
#define TOSA_OPERATOR(name, least_in, most_in, least_out, most_out, prepare) \
  {#name, least_in, most_in, least_out, most_out, &prepare},
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
