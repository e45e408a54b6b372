// Go to anything, the windows that belong to it, and the line on top of the window.
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cctype>

#include "gui/core/editor.h"
#include "gui/core/wide_font.h"
#include "gui/shell/app.h"
#include "gui/widgets/cells.h"
#include "imgui_internal.h"
#include "inspector/analysis/ops/basis_gaps.h"
#include "inspector/text/format.h"
#include "inspector/text/path_maps.h"
#include "inspector/text/words.h"

namespace et::gui {
namespace {

constexpr size_t kPaletteRows = 60;  // found; fewer are seen at once

/// Centred over the window's upper third, as palettes are.
void place_palette(float width) {
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  ImGui::SetNextWindowPos({viewport->WorkPos.x + viewport->WorkSize.x / 2, viewport->WorkPos.y + scaled(40)},
                          ImGuiCond_Always, {0.5F, 0});
  ImGui::SetNextWindowSize({std::min(width, viewport->WorkSize.x * 0.9F), 0});
}

bool any_wide_text(const TraceData& data) {
  for (const inspector::OpEntry& op : data.table.ops) {
    if (has_wide_text(std::string(op.name))) return true;
  }
  for (const inspector::GraphModel& graph : data.graphs) {
    for (const inspector::GraphNode& node : graph.nodes) {
      if (has_wide_text(node.name) || has_wide_text(node.module_path) || has_wide_text(node.file)) return true;
    }
  }
  for (const inspector::SourceFileCost& file : data.sources.files) {
    for (const inspector::SourceLine& line : file.lines) {
      if (has_wide_text(line.code)) return true;
    }
  }
  return has_wide_text(data.model);
}

}  // namespace

std::vector<GotoTarget> App::fixed_targets() {
  palette_commands_ = commands();
  std::vector<GotoTarget> out;
  for (size_t i = 0; i < palette_commands_.size(); ++i) {
    const Command& command = palette_commands_[i];
    if (!command.enabled || command.title == "Go to anything") continue;
    GotoTarget target;
    const bool panel = command.title.starts_with("Show ");
    target.kind = panel ? GotoTarget::Kind::Panel : GotoTarget::Kind::Command;
    target.text = command.title;
    target.detail = chord_name(command.shortcut);
    target.number = static_cast<int64_t>(i);
    out.push_back(std::move(target));
  }
  return out;
}

void App::go_to(const GotoTarget& target) {
  if (target.kind == GotoTarget::Kind::Command || target.kind == GotoTarget::Kind::Panel) {
    const Command command = palette_commands_[static_cast<size_t>(target.number)];
    return command.run();
  }
  if (target.kind == GotoTarget::Kind::Trace) return document_.show_trace(target.number);
  if (document_.data() == nullptr) return;
  std::string panel;
  Selection selection = GotoModel::selection(*document_.data(), target, &panel);
  if (target.kind == GotoTarget::Kind::Type) document_.want_group({inspector::GroupBy::Type, target.key});
  if (target.finding) document_.want_finding(*target.finding);
  if (!selection.empty()) return document_.select(std::move(selection), panel);
  // Of an execution and of a finding the panel tells all; what is selected stays.
  if (!panel.empty()) document_.select(document_.selection(), panel);
  if (panel == "timeline") document_.show_run(target.number);
}

void App::draw_palette_row(const GotoTarget& target, const std::string& keys) {
  const float left = ImGui::GetCursorPosX(), width = ImGui::GetContentRegionMax().x - left;
  const float right = text_width(keys), gap = scaled(12);
  const std::string text = fitting(target.text, width - right - gap);
  ImGui::TextUnformatted(text.c_str());
  const bool own = target.kind == GotoTarget::Kind::Command || target.kind == GotoTarget::Kind::Panel;
  // A few letters of a sentence say nothing.
  const float room = width - right - text_width(text) - 2 * gap;
  if (!own && !target.detail.empty() && room > std::min(scaled(90), text_width(target.detail))) {
    ImGui::SameLine(0, gap);
    text_colored(theme().faint, fitting(target.detail, room));
  }
  ImGui::SameLine(left + width - right);
  text_colored(theme().muted, keys);
}

void App::draw_palette() {
  constexpr const char* kTitle = "##palette";
  if (palette_open_ && !ImGui::IsPopupOpen(kTitle)) {
    if (palette_focus_) {  // closed by a click beside it
      palette_open_ = palette_focus_ = false;
      return;
    }
    ImGui::OpenPopup(kTitle);
    palette_text_.clear();
    palette_at_ = 0;
    palette_focus_ = true;
    goto_.refresh(document_, fixed_targets());
  }
  if (!palette_open_) return;
  place_palette(scaled(640));
  // Arrows move the marked row alone: ImGui's own cursor would take the focus from the text and stop elsewhere.
  if (!ImGui::BeginPopup(kTitle, ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoNavInputs)) return;
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(-FLT_MIN);
  const bool enter =
      ImGui::InputTextWithHint("##query", "Operator, op, module, line, finding, execution (#5), panel or command",
                               &palette_text_, ImGuiInputTextFlags_EnterReturnsTrue);
  if (ImGui::IsItemEdited()) palette_at_ = 0;
  const std::vector<int32_t>& found = goto_.search(palette_text_, kPaletteRows);
  const int count = static_cast<int>(found.size());
  const bool moved = ImGui::IsKeyPressed(ImGuiKey_DownArrow) || ImGui::IsKeyPressed(ImGuiKey_UpArrow);
  if (ImGui::IsKeyPressed(ImGuiKey_DownArrow)) ++palette_at_;
  if (ImGui::IsKeyPressed(ImGuiKey_UpArrow)) --palette_at_;
  palette_at_ = count == 0 ? 0 : (palette_at_ + count) % count;
  int chosen = enter && count > 0 ? palette_at_ : -1;
  const float row = ImGui::GetTextLineHeightWithSpacing();
  const ImVec2 size{0, row * static_cast<float>(std::clamp(count, 1, 16))};
  if (ImGui::BeginChild("list", size, ImGuiChildFlags_None, ImGuiWindowFlags_NoNavInputs)) {
    for (int i = 0; i < count; ++i) {
      const GotoTarget& target = goto_.target(found[static_cast<size_t>(i)]);
      ImGui::PushID(i);
      const ImVec2 at = ImGui::GetCursorPos();
      if (ImGui::Selectable("##target", i == palette_at_)) chosen = i;
      if (i == palette_at_ && moved) ImGui::SetScrollHereY();
      ImGui::SetCursorPos(at);
      const bool own = target.kind == GotoTarget::Kind::Command || target.kind == GotoTarget::Kind::Panel;
      std::string keys = own ? target.detail : goto_kind_name(target.kind);
      if (target.time > 0 && document_.data() != nullptr)
        keys = inspector::format_duration_with_unit(target.time, document_.data()->unit()) + "  " + keys;
      draw_palette_row(target, keys);
      ImGui::PopID();
    }
    if (count == 0) ImGui::TextDisabled("Nothing has that name");
  }
  ImGui::EndChild();
  if (chosen >= 0 || ImGui::IsKeyPressed(ImGuiKey_Escape)) {
    ImGui::CloseCurrentPopup();
    palette_open_ = palette_focus_ = false;
  }
  ImGui::EndPopup();
  if (chosen >= 0) go_to(GotoTarget(goto_.target(found[static_cast<size_t>(chosen)])));
  touch();
}

Status App::open_in_editor() {
  const Selection& selection = document_.selection();
  if (selection.file.empty()) return {Error::NotFound, "the selection has no source line"};
  const std::string file = inspector::mapped_path(selection.file, document_.path_maps());
  std::vector<std::string> words;
  Status status = editor_command(settings_.editor, EditorSurroundings::here(), file, selection.line, &words);
  if (status.ok()) status = start_detached(words);
  return status;
}

void App::draw_editor_choice() {
  constexpr const char* kTitle = "Editor for source lines";
  if (editor_open_ && !ImGui::IsPopupOpen(kTitle)) ImGui::OpenPopup(kTitle);
  if (!editor_open_) return;
  ImGui::SetNextWindowPos(ImGui::GetMainViewport()->GetCenter(), ImGuiCond_Appearing, {0.5F, 0.5F});
  ImGui::SetNextWindowSize({std::min(scaled(560), ImGui::GetMainViewport()->WorkSize.x * 0.95F), 0});
  if (!ImGui::BeginPopupModal(kTitle, nullptr, ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoSavedSettings)) return;
  const bool own = !editor_text_.empty() && editor_text_ != "vscode";
  const EditorSurroundings here = EditorSurroundings::here();
  const std::string& usual = here.visual.empty() ? here.editor : here.visual;
  const std::string automatic =
      "$VISUAL or $EDITOR (" + (usual.empty() ? std::string("neither is set: the desktop's program") : usual) + ")";
  if (ImGui::RadioButton(automatic.c_str(), editor_text_.empty())) editor_text_.clear();
  if (ImGui::RadioButton("VS Code, by a vscode:// address", editor_text_ == "vscode")) editor_text_ = "vscode";
  if (ImGui::RadioButton("A command:", own) && !own) editor_text_ = "terminal vim +{line} {file}";
  ImGui::BeginDisabled(!own);
  ImGui::SetNextItemWidth(-FLT_MIN);
  ImGui::InputTextWithHint("##command", "terminal vim +{line} {file}", &editor_text_);
  ImGui::EndDisabled();
  ImGui::PushTextWrapPos(0);
  text_colored(theme().muted, "{file} and {line} are replaced; \"terminal\" in front opens a terminal for it.");
  std::vector<std::string> words;
  const Status valid = editor_command(editor_text_, here, "model.py", 1, &words);
  if (!valid.ok()) text_colored(theme().bad, valid.message());
  ImGui::PopTextWrapPos();
  ImGui::Spacing();
  ImGui::BeginDisabled(!valid.ok());
  const bool save = ImGui::Button("Save");
  ImGui::EndDisabled();
  ImGui::SameLine();
  if (save) settings_.editor = editor_text_;
  if (save || ImGui::Button("Cancel") || ImGui::IsKeyPressed(ImGuiKey_Escape)) {
    editor_open_ = false;
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
}

bool App::banner_is_error() const {
  return document_.data() != nullptr && !document_.data()->foreign.warnings().empty();
}

std::string App::banner() const {
  if (banner_is_error()) {
    std::string text = inspector::joined(document_.data()->foreign.warnings(), "\n");
    text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    return text;
  }
  if (document_.store_deleted()) {
    return document_.store_path() + " was deleted. What was read is still shown; nothing new can be read or noted.";
  }
  if (wide_version_ != document_.version()) {
    wide_version_ = document_.version();
    wide_text_ = document_.data() != nullptr && any_wide_text(*document_.data());
  }
  if (!language_without_font_.empty()) {
    return "The language '" + language_without_font_ +
           "' cannot be shown: no font on this machine has its characters (Debian: fonts-noto-cjk).";
  }
  if (wide_text_ && wide_font_.empty()) {
    return "Names in Chinese, Japanese or Korean cannot be shown: no font on this machine has them (Debian: "
           "fonts-noto-cjk).";
  }
  const TraceData* const data = document_.data();
  return data == nullptr || !data->has_etdump() ? "" : inspector::joined(inspector::basis_gaps(data->shown), "\n");
}

void App::draw_banner() {
  const std::string text = banner();
  if (text.empty()) return;
  const ImGuiStyle& style = ImGui::GetStyle();
  const float width = ImGui::GetMainViewport()->WorkSize.x - style.WindowPadding.x * 2;
  const float height = ImGui::CalcTextSize(text.c_str(), nullptr, false, width).y + style.WindowPadding.y;
  ImGui::PushStyleColor(ImGuiCol_WindowBg, with_alpha(banner_is_error() ? theme().bad : theme().warning,
                                                      banner_is_error() ? 0.4F : 0.22F));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {style.WindowPadding.x, style.WindowPadding.y / 2});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, {1, 1});
  if (ImGui::BeginViewportSideBar("##banner", ImGui::GetMainViewport(), ImGuiDir_Up, height,
                                  ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoSavedSettings)) {
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(text.c_str());
    ImGui::PopTextWrapPos();
  }
  ImGui::End();
  ImGui::PopStyleVar(2);
  ImGui::PopStyleColor();
}

}  // namespace et::gui
