// The drawing of one arena: a curve of bytes in use over the tensors, each a rectangle of offset and lifetime.
#pragma once

#include "gui/models/memory_model.h"
#include "gui/widgets/canvas.h"

namespace et::gui {

enum class MemoryColors : uint8_t { Type, Size, Role };

struct MemoryDrawing {
  MemoryColors colors = MemoryColors::Size;
  int32_t hovered = -1;                         ///< tensor under the mouse
  int64_t cursor = INT64_MIN;                   ///< instruction under the mouse, INT64_MIN for none
  std::string unit = {};                        ///< of the time axis; "" without times
  const std::vector<double>* begins = nullptr;  ///< MemoryModel::begins
};

/// Where the parts of the drawing are, in pixels of the canvas.
struct MemoryAreas {
  ImVec2 curve_min, curve_max;  ///< bytes in use
  ImVec2 plan_min, plan_max;    ///< tensors
};
MemoryAreas memory_areas(ImVec2 min, ImVec2 max);

/// `largest`: bytes of the largest tensor of the arena, where the scale of sizes ends.
ImU32 tensor_color(const inspector::PlanTensor& tensor, int64_t largest, MemoryColors colors);
/// Of its largest tensor.
int64_t largest_bytes(const inspector::PlanArena& arena);
/// "[1, 8, 16, 16] float32" or the tensor's name.
std::string tensor_label(const inspector::PlanTensor& tensor);

void draw_memory(Canvas& canvas, MemoryModel& model, const std::vector<int32_t>& highlighted,
                 const MemoryDrawing& drawing);

}  // namespace et::gui
