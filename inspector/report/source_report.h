// `et-inspect source`: Python lines with their cost beside them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "inspector/analysis/ops/basis.h"
#include "inspector/store/store.h"
#include "inspector/text/path_maps.h"

namespace et::inspector {

struct SourceOptions {
  std::string file = {};         ///< show only files whose path is this or ends in "/" and this; "" = all
  std::string format = "table";  ///< table, json, csv, tsv or markdown
  PathMaps source_maps = {};     ///< FROM=TO prefixes of paths
  int context = 3;               ///< lines shown around lines with cost, when the file is there
  bool color = false;
  int width = 0;                    ///< of the terminal; 0 = do not cut
  std::string units = "auto";       ///< as for the per-op table
  std::optional<Basis> basis = {};  ///< default: the warm median for people, the sum for programs
};

/// Errors: InvalidArgument (unknown format, no line of `file`), NotFound (no such trace).
Status write_source(const Store&, int64_t trace_id, const SourceOptions&, std::string* out);

}  // namespace et::inspector
