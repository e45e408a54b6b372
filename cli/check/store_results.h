// --store: traces and results of one call go into a store, for `et-inspect history` and the window.
#pragma once

#include <string>

#include "base/status.h"
#include "cli/check/report.h"

namespace et::cli {

/// Imports the traces that the verdicts name, with the record where one is given, then the results, which find their
/// traces by content. Errors: of the store and of the record's file.
Status store_results(const std::string& store, const std::string& etrecord, const CheckReport& report);

}  // namespace et::cli
