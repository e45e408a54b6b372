// The export formats of `et-inspect export`: a line each in exporters.def, a file each. docs/exports.md says what the
// formats contain, CONTRIBUTING.md how to add one.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "inspector/store/store.h"
#include "inspector/text/path_maps.h"

namespace et::inspector {

struct ExportOptions {
  int64_t max_executions = 0;  ///< export at most so many runs, from the first one on; 0 = all
  std::string stacks = {};     ///< python or ops; "" for what is usual in the format
  PathMaps source_maps = {};   ///< for exporters that show source text (html) or name files (speedscope)
};

struct Exporter {
  const char* name;         ///< as the command line knows it
  const char* extension;    ///< usual ending of the file, without a dot
  const char* stacks;       ///< ExportOptions::stacks when nothing was asked for; "" for a format without stacks
  const char* description;  ///< one line for --help
  /// Writes one trace. Errors: NotFound (no such trace), AccessFailed (the stream refuses), InvalidExternalData (the
  /// store is damaged). Memory does not grow with the number of samples.
  Status (*write)(const Store&, int64_t trace_id, const ExportOptions&, std::ostream&);
};

/// All export formats, in the order in which --help shows them.
std::span<const Exporter> exporters();
/// The exporter of that name, nullptr when there is none.
const Exporter* find_exporter(std::string_view name);

}  // namespace et::inspector
