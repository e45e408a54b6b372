// The table of operators as a picture without a window.
#include <algorithm>
#include <vector>

#include "gui/models/operators_rows.h"
#include "gui/panels/operators_panel.h"
#include "gui/panels/operators_table.h"
#include "gui/widgets/drawn_table.h"

namespace et::gui {

// The rows in their order from the first on, with the columns that are shown.
bool OperatorsPanel::draw_on(Canvas& canvas) {
  const OperatorsView& view = model_.view();
  if (model_.data() == nullptr || (view.ops.empty() && view.groups.empty())) return false;
  const TraceData& data = *model_.data();
  const ImVec2 a = canvas.min(), b = canvas.max();
  const float margin = scaled(12), room = b.x - a.x - 2 * margin;
  // No more than a page: the rest is counted.
  const auto most = static_cast<size_t>(std::max(1.0F, (b.y - a.y) / drawn_row_height()));
  std::vector<DrawnColumn> columns;
  std::vector<DrawnRow> rows;
  if (view.query.group) {
    const std::string unit = inspector::unit_heading(view.units.sums);
    columns = {{group_column_title(GroupColumn::Key, *view.query.group), 300},
               {"Backend", 120},
               {"Ops", 64, true},
               {self_title(data) + unit, 100, true},
               {"Share", 130, true},
               {"Mean" + unit, 84, true},
               {"P50" + unit, 84, true},
               {"P99" + unit, 84, true}};
    const auto time = [&](const std::optional<double>& ticks) {
      return DrawnCell{.text = ticks ? inspector::format_duration(*ticks, view.units.sums) : std::string()};
    };
    for (const OperatorsGroup& row : view.groups) {
      rows.emplace_back();
      if (rows.size() > most) continue;
      rows.back() = {{.text = group_title(*view.query.group, row)},
                     {.text = row.runs_in},
                     {.text = inspector::format_count(row.ops)},
                     {.text = inspector::format_duration(row.self, view.units.sums)},
                     {.text = inspector::format_share(row.share), .share = row.share, .bar = theme().kernel},
                     time(row.times.mean),
                     time(row.times.p50),
                     time(row.times.p99)};
    }
  } else {
    std::vector<const OpColumnSpec*> shown;
    for (const OpColumnSpec& spec : op_columns()) {
      if (!enabled_[static_cast<size_t>(spec.column)]) continue;
      const bool text = spec.kind == ColumnKind::Text;
      shown.push_back(&spec);
      const std::string title = op_column_heading(spec, view.units, *model_.data());
      columns.push_back({title.substr(0, title.find("##")),
                         spec.column == OpColumn::Name ? 250.0F
                         : text                        ? 170.0F
                                                       : 84.0F,
                         !text});
    }
    for (const int32_t index : view.ops) {
      rows.emplace_back();
      if (rows.size() > most) continue;
      const inspector::OpEntry& op = data.shown_op(index);
      for (const OpColumnSpec* spec : shown) {
        DrawnCell cell;
        cell.text = spec->column == OpColumn::Name    ? op_label(data.shown, op)
                    : spec->column == OpColumn::Types ? op_types_in_short(data.shown, op)
                    : spec->text != nullptr           ? view.text_of(data, op, spec->column)
                                                      : op_cell(data.shown, op, spec->column, view.units);
        if (spec->column == OpColumn::Name) cell.square = op_color(data, index);
        if (spec->column == OpColumn::Name && op.encloses) cell.color = theme().muted;
        if (spec->column == OpColumn::Share) {
          if (const auto share = view.share_of(data, op)) {
            cell.share = *share;
            cell.text = inspector::format_share(*share);
          }
          cell.bar = op_color(data, index);
        }
        rows.back().push_back(std::move(cell));
      }
    }
  }
  draw_table(canvas, {a.x + margin, a.y + margin}, room, b.y - margin, columns, rows);
  return true;
}

}  // namespace et::gui
