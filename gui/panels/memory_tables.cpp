#include "gui/panels/memory_tables.h"

#include <algorithm>
#include <array>

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

constexpr ImGuiTableFlags kMemoryTable = ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_PadOuterX |
                                         ImGuiTableFlags_NoBordersInBodyUntilResize | ImGuiTableFlags_SizingFixedFit;

struct MemoryHeading {
  const char* title;
  bool right;
  bool stretch = false;
  const char* help = nullptr;
  float from = 0;   ///< narrower tables (points) are without it
  float width = 0;  ///< points, of what stretches its weight; 0: as wide as its content, or an equal part
};

template <size_t N>
bool begin_table(const char* id, const std::array<MemoryHeading, N>& headings, ImGuiTableFlags flags,
                 ImVec2 size = {}) {
  const float room = ImGui::GetContentRegionAvail().x;
  if (!ImGui::BeginTable(id, static_cast<int>(N), kMemoryTable | flags | ImGuiTableFlags_Hideable, size)) return false;
  for (const MemoryHeading& h : headings) {
    ImGui::TableSetupColumn(h.title, h.stretch ? ImGuiTableColumnFlags_WidthStretch : ImGuiTableColumnFlags_WidthFixed,
                            h.stretch ? (h.width > 0 ? h.width : 1) : scaled(h.width));
  }
  for (size_t i = 0; i < N; ++i) ImGui::TableSetColumnEnabled(static_cast<int>(i), room >= scaled(headings[i].from));
  if ((flags & ImGuiTableFlags_ScrollY) != 0) ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (size_t i = 0; i < N; ++i) {
    if (ImGui::TableSetColumnIndex(static_cast<int>(i)))
      header_cell(headings[i].title, headings[i].right, headings[i].help);
  }
  return true;
}

void right_cell(std::string_view text, ImU32 color = 0) {
  ImGui::TableNextColumn();
  text_right(text, color);
}
void left_cell(std::string_view text, ImU32 color = 0) {
  ImGui::TableNextColumn();
  text_fitting(text, color);
}

/// A name that all of the table's rows may have: whole where there is room, beside what stretches.
void name_cell(std::string_view text, float room) {
  constexpr float kMost = 0.4F;
  ImGui::TableNextColumn();
  if (text_width(inspector::printable(text)) <= room * kMost)
    return ImGui::TextUnformatted(inspector::printable(text).c_str());
  text_fitting(text);
}

std::string place_text(const PlanInstruction& i, const PlanTensor& t) {
  const auto [file, line] = inspector::writer_place(i, t);
  if (file.empty()) return {};
  return file.substr(file.find_last_of('/') + 1) + (line > 0 ? ":" + std::to_string(line) : "");
}

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
    line_of(of_call ? "first line" : "line", inspector::printable(place_text(*by, t)));
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
    if (by != nullptr) out = std::max(out, text_width(inspector::printable(place_text(*by, t)) + " …"));
  }
  return std::min(out, kMost * ImGui::GetContentRegionAvail().x);
}

/// Of the table of tensors; during a search with their modules, which it may be for.
auto alive_headings(const MemoryModel& model, const std::vector<int32_t>& alive, bool two_lines, bool searches) {
  static constexpr std::array<MemoryHeading, 8> kHeadings = {
      {{"", false},
       {"Tensor", false, true, "its type, and the node that makes it", 0, 2},
       {"Bytes", true},
       {"Share", true, false, "of the bytes in use at this instruction; shared bytes count for each tensor", 420, 104},
       {"Module", false, true, "module of the node that makes it", 0, 1.4F},
       {"Lifetime", false, false, "first and last instruction that uses it", 720},
       {"Written by", false, true, "op whose instruction writes it first; of a delegate's call the delegate", 580},
       {"Line", false, false,
        "Python line of the node that makes it; \"…\" where it is only known that a delegate's call does: the line of "
        "that call's first node",
        360}}};
  std::array<MemoryHeading, kHeadings.size()> headings = kHeadings;
  if (two_lines) headings[1].width = 1.5F;
  // Other rows have longer texts: the column does not wait for them.
  const std::string longest = format_count(model.arena()->instructions());
  const float lifetime = std::max({text_width(longest + " – " + longest), text_width("start – " + longest),
                                   text_width("start – end"), text_width("Lifetime")});
  headings[5].width = lifetime / scaled(1) + 8;
  headings[7].width = lines_width(model, alive) / scaled(1);
  if (searches) headings[3].help = "of all that is found; shared bytes count for each tensor";
  if (searches) headings[5].from = 1000, headings[6].from = 760;
  if (!searches) headings[4].from = kNever;
  return headings;
}

}  // namespace

int32_t draw_alive_table(MemoryModel& model, MemoryColors colors, bool* lead) {
  int32_t clicked = -1;
  const std::vector<int32_t>& alive = model.alive();
  const PlanArena& arena = *model.arena();
  const auto used = static_cast<double>(model.listed_bytes());
  const int64_t largest = largest_bytes(arena);
  // Largest first.
  const double most = alive.empty() ? 0 : static_cast<double>(arena.tensors[static_cast<size_t>(alive.front())].bytes);
  const bool two_lines = fits_in_two_lines(alive.size());
  const bool searches = model.searches();
  const auto headings = alive_headings(model, alive, two_lines, searches);
  const std::string id = std::string("##alive") + (two_lines ? "_two" : "") + (searches ? "_found" : "");
  if (!begin_table(id.c_str(), headings, ImGuiTableFlags_ScrollY | ImGuiTableFlags_Resizable)) return clicked;
  const float lines = two_lines ? 2 : 1;
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(alive.size()),
                lines * ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y);
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
      right_cell(format_bytes(t.bytes));
      ImGui::TableNextColumn();
      share_cell(used > 0 ? static_cast<double>(t.bytes) / used : 0,
                 colors == MemoryColors::Size ? theme().kernel : tensor_color(t, largest, colors),
                 used > 0 ? most / used : 1);
      const PlanInstruction* by = producer_of(model, t);
      ImGui::TableNextColumn();
      if (searches) module_fitting(module_of(by, t));
      ImGui::TableNextColumn();
      ImGui::TextUnformatted(life_text(arena, t).c_str());
      const std::string line = by == nullptr ? "" : place_text(*by, t);
      left_cell(written_by(by, t), by == nullptr ? theme().muted : 0);
      ImGui::TableNextColumn();
      text_fitting_end(line + (!line.empty() && by->kind == "DelegateCall" && t.file.empty() ? " …" : ""));
      ImGui::PopID();
    }
  }
  ImGui::EndTable();
  return clicked;
}

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
  if (!begin_table("##arenas", kHeadings, 0)) return clicked;
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
    left_cell(std::to_string(a.memory_id) + (a.device == "cpu" ? "" : " (" + a.device + ")"));
    right_cell(format_bytes(a.bytes));
    right_cell(format_bytes(a.reach), a.reach > a.bytes ? theme().bad : 0);
    right_cell(format_bytes(a.peak));
    right_cell(inspector::format_share(std::max(0.0, a.lost())), a.lost() > 0.25 ? theme().warning : 0);
    right_cell(a.high_water.has_value() ? format_bytes(*a.high_water) : "–", a.high_water ? 0 : theme().faint);
    right_cell(format_count(static_cast<int64_t>(a.tensors.size())));
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
  if (!begin_table("##methods", kHeadings, 0)) return;
  for (const auto& m : plan.methods) {
    ImGui::TableNextRow();
    left_cell(m.name);
    right_cell(format_bytes(m.constant_bytes));
    right_cell(format_bytes(m.external_bytes));
    right_cell(format_bytes(m.unplanned_bytes));
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
  if (!begin_table("##runtime", kHeadings, 0)) return;
  for (const auto& r : plan.runtime) {
    ImGui::TableNextRow();
    left_cell(r.name);
    name_cell(r.method, room);
    right_cell(r.capacity > 0 ? format_bytes(r.capacity) : "–", r.capacity > 0 ? 0 : theme().faint);
    right_cell(format_bytes(r.high_water), r.capacity > 0 && r.high_water > r.capacity ? theme().bad : 0);
  }
  ImGui::EndTable();
}

void draw_allocators(const MemoryPlan& plan) {
  static constexpr std::array<MemoryHeading, 4> kHeadings = {
      {{"Allocator", false, true}, {"Allocations", true}, {"Bytes", true}, {"Largest", true}}};
  heading("Allocated while running");
  if (!begin_table("##allocators", kHeadings, 0)) return;
  for (const auto& a : plan.allocators) {
    ImGui::TableNextRow();
    left_cell(a.allocator);
    right_cell(format_count(a.count));
    right_cell(format_bytes(a.bytes));
    right_cell(format_bytes(a.largest));
  }
  ImGui::EndTable();
}

void draw_delegates(const MemoryModel& model) {
  static constexpr std::array<MemoryHeading, 5> kHeadings = {
      {{"Delegate", false, true, "numbered as the calls in Delegation"},
       {"Method", false},
       {"Payload", true, false, "what the program file has for the backend, without weights that are stored elsewhere"},
       {"Weights", true, false,
        "in and outside of the payload; what several delegates share counts for the first that uses it"},
       {"Payload nodes", true, false,
        "operators of the backend's own graph: it fuses and splits, so they are not the graph nodes that it took over, "
        "which Delegation counts"}}};
  heading("Delegates");
  const float room = ImGui::GetContentRegionAvail().x;
  if (!begin_table("##delegates", kHeadings, 0)) return;
  const auto& delegates = model.plan().delegates;
  for (size_t i = 0; i < delegates.size(); ++i) {
    const auto& d = delegates[i];
    ImGui::TableNextRow();
    left_cell(d.backend + " " + std::to_string(d.ordinal + 1));
    name_cell(d.method, room);
    right_cell(d.payload_bytes ? format_bytes(*d.payload_bytes) : "–", d.payload_bytes ? 0 : theme().faint);
    if (!d.payload_bytes) item_tooltip("Only the program knows: open the .pte with these files (--pte).");
    const std::optional<int64_t> named = i < model.named_weights().size() ? model.named_weights()[i] : std::nullopt;
    const std::optional<int64_t> weights = d.weights_bytes ? d.weights_bytes : named;
    right_cell(weights ? format_bytes(*weights) : "–", weights ? 0 : theme().faint);
    if (!weights) item_tooltip("It has none, or its payload cannot be read.");
    right_cell(d.nodes ? format_count(*d.nodes) : "–", d.nodes ? 0 : theme().faint);
    if (!d.nodes) item_tooltip("Its payload cannot be read.");
  }
  ImGui::EndTable();
}

void draw_segments(const MemoryPlan& plan) {
  static constexpr std::array<MemoryHeading, 3> kHeadings = {
      {{"Segment", true}, {"Bytes", true}, {"Content", false, true}}};
  heading("Segments of the program file");
  constexpr size_t kMaxRows = 12;  // then it scrolls
  const float rows = static_cast<float>(std::min(plan.segments.size(), kMaxRows)) + 1.5F;
  if (!begin_table("##segments", kHeadings, ImGuiTableFlags_ScrollY, {0, rows * ImGui::GetTextLineHeightWithSpacing()}))
    return;
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(plan.segments.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const auto& s = plan.segments[static_cast<size_t>(i)];
      ImGui::TableNextRow();
      right_cell(std::to_string(s.ordinal));
      right_cell(format_bytes(s.bytes));
      left_cell(s.content.empty() ? "–" : s.content);
    }
  }
  ImGui::EndTable();
}

}  // namespace

void draw_memory_summary(const MemoryModel& model) {
  const MemoryPlan& plan = model.plan();
  if (!plan.methods.empty()) draw_methods(plan);
  if (!plan.runtime.empty()) draw_run_time(plan);
  if (!plan.allocators.empty()) draw_allocators(plan);
  if (!plan.delegates.empty()) draw_delegates(model);
  if (!plan.segments.empty()) draw_segments(plan);
}

}  // namespace et::gui
