// The result of a query: rows that can be sorted, copied and lead to ops, or a chart of two columns.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gui/models/sql_model.h"
#include "gui/panels/panel.h"
#include "gui/widgets/box_walk.h"

namespace et::gui {

/// Selects what a row names in all panels; `lead`: in the panel that shows it best, too.
void select_sql_row(PanelContext& context, const SqlModel& model, size_t row, bool lead);

class SqlTable {
 public:
  void draw(PanelContext& context, SqlModel& model);
  bool raw = false;  ///< numbers as the query gives them, else times and shares with their units

 private:
  /// Widths of the columns, of a new result.
  void measure(const SqlModel& model, const std::string& unit);
  void draw_head(const inspector::SqlResult& result, const std::string& unit, size_t stretched_column) const;
  void draw_row(PanelContext& context, const SqlModel& model, size_t row, const std::string& unit);
  void draw_cell(const SqlModel& model, size_t row, size_t column, const std::string& unit) const;
  void draw_menu(PanelContext& context, const SqlModel& model, size_t row, const std::string& unit);
  int64_t chosen_ = -1;     // row of the result
  size_t menu_column_ = 0;  // of the cell that the menu was opened on
  uint64_t version_ = 0;
  bool drawn_raw_ = false;
  std::vector<float> widths_;  // of columns, at first
  std::vector<SqlContent> contents_;
};

class SqlChartView {
 public:
  /// unit "": numbers as they are
  void draw(PanelContext& context, SqlModel& model, const std::string& unit);

 private:
  enum class Kind : uint8_t { Bars, Line, Scatter };
  /// What formats the ticks of an axis.
  struct Axis {
    SqlMeasure measure = SqlMeasure::Other;
    SqlRange seen;  ///< in the last frame
    double largest() const;
  };
  static int write_tick(double value, char* out, int size, void* axis);
  void draw_choices(const SqlModel& model);
  std::vector<WalkBox> walk_boxes() const;
  void draw_plot(PanelContext& context, const SqlModel& model, const std::string& unit);
  void setup_axes(const SqlModel& model, const std::string& unit);
  void setup_label_ticks() const;
  /// The point under the mouse; -1 without.
  int64_t point_at_mouse() const;
  void draw_bars(PanelContext& context, const SqlModel& model, const std::string& unit);
  /// As the table shows it; of column -1 the row's number.
  std::string cell_of_point(const SqlModel& model, int column, size_t point, const std::string& unit) const;

  Kind kind_ = Kind::Bars;
  int x_ = -1, y_ = -1;
  uint64_t version_ = 0, charted_ = 0;
  Kind charted_kind_ = Kind::Bars;
  int charted_x_ = -2, charted_y_ = -2;
  int64_t chosen_ = -1;  ///< of the bars and points
  bool fit_ = true;
  Axis x_axis_, y_axis_;
  SqlChart chart_;
};

}  // namespace et::gui
