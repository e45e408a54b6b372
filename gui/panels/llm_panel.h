// The panel Language model; its parts are in llm.cpp and llm_plot.cpp.
#pragma once

#include "gui/models/llm_model.h"
#include "gui/panels/panel.h"

namespace et::gui {

/// Time of a token over its position, with its trend. The step that was clicked, nullptr for none. `fresh`: the axes
/// start again.
const TokenPoint* draw_token_plot(const LlmModel& model, bool fresh, float height);

}  // namespace et::gui
