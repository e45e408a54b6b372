// Commands of the window: what the palette, the menus and the shortcuts offer. Panels add theirs.
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <filesystem>

#include "gui/shell/app.h"
#include "inspector/text/format.h"
#include "inspector/text/language.h"

namespace et::gui {

CommandList App::commands() {
  CommandList all;
  add_file_commands(&all);
  add_view_commands(&all);
  if (!focused_.empty()) add_panel_commands(focused_, &all);
  all.push_back({"Go to anything", ImGuiMod_Ctrl | ImGuiKey_P, [this] {
                   palette_open_ = true;
                   await_text();
                 }});
  all.push_back({"Menus", ImGuiKey_F10, [this] { menu_wanted_ = true; }});
  all.push_back({"Keyboard shortcuts", ImGuiKey_F1, [this] { help_open_ = !help_open_; }});
  for (Entry& entry : panels_) {
    if (entry.open) entry.panel->commands(&all);
  }
  return all;
}

void App::add_file_commands(CommandList* list) {
  const bool open = document_.data() != nullptr;
  list->push_back({"Open files…", ImGuiMod_Ctrl | ImGuiKey_O, [this] {
                     browser_.open_files("Open", folder_of_trace(),
                                         [this](const std::vector<std::string>& files) { open_files(files); });
                   }});
  list->push_back({kCompareFilesCommand, 0,
                   [this] {
                     browser_.open_files("Compare with", folder_of_trace(),
                                         [this](const std::vector<std::string>& files) {
                                           compare_files(files);
                                           show_panel("compare");
                                         });
                   },
                   open});
  list->push_back(
      {"Save store as…", ImGuiMod_Ctrl | ImGuiKey_S, [this] { save_store_as(); }, open && options_.may_write});
  list->push_back(
      {"Close trace", 0, [this] { document_.leave(Document::Leaving::Close, [this] { document_.close(); }); }, open});
  list->push_back({"Quit", ImGuiMod_Ctrl | ImGuiKey_Q, [this] { request_quit(); }});
  list->push_back({"Back", ImGuiMod_Alt | ImGuiKey_LeftArrow, [this] { document_.back(); }, document_.can_back()});
  list->push_back(
      {"Forward", ImGuiMod_Alt | ImGuiKey_RightArrow, [this] { document_.forward(); }, document_.can_forward()});
  list->push_back({"Open line in editor", ImGuiMod_Ctrl | ImGuiKey_E,
                   [this] {
                     const Status status = open_in_editor();
                     if (!status.ok()) notices_.say(status.message());
                   },
                   document_.selection().line > 0 && options_.may_write});
  list->push_back({"Choose editor…", 0, [this] {
                     editor_text_ = settings_.editor;
                     editor_open_ = true;
                   }});
  list->push_back({"Clear selection", ImGuiMod_Shift | ImGuiKey_Escape,
                   [this] {
                     document_.select({});
                     document_.restrict_to(std::nullopt);
                   },
                   !document_.selection().empty() || document_.restriction().has_value()});
}

std::string App::folder_of_trace() const {
  const std::vector<std::string> files = document_.request().files();
  std::error_code ignored;
  return files.empty() ? "" : std::filesystem::absolute(files.front(), ignored).parent_path().string();
}

void App::save_store_as() {
  browser_.save_file("Save store as", folder_of_trace(), "trace.db", [this](const std::vector<std::string>& files) {
    const Status status = document_.save_store(files.front());
    notices_.say(status.ok() ? "saved " + files.front() : status.message());
  });
}

void App::add_view_commands(CommandList* list) {
  for (const PanelSpec* spec : all_panels()) {
    list->push_back({std::string("Show ") + spec->title,
                     spec->key == ImGuiKey_None ? 0 : static_cast<int>(ImGuiMod_Ctrl) | static_cast<int>(spec->key),
                     [this, spec] { show_panel(spec->id); }});
  }
  list->push_back({settings_.theme == "light" ? "Dark theme" : "Light theme", ImGuiMod_Ctrl | ImGuiKey_T,
                   [this] { set_theme(settings_.theme == "light" ? "dark" : "light"); }});
  for (const std::string& language : inspector::languages()) {
    list->push_back({"Language: " + inspector::language_name(language), 0, [this, language] { set_language(language); },
                     inspector::language() != language});
  }
  list->push_back({"Larger text", ImGuiMod_Ctrl | ImGuiKey_Equal, [this] { zoom_text(true); }});
  list->push_back({"Smaller text", ImGuiMod_Ctrl | ImGuiKey_Minus, [this] { zoom_text(false); }});
  list->push_back({"Default text size", ImGuiMod_Ctrl | ImGuiKey_0, [this] {
                     settings_.scale = 0;
                     set_display_scale(options_.display_scale);
                   }});
  for (size_t i = 0; i < layout_presets().size(); ++i) {
    list->push_back({layout_presets()[i].title, 0, [this, i] { set_layout(i); }});
  }
  list->push_back({"Reset layout", 0, [this] { set_layout(0); }});
  for (const auto& [title, rule] : kLineCommands)
    list->push_back({title, 0, [this, rule = rule] { document_.set_lines(rule); }, document_.lines() != rule,
                     document_.lines() == rule});
  add_basis_commands(list);
  const bool follow = document_.follow_latest;
  list->push_back(
      {follow ? "Stay on this trace" : "Follow new traces", 0, [this, follow] { document_.follow_latest = !follow; }});
  list->push_back({"Save screenshot…", 0,
                   [this] {
                     browser_.save_file(
                         "Save screenshot", folder_of_trace(), "et-inspect.png",
                         [this](const std::vector<std::string>& files) { picture_path_ = files.front(); });
                   },
                   options_.may_write});
}

void App::add_panel_commands(const std::string& id, CommandList* list) {
  const bool open = document_.data() != nullptr;
  list->push_back({"Search in this panel", ImGuiMod_Ctrl | ImGuiKey_F, [this, id] { await_search(id); }, open});
  list->push_back({"Copy this panel's rows as CSV", ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_C,
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
  list->push_back(
      {"Save this panel's rows as CSV…", 0, [this, id] { export_from(id, true); }, open && options_.may_write});
  if (open && !panel(id)->markdown().empty()) {
    list->push_back({kSaveMarkdownCommand, 0,
                     [this, id] {
                       browser_.save_file("Save as Markdown", folder_of_trace(), id + ".md",
                                          [this, id](const std::vector<std::string>& files) {
                                            const Status status = save_text(panel(id)->markdown(), files.front());
                                            notices_.say(status.ok() ? "saved " + files.front() : status.message());
                                          });
                     },
                     options_.may_write});
  }
  list->push_back({"This panel: larger", 0, [this, id] { resize_panel(id, true); }});
  list->push_back({"This panel: smaller", 0, [this, id] { resize_panel(id, false); }});
  list->push_back({"Save this panel as SVG…", 0, [this, id] { export_from(id, false); }, open && options_.may_write});
}

void App::zoom_text(bool larger) {
  // A few steps, as in browsers: each size takes its own space in the font texture.
  static constexpr float kScales[] = {0.5F, 0.67F, 0.8F, 0.9F, 1, 1.1F, 1.25F, 1.5F, 1.75F, 2, 2.5F, 3, 4};
  float next = scale_;
  for (const float s : kScales) {
    if (larger ? s > scale_ * 1.01F : s < scale_ * 0.99F) {
      next = s;
      if (larger) break;
    }
  }
  settings_.scale = scale_ = next;
  set_theme(settings_.theme);
}

void App::export_from(const std::string& id, bool csv) {
  browser_.save_file(csv ? "Save rows as CSV" : "Save as SVG", folder_of_trace(), id + (csv ? ".csv" : ".svg"),
                     [this, id, csv](const std::vector<std::string>& files) {
                       const Status status = csv ? save_csv(id, files.front())
                                                 : save_svg(id, files.front(), ImGui::GetMainViewport()->WorkSize);
                       notices_.say(status.ok() ? "saved " + files.front() : status.message());
                     });
}

}  // namespace et::gui
