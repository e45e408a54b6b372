// The panel of operators: what is asked for (operators_toolbar.cpp), a table of ops (operators_table.cpp) or of groups
// (operators_groups.cpp), and the samples and nodes of the op that is selected (operators_detail.cpp), or the sums and
// ops of the group (operators_group_detail.cpp).
#pragma once

#include "gui/models/group_samples.h"
#include "gui/models/operators_model.h"
#include "gui/models/samples_model.h"
#include "gui/models/selected_part.h"
#include "gui/panels/panel.h"

namespace et::gui {

/// What rows are of.
struct Grouping {
  std::optional<inspector::GroupBy> by;
  bool by_shapes = false, repeats = false;
  bool operator==(const Grouping&) const = default;
};

class OperatorsPanel : public Panel {
 public:
  void draw(PanelContext& context) override;
  OperatorsPanel() { model_.query.group = kFirstGroup; }
  void update(Document& document) override;
  void asked(Document& document) override;
  std::string csv() const override;
  bool draw_on(Canvas& canvas) override;
  void commands(CommandList* list) override;

  void* model() override { return &model_; }  ///< OperatorsModel
  std::vector<std::pair<std::string, std::string>> settings() const override;
  void restore(const std::string& key, const std::string& value) override;
  const SamplesModel& samples() const { return samples_; }
  const GroupSamplesModel& group_samples() const { return group_samples_; }
  /// The op that details are of; of a group the costliest.
  int32_t detail_op() const { return detail_op_; }

 private:
  /// Which operators cost most is the first question; which of its ops, the second.
  static constexpr inspector::GroupBy kFirstGroup = inspector::GroupBy::Type;

  /// Whether a column of groups is shown: as there is room, or as the user said.
  enum class ColumnChoice : uint8_t { Fitting, On, Off };

  void choose_group(const Grouping& grouping);
  void show_single(OpsOfGroup only);
  void draw_toolbar(PanelContext& context);
  void draw_filter(float behind);
  void draw_method_choice(const TraceData& data);
  void draw_only();
  void draw_summary(const PanelContext& context);
  void draw_selected(const TraceData& data, const Selection& selection) const;
  void draw_columns_menu();
  void draw_group_columns_menu();
  void copy(PanelContext& context) const;

  void draw_ops(PanelContext& context, float height);
  void choose_columns(const std::array<bool, kOpColumns>& fitting);
  void draw_op_row(PanelContext& context, int row);
  void draw_total_row(int name, int self, int share) const;
  void op_menu(PanelContext& context, const inspector::OpEntry& op);
  void scroll_to_selection(const Document& document);
  void draw_groups(PanelContext& context, float height);
  std::array<float, kGroupColumns> group_widths(float room) const;
  void scroll_to_group(const Selection& chosen);
  float rows_height() const;  // with header and total
  bool is_shown_group(const Selection& chosen, const OperatorsGroup& row) const;
  void draw_group_times(const OperatorsGroup& row) const;
  void draw_group_row(PanelContext& context, const OperatorsGroup& row, int number);

  /// The one that was clicked, else the first; nullptr without any.
  const OperatorsGroup* shown_group(const Selection& chosen) const;
  bool is_of_group(const Selection& chosen) const;
  void mark_groups(const Selection& chosen, uint64_t version);
  void draw_detail(PanelContext& context, int32_t op);
  /// Of an op or a group, whose `figures` the marks are; `what` tells whether another one is drawn than in the frame
  /// before. True when the samples beyond the axis were clicked.
  bool draw_samples(const SamplesView* view, const Status& status, const inspector::OpEntry& figures, const char* none,
                    std::pair<bool, int32_t> what, ImVec2 size);
  /// Of nodes or ops beside the plots; 0 where there is no room for it.
  static float list_width(float room);
  void draw_nodes(PanelContext& context, const inspector::OpEntry& op);
  void draw_group_detail(PanelContext& context, const OperatorsGroup& group);
  void draw_group_ops(PanelContext& context, const OperatorsGroup& group);

  OperatorsModel model_;
  SamplesModel samples_;
  GroupSamplesModel group_samples_;
  std::string filter_;
  std::optional<OpColumn> toggled_;  // by the menu: the table takes it when it is drawn
  std::array<bool, kOpColumns> enabled_{}, set_columns_{};
  bool own_columns_ = false, columns_set_ = false;  // chosen by the user; set_columns_ are those of the last frame
  uint64_t selection_seen_ = 0, rows_seen_ = 0, group_selection_ = 0;
  bool group_click_ = false;  // on a row of groups, in the last frame
  std::array<ColumnChoice, kGroupColumns> group_columns_{};
  std::array<bool, kGroupColumns> group_columns_shown_{};
  bool scroll_ = false, logarithmic_ = false, last_logarithmic_ = false, own_click_ = false, copy_wanted_ = false;
  Grouping chosen_group_ = {kFirstGroup};       // by the user: kept between sessions
  WantedGroup group_;                           // the one shown: by its key while the rows are grouped so
  std::map<std::string, SelectedPart> marked_;  // groups that have selected ops
  uint64_t marked_selection_ = 0, marked_rows_ = 0;
  bool scroll_group_ = false;                       // to it, as soon as its row is there
  std::pair<bool, int32_t> plotted_ = {false, -1};  // whether it is a group, and which
  int32_t detail_op_ = -1;
  float detail_height_ = 0;
  bool detail_chosen_ = false;  // its height, by the user
};

/// The op that details are shown of: the one selected, or the costliest of several. -1 for none.
int32_t op_of_selection(const TraceData& data, const Selection& selection);
void op_tooltip(const TraceData& data, const inspector::OpEntry& op, const OpUnits& units,
                const std::string& shapes = {});
/// With the figures of all columns, shown or not.
void op_facts_tooltip(const TraceData& data, const inspector::OpEntry& op, const OperatorsView& view);
/// The colour of its operator type; of its part where it has none.
ImU32 op_color(const TraceData& data, int32_t op);

}  // namespace et::gui
