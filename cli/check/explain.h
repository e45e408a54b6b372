// --explain: where a failing case goes wrong first. The case runs again with the output of every operator logged, and
// so does a reference; the first value that differs names the operator, its graph node, Python line and delegate.
#pragma once

#include "cli/check/options.h"
#include "cli/check/report.h"

namespace et::cli {

/// Explains the failed cases of `report->run` that did run, and adds what was found. Errors: of files that are no
/// references at all; what goes wrong with one case is said in its explanation.
Status explain_failures(const CheckOptions& options, CheckReport* report);

}  // namespace et::cli
