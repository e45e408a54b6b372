// `et-inspect size`: where a program's bytes are, or what changed against another one.
#pragma once

#include <string>

#include "base/status.h"
#include "inspector/analysis/size/size_diff.h"

namespace et::inspector {

struct SizeReportOptions {
  std::string format = "table";  ///< table, json, csv, tsv or markdown; csv and tsv have the entries
  int64_t top = 10;              ///< entries that people see; negative: all
  bool color = false;
  int width = 0;  ///< of the terminal; 0 = do not cut
};

/// Errors: InvalidArgument (unknown format).
Status write_size(const ProgramSize& size, const SizeReportOptions& options, std::string* out);
Status write_size_diff(const SizeDiff& diff, const SizeReportOptions& options, std::string* out);

}  // namespace et::inspector
