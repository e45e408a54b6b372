// The panel of source lines: files (source.cpp), the text with its cost and the ops of a line (source_text.cpp).
#pragma once

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

 private:
  void follow_selection(const Document& document);
  void select_line_of(Document& document, int64_t line);
  void step_hot(Document& document, bool back);
  void draw_files(PanelContext& context);
  void draw_head(PanelContext& context);
  void draw_maps(PanelContext& context);
  void draw_text(PanelContext& context, float height);
  void draw_row(PanelContext& context, const SourceRow& row);
  void line_tooltip(const SourceRow& row, const inspector::SourceLine* cost) const;
  void draw_cost(const inspector::SourceLine& cost) const;
  static void draw_text_cells(const SourceRow& row);
  void row_menu(PanelContext& context, const SourceRow& row);
  void draw_line_ops(PanelContext& context);
  void draw_no_line(PanelContext& context);
  void draw_ops_table(PanelContext& context, const std::vector<LineOp>& ops, double total);

  SourceModel model_;
  inspector::TimeUnit unit_;
  std::string map_from_, map_to_, listing_seen_;
  int64_t line_ = 0;
  int asked_step_ = 0;
  uint64_t selection_seen_ = 0, unit_version_ = 0;
  bool scroll_ = false, own_click_ = false;
};

}  // namespace et::gui
