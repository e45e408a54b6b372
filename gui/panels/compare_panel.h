// The panel Compare: the choice of the other side and the answer (compare.cpp), the table of ops (compare_table.cpp),
// both executions on one axis (compare_timeline.cpp).
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gui/models/compare_model.h"
#include "gui/models/timeline_view.h"
#include "gui/panels/panel.h"
#include "gui/widgets/box_walk.h"

namespace et::gui {

class ComparePanel : public Panel {
 public:
  void draw(PanelContext& context) override;
  void update(Document& document) override;
  void attach(Document& document) override { document_ = &document; }
  std::string csv() const override { return const_cast<CompareModel&>(model_).csv(); }
  std::string markdown() const override { return model_.markdown(); }
  bool draw_on(Canvas& canvas) override;
  void commands(CommandList* list) override;
  void* model() override { return &model_; }  ///< CompareModel

  const TimelineView& view() const { return view_; }
  int32_t chosen() const { return chosen_; }

 private:
  void draw_choice(PanelContext& context);
  void draw_start(PanelContext& context);
  void draw_sides(PanelContext& context);
  void draw_state(PanelContext& context);
  void draw_answer(PanelContext& context);
  void draw_shares(PanelContext& context, const std::string& of, double all,
                   const std::vector<inspector::DiffShare>& shares);
  void draw_changes();
  void choose(PanelContext& context, int32_t group, const char* panel);
  void choose_share(PanelContext& context, const inspector::DiffShare& share);

  void draw_table(PanelContext& context);
  void draw_tools(PanelContext& context);
  void draw_row(PanelContext& context, int32_t group, bool inside);
  void draw_band(const CompareBand& band);
  void draw_grouping();
  struct Line {
    int32_t band = -1, row = -1;  ///< a band of its own, or a row, in a band or in none
  };
  std::vector<Line> table_lines();
  void draw_row_menu(PanelContext& context, int32_t group);
  void sort_as_asked();

  struct Lanes;
  struct LaneName;
  const CompareMethod* shown_method() const;
  Lanes lanes_in(ImVec2 a, ImVec2 b) const;
  void show_method(size_t method);
  void draw_method_choice();
  void draw_lanes(PanelContext& context, float height);
  void paint_lanes(Canvas& canvas, const Lanes& at, int32_t hovered) const;
  void paint_lane(Canvas& canvas, const Lanes& at, bool after, int32_t hovered) const;
  void paint_links(Canvas& canvas, const Lanes& at, int32_t hovered) const;
  std::vector<WalkBox> walk_boxes(const Lanes& at) const;
  /// What the mouse is on: a slice of one of the lanes.
  struct LaneHit {
    const CompareSlice* slice = nullptr;
    bool after = false, call = false;
    int32_t group() const { return slice == nullptr ? -1 : slice->group; }
  };
  LaneHit hit_lanes(const Lanes& at, ImVec2 mouse) const;
  void use_lanes(PanelContext& context, const Lanes& at, const LaneHit& hit);
  std::vector<LaneName> lane_names(const CompareLane& lane, bool after) const;
  void draw_lane_names(Canvas& canvas, const Lanes& at, float left) const;
  void group_tooltip(int32_t group) const;
  void facts_tooltip(int32_t group, const CompareModel::Facts& facts) const;
  void draw_same(PanelContext& context);
  void measure_names();
  std::vector<bool> shown_columns() const;

  Document* document_ = nullptr;
  CompareModel model_;
  TimelineView view_;
  uint64_t version_ = 0, seen_selection_ = 0;
  size_t method_ = 0;
  int32_t chosen_ = -1;
  std::vector<int32_t> marked_;  // groups that are selected, sorted: of a module several
  bool is_marked(int32_t group) const;
  bool scroll_ = false, copy_wanted_ = false, lanes_focused_ = false;
  CompareGrouping by_ = CompareGrouping::None;
  std::set<std::string> open_bands_;
  std::vector<CompareBand> bands_;
  float op_width_ = 0, module_width_ = 0, delegate_width_ = 0;  // of the longest names of the rows
  std::pair<uint64_t, float> measured_;                         // comparison and size of the font that they are of
  std::string path_;
};

/// Of its operator type, the same on both sides.
ImU32 group_color(const inspector::DiffGroup& group);
/// Colour of a change: slower or faster, muted where it is neither for sure.
ImU32 change_color(const inspector::DiffGroup& group);

}  // namespace et::gui
