// Tables beside the drawing of an arena: who is alive, and what else of memory is known.
#pragma once

#include "gui/models/memory_model.h"
#include "gui/panels/memory_drawing.h"
#include "gui/panels/panel.h"

namespace et::gui {

/// Everything that is known of a tensor; into the tooltip that is open.
void describe_tensor(const MemoryModel& model, const inspector::PlanTensor& tensor);

/// Tensors alive at the model's instruction. Returns the tensor that was clicked, -1 for none; `lead`: a double click.
/// `reveal`: the selected one is brought into view.
int32_t draw_alive_table(MemoryModel& model, MemoryColors colors, bool reveal, bool* lead);

/// Arenas of all methods; returns the one that was clicked, -1 for none.
int draw_arena_table(const MemoryModel& model);

/// What was clicked in the summary.
struct SummaryClick {
  int32_t delegate = -1;  ///< of the plan; -1: nothing
  bool twice = false;
};
/// Marks of the run time, constants, segments, delegates.
SummaryClick draw_memory_summary(const MemoryModel& model, const Document& document);

}  // namespace et::gui
