// Plots of an op's samples: their distribution with percentiles, and their course over the executions.
#pragma once

#include <imgui.h>

#include "gui/models/samples_model.h"
#include "inspector/analysis/ops/op_table.h"

namespace et::gui {

/// `fresh`: another op than in the previous frame; the zoom is reset. True when the samples beyond the axis were
/// clicked.
bool draw_histogram(const SamplesView& view, const inspector::OpEntry& op, bool logarithmic, bool fresh, ImVec2 size);
void draw_course(const SamplesView& view, const inspector::OpEntry& op, bool logarithmic, bool fresh, ImVec2 size);

}  // namespace et::gui
