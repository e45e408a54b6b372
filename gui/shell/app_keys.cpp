// Keys of the window: shortcuts, and what is typed before the field that it is for is there: the palette opens over
// two frames, and a panel that was gone to may have to read its data before it has a search.
#include <imgui.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "gui/shell/app.h"
#include "gui/widgets/box_walk.h"
#include "gui/widgets/search_focus.h"
#include "gui/widgets/translate.h"
#include "imgui_internal.h"

namespace et::gui {
namespace {

constexpr int kTextComesWithin = 10;      // frames, once what has the field is drawn
constexpr int kFieldAppears = 2;          // frames in which the keyboard is still where it was
constexpr int kSearchComesWithin = 4;     // frames that a panel is drawn in while nothing is read
constexpr double kPanelReadsWithin = 30;  // seconds

bool is_modifier(ImGuiKey key) {
  return (key & ImGuiMod_Mask_) != 0 || (key >= ImGuiKey_LeftCtrl && key <= ImGuiKey_RightSuper);
}
bool is_pressed_key(const ImGuiInputEvent& e) { return e.Type == ImGuiInputEventType_Key && e.Key.Down; }
bool is_of_keyboard(const ImGuiInputEvent& e) {
  return e.Type == ImGuiInputEventType_Key || e.Type == ImGuiInputEventType_Text;
}
bool is_typed(const ImGuiInputEvent& e) {
  return e.Type == ImGuiInputEventType_Text || (is_pressed_key(e) && !is_modifier(e.Key.Key));
}

/// From where on events wait: a chord that is let go within a frame, its modifier first, would be a plain key by the
/// time it is looked at. So what follows the first change of a modifier behind a key comes with the next frame.
int end_of_chord(const ImVector<ImGuiInputEvent>& queue) {
  bool key_seen = false;
  for (int i = 0; i < queue.Size; ++i) {
    if (queue[i].Type != ImGuiInputEventType_Key) continue;
    const bool modifier = is_modifier(queue[i].Key.Key);
    if (modifier && key_seen) return i;
    key_seen = key_seen || (!modifier && queue[i].Key.Down);
  }
  return queue.Size;
}

/// Behind what says that the user no longer waits for a panel's search: Escape, a click, another chord; -1 for none.
int end_of_patience(const ImVector<ImGuiInputEvent>& queue) {
  for (int i = 0; i < queue.Size; ++i) {
    const ImGuiInputEvent& e = queue[i];
    if (e.Type == ImGuiInputEventType_MouseButton && e.MouseButton.Down) return i;
    if (!is_pressed_key(e)) continue;
    const ImGuiKey key = e.Key.Key;
    if (key == ImGuiKey_Escape) return i + 1;
    const bool chord = key == ImGuiKey_LeftCtrl || key == ImGuiKey_RightCtrl || key == ImGuiMod_Ctrl;
    if (chord || (key >= ImGuiKey_F1 && key <= ImGuiKey_F24)) return i;
  }
  return -1;
}

/// Letters that no field takes are no shortcuts either. Keys that go up, and modifiers, count.
void drop_typed(ImVector<ImGuiInputEvent>* queue, int count) {
  int kept = 0;
  for (int i = 0; i < queue->Size; ++i) {
    const ImGuiInputEvent e = (*queue)[i];
    if (i >= count || !is_typed(e)) (*queue)[kept++] = e;
  }
  queue->resize(kept);
}

}  // namespace

void App::new_frame() {
  ImVector<ImGuiInputEvent>& queue = ImGui::GetCurrentContext()->InputEventsQueue;
  // What ends the chord that is waited after passes: its keys go up.
  const bool hold = holds_keys();
  const int cut =
      hold ? static_cast<int>(std::find_if(queue.begin(), queue.end(), is_typed) - queue.begin()) : end_of_chord(queue);
  std::vector<ImGuiInputEvent> later;
  int now = 0;
  for (int i = 0; i < queue.Size; ++i) {
    const bool waits = i >= cut && (!hold || is_of_keyboard(queue[i]));
    if (waits) {
      later.push_back(queue[i]);
    } else {
      queue[now++] = queue[i];
    }
  }
  queue.resize(now);
  trim_translations();
  ImGui::NewFrame();
  leave_parts_by_tab();
  // With Alt the arrows go back and forward; without this they move what has the keyboard as well, to a search at last.
  if (ImGui::GetIO().KeyAlt) ImGui::NavMoveRequestCancel();
  for (const ImGuiInputEvent& e : later) queue.push_back(e);
  if (!later.empty()) touch();
}

void App::await_text() {
  awaits_text_ = kTextComesWithin;
  text_from_ = ImGui::GetFrameCount() + kFieldAppears;
  touch();
}

void App::await_search(const std::string& panel) {
  search_wanted_ = panel;
  search_until_ = ImGui::GetTime() + kPanelReadsWithin;
  search_drawn_ = 0;
  await_text();
}

bool App::holds_keys() {
  if (awaits_text_ == 0) return false;
  touch();
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  ImVector<ImGuiInputEvent>& queue = ImGui::GetCurrentContext()->InputEventsQueue;
  if (!search_wanted_.empty()) {
    int end = end_of_patience(queue);
    if (end < 0 && ImGui::GetTime() > search_until_) end = queue.Size;
    if (end < 0) return true;
    drop_typed(&queue, end);
    search_wanted_.clear();
    awaits_text_ = 0;
    return false;
  }
  if (g.WantTextInputNextFrame == 1 && ImGui::GetFrameCount() >= text_from_) {
    awaits_text_ = 0;
    return false;
  }
  if (--awaits_text_ > 0) return true;
  drop_typed(&queue, queue.Size);
  return false;
}

/// The panel that was asked for its search was drawn.
void App::follow_search() {
  if (!std::exchange(search_request(), false)) {  // it has taken the keyboard
    search_wanted_.clear();
    return await_text();
  }
  touch();
  const Document::State state = document_.state();
  const bool reads = jobs_.pending() > 0 || state == Document::State::Importing || state == Document::State::Loading;
  search_drawn_ = reads ? 0 : search_drawn_ + 1;
  if (search_drawn_ < kSearchComesWithin) return;
  search_wanted_.clear();
  awaits_text_ = 1;
  notices_.say("this panel has no search; Ctrl+P goes to anything");
}

void App::run_shortcuts() {
  // Only when a key went down: the list is not made for nothing.
  const ImGuiIO& io = ImGui::GetIO();
  bool pressed = false;
  for (int key = ImGuiKey_NamedKey_BEGIN; key < ImGuiKey_NamedKey_END && !pressed; ++key) {
    const auto k = static_cast<ImGuiKey>(key);
    if (ImGui::IsMouseKey(k) || k == ImGuiKey_LeftCtrl || k == ImGuiKey_RightCtrl) continue;
    pressed = ImGui::IsKeyPressed(k, false);
  }
  if (!pressed) return;
  // A menu gives way to a shortcut; a dialogue, or what one types in, does not.
  const bool popup = ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup);
  if (popup && (!io.KeyCtrl || io.WantTextInput || ImGui::GetTopMostPopupModal() != nullptr)) return;
  for (const Command& command : commands()) {
    if (command.shortcut == 0 || !command.enabled) continue;
    const bool plain = (command.shortcut & ImGuiMod_Mask_) == 0 &&
                       !(command.shortcut >= ImGuiKey_F1 && command.shortcut <= ImGuiKey_F24);
    if (plain && io.WantTextInput) continue;
    if (!ImGui::IsKeyChordPressed(command.shortcut)) continue;
    if (popup) ImGui::ClosePopupToLevel(0, true);
    command.run();
    touch();
    return;
  }
}

}  // namespace et::gui
