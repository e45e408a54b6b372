// Files that et-check reads and writes without being told their names: no output may hit one of them.
#pragma once

#include <string>
#include <vector>

#include "bundled_program/verify/worker_pool.h"
#include "cli/written_files.h"

namespace et::cli {

/// What is read beside programs and bundles: cases, policy, tolerances, weights.
std::vector<NamedFile> files_beside(const std::vector<NamedFile>& programs);

/// Traces and debug buffers of the tasks, those of earlier calls included that have further parts.
std::vector<NamedFile> trace_files(const std::vector<bundled::CheckTask>& tasks, const std::string& folder);

}  // namespace et::cli
