// Source: the Python lines that asked for the time, with the cost beside them. The text is in source_text.cpp.
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>

#include "gui/core/words.h"
#include "gui/models/frame_text.h"
#include "gui/models/overview_model.h"
#include "gui/panels/source_panel.h"
#include "gui/widgets/cells.h"
#include "gui/widgets/search_focus.h"

namespace et::gui {
namespace {

constexpr float kFilesWidth = 250, kOpsHeight = 170, kMinText = 140;  // points
constexpr float kSideBySide = 1360;  // points, below it the text is under the tree and has the whole width
constexpr float kOpsBeside = 1000;   // from here on the ops of a line are beside the tree
constexpr float kTreeWidth = 0.64F, kTreeHeight = 0.5F;
constexpr float kTextBeside = 620, kPartOfText = 0.58F;
constexpr float kNoOpsHeight = 30;  // points: a line that says so

}  // namespace

void SourcePanel::draw(PanelContext& context) {
  model_.refresh(context.document, context.jobs);
  const TraceData* data = model_.data();
  if (data == nullptr) {
    return draw_empty("No trace is open",
                      "Open a store, or drop an ETDump here together with its ETRecord and program.");
  }
  if (data->sources.files.empty()) {
    if (!data->has_etrecord()) {
      return draw_empty("No source lines",
                        "They come from the ETRecord: open the trace together with it (export with "
                        "generate_etrecord=True, then get_etrecord().save(\"etrecord.bin\")).");
    }
    if (!data->sources.timed) return draw_empty("No node has a source line", "The ETRecord has no stack traces.");
    return draw_empty("No time is linked to a source line",
                      "The ETRecord has no stack traces, or does not belong to the program that ran. The overview "
                      "lists what is not linked.");
  }
  if (unit_version_ != context.document.version()) {
    unit_version_ = context.document.version();
    (void)inspector::choose_unit("auto", data->sources.unit, data->sources.total_ns, &unit_);
    const auto& ops = data->shown.ops;
    coarse_ = std::any_of(ops.begin(), ops.end(), [](const inspector::OpEntry& op) { return op.resolution_limited; });
  }
  const std::string seen = model_.listing().file + "\n" + model_.listing().found;
  if (std::exchange(listing_seen_, seen) != seen) scroll_ = true;
  refresh_calls(context);
  model_.refresh(context.document, context.jobs);  // what has been chosen
  follow_selection(context.document);
  mark_parts(context.document);
  if (asked_step_ != 0) step_hot(context.document, std::exchange(asked_step_, 0) < 0);
  if (asked_rank_ != 0) step_hottest(context.document, std::exchange(asked_rank_, 0) < 0);
  if (!ImGui::GetIO().WantTextInput && ImGui::IsKeyPressed(ImGuiKey_F8))
    step_hottest(context.document, ImGui::GetIO().KeyShift);
  const ImGuiIO& io = ImGui::GetIO();
  // Ctrl+P is the window's.
  if (ImGui::IsWindowFocused(ImGuiFocusedFlags_ChildWindows) && !io.WantTextInput && !io.KeyCtrl && !io.KeyAlt &&
      !io.KeySuper) {
    if (ImGui::IsKeyPressed(ImGuiKey_N)) step_hot(context.document, io.KeyShift);
    if (ImGui::IsKeyPressed(ImGuiKey_P)) step_hot(context.document, true);
  }
  // What is searched is the tree: it has the lines of all files.
  if (search_request()) shows_calls_ = true;
  const ImVec2 room = ImGui::GetContentRegionAvail();
  ops_left_ = is_in_calls() && room.x >= scaled(kSideBySide) && !is_without_text();
  ops_beside_ = is_in_calls() && !ops_left_ && room.x >= scaled(kOpsBeside) && !is_without_text();
  if (!is_in_calls()) {
    const float files = std::min(scaled(kFilesWidth), room.x * 0.35F);
    if (ImGui::BeginChild("##files", {files, 0}, ImGuiChildFlags_ResizeX)) draw_files(context);
    ImGui::EndChild();
    ImGui::SameLine();
  } else if (ops_beside_) {
    if (ImGui::BeginChild("##calls_beside", {room.x * kTreeWidth, room.y * kTreeHeight}, ImGuiChildFlags_ResizeY))
      draw_calls(context);
    const float height = ImGui::GetWindowHeight();
    ImGui::EndChild();
    ImGui::SameLine();
    if (ImGui::BeginChild("##ops_beside", {0, height})) draw_call_ops(context);
    ImGui::EndChild();
  } else if (room.x >= scaled(kOpsBeside)) {
    if (ImGui::BeginChild("##calls", {room.x * 0.47F, 0}, ImGuiChildFlags_ResizeX)) draw_calls(context);
    ImGui::EndChild();
    ImGui::SameLine();
  } else {
    if (ImGui::BeginChild("##calls_above", {0, room.y * 0.55F}, ImGuiChildFlags_ResizeY)) draw_calls(context);
    ImGui::EndChild();
  }
  if (!ImGui::BeginChild("##right", {0, 0})) return ImGui::EndChild();
  draw_right(context);
  ImGui::EndChild();
}

bool SourcePanel::is_without_text() const {
  // An op's row stands below its line, whose text stays.
  const inspector::CostNode* const n = call_ < 0 ? nullptr : &calls_.node(frame_above(*calls_.tree(), call_));
  const bool no_line = n != nullptr && n->file.empty() && n->line == 0;
  return is_in_calls() && (no_line || model_.cost() == nullptr);
}

void SourcePanel::draw_right(PanelContext& context) {
  if (is_without_text()) return draw_call_ops(context);
  if (model_.file() == SourceModel::kNoLine) {
    draw_no_line(context);
  } else if (model_.cost() != nullptr) {
    draw_head(context);
    const ImVec2 left = ImGui::GetContentRegionAvail();
    const bool below = !ops_left_ && !ops_beside_ && model_.data()->sources.timed;
    const float ops = scaled(is_in_calls() || has_line_ops() ? kOpsHeight : kNoOpsHeight);
    const bool roomy = below && left.y > scaled(kMinText) + ops;
    // Where it is too low for both, the ops are beside the text.
    if (below && !roomy && is_in_calls() && left.x >= scaled(kTextBeside)) {
      if (ImGui::BeginChild("##text_beside", {left.x * kPartOfText, 0})) draw_text(context, left.y);
      ImGui::EndChild();
      ImGui::SameLine();
      return draw_call_ops(context);
    }
    draw_text(context, roomy ? text_height(left.y - ops - ImGui::GetStyle().ItemSpacing.y) : left.y);
    if (roomy && is_in_calls()) draw_call_ops(context);
    if (roomy && !is_in_calls()) draw_line_ops(context);
  }
}

void SourcePanel::follow_selection(const Document& document) {
  if (selection_seen_ == document.selection_version()) return;
  selection_seen_ = document.selection_version();
  if (std::exchange(own_click_, false)) return;
  const Selection& s = document.selection();
  if (s.file.empty()) return follow_ops(s);
  if (const int file = model_.find_file(s.file); file >= 0) {
    model_.choose(file);
  } else if (calls_.find(s.file, s.line) >= 0) {
    model_.choose(calls_.file_cost(s.file));
  } else {
    return;
  }
  line_ = s.line;
  scroll_ = true;
  follow_line();
}

/// Of what has no line of its own, a module or all ops of a type: the line that has most of its time.
void SourcePanel::follow_ops(const Selection& selection) {
  if (calls_.tree() == nullptr || calls_.data() == nullptr) return;
  const int32_t line = costliest_selected_line(*calls_.data(), *calls_.tree(), selection);
  if (line < 0) return;
  choose_call(line, nullptr);
  scroll_call_ = true;
}

void SourcePanel::mark_parts(const Document& document) {
  const bool same = std::exchange(parts_selection_, document.selection_version()) == document.selection_version();
  if (std::exchange(parts_tree_, calls_.tree()) == calls_.tree() && same) return;
  call_parts_.clear();
  line_parts_.clear();
  if (calls_.tree() == nullptr || calls_.data() == nullptr) return;
  call_parts_ = selected_parts(*calls_.data(), *calls_.tree(), document.selection());
  line_parts_ = selected_lines(*calls_.tree(), call_parts_);
}

const SelectedPart& SourcePanel::part_of_call(int32_t node) const {
  static const SelectedPart none;
  return static_cast<size_t>(node) < call_parts_.size() ? call_parts_[static_cast<size_t>(node)] : none;
}

const SelectedPart& SourcePanel::part_of_line(int64_t line) const {
  static const SelectedPart none;
  const auto found = model_.cost() == nullptr ? line_parts_.end() : line_parts_.find({model_.cost()->file, line});
  return found == line_parts_.end() ? none : found->second;
}

void SourcePanel::select_line_of(Document& document, int64_t line) {
  own_click_ = true;
  line_ = line;
  Selection selection = select_line(*model_.data(), model_.cost()->file, line);
  follow_line();
  // A line without ops of its own stands for those of the lines that it calls.
  const int32_t call = selection.ops.empty() ? calls_.find(model_.cost()->file, line) : -1;
  if (call >= 0) selection = select_inside(*calls_.data(), *calls_.tree(), call);
  document.select(std::move(selection));
}

void SourcePanel::step_hot(Document& document, bool back) {
  if (model_.cost() == nullptr) return;
  const int64_t line = next_hot_line(model_.hot(), line_, back);
  if (line == 0) return;
  select_line_of(document, line);
  scroll_ = true;
}

void SourcePanel::step_hottest(Document& document, bool back) {
  const std::vector<HotLine>& hottest = model_.hottest();
  if (hottest.empty()) return;
  const auto count = static_cast<int64_t>(hottest.size());
  const int64_t at = model_.rank_of(line_);
  const int64_t next = at < 0 ? (back ? count - 1 : 0) : (at + (back ? count - 1 : 1)) % count;
  model_.choose(hottest[static_cast<size_t>(next)].file);
  select_line_of(document, hottest[static_cast<size_t>(next)].line);
  scroll_ = true;
}

std::string SourcePanel::rank_text() const {
  const int64_t rank = model_.rank_of(looked_at_line()), count = static_cast<int64_t>(model_.hottest().size());
  if (rank < 0) return "";
  return rank == 0
             ? "hottest of " + inspector::format_count(count) + (count == 1 ? " line" : " lines") + " of 1% and more"
             : "no. " + inspector::format_count(rank + 1) + " of " + inspector::format_count(count) +
                   " lines of 1% and more";
}

void SourcePanel::draw_files(PanelContext& context) {
  draw_modes();
  const inspector::SourceCost& sources = model_.data()->sources;
  const auto share = [&](double ns) { return sources.base_ns > 0 ? ns / sources.base_ns : 0.0; };
  if (!ImGui::BeginTable("##files", 2, ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg | ImGuiTableFlags_PadOuterX))
    return;
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableSetupColumn("file", ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableSetupColumn("share", ImGuiTableColumnFlags_WidthFixed, scaled(84));
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  ImGui::TableSetColumnIndex(0);
  header_cell("File", false);
  ImGui::TableSetColumnIndex(1);
  const std::string whole = "Self time of the file's ops. " + (sources.timed ? whole_text() : std::string());
  header_cell("Share", true, whole.c_str());
  const auto row = [&](int id, const std::string& name, double ns, const std::string& tip, ImU32 color) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::PushID(id);
    const ImVec2 at = ImGui::GetCursorPos();
    const std::string label = id < 0 ? "##file_none" : "##file" + std::to_string(id);
    if (ImGui::Selectable(label.c_str(), model_.file() == id, ImGuiSelectableFlags_SpanAllColumns)) {
      model_.choose(id);
      line_ = 0;
      scroll_ = true;
    }
    item_tooltip(tip + "\n" + inspector::format_duration_named(ns, unit_));
    ImGui::SetCursorPos(at);
    text_fitting(name, color);
    ImGui::TableNextColumn();
    if (sources.timed)
      share_cell(share(ns), color == 0 ? cost_color(std::min(1.0, 0.5 + share(ns) / 2)) : theme().unattributed);
    ImGui::PopID();
  };
  for (size_t i = 0; i < sources.files.size(); ++i) {
    const inspector::SourceFileCost& file = sources.files[i];
    row(static_cast<int>(i), short_place(file.file, 0), file.ns, inspector::printable(file.file), 0);
  }
  if (!sources.timed) return ImGui::EndTable();
  row(SourceModel::kNoLine, "no line", sources.no_line_ns,
      "Time linked to no Python line: the framework, unattributed time, ops without a link.", theme().muted);
  if (std::abs(share(sources.variation_ns)) >= 0.0005) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    text_fitting("variation", theme().muted);
    item_tooltip(std::string(words::kVariation) + "\n" + inspector::format_duration_named(sources.variation_ns, unit_));
    ImGui::TableNextColumn();
    if (sources.base_ns == sources.total_ns) {
      share_cell(share(sources.variation_ns), theme().variation);
    } else {
      text_right("–", theme().muted);
      item_tooltip("Shares leave it out.");
    }
  }
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::PushFont(fonts().bold, 0);
  text_fitting(sources.base_ns == sources.total_ns ? sources.basis.whole() : "usual times");
  item_tooltip(whole_text());
  ImGui::TableNextColumn();
  text_right("100%");
  ImGui::PopFont();
  ImGui::EndTable();
  (void)context;
}

void SourcePanel::draw_head(PanelContext& context) {
  const inspector::SourceFileCost& cost = *model_.cost();
  const SourceListing& listing = model_.listing();
  ImGui::AlignTextToFramePadding();
  ImGui::PushFont(fonts().bold, 0);
  ImGui::TextUnformatted(inspector::printable(short_place(cost.file, 0)).c_str());
  ImGui::PopFont();
  item_tooltip("path in the ETRecord: " + inspector::printable(cost.file));
  ImGui::SameLine();
  if (ImGui::ArrowButton("##previous", ImGuiDir_Up)) step_hot(context.document, true);
  item_tooltip("Previous hot line of the file (Shift+N)");
  ImGui::SameLine(0, scaled(2));
  if (ImGui::ArrowButton("##next", ImGuiDir_Down)) step_hot(context.document, false);
  item_tooltip("Next hot line of the file (N): one with at least 1% of an execution");
  ImGui::SameLine();
  if (ImGui::Button("Hottest")) step_hottest(context.document, false);
  item_tooltip("The hottest line of all files, then the next hottest (F8; Shift+F8 goes back)");
  if (const std::string rank = rank_text(); !rank.empty()) {
    ImGui::SameLine();
    text_colored(theme().muted, rank);
  }
  flow_button("Source maps…");
  if (ImGui::Button("Source maps…")) ImGui::OpenPopup("##maps");
  item_tooltip("Where the files named in the ETRecord are on this machine");
  draw_maps(context);
  ImGui::SameLine();
  if (model_.reading()) {
    text_colored(theme().muted, "reading…");
  } else if (listing.found.empty()) {
    text_fitting("not found here: showing the lines in the ETRecord", theme().warning);
    item_tooltip("Looked for " + inspector::printable(cost.file) +
                 "\nSource maps tell where the files named in the ETRecord are on this machine.");
  } else if (listing.changed > 0) {
    text_fitting("changed since the export: " + inspector::format_count(listing.changed) +
                     (listing.changed == 1 ? " line with cost differs" : " lines with cost differ"),
                 theme().warning);
    item_tooltip(
        "Costs belong to the lines as exported. Lines that differ are marked; their tooltip shows the exported text.");
  } else {
    text_fitting(listing.found, theme().muted);
  }
}

void SourcePanel::draw_maps(PanelContext& context) {
  if (!ImGui::BeginPopup("##maps")) return;
  if (ImGui::IsWindowAppearing()) {
    // The folder of the file that is looked at is what one wants to map.
    const std::string& file = model_.cost()->file;
    const size_t slash = file.find_last_of('/');
    map_from_ = slash == std::string::npos ? file : file.substr(0, slash);
  }
  ImGui::TextUnformatted("In paths of the ETRecord, the first matching prefix is replaced.");
  inspector::PathMaps maps = context.document.path_maps();
  for (size_t i = 0; i < maps.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    if (ImGui::SmallButton("×")) {
      maps.erase(maps.begin() + static_cast<std::ptrdiff_t>(i));
      context.document.set_path_maps(maps);
      ImGui::PopID();
      break;
    }
    ImGui::SameLine();
    ImGui::TextUnformatted(inspector::printable(maps[i].first + "  →  " + maps[i].second).c_str());
    ImGui::PopID();
  }
  ImGui::SetNextItemWidth(scaled(420));
  ImGui::InputText("from (ETRecord)##from", &map_from_);
  ImGui::SetNextItemWidth(scaled(420));
  const bool entered = ImGui::InputText("to (this machine)##to", &map_to_, ImGuiInputTextFlags_EnterReturnsTrue);
  ImGui::BeginDisabled(map_from_.empty() || map_to_.empty());
  if (ImGui::Button("Add") || (entered && !map_from_.empty() && !map_to_.empty())) {
    // The newest is tried first: it is the answer to what was wrong before.
    std::erase_if(maps, [&](const auto& map) { return map.first == map_from_; });
    maps.insert(maps.begin(), {map_from_, map_to_});
    context.document.set_path_maps(std::move(maps));
    map_to_.clear();
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndDisabled();
  ImGui::EndPopup();
}

void SourcePanel::commands(CommandList* list) {
  const bool there = model_.cost() != nullptr;
  list->push_back({"Source: next hot line", 0, [this] { asked_step_ = 1; }, there});
  list->push_back({"Source: previous hot line", 0, [this] { asked_step_ = -1; }, there});
  list->push_back({"Source: next hottest line of all files (F8)", 0, [this] { asked_rank_ = 1; }, there});
  list->push_back({"Source: next hotter line of all files (Shift+F8)", 0, [this] { asked_rank_ = -1; }, there});
  list->push_back({"Source: call tree", 0, [this] { shows_calls_ = true; }, !shows_calls_});
  list->push_back({"Source: files", 0, [this] { shows_calls_ = false; }, shows_calls_});
}

extern const PanelSpec k_source_panel;
const PanelSpec k_source_panel = {
    .id = "source",
    .title = "Source",
    .summary = "Cost of each Python line, and of what it calls",
    .key = ImGuiKey_7,
    .make = [] { return std::unique_ptr<Panel>(new SourcePanel); },
};

}  // namespace et::gui
