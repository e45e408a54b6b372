// The delegation panel in five files: what is above the tables, strips of instructions, the table of non-delegated
// operators, what delegating more would spare, the other tables.
#pragma once

#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "gui/models/delegation_model.h"
#include "gui/panels/panel.h"
#include "inspector/text/format.h"

namespace et::gui {

// Of the panel's three files.
using inspector::DelegationMap;
using inspector::format_count;
using inspector::format_duration_with_unit;
using inspector::format_share;
using inspector::MapItem;
using inspector::NonDelegatedOp;

/// "12 KB", "unknown" below 0.
inline std::string bytes_text(int64_t bytes) { return bytes < 0 ? "unknown" : inspector::format_bytes(bytes); }

class DelegationPanel : public Panel {
 public:
  void draw(PanelContext& context) override;
  std::string csv() const override { return model_.csv(); }
  bool draw_on(Canvas& canvas) override;
  void* model() override { return &model_; }
  std::vector<std::pair<std::string, std::string>> settings() const override;
  void restore(const std::string& key, const std::string& value) override;
  int32_t chosen_row() const { return chosen_row_; }  ///< of the non-delegated operators; -1: none

 private:
  void refresh(PanelContext& context);
  std::string time(double ticks) const;
  std::string method_name(int32_t map) const;
  static float strip_height() { return std::round(ImGui::GetFontSize() * 3.1F); }
  void draw_maps(PanelContext& context);
  std::string summary(int32_t index) const;
  std::string what_if_line(int32_t index) const;
  void draw_map(PanelContext& context, int32_t index);
  void draw_strip_area(PanelContext& context, int32_t index, float room);
  void move_strip(int32_t index, float room, int32_t item, float at);
  void draw_method_choice();
  void draw_first_look(PanelContext& context, int32_t index);
  void draw_widths(int32_t index);
  std::string missing_note() const;
  void choose(PanelContext& context, int32_t map, int32_t item, const char* panel);
  void follow_selection(PanelContext& context);
  void reveal_on_strip(const Selection& selection, int32_t map);
  void draw_strip(Canvas& canvas, int32_t index, ImVec2 origin, float scale, const Selection& selection);
  static std::string short_backend(const std::string& name);
  void draw_item_tooltip(int32_t index, int32_t number);
  void draw_tabs(PanelContext& context);
  void draw_non_delegated(PanelContext& context);
  void draw_non_delegated_table(PanelContext& context);
  void measure_rows();
  void draw_visible_rows(PanelContext& context);
  void draw_row(PanelContext& context, int i, const inspector::TimeUnit& unit);
  float table_height();
  void sync_order(const std::string& table);
  // The likely reasons of the chosen row.
  void draw_why(PanelContext& context);
  void draw_why_of(PanelContext& context, const NonDelegatedRow& row);
  struct TableColumn {
    const char* title;
    float width;   ///< points; negative: stretches, at least that
    int drop = 0;  ///< where there is no room for all, the largest goes first; 0 stays
    PlaceColumn sort = PlaceColumn::Time;
    const char* help = nullptr;
  };
  static constexpr int kNotShown = 100;
  bool begin_table(const char* id, PlaceList list, const std::vector<TableColumn>& columns);
  /// The selectable part of a row, in its first cell, whose text comes next; `select`: what a click selects.
  bool draw_place(PanelContext& context, const PlaceInMap& place, bool selected,
                  const std::function<Selection()>& select);
  static bool draw_places_menu(PanelContext& context, const std::function<Selection()>& select);
  void draw_what_if(PanelContext& context);
  void draw_what_if_head(bool any_delegate);
  void draw_bound(PanelContext& context, const PlaceInMap& place, double with_above);
  void draw_all_bounds();
  void draw_bound_cells(int32_t map, const inspector::WhatIf& bound, const std::string& reason, double with_above);
  std::string without_backend(std::string name) const;
  void draw_delegates(PanelContext& context);
  void draw_breaks(PanelContext& context);
  void draw_counts(PanelContext& context);
  DelegationModel model_;
  JobHandle job_;
  uint64_t version_ = 0, seen_selection_ = 0, tab_selection_ = 0;
  bool timed_ = true;  ///< false: without an ETDump there are no times
  bool reading_ = false, reveal_ = false, scroll_to_row_ = false, scroll_to_delegate_ = false;
  enum class Tab : uint8_t { None, NonDelegated, Delegates };
  Tab wanted_tab_ = Tab::None;
  bool first_look_ = true;
  int32_t chosen_row_ = -1;
  bool strip_dragged_ = false;
  std::string filter_, error_;
  std::string sorted_table_;  ///< of the non-delegated operators: the one that was drawn last
  // Where rows of the non-delegated operators begin, and what that was measured for.
  std::vector<float> tops_;
  uint64_t tops_version_ = 0;
  float tops_width_ = 0, tops_line_ = 0, reason_width_ = 400;
};

}  // namespace et::gui
