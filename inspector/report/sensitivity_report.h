// `et-inspect sensitivity`: which layers lose most by quantisation.
#pragma once

#include <string>

#include "base/status.h"
#include "inspector/analysis/sensitivity/sensitivity.h"

namespace et::inspector {

struct SensitivityReportOptions {
  std::string format = "table";  ///< table, json, csv, tsv or markdown
  int64_t top = 30;              ///< rows that people see; negative: all
  bool color = false;
  int width = 0;  ///< of the terminal; 0 = do not cut
};

/// Errors: InvalidArgument (unknown format).
Status write_sensitivity(const Sensitivity& sensitivity, const SensitivityReportOptions& options, std::string* out);

}  // namespace et::inspector
