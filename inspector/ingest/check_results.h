// Import of et-check's results: one call of et-check becomes one check run of a store, in one transaction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "inspector/store/store.h"

namespace et::inspector {

struct CheckImport {
  int64_t check_run_id = 0;
  bool known = false;  // the store had the same results already: nothing was added
  int64_t failed = 0;  // checks that failed
};

/// Adds the results in `json` (docs/check-results-1.json) to the store; `name` is the file that they come from. ETDumps
/// that cases name are looked for as they are written and next to that file, so that their traces are found by content.
/// A store of an older version gets the tables of checks. On an error the store is as it was before.
/// Errors: InvalidExternalData (see parse_check_results), AccessFailed (the store cannot be written).
Status import_check_results(Store& store, std::string_view json, std::string_view name, CheckImport* out = nullptr);

/// As above, from a file. Errors: also AccessFailed when it cannot be read.
Status import_check_file(Store& store, const std::string& path, CheckImport* out = nullptr);

}  // namespace et::inspector
