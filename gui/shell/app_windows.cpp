// The windows that appear now and then.
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>

#include "gui/shell/app.h"
#include "imgui_internal.h"
#include "inspector/text/format.h"

namespace et::gui {
namespace {

constexpr double kToastSeconds = 4;

}  // namespace

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
  ::ImGui::TextUnformatted(tr_message(message).c_str());
  ImGui::PopTextWrapPos();
  ImGui::Spacing();
  if (ImGui::Button("Close") || ImGui::IsKeyPressed(ImGuiKey_Escape)) ImGui::CloseCurrentPopup();
  ImGui::SameLine();
  if (ImGui::Button("Copy")) ImGui::SetClipboardText(message.c_str());
  ImGui::EndPopup();
}

void App::request_quit() {
  if (document_.has_unsaved_notes() || document_.has_begun_note()) {
    quit_asked_ = true;
  } else {
    quit_ = true;
  }
  touch();
}

void App::draw_quit_question() {
  constexpr const char* kTitle = "Notes are not kept";
  if (!quit_asked_) return;
  if (!ImGui::IsPopupOpen(kTitle)) ImGui::OpenPopup(kTitle);
  ImGui::SetNextWindowPos(ImGui::GetMainViewport()->GetCenter(), ImGuiCond_Appearing, {0.5F, 0.5F});
  ImGui::SetNextWindowSize({std::min(scaled(480), ImGui::GetMainViewport()->WorkSize.x * 0.95F), 0});
  if (!ImGui::BeginPopupModal(kTitle, nullptr, ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoSavedSettings)) return;
  ImGui::PushTextWrapPos(0);
  if (document_.has_begun_note())
    ImGui::TextUnformatted("A note is being written and is not saved yet: Save or Ctrl+Enter in Notes keeps it.");
  if (document_.has_unsaved_notes())
    ImGui::TextUnformatted(
        "The notes on this trace are in no file: what was opened is no store, and no file could be written beside it.");
  ImGui::PopTextWrapPos();
  ImGui::Spacing();
  bool close = false;
  if (document_.has_begun_note()) {
    if (ImGui::Button("Show the note")) {
      close = true;
      document_.focus_note();
      show_panel("notes");
    }
    ImGui::SameLine();
  }
  if (document_.has_unsaved_notes()) {
    if (ImGui::Button("Save store as…")) {
      close = true;
      save_store_as();
    }
    ImGui::SameLine();
  }
  if (ImGui::Button("Quit without them")) close = quit_ = true;
  ImGui::SameLine();
  if (ImGui::Button("Stay") || ImGui::IsKeyPressed(ImGuiKey_Escape)) close = true;
  if (close) {
    quit_asked_ = false;
    ImGui::CloseCurrentPopup();
  }
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
