// The panel of source lines: files (source.cpp) or the call tree (source_calls.cpp), beside it the text with its cost
// (source_text.cpp) and the ops of a line.
#pragma once

#include "gui/models/call_tree_model.h"
#include "gui/models/selected_part.h"
#include "gui/models/source_model.h"
#include "gui/panels/panel.h"
#include "inspector/text/format.h"

namespace et::gui {

class SourcePanel : public Panel {
 public:
  void draw(PanelContext& context) override;
  std::string csv() const override { return model_.csv(); }
  bool draw_on(Canvas& canvas) override;
  void commands(CommandList* list) override;
  void* model() override { return &model_; }  ///< SourceModel

  /// Line that is looked at, 0 for none.
  int64_t line() const { return line_; }
  CallTreeModel& calls() { return calls_; }
  /// The row of the call tree that is looked at, as index into its nodes; -1 for none.
  int32_t call() const { return call_; }
  void show_calls(bool yes) { shows_calls_ = yes; }
  std::vector<std::pair<std::string, std::string>> settings() const override;
  void restore(const std::string& key, const std::string& value) override;

 private:
  bool is_in_calls() const;
  /// What is looked at is no line of any file: its ops take the place of the text.
  bool is_without_text() const;
  void draw_right(PanelContext& context);
  void draw_modes();
  void draw_calls(PanelContext& context);
  void draw_calls_tools(PanelContext& context);
  std::string whole_text() const;
  void draw_call_row(PanelContext& context, const CallRow& row, const CallRow** toggled);
  void draw_call_cells(const CallRow& row);
  void call_menu(PanelContext& context, const CallRow& row);
  double time_of_line(const inspector::CostNode& n) const;
  void draw_call_ops(PanelContext& context);
  void draw_call_op(PanelContext& context, const CallOp& part, int columns);
  /// A row of a list of ops with its first cell, which selects the op; `index`: in TraceData::table, -1 for none. The
  /// caller ends it with PopID.
  void begin_op_row(PanelContext& context, const TraceData& data, const inspector::OpEntry& op, int32_t index);
  /// Looks at a node: its line, its ops. `document`: selects them as well, may be null.
  void choose_call(int32_t node, Document* document);
  void refresh_calls(PanelContext& context);
  void look_at_call();
  void follow_line();
  void follow_selection(const Document& document);
  void follow_ops(const Selection& selection);
  /// Which rows stand for what is selected.
  void mark_parts(const Document& document);
  const SelectedPart& part_of_call(int32_t node) const;
  const SelectedPart& part_of_line(int64_t line) const;
  void select_line_of(Document& document, int64_t line);
  void step_hot(Document& document, bool back);
  void step_hottest(Document& document, bool back);
  /// "2nd hottest of 9 lines" of the one that is looked at, "" when it is none of them.
  std::string rank_text() const;
  void draw_files(PanelContext& context);
  void draw_head(PanelContext& context);
  void draw_maps(PanelContext& context);
  void draw_text(PanelContext& context, float height);
  std::string note_of(const inspector::SourceLine* cost) const;
  int64_t longest_note() const;
  /// The chosen line, else that of the call tree's row; 0 for none.
  int64_t looked_at_line() const;
  /// At most `room`: a few lines leave theirs to the ops below.
  float text_height(float room) const;
  void draw_row(PanelContext& context, const SourceRow& row);
  void line_tooltip(const SourceRow& row, const inspector::SourceLine* cost) const;
  void draw_cost(const inspector::SourceLine& cost) const;
  static void draw_text_cells(const SourceRow& row, const std::string& note);
  void scroll_text(float row_height);
  void row_menu(PanelContext& context, const SourceRow& row);
  bool has_line_ops() const;
  void draw_line_ops(PanelContext& context);
  void draw_no_line(PanelContext& context);
  void draw_ops_table(PanelContext& context, const std::vector<LineOp>& ops, double total);

  SourceModel model_;
  CallTreeModel calls_;
  const CallTreeModel::Tree* calls_seen_ = nullptr;
  std::vector<CallOp> call_ops_;
  std::vector<SelectedPart> call_parts_;  ///< by node of the call tree
  LineParts line_parts_;
  const CallTreeModel::Tree* parts_tree_ = nullptr;
  uint64_t parts_selection_ = 0;
  std::string call_query_;
  int32_t call_ = -1;
  bool ops_left_ = false;    ///< of the call tree's line: below it, so that the text has the whole height
  bool ops_beside_ = false;  ///< beside it, so that the text below has the whole width
  bool shows_calls_ = true, scroll_call_ = false;
  inspector::TimeUnit unit_;
  bool coarse_ = false;  ///< a clock that ticks in whole microseconds hides short times
  std::string time_text(double ticks) const;
  std::string map_from_, map_to_, listing_seen_;
  int64_t line_ = 0;
  int asked_step_ = 0, asked_rank_ = 0;
  uint64_t selection_seen_ = 0, unit_version_ = 0;
  bool scroll_ = false, own_click_ = false;
};

/// What a line and all that it calls take, and upon it what its own ops do; `longest` is as long as there is room.
void cost_bar(double self, double inclusive, double longest, ImU32 color);
/// What of a module's path fits into the cell, with all of it as tooltip.
void module_cell(const std::string& path);
/// Heat of a line: the square root lets lines of a few percent be told apart from those without cost.
ImU32 line_heat(double share);

}  // namespace et::gui
