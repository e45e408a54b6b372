// `et-inspect roofline`: what each op achieved, and what keeps it from being faster.
#pragma once

#include <string>

#include "base/status.h"
#include "inspector/analysis/work/roofline.h"

namespace et::inspector {

struct RooflineReportOptions {
  std::string format = "table";  ///< table, json, csv, tsv or markdown; csv and tsv have all rows
  std::string units = "auto";
  int64_t top = 20;  ///< rows that people see; negative: all
  bool color = false;
  int width = 0;  ///< of the terminal; 0 = do not cut
};

/// `machine`: null when the roofs are not known. `trace_cpu`: where the trace was made, "" when that is unknown.
/// Errors: InvalidArgument (unknown format or unit).
Status write_roofline(const Roofline& roofline, const MachinePeaks* machine, const std::string& trace_cpu,
                      const RooflineReportOptions& options, std::string* out);

}  // namespace et::inspector
