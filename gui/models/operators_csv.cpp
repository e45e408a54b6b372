// The table of operators as CSV.
#include <array>
#include <cmath>

#include "gui/models/operators_model.h"

namespace et::gui {
namespace {

using inspector::OpEntry;

inspector::Column table_column(const OpColumnSpec& spec, const inspector::TimeUnit& ticks) {
  using inspector::CellKind;
  static constexpr std::array<CellKind, 4> kKinds = {CellKind::Text, CellKind::Integer, CellKind::Duration,
                                                     CellKind::Share};
  return {.title = spec.title, .kind = kKinds[static_cast<size_t>(spec.kind)], .key = spec.id, .unit = ticks};
}

}  // namespace

std::string operators_csv(const TraceData& data, const OperatorsView& view, const std::vector<OpColumn>& columns) {
  using inspector::Cell;
  using inspector::CellKind;
  inspector::Table out;
  inspector::TimeUnit ticks;
  (void)inspector::choose_unit(data.unit(), data.unit(), 0, &ticks);
  if (view.query.group) {
    out.columns = {{.title = inspector::group_by_name(*view.query.group)},
                   {.title = "detail"},
                   {.title = "ops", .kind = CellKind::Integer},
                   {.title = "samples", .kind = CellKind::Integer},
                   {.title = "self", .kind = CellKind::Duration, .key = "self", .unit = ticks},
                   {.title = "share", .kind = CellKind::Share},
                   {.title = "mean", .kind = CellKind::Duration, .key = "mean", .unit = ticks},
                   {.title = "p50", .kind = CellKind::Duration, .key = "p50", .unit = ticks},
                   {.title = "p99", .kind = CellKind::Duration, .key = "p99", .unit = ticks},
                   {.title = "inner", .kind = CellKind::Duration, .key = "inner", .unit = ticks},
                   {.title = "max", .kind = CellKind::Duration, .key = "max", .unit = ticks},
                   {.title = "cold", .kind = CellKind::Duration, .key = "cold", .unit = ticks},
                   {.title = "backend"},
                   {.title = "shapes"}};
    for (const OperatorsGroup& row : view.groups) {
      out.add({row.key, row.detail, row.ops, row.shown_samples, row.self, row.share, inspector::cell(row.times.mean),
               inspector::cell(row.times.p50), inspector::cell(row.times.p99), row.inner,
               inspector::cell(row.times.max), inspector::cell(row.cold), row.runs_in, row.shapes.value_or("")});
    }
  } else {
    bool foreign = false;
    for (const int32_t i : view.ops) foreign = foreign || data.shown_op(i).unit != data.table.unit;
    for (const OpColumn c : columns) out.columns.push_back(table_column(op_column(c), ticks));
    if (foreign) out.columns.push_back({.title = "unit"});
    for (const int32_t i : view.ops) {
      const OpEntry& op = data.shown_op(i);
      std::vector<Cell> cells;
      for (const OpColumn c : columns) {
        const OpColumnSpec& spec = op_column(c);
        if (spec.text != nullptr) {
          cells.emplace_back(view.text_of(data, op, c));
        } else {
          const std::optional<double> v = c == OpColumn::Share ? view.share_of(data, op) : spec.number(data.shown, op);
          const bool whole = v && std::abs(*v) < 9e15 && std::floor(*v) == *v && spec.kind != ColumnKind::Share;
          cells.push_back(!v ? Cell() : (whole ? Cell(static_cast<int64_t>(*v)) : Cell(*v)));
        }
      }
      if (foreign) cells.emplace_back(op.unit);
      out.add(std::move(cells));
    }
  }
  std::string text;
  if (const Status status = out.write({.format = "csv"}, &text); !status.ok()) return {};
  return text;
}

}  // namespace et::gui
