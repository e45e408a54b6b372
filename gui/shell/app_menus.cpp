// Commands, shortcuts, menus and the status bar: what surrounds the panels in every frame.
#include <imgui.h>

#include <algorithm>

#include "gui/shell/app.h"
#include "imgui_internal.h"
#include "inspector/text/format.h"
#include "inspector/store/trace_ref.h"

namespace et::gui {
namespace {

std::string recent_title(const std::string& entry) {
  std::string title;
  size_t at = 0;
  while (at <= entry.size()) {
    const size_t end = std::min(entry.find('\t', at), entry.size());
    const std::string file = entry.substr(at, end - at);
    title += at == 0 ? file : " + " + file.substr(file.find_last_of('/') + 1);
    at = end + 1;
  }
  return title;
}

std::vector<std::string> recent_files(const std::string& entry) {
  std::vector<std::string> files;
  size_t at = 0;
  while (at <= entry.size()) {
    const size_t end = std::min(entry.find('\t', at), entry.size());
    files.push_back(entry.substr(at, end - at));
    at = end + 1;
  }
  return files;
}

}  // namespace

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

CommandList App::commands() {
  CommandList all;
  const bool open = document_.data() != nullptr;
  all.push_back({"Open files…", ImGuiMod_Ctrl | ImGuiKey_O, [this] {
                   browser_.open_files([this](const std::vector<std::string>& files) { open_files(files); });
                 }});
  all.push_back({"Save the store as…", ImGuiMod_Ctrl | ImGuiKey_S,
                 [this] {
                   browser_.save_file("trace.db", [this](const std::vector<std::string>& files) {
                     const Status status = document_.save_store(files.front());
                     notices_.say(status.ok() ? "saved " + files.front() : status.message());
                   });
                 },
                 open && options_.may_write});
  all.push_back({"Close the trace", 0, [this] { document_.close(); }, open});
  all.push_back({"Quit", ImGuiMod_Ctrl | ImGuiKey_Q, [this] { quit_ = true; }});
  all.push_back({"Back", ImGuiMod_Alt | ImGuiKey_LeftArrow, [this] { document_.back(); }, document_.can_back()});
  all.push_back(
      {"Forward", ImGuiMod_Alt | ImGuiKey_RightArrow, [this] { document_.forward(); }, document_.can_forward()});
  all.push_back({"Clear the selection", ImGuiMod_Shift | ImGuiKey_Escape, [this] { document_.select({}); },
                 !document_.selection().empty()});
  for (const PanelSpec* spec : all_panels()) {
    all.push_back({std::string("Show ") + spec->title,
                   spec->key == ImGuiKey_None ? 0 : static_cast<int>(ImGuiMod_Ctrl) | static_cast<int>(spec->key),
                   [this, spec] { show_panel(spec->id); }});
  }
  all.push_back({settings_.theme == "light" ? "Dark theme" : "Light theme", ImGuiMod_Ctrl | ImGuiKey_T,
                 [this] { set_theme(settings_.theme == "light" ? "dark" : "light"); }});
  // A few sizes, as browsers have them: each takes its room in the texture of the fonts.
  static constexpr float kScales[] = {0.5F, 0.67F, 0.75F, 0.9F, 1, 1.1F, 1.25F, 1.5F, 1.75F, 2, 2.5F, 3, 4};
  const auto zoom = [this](bool larger) {
    float next = scale_;
    for (const float s : kScales) {
      if (larger ? s > scale_ * 1.01F : s < scale_ * 0.99F) {
        next = s;
        if (larger) break;
      }
    }
    settings_.scale = scale_ = next;
    set_theme(settings_.theme);
  };
  all.push_back({"Larger text", ImGuiMod_Ctrl | ImGuiKey_Equal, [zoom] { zoom(true); }});
  all.push_back({"Smaller text", ImGuiMod_Ctrl | ImGuiKey_Minus, [zoom] { zoom(false); }});
  all.push_back({"Text as large as the display says", ImGuiMod_Ctrl | ImGuiKey_0, [this] {
                   settings_.scale = 0;
                   set_display_scale(options_.display_scale);
                 }});
  all.push_back({"Reset the layout", 0, [this] { reset_layout(); }});
  const bool follow = document_.follow_latest;
  all.push_back({follow ? "Stay at this trace when new ones arrive" : "Follow new traces", 0,
                 [this, follow] { document_.follow_latest = !follow; }});
  all.push_back({"Save a screenshot…", 0,
                 [this] {
                   browser_.save_file("et-inspect.png",
                                      [this](const std::vector<std::string>& files) { picture_path_ = files.front(); });
                 },
                 options_.may_write});
  if (!focused_.empty()) {
    const std::string id = focused_;
    all.push_back({"Copy this panel's rows as CSV", ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_C,
                   [this, id] {
                     const std::string text = panel(id)->csv();
                     if (!text.empty()) ImGui::SetClipboardText(text.c_str());
                     notices_.say(text.empty()
                                      ? "this panel has no table"
                                      : "copied " +
                                            inspector::format_count(std::count(text.begin(), text.end(), '\n') - 1) +
                                            " rows");
                   },
                   open});
    all.push_back(
        {"Save this panel's rows as CSV…", 0, [this, id] { export_from(id, true); }, open && options_.may_write});
    all.push_back(
        {"Save this panel's drawing as SVG…", 0, [this, id] { export_from(id, false); }, open && options_.may_write});
  }
  all.push_back({"Command palette", ImGuiMod_Ctrl | ImGuiKey_P, [this] { palette_open_ = true; }});
  all.push_back({"Keyboard shortcuts", ImGuiKey_F1, [this] { help_open_ = !help_open_; }});
  for (Entry& entry : panels_) {
    if (entry.open) entry.panel->commands(&all);
  }
  return all;
}

void App::export_from(const std::string& id, bool csv) {
  browser_.save_file(id + (csv ? ".csv" : ".svg"), [this, id, csv](const std::vector<std::string>& files) {
    const Status status =
        csv ? save_csv(id, files.front()) : save_svg(id, files.front(), ImGui::GetMainViewport()->WorkSize);
    notices_.say(status.ok() ? "saved " + files.front() : status.message());
  });
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
  if (!pressed || ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup)) return;
  for (const Command& command : commands()) {
    if (command.shortcut == 0 || !command.enabled) continue;
    const bool plain = (command.shortcut & ImGuiMod_Mask_) == 0 &&
                       !(command.shortcut >= ImGuiKey_F1 && command.shortcut <= ImGuiKey_F24);
    if (plain && io.WantTextInput) continue;
    if (!ImGui::IsKeyChordPressed(command.shortcut)) continue;
    command.run();
    touch();
    return;
  }
}

void App::draw_menu() {
  if (!ImGui::BeginMainMenuBar()) return;
  CommandList all;  // made when a menu is open, not in every frame
  const auto item = [&](const char* title) {
    if (all.empty()) all = commands();
    for (const Command& command : all) {
      if (command.title != title) continue;
      if (ImGui::MenuItem(title, chord_name(command.shortcut).c_str(), false, command.enabled)) command.run();
      return;
    }
  };
  if (ImGui::BeginMenu("File")) {
    item("Open files…");
    if (ImGui::BeginMenu("Open recent", !settings_.recent.empty())) {
      std::vector<std::string> chosen;
      for (const std::string& entry : settings_.recent) {
        if (ImGui::MenuItem(recent_title(entry).c_str())) chosen = recent_files(entry);
      }
      ImGui::EndMenu();
      if (!chosen.empty()) open_files(chosen);
    }
    item("Save the store as…");
    item("Close the trace");
    ImGui::Separator();
    item("Save this panel's rows as CSV…");
    item("Save this panel's drawing as SVG…");
    item("Copy this panel's rows as CSV");
    item("Save a screenshot…");
    ImGui::Separator();
    item("Quit");
    ImGui::EndMenu();
  }
  if (ImGui::BeginMenu("Go")) {
    item("Back");
    item("Forward");
    item("Clear the selection");
    if (ImGui::BeginMenu("Trace", document_.traces().size() > 1)) {
      for (const inspector::TraceSummary& trace : document_.traces()) {
        const std::string title =
            "#" + std::to_string(trace.id) + "  " + inspector::trace_title(trace) + "##" + std::to_string(trace.id);
        const bool shown = document_.data() != nullptr && document_.data()->trace_id() == trace.id;
        if (ImGui::MenuItem(title.c_str(), nullptr, shown)) document_.show_trace(trace.id);
      }
      ImGui::EndMenu();
    }
    item("Follow new traces");
    item("Stay at this trace when new ones arrive");
    ImGui::EndMenu();
  }
  if (ImGui::BeginMenu("View")) {
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
    item("Larger text");
    item("Smaller text");
    item("Reset the layout");
    ImGui::EndMenu();
  }
  if (ImGui::BeginMenu("Help")) {
    item("Command palette");
    item("Keyboard shortcuts");
    ImGui::EndMenu();
  }
  ImGui::EndMainMenuBar();
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
      const Selection& selection = document_.selection();
      if (selection.empty()) {
        ImGui::TextDisabled("nothing selected");
      } else {
        ImGui::TextUnformatted(selection.label.c_str());
        if (!selection.file.empty() && selection.line > 0) {
          const std::string place =
              selection.file.substr(selection.file.find_last_of('/') + 1) + ":" + std::to_string(selection.line);
          if (selection.label != place) ImGui::TextDisabled("%s", place.c_str());
        }
        if (!selection.module.empty()) ImGui::TextDisabled("%s", selection.module.c_str());
      }
      std::string right;
      if (const TraceData* data = document_.data()) {
        right = document_.request().title();
        if (document_.traces().size() > 1) right += "  #" + std::to_string(data->trace_id());
        right += data->has_dump() ? "  " + inspector::format_count(data->facts.events) + " events" : "  not run";
      }
      if (document_.state() == Document::State::Loading) right = "reading…  " + right;
      const float width = ImGui::CalcTextSize(right.c_str()).x;
      const float free = ImGui::GetContentRegionAvail().x - width - scaled(8);
      if (free > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + free);
      ImGui::TextDisabled("%s", right.c_str());
      ImGui::EndMenuBar();
    }
  }
  ImGui::End();
}

}  // namespace et::gui
