// Command palette, cheat sheet, and the windows that appear now and then.
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>

#include "gui/shell/app.h"
#include "imgui_internal.h"
#include "inspector/text/format.h"

namespace et::gui {
namespace {

constexpr double kToastSeconds = 4;

/// Centred over the window's upper third, as palettes are.
void place_palette(float width) {
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  ImGui::SetNextWindowPos({viewport->WorkPos.x + viewport->WorkSize.x / 2, viewport->WorkPos.y + scaled(40)},
                          ImGuiCond_Always, {0.5F, 0});
  ImGui::SetNextWindowSize({std::min(width, viewport->WorkSize.x * 0.9F), 0});
}

}  // namespace

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
  }
  if (!palette_open_) return;
  place_palette(scaled(560));
  if (!ImGui::BeginPopup(kTitle, ImGuiWindowFlags_NoMove)) return;
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(-FLT_MIN);
  const bool enter =
      ImGui::InputTextWithHint("##query", "Type a command", &palette_text_, ImGuiInputTextFlags_EnterReturnsTrue);
  if (ImGui::IsItemEdited()) palette_at_ = 0;
  struct Hit {
    int score;
    const Command* command;
  };
  const CommandList all = commands();
  std::vector<Hit> hits;
  for (const Command& command : all) {
    const int score = fuzzy_score(palette_text_, command.title);
    if (command.enabled && score >= 0) hits.push_back({score, &command});
  }
  std::stable_sort(hits.begin(), hits.end(), [](const Hit& a, const Hit& b) { return a.score > b.score; });
  const int count = static_cast<int>(hits.size());
  if (ImGui::IsKeyPressed(ImGuiKey_DownArrow)) ++palette_at_;
  if (ImGui::IsKeyPressed(ImGuiKey_UpArrow)) --palette_at_;
  palette_at_ = count == 0 ? 0 : (palette_at_ + count) % count;
  const Command* chosen = nullptr;
  const float row = ImGui::GetTextLineHeightWithSpacing();
  if (ImGui::BeginChild("list", {0, row * static_cast<float>(std::clamp(count, 1, 14))})) {
    for (int i = 0; i < count; ++i) {
      const Command& command = *hits[static_cast<size_t>(i)].command;
      ImGui::PushID(i);
      if (ImGui::Selectable(command.title.c_str(), i == palette_at_)) chosen = &command;
      if (i == palette_at_ && (ImGui::IsKeyPressed(ImGuiKey_DownArrow) || ImGui::IsKeyPressed(ImGuiKey_UpArrow))) {
        ImGui::SetScrollHereY();
      }
      const std::string keys = chord_name(command.shortcut);
      if (!keys.empty()) {
        ImGui::SameLine(ImGui::GetContentRegionMax().x - ImGui::CalcTextSize(keys.c_str()).x);
        ImGui::TextDisabled("%s", keys.c_str());
      }
      ImGui::PopID();
    }
    if (count == 0) ImGui::TextDisabled("No matching command");
  }
  ImGui::EndChild();
  if (enter && count > 0) chosen = hits[static_cast<size_t>(palette_at_)].command;
  if (chosen != nullptr || ImGui::IsKeyPressed(ImGuiKey_Escape)) {
    ImGui::CloseCurrentPopup();
    palette_open_ = palette_focus_ = false;
  }
  ImGui::EndPopup();
  if (chosen != nullptr) chosen->run();
  touch();
}

void App::draw_import() {
  if (document_.state() != Document::State::Importing) return;
  const ImportProgress progress = document_.progress();
  ImGui::SetNextWindowPos(ImGui::GetMainViewport()->GetCenter(), ImGuiCond_Always, {0.5F, 0.5F});
  ImGui::SetNextWindowSize({scaled(420), 0});
  if (ImGui::Begin("Importing", nullptr,
                   ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoResize |
                       ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoMove)) {
    ImGui::TextUnformatted(progress.stage.empty() ? "Reading files" : progress.stage.c_str());
    const float share =
        progress.total == 0
            ? -1.0F * static_cast<float>(ImGui::GetTime())
            : static_cast<float>(static_cast<double>(progress.done) / static_cast<double>(progress.total));
    ImGui::ProgressBar(share, {-FLT_MIN, 0});
    if (ImGui::Button("Cancel")) document_.cancel();
  }
  ImGui::End();
  touch();
}

void App::draw_error() {
  constexpr const char* kTitle = "Cannot open##error";
  const std::string& message = document_.error().message();
  if (document_.error().ok()) {
    if (!shown_error_.empty() && ImGui::BeginPopupModal(kTitle)) {  // what it says is over
      ImGui::CloseCurrentPopup();
      ImGui::EndPopup();
    }
    shown_error_.clear();
    return;
  }
  if (shown_error_ != message) {
    shown_error_ = message;
    ImGui::OpenPopup(kTitle);
  }
  ImGui::SetNextWindowPos(ImGui::GetMainViewport()->GetCenter(), ImGuiCond_Appearing, {0.5F, 0.5F});
  ImGui::SetNextWindowSize({scaled(560), 0});
  if (!ImGui::BeginPopupModal(kTitle, nullptr, ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoSavedSettings)) return;
  ImGui::PushTextWrapPos(0);
  ImGui::TextUnformatted(message.c_str());
  ImGui::PopTextWrapPos();
  ImGui::Spacing();
  if (ImGui::Button("Close") || ImGui::IsKeyPressed(ImGuiKey_Escape)) ImGui::CloseCurrentPopup();
  ImGui::SameLine();
  if (ImGui::Button("Copy")) ImGui::SetClipboardText(message.c_str());
  ImGui::EndPopup();
}

void App::draw_notices() {
  const double now = ImGui::GetTime();
  for (std::string& text : notices_.take()) toasts_.push_back({std::move(text), now + kToastSeconds});
  if (!document_.notice().empty()) {
    toasts_.push_back({document_.notice(), now + kToastSeconds});
    document_.dismiss_notice();
  }
  std::erase_if(toasts_, [&](const Toast& toast) { return toast.until < now; });
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  ImVec2 at = {viewport->WorkPos.x + viewport->WorkSize.x - scaled(12),
               viewport->WorkPos.y + viewport->WorkSize.y - scaled(12)};
  for (size_t i = toasts_.size(); i-- > 0;) {
    ImGui::SetNextWindowPos(at, ImGuiCond_Always, {1, 1});
    ImGui::SetNextWindowBgAlpha(0.95F);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
    const std::string title = "##notice" + std::to_string(i);
    if (ImGui::Begin(title.c_str(), nullptr,
                     ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoInputs |
                         ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_AlwaysAutoResize |
                         ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav)) {
      ImGui::TextUnformatted(toasts_[i].text.c_str());
      at.y = ImGui::GetWindowPos().y - scaled(6);
    }
    ImGui::End();
    ImGui::PopStyleVar();
  }
}

}  // namespace et::gui
