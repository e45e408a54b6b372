// What a basis cannot say of a trace: nobody is to take a 0 for a time.
#pragma once

#include <string>
#include <vector>

#include "inspector/analysis/ops/op_table.h"

namespace et::inspector {

/// Why the trace has no times on that basis at all: "the trace has 13 executions, #0 to #12"; "" when it has.
/// `shown`: of load_shown_ops, on whatever basis.
std::string missing_basis(const OpTable& shown, const Basis& basis);

/// A sentence for each method whose times are not on the basis of the table, because it has no such execution:
/// "decode ran 3 times: it has no execution #7".
std::vector<std::string> basis_gaps(const OpTable& shown);

}  // namespace et::inspector
