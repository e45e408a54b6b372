// The result of a query: rows that can be sorted and lead to ops, or a chart of two columns.
#pragma once

#include <cstdint>

#include "gui/models/sql_model.h"
#include "gui/panels/panel.h"
#include "gui/widgets/box_walk.h"

namespace et::gui {

class SqlTable {
 public:
  void draw(PanelContext& context, SqlModel& model);
  bool raw = false;  ///< numbers as the query gives them, else times and shares with their units

 private:
  /// Widths of the columns, of a new result.
  void measure(const SqlModel& model, const std::string& unit);
  void draw_head(const inspector::SqlResult& result, const std::string& unit, size_t stretched_column) const;
  void draw_cell(const SqlModel& model, size_t row, size_t column, const std::string& unit) const;
  int64_t chosen_ = -1;  // row of the result
  uint64_t version_ = 0;
  bool drawn_raw_ = false;
  std::vector<float> widths_;  // of columns, at first
  std::vector<SqlContent> contents_;
};

class SqlChartView {
 public:
  void draw(SqlModel& model, const std::string& unit);  ///< unit "": numbers as they are

 private:
  enum class Kind : uint8_t { Bars, Line, Scatter };
  void draw_choices(const SqlModel& model);
  std::vector<WalkBox> walk_boxes() const;
  void draw_plot(const SqlModel& model);
  void draw_bars(const SqlModel& model, const std::string& unit);

  Kind kind_ = Kind::Bars;
  int x_ = -1, y_ = -1;
  uint64_t version_ = 0, charted_ = 0;
  Kind charted_kind_ = Kind::Bars;
  int charted_x_ = -2, charted_y_ = -2;
  int chosen_ = -1;  ///< of the bars
  bool fit_ = true;
  SqlChart chart_;
};

}  // namespace et::gui
