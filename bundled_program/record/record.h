// Outputs of a program as the expectations of its test cases.
#pragma once

#include <functional>

#include "base/status.h"
#include "bundled_program/cases/memory_cases.h"
#include "bundled_program/verify/program_file.h"

namespace et::bundled {

/// Runs the cases of each suite in order with one method object, because the cases of a stateful program continue each
/// other, and keeps the outputs of those that `wanted` (suite, case) names; cases behind the last of them are not run.
/// Tensors are kept row-major, as bundles store them. The outputs are held in memory.
/// Errors: those of loading a case; InvalidProgram with the place of the case and what went wrong: it cannot be loaded
/// or run here, or gives a value that test cases cannot hold.
Status record_expectations(const ProgramFile& file, const CaseSource& cases,
                           const std::function<bool(size_t, size_t)>& wanted, Expectations* out);

}  // namespace et::bundled
