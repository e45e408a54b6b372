// The panel Numerics: what its parts share.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gui/models/numerics_model.h"
#include "gui/panels/panel.h"

namespace et::gui {

/// What feeds the ETRecord's graph.
enum class NumericsFeed : uint8_t { Record, Ones, Zeros, Random, Files, Cases };

class NumericsPanel : public Panel {
 public:
  void draw(PanelContext& context) override;
  std::string csv() const override { return model_.csv(); }
  std::string markdown() const override { return model_.markdown(); }
  void* model() override { return &model_; }
  std::vector<std::pair<std::string, std::string>> settings() const override;
  /// Also the options of the command line that say what is compared: "against", "input", "ones" and so on.
  void restore(const std::string& key, const std::string& value) override;
  /// Recorded tensors become the reference.
  bool take_dropped(Document& document, const std::string& path) override;

 private:
  // numerics_choices.cpp
  void draw_choices(PanelContext& context);
  void draw_against(PanelContext& context);
  void draw_inputs(PanelContext& context);
  void draw_execution(PanelContext& context);
  void draw_metric();
  // numerics.cpp
  bool draw_state(PanelContext& context);
  void draw_no_values();
  void draw_summary(PanelContext& context);
  void offer_inputs(PanelContext& context);
  void draw_compared(PanelContext& context);
  // numerics_table.cpp
  void draw_rows(PanelContext& context, ImVec2 size);
  void draw_row(PanelContext& context, size_t row);

  NumericsModel model_;
  std::string paths_, inputs_text_;         ///< as they are typed
  std::string found_inputs_;                ///< what the text is, as long as nobody typed another
  std::optional<NumericsFeed> typed_feed_;  ///< chosen, and what it needs is not typed yet
  NumericsColumn sort_ = NumericsColumn::Order;
  bool descending_ = false, scroll_ = false, log_counts_ = true;
  NumericsMetric drawn_metric_ = NumericsMetric::Error;
  const void* drawn_ = nullptr;  ///< what the plot's axes are of
};

/// The error along the graph; a click chooses a row. `fresh`: the axes show all of it.
void draw_numerics_plot(PanelContext& context, NumericsModel& model, bool fresh, ImVec2 size);

/// What is known of the chosen tensor. `log_counts`: bars of the histogram of values are powers of ten.
void draw_numerics_detail(PanelContext& context, NumericsModel& model, bool* log_counts);

/// Files or a test case as somebody types them.
std::string typed_text(const inspector::GraphInputs& inputs);

/// What an op does to the error.
ImU32 role_color(const inspector::Gap& gap, const inspector::GapRow& row);
/// Of the first value beyond the tolerance: an alarm only where an op is to blame.
ImU32 verdict_color(const NumericsModel& model);
const char* role_text(const inspector::Gap& gap, const inspector::GapRow& row);

}  // namespace et::gui
