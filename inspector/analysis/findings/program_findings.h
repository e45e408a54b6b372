// Can this program run here? What a runtime would refuse it for, without running it: operators that no kernel of
// et::kernels takes, backends that are not linked, weights in another file, tensors without upper bound.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "inspector/analysis/findings/finding.h"

namespace et::inspector {

/// `path`: a program (.pte) or a bundled program (.bpte). Errors: those of opening the file; a program that opens gives
/// findings; "runnable" is among them when nothing keeps et-run from running it. A backend that et-run lacks is no
/// fault of the file: a warning.
Status find_program_findings(const std::string& path, std::vector<Finding>* out);

}  // namespace et::inspector
