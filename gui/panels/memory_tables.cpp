#include "gui/panels/memory_tables.h"

#include <algorithm>
#include <array>

#include "gui/panels/memory_parts.h"
#include "gui/panels/operators_table.h"
#include "gui/widgets/cells.h"
#include "gui/widgets/sentence.h"
#include "inspector/text/format.h"

namespace et::gui {

using inspector::format_bytes;
using inspector::format_count;
using inspector::MemoryPlan;
using inspector::PlanArena;
using inspector::PlanInstruction;
using inspector::PlanTensor;

namespace {

const PlanInstruction* producer_of(const MemoryModel& model, const PlanTensor& t) {
  return t.producer < 0 ? nullptr : model.instruction_facts(t.producer);
}

/// Of a delegate's call the delegate: which of its nodes writes the tensor, nobody says.
std::string written_by(const PlanInstruction* by, const PlanTensor& t) {
  if (by == nullptr) return inspector::role_name(t.role);
  return by->title;
}

constexpr float kLeastOfNode = 60;  // points: less of it tells nothing apart
constexpr float kNever = 1e6F;      // points: no table is as wide

/// The node that makes it, which tells tensors of one shape apart; "" where only a delegate's call is known.
std::string node_of(const PlanInstruction* by, const PlanTensor& t) {
  if (!t.node.empty() || by == nullptr) return inspector::printable(t.node);
  return by->kind == "DelegateCall" && t.file.empty() ? std::string() : inspector::printable(by->node);
}

/// As the search finds it.
std::string module_of(const PlanInstruction* by, const PlanTensor& t) {
  return by == nullptr ? std::string() : t.file.empty() ? by->module : t.module;
}

std::string life_text(const PlanArena& arena, const PlanTensor& t) {
  const auto end = [&](int64_t i) {
    return i < 0 ? std::string("start") : i >= arena.instructions() ? std::string("end") : format_count(i);
  };
  return end(t.first) + " – " + end(t.last);
}

void line_of(const char* name, std::string_view value) {
  if (value.empty()) return;
  text_colored(theme().muted, sentence(name));
  ImGui::SameLine(scaled(110));
  ImGui::TextUnformatted(value.data(), value.data() + value.size());
}

}  // namespace

void describe_tensor(const MemoryModel& model, const PlanTensor& t) {
  const PlanArena& arena = *model.arena();
  ImGui::PushFont(fonts().bold, 0);
  ImGui::TextUnformatted(tensor_label(t).c_str());
  ImGui::PopFont();
  line_of("type", t.shape + " " + t.dtype);
  line_of("role", std::string(inspector::role_name(t.role)) + (t.initialised ? ", with an initial value" : ""));
  line_of("bytes", format_count(t.bytes) + " (" + format_bytes(t.bytes) + "), " +
                       inspector::format_share(
                           arena.bytes > 0 ? static_cast<double>(t.bytes) / static_cast<double>(arena.bytes) : 0) +
                       " of the arena");
  line_of("offset", format_count(t.offset) + " – " + format_count(t.offset + t.bytes));
  line_of("lifetime", life_text(arena, t) + " (instructions)");
  if (const PlanInstruction* by = producer_of(model, t)) {
    line_of("written by", inspector::printable(by->title) + ", instruction " + format_count(t.producer));
    const bool of_call = by->kind == "DelegateCall" && t.file.empty();  // which of its nodes makes it is not known
    if (!of_call) line_of("node", inspector::printable(t.node.empty() ? by->node : t.node));
    if (!of_call) line_of("module", inspector::printable(t.file.empty() ? by->module : t.module));
    line_of(of_call ? "lines" : "line", inspector::printable(inspector::written_at(*by, t)));
  }
  line_of("value", std::to_string(t.value) + (t.view_of < 0 ? "" : ", a view of " + std::to_string(t.view_of)));
}

namespace {

/// Few tensors leave the pane empty: their nodes stand below them then, whole, and what writes them has the width.
bool fits_in_two_lines(size_t rows) {
  const float row = 2 * ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
  return static_cast<float>(rows) * row < ImGui::GetContentRegionAvail().y - 2 * row;
}

/// The tensor's own text, and the node that makes it: below it, or behind it as far as there is room.
void tensor_cell(const MemoryModel& model, const PlanTensor& t, bool two_lines) {
  // Where there is no room for all, the shape says most.
  const std::string whole = tensor_label(t);
  const float room = ImGui::GetContentRegionAvail().x;
  const std::string shown = text_width(whole) <= room || !t.name.empty() ? whole : t.shape;
  text_fitting(shown);
  const std::string node = node_of(producer_of(model, t), t);
  if (node.empty()) return;
  if (two_lines) {
    ImGui::SetCursorPosY(ImGui::GetCursorPosY() - ImGui::GetStyle().ItemSpacing.y);
    text_fitting_end(node, theme().muted);
  } else if (room - text_width(shown) > scaled(kLeastOfNode)) {
    ImGui::SameLine(0, scaled(8));
    text_fitting_end(node, theme().muted);
  }
}

}  // namespace

namespace {

/// Of the lines of the rows that are seen first, as far as the tensors leave room: of "…50" nobody knows the file.
float lines_width(const MemoryModel& model, const std::vector<int32_t>& alive) {
  constexpr size_t kSeen = 60;
  constexpr float kMost = 0.3F;
  float out = 0;
  for (size_t i = 0; i < std::min(alive.size(), kSeen); ++i) {
    const PlanTensor& t = model.arena()->tensors[static_cast<size_t>(alive[i])];
    const PlanInstruction* const by = producer_of(model, t);
    if (by != nullptr) out = std::max(out, text_width(inspector::printable(inspector::written_at(*by, t))));
  }
  return std::min(out + scaled(8), kMost * ImGui::GetContentRegionAvail().x);
}

/// Of the table of tensors; during a search with their modules, which it may be for.
auto alive_headings(const MemoryModel& model, const std::vector<int32_t>& alive, bool two_lines, bool searches) {
  static constexpr std::array<MemoryHeading, 8> kHeadings = {
      {{"", false},
       {"Tensor", false, true, "its type, and the node that makes it", 0, 2},
       {"Bytes", true, false, nullptr, 0, 0, true},
       {"Share", true, false, "of the bytes in use at this instruction; shared bytes count for each tensor", 420, 104},
       {"Module", false, true, "module of the node that makes it", 0, 1.4F},
       {"Lifetime", false, false, "first and last instruction that uses it", 720},
       {"Written by", false, true, "op whose instruction writes it first; of a delegate's call the delegate", 580},
       {"Line", false, false,
        "Python line of the node that makes it; several where it is only known that a delegate's call does: those of "
        "that call",
        360}}};
  std::array<MemoryHeading, kHeadings.size()> headings = kHeadings;
  if (two_lines) headings[1].width = 1.5F;
  // Other rows have longer texts: the column does not wait for them.
  const std::string longest = format_count(model.arena()->instructions());
  const float lifetime = std::max({text_width(longest + " – " + longest), text_width("start – " + longest),
                                   text_width("start – end"), text_width("Lifetime")});
  headings[5].width = lifetime / scaled(1) + 8;
  headings[7].width = lines_width(model, alive) / scaled(1);
  if (searches) headings[3].help = "of the peak of the arena, where what is found may not be alive";
  if (searches) headings[5].from = 1000, headings[6].from = 760;
  if (!searches) headings[4].from = kNever;
  return headings;
}

}  // namespace

namespace {

/// The arrow in the heading is what counts: the list follows at its next drawing.
void sync_order(MemoryModel& model) {
  using Column = TensorColumn;
  constexpr std::array<Column, 8> kColumns = {Column::Bytes,  Column::Tensor,   Column::Bytes,  Column::Bytes,
                                              Column::Module, Column::Lifetime, Column::Writer, Column::Line};
  const ImGuiTableSortSpecs* const specs = ImGui::TableGetSortSpecs();
  if (specs == nullptr || specs->SpecsCount == 0) return;
  model.sort(kColumns[static_cast<size_t>(specs->Specs[0].ColumnIndex)],
             specs->Specs[0].SortDirection == ImGuiSortDirection_Descending);
}

/// Of a table that scrolls, below its heading.
void reveal_row(float top, float height) {
  const float from = ImGui::GetScrollY(), seen = ImGui::GetWindowHeight() - 2 * height;
  if (top < from || top > from + seen) ImGui::SetScrollY(std::max(0.0F, top - seen / 2));
}

}  // namespace

int32_t draw_alive_table(MemoryModel& model, MemoryColors colors, bool reveal, bool* lead) {
  int32_t clicked = -1;
  const std::vector<int32_t>& alive = model.alive();
  const PlanArena& arena = *model.arena();
  const auto used = static_cast<double>(model.listed_bytes());
  const int64_t largest = largest_bytes(arena);
  int64_t most_bytes = 0;
  for (const int32_t i : alive) most_bytes = std::max(most_bytes, arena.tensors[static_cast<size_t>(i)].bytes);
  const auto most = static_cast<double>(most_bytes);
  const bool two_lines = fits_in_two_lines(alive.size());
  const bool searches = model.searches();
  const auto headings = alive_headings(model, alive, two_lines, searches);
  const std::string id = std::string("##alive") + (two_lines ? "_two" : "") + (searches ? "_found" : "");
  if (!begin_memory_table(id.c_str(), headings,
                          ImGuiTableFlags_ScrollY | ImGuiTableFlags_Resizable | ImGuiTableFlags_Sortable))
    return clicked;
  sync_order(model);
  const float lines = two_lines ? 2 : 1;
  const float height = lines * ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
  const auto chosen = std::find(alive.begin(), alive.end(), model.selected());
  if (reveal && chosen != alive.end()) reveal_row(static_cast<float>(chosen - alive.begin()) * height, height);
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(alive.size()), height);
  while (clipper.Step()) {
    for (int row = clipper.DisplayStart; row < clipper.DisplayEnd; ++row) {
      const int32_t index = alive[static_cast<size_t>(row)];
      const PlanTensor& t = arena.tensors[static_cast<size_t>(index)];
      ImGui::PushID(index);
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      const ImVec2 at = ImGui::GetCursorPos();
      if (ImGui::Selectable("##tensor", index == model.selected(),
                            ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick,
                            {0, lines * ImGui::GetTextLineHeight()})) {
        clicked = index;
        *lead = ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
      }
      if (begin_item_tooltip()) {
        describe_tensor(model, t);
        end_item_tooltip();
      }
      ImGui::SetCursorPos(at);
      color_square(tensor_color(t, largest, colors));
      ImGui::TableNextColumn();
      tensor_cell(model, t, two_lines);
      memory_number_cell(format_bytes(t.bytes));
      ImGui::TableNextColumn();
      share_cell(used > 0 ? static_cast<double>(t.bytes) / used : 0,
                 colors == MemoryColors::Size ? theme().kernel : tensor_color(t, largest, colors),
                 used > 0 ? most / used : 1);
      const PlanInstruction* by = producer_of(model, t);
      ImGui::TableNextColumn();
      if (searches) module_fitting(module_of(by, t));
      ImGui::TableNextColumn();
      ImGui::TextUnformatted(life_text(arena, t).c_str());
      const std::string line = by == nullptr ? "" : inspector::written_at(*by, t);
      memory_text_cell(written_by(by, t), by == nullptr ? theme().muted : 0);
      ImGui::TableNextColumn();
      by != nullptr&& line == by->lines ? text_fitting(line) : text_fitting_end(line);
      ImGui::PopID();
    }
  }
  ImGui::EndTable();
  return clicked;
}

}  // namespace et::gui
