// Checks as text and tables: the history of each check, and the verdicts of one call of et-check.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "inspector/analysis/checks/check_history.h"
#include "inspector/store/store.h"

namespace et::inspector {

struct CheckReportOptions {
  std::string format = "table";  // table, csv, tsv, markdown or json
  std::string units = "auto";    // of times in a table: auto, ns, us, ms or s; other formats have ns
  bool ops = false;              // history: the ops of the newest traced run of each check, instead of its runs
  bool color = false;
  int width = 0;  // columns of the terminal; 0: not a terminal
};

/// Appends a line for each run of each check that fits; in a table grouped by check, with its course in small.
/// Errors: NotFound (the store has no checks), InvalidArgument (none fits, with a list of those there are; an unknown
/// format or unit), InvalidExternalData (damaged store).
Status write_check_history(const Store& store, const CheckQuery& query, const CheckReportOptions& options,
                           std::string* out);

/// Appends the cases of these runs with their verdicts, and why they failed.
/// Errors: as above.
Status write_check_runs(const Store& store, const std::vector<int64_t>& check_run_ids,
                        const CheckReportOptions& options, std::string* out);

/// The rows of write_check_history as CSV.
std::string check_history_csv(const std::vector<const CheckSeries*>& all);

/// The newest run of a store by time, 0 when it has none.
int64_t newest_check_run(const Store& store);

/// A small drawing of a course, one character a run: ▁ to █ by value, × where there is none and the run failed, a space
/// where there is none.
std::string sparkline(const std::vector<std::optional<double>>& values, const std::vector<bool>& failed);

/// "passed", "failed: values", "failed: slower".
std::string verdict_text(const CheckPoint& point);
/// "2026-11-19 02:00:00"
std::string time_text(const std::string& started);

}  // namespace et::inspector
