// Memory: tables of all arenas, and of what else of memory is known.
#include <imgui.h>

#include <algorithm>
#include <array>
#include <string>

#include "gui/panels/memory_parts.h"
#include "gui/panels/memory_tables.h"
#include "gui/panels/operators_table.h"
#include "gui/widgets/cells.h"
#include "inspector/text/format.h"

namespace et::gui {

using inspector::format_bytes;
using inspector::format_count;
using inspector::MemoryPlan;
using inspector::PlanArena;

int draw_arena_table(const MemoryModel& model) {
  static constexpr std::array<MemoryHeading, 8> kHeadings = {
      {{"Method", false},
       {"Memory", false, false, "number of the arena; 1 is the first that a method plans in", 380},
       {"Arena", true, false, "size that the program requests"},
       {"Extent", true, false, "end of the highest tensor", 640},
       {"Peak", true, false, "maximum bytes in use at any instruction: no plan can need less"},
       {"Unused", true, false,
        "part of the arena that is unused even at the peak: gaps between tensors, and alignment"},
       {"Measured", true, false, "high-water mark in the trace", 460},
       {"Tensors", true, false, nullptr, 540}}};
  int clicked = -1;
  const float room = ImGui::GetContentRegionAvail().x;
  if (!begin_memory_table("##arenas", kHeadings, 0)) return clicked;
  for (size_t i = 0; i < model.plan().arenas.size(); ++i) {
    const PlanArena& a = model.plan().arenas[i];
    ImGui::PushID(static_cast<int>(i));
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    const ImVec2 at = ImGui::GetCursorPos();
    if (ImGui::Selectable("##arena", static_cast<int>(i) == model.arena_index(), ImGuiSelectableFlags_SpanAllColumns)) {
      clicked = static_cast<int>(i);
    }
    ImGui::SetCursorPos(at);
    const std::string method = inspector::printable(a.method);
    text_width(method) <= room * 0.4F ? ImGui::TextUnformatted(method.c_str()) : text_fitting(a.method);
    memory_text_cell(std::to_string(a.memory_id) + (a.device == "cpu" ? "" : " (" + a.device + ")"));
    memory_number_cell(format_bytes(a.bytes));
    memory_number_cell(format_bytes(a.reach), a.reach > a.bytes ? theme().bad : 0);
    memory_number_cell(format_bytes(a.peak));
    memory_number_cell(inspector::format_share(std::max(0.0, a.lost())), a.lost() > 0.25 ? theme().warning : 0);
    memory_number_cell(a.high_water.has_value() ? format_bytes(*a.high_water) : "–", a.high_water ? 0 : theme().faint);
    memory_number_cell(format_count(static_cast<int64_t>(a.tensors.size())));
    ImGui::PopID();
  }
  ImGui::EndTable();
  return clicked;
}

namespace {

void draw_methods(const MemoryPlan& plan) {
  static constexpr std::array<MemoryHeading, 4> kHeadings = {
      {{"Method", false, true},
       {"Constants", true, false, "bytes of constants in the program that tensors refer to"},
       {"External", true, false, "constants in a tensor file (.ptd)"},
       {"Not planned", true, false, "inputs and outputs whose memory the caller provides"}}};
  heading("Methods");
  if (!begin_memory_table("##methods", kHeadings, 0)) return;
  for (const auto& m : plan.methods) {
    ImGui::TableNextRow();
    memory_text_cell(m.name);
    memory_number_cell(format_bytes(m.constant_bytes));
    memory_number_cell(format_bytes(m.external_bytes));
    memory_number_cell(format_bytes(m.unplanned_bytes));
  }
  ImGui::EndTable();
}

void draw_run_time(const MemoryPlan& plan) {
  static constexpr std::array<MemoryHeading, 4> kHeadings = {
      {{"Memory", false, true},
       {"Method", false},
       {"Capacity", true, false, "–: no limit"},
       {"High water", true, false, "maximum over all executions"}}};
  heading("At run time");
  const float room = ImGui::GetContentRegionAvail().x;
  if (!begin_memory_table("##runtime", kHeadings, 0)) return;
  for (const auto& r : plan.runtime) {
    ImGui::TableNextRow();
    memory_text_cell(r.name);
    memory_name_cell(r.method, room);
    memory_number_cell(r.capacity > 0 ? format_bytes(r.capacity) : "–", r.capacity > 0 ? 0 : theme().faint);
    memory_number_cell(format_bytes(r.high_water), r.capacity > 0 && r.high_water > r.capacity ? theme().bad : 0);
  }
  ImGui::EndTable();
}

void draw_allocators(const MemoryPlan& plan) {
  static constexpr std::array<MemoryHeading, 4> kHeadings = {
      {{"Allocator", false, true}, {"Allocations", true}, {"Bytes", true}, {"Largest", true}}};
  heading("Allocated while running");
  if (!begin_memory_table("##allocators", kHeadings, 0)) return;
  for (const auto& a : plan.allocators) {
    ImGui::TableNextRow();
    memory_text_cell(a.allocator);
    memory_number_cell(format_count(a.count));
    memory_number_cell(format_bytes(a.bytes));
    memory_number_cell(format_bytes(a.largest));
  }
  ImGui::EndTable();
}

SummaryClick draw_delegates(const MemoryModel& model, const Document& document) {
  static constexpr std::array<MemoryHeading, 6> kHeadings = {
      {{"Delegate", false, true, "numbered as the calls in Delegation, where a double-click leads"},
       {"Module", false, true, "the innermost module that all of it is in", 480, 1.2F},
       {"Method", false},
       {"Payload", true, false, "what the program file has for the backend, without weights that are stored elsewhere"},
       {"Weights", true, false,
        "in and outside of the payload; what several delegates share counts for the first that uses it"},
       {"Payload nodes", true, false,
        "operators of the backend's own graph: it fuses and splits, so they are not the graph nodes that it took over, "
        "which Delegation counts",
        420}}};
  SummaryClick out;
  heading("Delegates");
  const float room = ImGui::GetContentRegionAvail().x;
  if (!begin_memory_table("##delegates", kHeadings, 0)) return out;
  const auto& delegates = model.plan().delegates;
  const Selection& selection = document.selection();
  for (size_t i = 0; i < delegates.size(); ++i) {
    const auto& d = delegates[i];
    ImGui::PushID(static_cast<int>(i));
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    if (!selection.empty() && selection.kind == Selection::Kind::Part &&
        selection.same(model.target_of_delegate(*document.data(), i)))
      mark_row();
    if (ImGui::Selectable("##delegate", false,
                          ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick))
      out = {static_cast<int32_t>(i), ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)};
    ImGui::SameLine(0, 0);
    text_fitting(d.backend + " " + std::to_string(d.ordinal + 1));
    ImGui::TableNextColumn();
    module_fitting(model.module_of_delegate(i));
    memory_name_cell(d.method, room);
    memory_number_cell(d.payload_bytes ? format_bytes(*d.payload_bytes) : "–", d.payload_bytes ? 0 : theme().faint);
    if (!d.payload_bytes) item_tooltip("Only the program knows: open the .pte with these files (--pte).");
    const std::optional<int64_t> named = i < model.named_weights().size() ? model.named_weights()[i] : std::nullopt;
    const std::optional<int64_t> weights = d.weights_bytes ? d.weights_bytes : named;
    memory_number_cell(weights ? format_bytes(*weights) : "–", weights ? 0 : theme().faint);
    if (!weights) item_tooltip("It has none, or its payload cannot be read.");
    memory_number_cell(d.nodes ? format_count(*d.nodes) : "–", d.nodes ? 0 : theme().faint);
    if (!d.nodes) item_tooltip("Its payload cannot be read.");
    ImGui::PopID();
  }
  ImGui::EndTable();
  return out;
}

void draw_segments(const MemoryPlan& plan) {
  static constexpr std::array<MemoryHeading, 3> kHeadings = {
      {{"Segment", true}, {"Bytes", true}, {"Content", false, true}}};
  heading("Segments of the program file");
  constexpr size_t kMaxRows = 12;  // then it scrolls
  const float rows = static_cast<float>(std::min(plan.segments.size(), kMaxRows)) + 1.5F;
  if (!begin_memory_table("##segments", kHeadings, ImGuiTableFlags_ScrollY,
                          {0, rows * ImGui::GetTextLineHeightWithSpacing()}))
    return;
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(plan.segments.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const auto& s = plan.segments[static_cast<size_t>(i)];
      ImGui::TableNextRow();
      memory_number_cell(std::to_string(s.ordinal));
      memory_number_cell(format_bytes(s.bytes));
      memory_text_cell(s.content.empty() ? "–" : s.content);
    }
  }
  ImGui::EndTable();
}

}  // namespace

SummaryClick draw_memory_summary(const MemoryModel& model, const Document& document) {
  const MemoryPlan& plan = model.plan();
  SummaryClick out;
  if (!plan.methods.empty()) draw_methods(plan);
  if (!plan.runtime.empty()) draw_run_time(plan);
  if (!plan.allocators.empty()) draw_allocators(plan);
  if (!plan.delegates.empty()) out = draw_delegates(model, document);
  if (!plan.segments.empty()) draw_segments(plan);
  return out;
}

}  // namespace et::gui
