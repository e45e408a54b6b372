#include "inspector/report/main_report.h"

#include <algorithm>

#include "inspector/analysis/ops/filter.h"
#include "inspector/analysis/ops/group.h"
#include "inspector/analysis/ops/op_table.h"
#include "inspector/analysis/ops/summary.h"
#include "inspector/report/json_report.h"
#include "inspector/report/main_report_ops.h"
#include "inspector/report/main_report_text.h"
#include "inspector/store/foreign_files.h"
#include "inspector/text/format.h"
#include "inspector/text/table.h"

namespace et::inspector {
namespace {

// csv and tsv: every op, every column, in the unit that was asked for or the trace's own.
Status write_full_table(const OpTable& table, const Filter& filter, SortKey sort, const ReportOptions& options,
                        std::string* out) {
  TimeUnit unit;
  Status status = choose_unit(options.units == "auto" ? table.unit : options.units, table.unit, 0, &unit);
  if (!status.ok()) return status;
  TableOptions table_options;
  table_options.format = options.format;
  return full_table(table, selected_ops(table, filter, sort, options.top), unit).write(table_options, out);
}

}  // namespace

Status write_main_report(const Store& store, int64_t trace_id, const ReportOptions& options, std::string* out) {
  // Options first: a wrong one is told before anything is read.
  if (!is_table_format(options.format)) {
    return {Error::InvalidArgument, "--format '" + options.format + "': expected table, json, csv, tsv or markdown"};
  }
  const bool json = options.format == "json";
  TextReportInput text;
  Filter filter;
  Status status = parse_sort_key(options.sort, json ? SortKey::Order : SortKey::Cost, &text.sort);
  if (status.ok()) status = Filter::parse(options.filter, &filter);
  if (status.ok() && !options.group_by.empty()) {
    GroupBy by = GroupBy::Op;
    status = parse_group_by(options.group_by, &by);
    text.group_by = by;
  }
  if (!status.ok()) return status;

  OpTable table, shown;
  TraceFacts summary;
  const bool for_people = options.format == "table" || options.format == "markdown";
  // Programs get upstream's blocks with their sums; groups, where a basis is asked for, and costs are on the basis.
  const OpTableOptions wanted{options.source_maps, true, options.basis.value_or(Basis())};
  const bool on_basis = for_people || (!json && text.group_by && options.basis);
  status = on_basis ? load_shown_ops(store, trace_id, wanted, &table)
                    : load_op_table(store, trace_id, options.source_maps, &table);
  if (status.ok() && json) status = load_shown_ops(store, trace_id, wanted, &shown);
  if (status.ok()) status = load_summary(store, table, &summary);
  TimeUnit unit;  // json has its own units, but a wish that cannot be is still a mistake
  if (status.ok()) status = choose_unit(options.units, table.unit, 0, &unit);
  if (!status.ok()) return status;

  text.table = &table;
  text.summary = &summary;
  text.filter = &filter;
  text.options = &options;
  if (json) {
    JsonReportInput input;
    input.table = &table;
    input.shown = &shown;
    input.grouped = options.basis ? &shown : &table;
    input.summary = &summary;
    input.ops = selected_ops(table, filter, text.sort, options.top);
    input.filter = &filter;
    input.group_by = text.group_by;
    input.source_maps = options.source_maps;
    input.samples = options.samples;
    input.values = options.values;
    return write_json_report(store, input, out);
  }
  if (options.format == "table") return write_text_report(store, text, out);
  if (options.format == "markdown") *out += foreign_files(store, trace_id).head();
  if (text.group_by) {
    Table groups;
    status = group_table(store, text, options.format == "markdown", &groups);
    if (!status.ok()) return status;
    if (options.format == "markdown")
      *out += std::string("### Cost by ") + group_by_name(*text.group_by) + ": " + table.basis_text() + "\n\n";
    TableOptions table_options;
    table_options.format = options.format;
    return groups.write(table_options, out);
  }
  if (options.format == "markdown") return write_markdown_report(text, out);
  return write_full_table(table, filter, text.sort, options, out);
}

}  // namespace et::inspector
