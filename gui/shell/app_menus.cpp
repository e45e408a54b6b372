// Menus and the status bar: what surrounds the panels in every frame.
#include <imgui.h>

#include <algorithm>
#include <utility>

#include "gui/core/recent_files.h"
#include "gui/core/selection_cost.h"
#include "gui/shell/app.h"
#include "gui/widgets/cells.h"
#include "imgui_internal.h"
#include "inspector/store/trace_ref.h"
#include "inspector/text/format.h"
#include "inspector/text/language.h"
#include "inspector/text/words.h"

namespace et::gui {

std::string App::chord_name(int chord) {
  if (chord == 0) return {};
  std::string name = ImGui::GetKeyChordName(chord);
  // As keyboards have them.
  for (const auto& [from, to] : {std::pair{"LeftArrow", "Left"}, std::pair{"RightArrow", "Right"},
                                 std::pair{"Equal", "="}, std::pair{"Minus", "-"}}) {
    if (const std::string_view key = from; name.ends_with(key)) name.replace(name.size() - key.size(), key.size(), to);
  }
  return name;
}

void App::draw_menu() {
  if (!ImGui::BeginMainMenuBar()) return;
  CommandList all;  // made when a menu is open, not in every frame
  const MenuItemOf item = [&](const char* title) {
    if (all.empty()) all = commands();
    for (const Command& command : all) {
      if (command.title != title) continue;
      const bool chosen = command.chosen;
      if (ImGui::MenuItem(title, chord_name(command.shortcut).c_str(), chosen, command.enabled || chosen) && !chosen)
        command.run();
      return;
    }
  };
  // Keys move within a window: into the menus they need a first step. From there arrows lead everywhere.
  if (std::exchange(menu_wanted_, false)) ImGui::OpenPopup("File");
  if (ImGui::BeginMenu("File")) {
    draw_file_menu(item);
    ImGui::EndMenu();
  }
  if (ImGui::BeginMenu("Go")) {
    draw_go_menu(item);
    ImGui::EndMenu();
  }
  if (ImGui::BeginMenu("View")) {
    draw_view_menu(item);
    ImGui::EndMenu();
  }
  if (ImGui::BeginMenu("Help")) {
    item("Go to anything");
    item("Keyboard shortcuts");
    if (!options_.version.empty()) {
      ImGui::Separator();
      ImGui::TextDisabled("et-inspect-gui %s", options_.version.c_str());
    }
    ImGui::EndMenu();
  }
  draw_basis_switch();
  ImGui::EndMainMenuBar();
}

void App::draw_file_menu(const MenuItemOf& item) {
  item("Open files…");
  if (ImGui::BeginMenu("Open recent", !settings_.recent.empty())) {
    std::vector<std::string> chosen;
    for (const std::string& entry : settings_.recent) {
      if (ImGui::MenuItem(recent_title(recent_files(entry)).c_str())) chosen = recent_files(entry);
    }
    ImGui::EndMenu();
    if (!chosen.empty()) open_files(chosen);
  }
  item(kCompareFilesCommand);
  item("Save store as…");
  item("Close trace");
  ImGui::Separator();
  item("Save this panel's rows as CSV…");
  item("Save this panel as SVG…");
  item("Copy this panel's rows as CSV");
  item("Save screenshot…");
  ImGui::Separator();
  item("Quit");
}

void App::draw_go_menu(const MenuItemOf& item) {
  item("Go to anything");
  item("Search in this panel");
  item("Open line in editor");
  item("Choose editor…");
  ImGui::Separator();
  item("Back");
  item("Forward");
  item("Clear selection");
  // Of a store alone: other files hold one trace, which nothing is added to.
  if (document_.is_temporary() || document_.store_path().empty()) return;
  ImGui::Separator();
  if (ImGui::BeginMenu("Trace of this store", document_.traces().size() > 1)) {
    for (const inspector::TraceSummary& trace : document_.traces()) {
      const std::string title =
          "#" + std::to_string(trace.id) + "  " + inspector::trace_title(trace) + "##" + std::to_string(trace.id);
      const bool shown = document_.data() != nullptr && document_.data()->trace_id() == trace.id;
      if (ImGui::MenuItem(title.c_str(), nullptr, shown)) document_.show_trace(trace.id);
    }
    ImGui::EndMenu();
  }
  item("Follow new traces");
  item("Stay on this trace");
}

void App::draw_view_menu(const MenuItemOf& item) {
  for (Entry& entry : panels_) {
    const int chord =
        entry.spec->key == ImGuiKey_None ? 0 : static_cast<int>(ImGuiMod_Ctrl) | static_cast<int>(entry.spec->key);
    if (ImGui::MenuItem(entry.spec->title, chord_name(chord).c_str(), entry.open)) {
      entry.open = !entry.open;
      entry.focus = entry.open;
    }
    ImGui::SetItemTooltip("%s", entry.spec->summary);
  }
  ImGui::Separator();
  item("Light theme");
  item("Dark theme");
  if (ImGui::BeginMenu("Language")) {
    for (const std::string& language : inspector::languages()) {
      const bool now = language == inspector::language();
      if (ImGui::MenuItem(inspector::language_name(language).c_str(), nullptr, now) && !now) set_language(language);
    }
    ImGui::EndMenu();
  }
  item("Larger text");
  item("Smaller text");
  ImGui::Separator();
  // The panels are what the menu is for: what is chosen now and then has menus of its own.
  if (ImGui::BeginMenu("Layout")) {
    for (const LayoutPreset& preset : layout_presets()) item(preset.title);
    ImGui::EndMenu();
  }
  if (ImGui::BeginMenu("Times")) {
    for (const auto& [title, kind] : kBasisCommands) item(title);
    item(kExecutionBasisCommand);
    ImGui::EndMenu();
  }
  if (ImGui::BeginMenu("Lines")) {
    for (const auto& [title, rule] : kLineCommands) item(title);
    ImGui::EndMenu();
  }
}

/// Added up when the choice or the times change, not in each frame.
void App::draw_selection_cost() {
  const std::pair now(document_.selection_version(), document_.version());
  const TraceData* const data = document_.data();
  if (std::exchange(cost_of_, now) != now) {
    SelectionCost cost = data == nullptr ? SelectionCost() : selection_cost(*data, document_.selection());
    // A label that says how many they are says it once: "Attention: 269 ops".
    if (document_.selection().label.ends_with(": " + inspector::plural(cost.ops, "op"))) cost.ops = 0;
    cost_text_ = data == nullptr ? "" : cost.text(data->unit());
  }
  if (cost_text_.empty()) return;
  ImGui::TextUnformatted(cost_text_.c_str());
  item_tooltip("What is selected takes: " + data->shown.basis_text());
}

void App::draw_selection_text() {
  const float begin = ImGui::GetCursorPosX();
  const Selection& selection = document_.selection();
  if (selection.empty()) {
    ImGui::TextDisabled("Nothing selected");
  } else {
    ImGui::TextUnformatted(selection.label.c_str());
    if (!selection.file.empty() && selection.line > 0) {
      const std::string place =
          selection.file.substr(selection.file.find_last_of('/') + 1) + ":" + std::to_string(selection.line);
      if (selection.label != place) ImGui::TextDisabled("%s", place.c_str());
    }
    if (!selection.module.empty() && selection.module != selection.label)
      ImGui::TextDisabled("%s", selection.module.c_str());
    draw_selection_cost();
  }
  selection_width_ = ImGui::GetCursorPosX() - begin;
}

void App::draw_files_text(float room) {
  std::string right;
  if (const TraceData* data = document_.data()) {
    right = files_title();
    if (document_.traces().size() > 1) right += "  #" + std::to_string(data->trace_id());
    right += data->has_etdump() ? "  " + inspector::format_count(data->facts.events) + " events" : "  not run";
  }
  if (document_.state() == Document::State::Loading) right = "reading…  " + right;
  right = fitting(right, room);
  const float free = room - text_width(right);
  if (free > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + free);
  if (free >= 0) ImGui::TextDisabled("%s", right.c_str());
}

void App::draw_status_bar() {
  const float height = ImGui::GetFrameHeight();
  ImGuiViewport* viewport = ImGui::GetMainViewport();
  if (ImGui::BeginViewportSideBar("##status", viewport, ImGuiDir_Down, height,
                                  ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_MenuBar)) {
    if (ImGui::BeginMenuBar()) {
      ImGui::BeginDisabled(!document_.can_back());
      if (ImGui::SmallButton("<##back")) document_.back();
      ImGui::EndDisabled();
      ImGui::SetItemTooltip("Back (Alt+Left)");
      ImGui::BeginDisabled(!document_.can_forward());
      if (ImGui::SmallButton(">##forward")) document_.forward();
      ImGui::EndDisabled();
      ImGui::SetItemTooltip("Forward (Alt+Right)");
      const float room = ImGui::GetContentRegionAvail().x - scaled(8);
      const bool notice = !toasts_.empty();
      // For as long as it is said, a long notice has the room of what is selected.
      if (!notice || selection_width_ + notice_width() + scaled(24) <= room) draw_selection_text();
      const float left = ImGui::GetContentRegionAvail().x - scaled(8);
      notice ? draw_notice(left) : draw_files_text(left);
      ImGui::EndMenuBar();
    }
  }
  ImGui::End();
}

}  // namespace et::gui
