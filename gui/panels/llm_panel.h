// The panel Language model; its parts are in llm.cpp, llm_summary.cpp and llm_plot.cpp.
#pragma once

#include <optional>
#include <utility>

#include "gui/models/llm_model.h"
#include "gui/panels/panel.h"

namespace et::gui {

/// Time of a token over its position, with its trend. The step that was clicked, nullptr for none. `fresh`: the axes
/// start again.
const TokenPoint* draw_token_plot(const LlmModel& model, bool fresh, float height);

/// First token, rates, cache, layers: side by side, in as many lines as they need.
void draw_llm_figures(const LlmModel& model);
/// A bar for each phase, of kinds of work; index into kinds() and phase of the one that was clicked.
std::optional<std::pair<size_t, size_t>> draw_llm_bars(const LlmModel& model);
/// What to do next, each line a link where it leads somewhere.
void draw_llm_steps(PanelContext& context, const LlmModel& model);
/// The kinds of a layer in the table's cell, as long as the layer's time is of `longest`, and its share behind them.
void llm_layer_cell(const LlmModel& model, const LlmPart& layer, size_t phase, double longest);
ImU32 llm_part_color(const LlmPart& part);

}  // namespace et::gui
