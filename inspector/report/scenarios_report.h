// `et-inspect what-if`: bounds of what could be won, each with what it takes for granted.
#pragma once

#include <string>

#include "base/status.h"
#include "inspector/analysis/work/scenarios.h"

namespace et::inspector {

struct ScenariosReportOptions {
  std::string format = "table";  ///< table, json, csv, tsv or markdown
  std::string units = "auto";
  bool color = false;
  int width = 0;  ///< of the terminal; 0 = do not cut
};

/// Errors: InvalidArgument (unknown format or unit).
Status write_scenarios(const Scenarios& scenarios, const ScenariosReportOptions& options, std::string* out);

}  // namespace et::inspector
