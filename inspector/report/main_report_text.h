// The main report for people: sections of text and tables on a terminal. What it says is computed elsewhere.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "inspector/analysis/ops/group.h"
#include "inspector/analysis/ops/op_table.h"
#include "inspector/analysis/ops/summary.h"
#include "inspector/report/main_report.h"
#include "inspector/report/main_report_ops.h"

namespace et::inspector {

struct TextReportInput {
  const OpTable* table = nullptr;
  const TraceFacts* summary = nullptr;
  const Filter* filter = nullptr;
  const ReportOptions* options = nullptr;
  SortKey sort = SortKey::Cost;
  std::optional<GroupBy> group_by;
};

/// The whole report, as --format table shows it. Errors: InvalidArgument for a unit that does not fit the trace.
Status write_text_report(const Store& store, const TextReportInput& input, std::string* out);

/// The per-op tables alone, as --format markdown shows them.
Status write_markdown_report(const TextReportInput& input, std::string* out);

/// The table of --group-by, for every format. `notes`: sentences below it, may be null.
/// Errors: as above, InvalidExternalData (damaged store).
Status group_table(const Store& store, const TextReportInput& input, bool for_people, Table* out,
                   std::vector<std::string>* notes = nullptr);

}  // namespace et::inspector
