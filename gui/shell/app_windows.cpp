// The windows that appear now and then.
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <chrono>

#include "gui/shell/app.h"
#include "gui/widgets/cells.h"
#include "gui/widgets/theme.h"
#include "imgui_internal.h"
#include "inspector/text/format.h"

namespace et::gui {
namespace {

constexpr std::chrono::seconds kNoticeTime{6};

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
    error_open_ = true;
    if (options_.failed_to_open) options_.failed_to_open(message);
  }
  if (!error_open_) return;
  // Panels that come to the front close popups; this one stays until it was read.
  if (!ImGui::IsPopupOpen(kTitle)) ImGui::OpenPopup(kTitle);
  ImGui::SetNextWindowPos(ImGui::GetMainViewport()->GetCenter(), ImGuiCond_Appearing, {0.5F, 0.5F});
  ImGui::SetNextWindowSize({scaled(560), 0});
  if (!ImGui::BeginPopupModal(kTitle, nullptr, ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoSavedSettings)) return;
  ImGui::PushTextWrapPos(0);
  ::ImGui::TextUnformatted(tr_message(message).c_str());
  ImGui::PopTextWrapPos();
  ImGui::Spacing();
  if (ImGui::Button("Close") || ImGui::IsKeyPressed(ImGuiKey_Escape)) {
    error_open_ = false;
    ImGui::CloseCurrentPopup();
  }
  ImGui::SameLine();
  if (ImGui::Button("Copy")) ImGui::SetClipboardText(message.c_str());
  ImGui::EndPopup();
}

void App::request_quit() {
  document_.leave(Document::Leaving::Quit, [this] { quit_ = true; });
  touch();
}

namespace {

/// What the buttons of the question say, by what waits for the answer.
struct LeaveWords {
  const char *save, *without;
};
LeaveWords leave_words(Document::Leaving how) {
  switch (how) {
    case Document::Leaving::Open:
      return {"Save and open", "Open without saving"};
    case Document::Leaving::Close:
      return {"Save and close", "Close without saving"};
    default:
      return {"Save and quit", "Quit without saving"};
  }
}

}  // namespace

void App::draw_leave_question() {
  constexpr const char* kTitle = "Notes that are not saved##leave";
  if (document_.leaving() == Document::Leaving::Nothing || document_.writes_notes()) return;
  const bool begun = document_.has_begun_note(), unsaved = document_.has_unsaved_notes();
  if (!begun && !unsaved) return document_.go_on_leaving();
  const LeaveWords words = leave_words(document_.leaving());
  if (!ImGui::IsPopupOpen(kTitle)) ImGui::OpenPopup(kTitle);
  ImGui::SetNextWindowPos(ImGui::GetMainViewport()->GetCenter(), ImGuiCond_Appearing, {0.5F, 0.5F});
  ImGui::SetNextWindowSize({std::min(scaled(520), ImGui::GetMainViewport()->WorkSize.x * 0.95F), 0});
  if (!ImGui::BeginPopupModal(kTitle, nullptr, ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoSavedSettings)) return;
  ImGui::PushTextWrapPos(0);
  if (begun) ImGui::TextUnformatted("A note is being written on this trace and is not saved yet.");
  if (unsaved)
    ImGui::TextUnformatted(
        "The notes on this trace are in no file: what was opened is no store, and no file could be written beside it.");
  ImGui::PopTextWrapPos();
  ImGui::Spacing();
  bool close = false, stays = false;
  if (begun) {
    if (ImGui::Button(words.save)) {
      close = true;
      document_.save_note();
    }
    ImGui::SameLine();
    if (ImGui::Button("Show the note")) {
      stays = true;
      document_.focus_note();
      show_panel("notes");
    }
    ImGui::SameLine();
  }
  if (unsaved) {
    if (ImGui::Button("Save store as…")) {
      stays = true;
      save_store_as();
    }
    ImGui::SameLine();
  }
  if (ImGui::Button(words.without)) {
    close = true;
    document_.go_on_leaving();
  }
  ImGui::SameLine();
  if (ImGui::Button("Stay") || ImGui::IsKeyPressed(ImGuiKey_Escape)) stays = true;
  if (stays) document_.stay();
  if (close || stays) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
}

void App::take_notices() {
  const auto now = std::chrono::steady_clock::now();
  const auto say = [&](std::string text) { toasts_.push_back({std::move(text), now + kNoticeTime}); };
  for (std::string& text : notices_.take()) say(std::move(text));
  if (!document_.notice().empty()) {
    say(document_.notice());
    document_.dismiss_notice();
  }
  std::erase_if(toasts_, [&](const Toast& toast) { return toast.until < now; });
}

float App::notice_width() const {
  const ImGuiStyle& style = ImGui::GetStyle();
  return text_width(inspector::printable(toasts_.back().text)) + text_width("×") + 4 * style.FramePadding.x +
         style.ItemSpacing.x;
}

/// In the bar, where nothing is read that a panel shows; the last one first.
void App::draw_notice(float room) {
  const float width = std::min(notice_width(), room);
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + room - width);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 end = {at.x + width, at.y + ImGui::GetFrameHeight()};
  ImGui::GetWindowDrawList()->AddRectFilled(at, end, theme().selection_fill, scaled(2));
  const ImGuiStyle& style = ImGui::GetStyle();
  const float close = text_width("×") + 2 * style.FramePadding.x;
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + style.FramePadding.x);
  const std::string text(tr(inspector::printable(toasts_.back().text)));
  const std::string shown = fitting(text, width - close - style.FramePadding.x - style.ItemSpacing.x);
  ::ImGui::TextUnformatted(shown.c_str());
  if (shown != text) item_tooltip(text);
  ImGui::SetCursorScreenPos({end.x - close, at.y});
  const bool dismissed = ImGui::SmallButton("×##dismiss");
  item_tooltip("Dismiss");
  // Who has the mouse on it is reading.
  if (ImGui::IsMouseHoveringRect(at, end))
    toasts_.back().until = std::max(toasts_.back().until, std::chrono::steady_clock::now() + kNoticeTime / 2);
  if (dismissed) toasts_.pop_back();
}

}  // namespace et::gui
