#include "gui/shell/file_browser.h"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <filesystem>

#include "gui/widgets/theme.h"
#include "inspector/store/file_kind.h"
#include "inspector/text/format.h"

namespace et::gui {

namespace fs = std::filesystem;

namespace {

constexpr const char* kTitle = "Files##browser";

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

void FileBrowser::open_files(Chosen chosen) {
  chosen_ = std::move(chosen);
  saving_ = false;
  wanted_ = true;
  name_.clear();
}

void FileBrowser::save_file(const std::string& name, Chosen chosen) {
  chosen_ = std::move(chosen);
  saving_ = true;
  wanted_ = true;
  name_ = name;
}

void FileBrowser::read_folder() {
  error_.clear();
  items_.clear();
  std::error_code error;
  if (folder_.empty()) folder_ = fs::current_path(error).string();
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

void FileBrowser::finish() {
  std::vector<std::string> files;
  if (saving_) {
    if (!name_.empty()) files.push_back(name_.starts_with('/') ? name_ : folder_ + "/" + name_);
  } else {
    for (const Item& item : items_) {
      if (item.marked) files.push_back(folder_ + "/" + item.name);
    }
    if (files.empty() && !name_.empty()) files.push_back(name_.starts_with('/') ? name_ : folder_ + "/" + name_);
  }
  if (files.empty()) return;
  open_ = false;
  ImGui::CloseCurrentPopup();
  chosen_(files);
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
      const std::string label = item.folder ? item.name + "/" : item.name;
      if (ImGui::Selectable(label.c_str(), item.marked,
                            ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick |
                                ImGuiSelectableFlags_NoAutoClosePopups)) {
        if (item.folder) {
          *enter = item.name;
        } else {
          if (!ImGui::GetIO().KeyCtrl) {
            for (Item& other : items_) other.marked = false;
          }
          item.marked = true;
          name_ = item.name;
          done = ImGui::IsMouseDoubleClicked(0);
        }
      }
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

void FileBrowser::draw() {
  if (wanted_) {
    wanted_ = false;
    open_ = true;
    read_folder();
    ImGui::OpenPopup(kTitle);
  }
  if (!open_) return;
  const ImVec2 room = ImGui::GetMainViewport()->WorkSize;
  ImGui::SetNextWindowPos(ImGui::GetMainViewport()->GetCenter(), ImGuiCond_Appearing, {0.5F, 0.5F});
  ImGui::SetNextWindowSize({std::min(room.x * 0.9F, scaled(760)), std::min(room.y * 0.85F, scaled(520))},
                           ImGuiCond_Appearing);
  if (!ImGui::BeginPopupModal(kTitle, &open_)) return;
  bool reread = false;
  if (ImGui::Button("Up")) {
    folder_ = fs::path(folder_).parent_path().string();
    reread = true;
  }
  ImGui::SameLine();
  ImGui::SetNextItemWidth(-FLT_MIN);
  if (ImGui::InputText("##folder", &folder_, ImGuiInputTextFlags_EnterReturnsTrue)) reread = true;
  if (!error_.empty()) ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(theme().bad), "%s", error_.c_str());
  const float footer = ImGui::GetFrameHeightWithSpacing() * 2;
  std::string enter;
  bool done = draw_files(footer, &enter);
  if (saving_) {
    ImGui::SetNextItemWidth(-FLT_MIN);
    if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
    done |= ImGui::InputText("##name", &name_, ImGuiInputTextFlags_EnterReturnsTrue);
  } else {
    ImGui::TextDisabled("Ctrl+click selects several: an ETDump with its ETRecord and program.");
  }
  if (ImGui::Button(saving_ ? "Save" : "Open")) done = true;
  ImGui::SameLine();
  if (ImGui::Button("Cancel") || ImGui::Shortcut(ImGuiKey_Escape)) {
    open_ = false;
    ImGui::CloseCurrentPopup();
  }
  if (done) finish();
  if (!enter.empty()) {
    folder_ = (fs::path(folder_) / enter).string();
    reread = true;
  }
  if (reread) read_folder();
  ImGui::EndPopup();
}

}  // namespace et::gui
