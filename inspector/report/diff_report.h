// `et-inspect diff`: what changed between two traces, and what explains it.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "inspector/analysis/diff/trace_changes.h"
#include "inspector/analysis/diff/trace_diff.h"

namespace et::inspector {

/// What people have to know of a trace to trust a comparison; "" where it is not known.
struct DiffSource {
  std::string name;  ///< as the user called it
  std::string cpu, build, threads, producer;
  std::vector<std::string> errors;  ///< an ETRecord or program of another model: what it names is no answer
};
/// Errors: InvalidExternalData (damaged store).
Status diff_source(const Store& store, int64_t trace_id, const std::string& name, DiffSource* out);

struct DiffReportOptions {
  std::string format = "table";  ///< table, json, csv, tsv or markdown; csv and tsv have all groups
  std::string units = "auto";
  int64_t top = 15;  ///< rows that people see; negative: all
  bool color = false;
  int width = 0;  ///< of the terminal; 0 = do not cut
};

/// Errors: InvalidArgument (unknown format or unit).
Status write_diff(const TraceDiff& diff, const TraceChanges& changes, const DiffSource& before, const DiffSource& after,
                  const DiffReportOptions& options, std::string* out);

/// "before: the ETRecord is another model's …": to be said before anything else.
std::vector<std::string> source_errors(const DiffSource& before, const DiffSource& after);

/// Differences of the machines, which explain more than any op: "another processor: A before, B after".
std::vector<std::string> source_warnings(const DiffSource& before, const DiffSource& after);

}  // namespace et::inspector
