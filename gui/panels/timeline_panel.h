// The panel around the timeline: its bar of tools, mouse and keys, and the table of a range.
#pragma once

#include <string>

#include "gui/panels/panel.h"
#include "gui/panels/timeline_minimap.h"
#include "gui/panels/timeline_painter.h"
#include "gui/panels/timeline_side.h"
#include "gui/widgets/box_walk.h"

namespace et::gui {

class TimelinePanel : public Panel {
 public:
  void draw(PanelContext& context) override;
  std::string csv() const override { return model_ == nullptr ? std::string() : model_->range_csv(); }
  bool draw_on(Canvas& canvas) override;
  void commands(CommandList* list) override;
  std::vector<std::pair<std::string, std::string>> settings() const override;
  void restore(const std::string& key, const std::string& value) override;

  /// A TimelineModel; null before the first frame.
  void* model() override { return model_.get(); }

 private:
  void follow_selection(PanelContext& context);
  void follow_basis(PanelContext& context);
  void draw_regimes(PanelContext& context);
  float regimes_height() const;
  void choose_regime(PanelContext& context, const TimelineRegime& regime, bool chosen);
  void draw_toolbar(PanelContext& context);
  void draw_view_buttons(PanelContext& context);
  void draw_pane_button();
  void draw_view_text();
  void draw_far_note();
  void draw_methods();
  void step_search(bool forward);
  void follow_search(PanelContext& context);
  void draw_search();
  void draw_minimap();
  void draw_drawing(PanelContext& context, float height);
  bool draw_splitter(ImVec2 a, ImVec2 b, bool upright);
  void draw_pane(PanelContext& context);
  int32_t op_of_pane(const PanelContext& context) const;
  void draw_strip(PanelContext& context);
  void use_strip(PanelContext& context, ImVec2 a, ImVec2 b);
  void draw_ruler(PanelContext& context);
  void draw_rows(PanelContext& context, float height);
  void use_rows(PanelContext& context, ImVec2 a, ImVec2 b);
  void use_wheel(ImVec2 a, ImVec2 b);
  /// Executions, modules and slices by keys, and the bars of the strip (timeline_places.cpp).
  BoxWalk walk(ImVec2 a, ImVec2 b);
  BoxWalk walk_strip(ImVec2 a, ImVec2 b);
  void zoom_strip(double factor, double at);
  void pan_strip(double executions);
  void use_keys(PanelContext& context, bool walking);
  static bool own_arrows();
  void choose_execution(PanelContext& context, size_t execution);
  void step_execution(PanelContext& context, int64_t by);
  void fit_selection(const PanelContext& context);
  void click(PanelContext& context);
  void draw_menu(PanelContext& context);
  void draw_open_menu(PanelContext& context);
  void draw_range_menu(PanelContext& context);
  void choose_range(PanelContext& context);
  void show_range(const Selection& range);
  void forget_range(PanelContext& context);
  void bookmark_range(PanelContext& context);
  void choose_op(PanelContext& context, int32_t op, const char* panel);
  std::vector<int32_t> chosen_ops(const PanelContext& context) const;

  std::unique_ptr<TimelineModel> model_;
  TimelinePainter painter_;
  TimelineMinimap minimap_;
  TimelineSide side_;
  /// Where the pane of details is, and its part of the panel.
  enum class Pane : uint8_t { Below, Beside, Hidden };
  Pane pane_ = Pane::Below;
  float pane_part_ = 0.36F;
  std::string filter_;
  bool focus_search_ = false;
  bool text_beside_ = true;  ///< without a search the text of the view is beside the buttons
  float width_ = 0, scroll_ = 0, rows_height_ = 0;
  float cursor_ = -1;  ///< pixels from the left where the mouse is over ruler or rows
  StripRange strip_;
  bool strip_whole_ = true, strip_walked_ = false, map_walked_ = false;
  bool walked_ = false;    ///< a drawing had the ring in the last frame
  int64_t strip_at_ = -1;  ///< execution of the ring
  TimelineHover hover_;
  inspector::WindowSlice menu_slice_;
  int32_t menu_op_ = -1;
  bool dragging_range_ = false, menu_range_ = false, restricted_ = false, forget_wanted_ = false, range_wanted_ = false;
  double range_from_ = 0;
  int64_t chosen_run_ = 0, strip_hover_ = -1;
  int64_t basis_run_ = 0;  ///< that the basis led to, 0: none
  std::string basis_;      ///< that was followed last
  bool basis_seen_ = false;
  std::optional<uint64_t> found_from_;  // steps() when the search was asked for the next match
  static constexpr uint64_t kNeverSeen = 0;
  uint64_t seen_version_ = kNeverSeen, seen_selection_ = 0;
  Selection followed_;
  bool reveal_ = false, ours_ = false;
};

}  // namespace et::gui
