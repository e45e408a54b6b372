// The main report of et-inspect: what was run, what the import met, the per-op table, delegated or not, unattributed.
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

struct ReportOptions {
  std::string format = "table";  // table, csv, tsv, markdown or json (docs/json-schema-1.json)
  std::string sort = {};      // cost, self, total, order, name, count, mean, p50, p99 or max; "": cost, for json order
  std::string group_by = {};  // "", or a name of parse_group_by
  std::string filter = {};    // see inspector/analysis/ops/filter.h
  std::optional<Basis> basis = {};  // default: the warm median for people, the sum for programs
  std::string units = "auto";       // auto, ns, us, ms, s or cycles; json has its own, always the trace's
  int64_t top = -1;                 // rows of the per-op table, the rest in one row; negative: all
  bool samples = false;             // json: every single measurement of every op
  bool color = false;
  int width = 0;              // columns of the terminal; 0: not a terminal, 120 are used
  bool values = false;        // logged values of debug events (json; table: a section)
  PathMaps source_maps = {};  // prefix of recorded source paths -> what to show
};

/// Appends the report on the trace to `out`.
/// Errors: InvalidArgument for options that make no sense and for a trace that the store does not hold; the message
/// says what there is. AccessFailed when the store cannot be read.
Status write_main_report(const Store& store, int64_t trace_id, const ReportOptions& options, std::string* out);

}  // namespace et::inspector
