// `et-inspect gap`: how far the logged values of a run are from those of a good one.
#pragma once

#include <string>

#include "base/status.h"
#include "inspector/analysis/gap/gap.h"

namespace et::inspector {

struct GapReportOptions {
  std::string format = "table";  ///< table, json, csv, tsv or markdown; csv, tsv and json have all rows
  GapOrder order = GapOrder::Execution;
  int64_t top = 20;  ///< rows that people see; negative: all
  bool color = false;
  int width = 0;  ///< of the terminal; 0 = do not cut
};

/// Errors: InvalidArgument (unknown format).
Status write_gap(const Gap& gap, const GapSide& run, const GapSide& reference, const GapReportOptions& options,
                 std::string* out);

/// "[0, 3, 1]": where in a tensor of that shape the element stands.
std::string element_place(const std::vector<int32_t>& shape, int64_t element);

}  // namespace et::inspector
