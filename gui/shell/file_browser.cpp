#include "gui/shell/file_browser.h"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "gui/widgets/theme.h"
#include "inspector/store/file_kind.h"
#include "inspector/text/format.h"

namespace et::gui {

namespace fs = std::filesystem;

namespace {

std::string kind_of(const fs::path& path) {
  using inspector::FileKind;
  switch (const FileKind kind = inspector::file_kind(path.string())) {
    case FileKind::ETDump:
    case FileKind::ETRecord:
    case FileKind::Program:
    case FileKind::BundledProgram:
    case FileKind::Store:
      return inspector::file_kind_name(kind);
    default:
      return {};
  }
}

}  // namespace

void FileBrowser::begin(const char* title, const std::string& folder, Chosen chosen) {
  title_ = std::string(title) + "##browser";
  if (folder_.empty()) folder_ = folder;
  chosen_ = std::move(chosen);
  wanted_ = true;
}

void FileBrowser::open_files(const char* title, const std::string& folder, Chosen chosen) {
  begin(title, folder, std::move(chosen));
  saving_ = false;
  name_.clear();
}

void FileBrowser::save_file(const char* title, const std::string& folder, const std::string& name, Chosen chosen) {
  begin(title, folder, std::move(chosen));
  saving_ = true;
  name_ = name;
}

void FileBrowser::read_folder() {
  error_.clear();
  items_.clear();
  std::error_code error;
  if (folder_.empty()) folder_ = fs::current_path(error).string();
  path_ = folder_;
  fs::directory_iterator it(folder_, fs::directory_options::skip_permission_denied, error);
  if (error) {
    error_ = folder_ + ": " + error.message();
    return;
  }
  for (; it != fs::directory_iterator(); it.increment(error)) {
    if (error) break;
    Item item;
    item.name = it->path().filename().string();
    if (item.name.starts_with('.')) continue;
    item.folder = it->is_directory(error);
    if (!item.folder) {
      if (!it->is_regular_file(error)) continue;
      item.bytes = it->file_size(error);
      item.kind = kind_of(it->path());
    }
    items_.push_back(std::move(item));
  }
  std::sort(items_.begin(), items_.end(),
            [](const Item& a, const Item& b) { return a.folder != b.folder ? a.folder : a.name < b.name; });
}

void FileBrowser::go_into(const std::string& folder) {
  folder_ = folder;
  read_folder();
}

/// "~/runs", "runs" and "/work/runs" of the folder that is shown.
std::string FileBrowser::full_path(std::string path) const {
  const char* const home = std::getenv("HOME");
  if (home != nullptr && (path == "~" || path.starts_with("~/"))) path = home + path.substr(1);
  std::string full = (fs::path(folder_) / path).lexically_normal().string();
  if (full.size() > 1 && full.ends_with('/')) full.pop_back();
  return full;
}

bool FileBrowser::take_path() {
  const std::string path = full_path(path_);
  std::error_code error;
  if (path == folder_ || fs::is_directory(path, error)) {
    // Once more on the folder that is shown: it is what was meant.
    if (path == folder_ && !saving_) return true;
    go_into(path);
    return false;
  }
  const fs::path file(path);
  if (saving_ || fs::is_regular_file(file, error)) {
    go_into(file.parent_path().string());
    name_ = file.filename().string();
    for (Item& item : items_) item.marked = !item.folder && item.name == name_;
    return !saving_;
  }
  error_ = path + ": no such file or folder";
  return false;
}

std::vector<std::string> FileBrowser::chosen_files() const {
  if (saving_) return name_.empty() ? std::vector<std::string>() : std::vector{full_path(name_)};
  std::vector<std::string> files;
  for (const Item& item : items_) {
    if (item.marked) files.push_back((fs::path(folder_) / item.name).string());
  }
  // Of a folder with a trace no file has to be named.
  const auto known = [](const Item& item) { return !item.kind.empty(); };
  if (files.empty() && std::any_of(items_.begin(), items_.end(), known)) files.push_back(folder_);
  return files;
}

void FileBrowser::finish(const std::vector<std::string>& files) {
  if (files.empty()) return;
  open_ = false;
  ImGui::CloseCurrentPopup();
  chosen_(files);
}

bool FileBrowser::draw_row(Item& item, std::string* enter) {
  const std::string label = item.folder ? item.name + "/" : item.name;
  const bool clicked = ImGui::Selectable(label.c_str(), item.marked,
                                         ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick |
                                             ImGuiSelectableFlags_NoAutoClosePopups);
  if (!clicked) return false;
  if (item.folder) {
    *enter = item.name;
    return false;
  }
  if (!ImGui::GetIO().KeyCtrl) {
    for (Item& other : items_) other.marked = false;
  }
  item.marked = true;
  name_ = item.name;
  // Space marks, Enter opens.
  return ImGui::IsMouseDoubleClicked(0) || ImGui::IsKeyPressed(ImGuiKey_Enter);
}

bool FileBrowser::draw_files(float footer, std::string* enter) {
  if (!ImGui::BeginTable("files", 3, ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg, {0, -footer})) return false;
  bool done = false;
  ImGui::TableSetupColumn("Name", ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableSetupColumn("Type", ImGuiTableColumnFlags_WidthFixed, scaled(180));
  ImGui::TableSetupColumn("Size", ImGuiTableColumnFlags_WidthFixed, scaled(90));
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableHeadersRow();
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(items_.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      Item& item = items_[static_cast<size_t>(i)];
      ImGui::PushID(i);
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      done |= draw_row(item, enter);
      ImGui::TableNextColumn();
      ImGui::TextUnformatted(item.kind.c_str());
      ImGui::TableNextColumn();
      if (!item.folder) ImGui::TextUnformatted(inspector::format_bytes(static_cast<int64_t>(item.bytes)).c_str());
      ImGui::PopID();
    }
  }
  ImGui::EndTable();
  return done;
}

/// The way in for the keyboard: it has the focus, what is typed replaces the folder, Enter goes there.
bool FileBrowser::draw_path() {
  if (ImGui::Button("Up")) go_into(fs::path(folder_).parent_path().string());
  ImGui::SameLine();
  ImGui::SetNextItemWidth(-FLT_MIN);
  if (ImGui::IsWindowAppearing()) path_focus_ = !saving_;
  if (ImGui::IsKeyChordPressed(ImGuiMod_Ctrl | ImGuiKey_L)) path_focus_ = true;
  if (std::exchange(path_focus_, false)) {
    ImGui::SetKeyboardFocusHere();
    path_awaited_ = true;
  }
  const bool done = ImGui::InputTextWithHint("##folder", "Path of a folder or a file", &path_,
                                             ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
  if (ImGui::IsItemActive()) path_awaited_ = false;
  if (done) path_focus_ = true;
  // Also before the field has the keyboard again; not while the key is held, which would open what it only shows.
  const bool pressed = ImGui::IsKeyPressed(ImGuiKey_Enter, false) || ImGui::IsKeyPressed(ImGuiKey_KeypadEnter, false);
  if (!pressed || !(done || path_awaited_)) return false;
  path_focus_ = true;
  return take_path();
}

void FileBrowser::draw() {
  if (wanted_) {
    wanted_ = false;
    open_ = true;
    read_folder();
    ImGui::OpenPopup(title_.c_str());
  }
  if (!open_) return;
  const ImVec2 room = ImGui::GetMainViewport()->WorkSize;
  ImGui::SetNextWindowPos(ImGui::GetMainViewport()->GetCenter(), ImGuiCond_Appearing, {0.5F, 0.5F});
  ImGui::SetNextWindowSize({std::min(room.x * 0.9F, scaled(760)), std::min(room.y * 0.85F, scaled(520))},
                           ImGuiCond_Appearing);
  if (!ImGui::BeginPopupModal(title_.c_str(), &open_)) return;
  bool done = draw_path();
  if (!error_.empty()) ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(theme().bad), "%s", error_.c_str());
  const float footer = ImGui::GetFrameHeightWithSpacing() * 2;
  std::string enter;
  done |= draw_files(footer, &enter);
  if (saving_) {
    ImGui::SetNextItemWidth(-FLT_MIN);
    if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
    done |=
        ImGui::InputText("##name", &name_, ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
  } else {
    ImGui::TextDisabled("Ctrl+click selects several: an ETDump with its ETRecord and program.");
  }
  const std::vector<std::string> files = chosen_files();
  const bool whole = !saving_ && files.size() == 1 && files.front() == folder_;
  ImGui::BeginDisabled(files.empty());
  if (ImGui::Button(saving_ ? "Save###choose" : whole ? "Open this folder###choose" : "Open###choose")) done = true;
  ImGui::EndDisabled();
  ImGui::SameLine();
  // Also while a field has the keyboard: what is typed in it is of no use to anybody then.
  if (ImGui::Button("Cancel") || ImGui::IsKeyPressed(ImGuiKey_Escape)) {
    open_ = false;
    ImGui::CloseCurrentPopup();
  }
  const auto is_named = [&](const Item& item) { return !item.folder && item.name == name_; };
  if (saving_ && std::any_of(items_.begin(), items_.end(), is_named)) {
    ImGui::SameLine();
    ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(theme().warning), "%s", "A file of this name is there.");
  }
  if (done && open_) finish(files);
  if (!enter.empty()) go_into((fs::path(folder_) / enter).string());
  ImGui::EndPopup();
}

}  // namespace et::gui
