// Tables beside the drawing of an arena: who is alive, and what else of memory is known.
#pragma once

#include "gui/models/memory_model.h"
#include "gui/panels/memory_drawing.h"
#include "gui/panels/panel.h"

namespace et::gui {

/// Everything that is known of a tensor; into the tooltip that is open.
void describe_tensor(const MemoryModel& model, const inspector::PlanTensor& tensor);

/// Tensors alive at the model's instruction. Returns the tensor that was clicked, -1 for none; `lead`: a double click.
int32_t draw_alive_table(MemoryModel& model, MemoryColors colors, bool* lead);

/// Arenas of all methods; returns the one that was clicked, -1 for none.
int draw_arena_table(const MemoryModel& model);

/// Marks of the run time, constants, segments, delegates.
void draw_memory_summary(const MemoryModel& model);

}  // namespace et::gui
