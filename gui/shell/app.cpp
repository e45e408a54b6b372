// State of the program: contexts, fonts, settings, opening, and the order in which a frame is drawn. Menus are in
// app_menus.cpp, windows that belong to no panel in app_windows.cpp, the arrangement of panels in app_layout.cpp.
#include "gui/shell/app.h"

#include <implot.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <utility>

#include "gui/core/lasting_files.h"
#include "gui/core/text.h"
#include "gui/core/wide_font.h"
#include "gui/panels/restriction.h"
#include "gui/shell/fonts.h"
#include "gui/widgets/search_focus.h"
#include "gui/widgets/theme.h"
#include "imgui_internal.h"
#include "inspector/analysis/ops/group.h"
#include "inspector/text/language.h"

namespace et::gui {
namespace {

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Layouts of before windows had names of their own for each language.
std::string with_window_ids(std::string layout) {
  for (const PanelSpec* spec : all_panels()) {
    const std::string old = std::string("[Window][") + spec->title + "]";
    if (const size_t at = layout.find(old); at != std::string::npos)
      layout.replace(at, old.size(), "[Window][###" + std::string(spec->title) + "]");
  }
  return layout;
}

}  // namespace

App::App(const AppOptions& options) : options_(options), document_(jobs_) {
  IMGUI_CHECKVERSION();
  ImGui::CreateContext();
  ImPlot::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.ConfigFlags |= ImGuiConfigFlags_DockingEnable | ImGuiConfigFlags_NavEnableKeyboard;
  io.ConfigWindowsMoveFromTitleBarOnly = true;
  io.IniFilename = nullptr;  // written by hand, together with the settings
  io.LogFilename = nullptr;
  for (const PanelSpec* spec : all_panels()) panels_.push_back({spec, spec->make(), true, false});
  for (const Entry& entry : panels_) entry.panel->attach(document_);
  read_settings();
  if (!options.theme.empty()) settings_.theme = options.theme;
  document_.set_lines(options.lines);
  inspector::Basis basis;
  if (options.basis) {
    basis = *options.basis;
  } else if (!inspector::parse_basis(settings_.basis, &basis).ok()) {
    basis = {};
  }
  document_.set_basis(basis);
  document_.set_neighbours(options.neighbours);
  wide_font_ = load_fonts(options.font_folders.value_or(font_folders()));
  const std::string& chosen = options.language.empty() ? settings_.language : options.language;
  use_language(chosen.empty() ? inspector::language() : chosen);
  scale_ = options.scale > 0 ? options.scale : settings_.scale > 0 ? settings_.scale : options.display_scale;
  set_theme(settings_.theme);
  document_.follow_latest = settings_.follow_latest;
  document_.keep_notes = options.may_write;
}

App::~App() {
  if (!ini_path_.empty()) {
    settings_.follow_latest = document_.follow_latest;
    settings_.closed_panels.clear();
    settings_.panels.clear();
    if (solo_.empty()) settings_.fronts = front_panels();
    for (const Entry& entry : panels_) {
      if (!entry.open) settings_.closed_panels.emplace_back(entry.spec->id);
      for (const auto& [key, value] : entry.panel->settings()) {
        settings_.panels.emplace_back(std::string(entry.spec->id) + "." + key, value);
      }
    }
    const std::string partial = ini_path_ + ".part";
    std::ofstream file(partial, std::ios::binary);
    file << settings_.to_text() << "\n" << ImGui::SaveIniSettingsToMemory();
    file.close();
    if (file) std::rename(partial.c_str(), ini_path_.c_str());
  }
  document_.close();
  panels_.clear();  // their jobs first
  ImPlot::DestroyContext();
  ImGui::DestroyContext();
}

void App::read_settings() {
  layout_wanted_ = true;
  if (!options_.keep_settings) return;
  const std::string folder = settings_folder();
  if (folder.empty()) return;
  ini_path_ = folder + "/gui.ini";
  const std::string text = read_file(ini_path_);
  const size_t layout = text.find("\n[");
  std::istringstream lines(text.substr(0, layout));
  for (std::string line; std::getline(lines, line);) settings_.take_line(line);
  if (layout != std::string::npos) {
    const std::string windows = with_window_ids(text.substr(layout + 1));
    ImGui::LoadIniSettingsFromMemory(windows.data(), windows.size());
    layout_wanted_ = false;
    // Windows that appear come to the front, the last one above all: what was there is brought back.
    for (const std::string& front : settings_.fronts) {
      if (find_panel(front) != nullptr) fronts_.push_back(front);
    }
    if (fronts_.empty()) fronts_.emplace_back("overview");
  }
  for (Entry& entry : panels_) {
    const std::string id = entry.spec->id;
    entry.open =
        std::find(settings_.closed_panels.begin(), settings_.closed_panels.end(), id) == settings_.closed_panels.end();
    for (const auto& [key, value] : settings_.panels) {
      if (key.starts_with(id + ".")) entry.panel->restore(key.substr(id.size() + 1), value);
    }
  }
}

/// Those whose tabs are in front, the one with the keyboard last.
std::vector<std::string> App::front_panels() const {
  std::vector<std::string> out;
  for (const Entry& entry : panels_) {
    if (entry.open && entry.front) out.emplace_back(entry.spec->id);
  }
  std::stable_partition(out.begin(), out.end(), [&](const std::string& id) { return id != last_focused_; });
  return out;
}

void App::set_theme(const std::string& name) {
  settings_.theme = name == "light" ? "light" : "dark";
  apply_theme(settings_.theme == "light" ? ThemeKind::Light : ThemeKind::Dark, scale_);
  touch();
}

void App::set_language(const std::string& language) {
  settings_.language = language;
  use_language(language);
  touch();
}

void App::use_language(const std::string& language) {
  // Squares instead of characters help nobody: then it is English, and the banner says why.
  const bool readable = !wide_font_.empty() || !has_wide_text(inspector::language_name(language));
  language_without_font_ = readable ? "" : language;
  choose_window_language(readable ? language : "en");
}

void App::set_display_scale(float scale) {
  options_.display_scale = scale;
  scale_ = settings_.scale > 0 ? settings_.scale : scale;
  set_theme(settings_.theme);
}

void App::open_files(const std::vector<std::string>& files) {
  document_.open_files(files);
  // The same reason once more is said once more.
  if (document_.leaving() == Document::Leaving::Nothing) shown_error_.clear();
  touch();
}

void App::drop_files(const std::vector<std::string>& files) {
  std::vector<std::string> rest;
  for (const std::string& file : files) {
    const auto takes = [&](const Entry& entry) { return entry.panel->take_dropped(document_, file); };
    const auto taker = std::find_if(panels_.begin(), panels_.end(), takes);
    if (taker == panels_.end()) {
      rest.push_back(file);
    } else {
      show_panel(taker->spec->id);
    }
  }
  if (rest.empty() && !files.empty()) return;
  if (focused_ == "compare" && document_.data() != nullptr) return compare_files(rest);
  open_files(rest);
}

void App::compare_files(const std::vector<std::string>& files) {
  document_.comparison().open_files(files, options_.neighbours);
  touch();
}

bool App::show_panel(const std::string& id) {
  for (Entry& entry : panels_) {
    if (id != entry.spec->id) continue;
    entry.open = true;
    entry.focus = true;
    if (solo_.empty()) focused_ = id;  // a shortcut right behind it is this panel's
    touch();
    return true;
  }
  return false;
}

bool App::show_first(const std::string& name) {
  const PanelSpec* const spec = find_panel_named(name);
  if (spec != nullptr) first_panel_ = spec->id;
  return spec != nullptr;
}

Panel* App::panel(const std::string& id) {
  for (Entry& entry : panels_) {
    if (id == entry.spec->id) return entry.panel.get();
  }
  return nullptr;
}

/// Files are called alike in every folder.
std::string App::files_title() const {
  const std::string names = document_.request().title();
  const std::vector<std::string> files = document_.request().files();
  std::error_code ignored;
  const std::string folder =
      files.empty() ? "" : base_name(std::filesystem::absolute(files.front(), ignored).parent_path().string());
  return folder.empty() || names.empty() ? names : folder + "/" + names;
}

std::string App::title() const {
  std::string what = files_title();
  if (document_.data() != nullptr && !document_.data()->model.empty()) what = document_.data()->model + " - " + what;
  return what.empty() ? "et-inspect" : what + " - et-inspect";
}

void App::poll() {
  if (jobs_.pump()) touch();
  if (document_.poll()) touch();
  const auto now = std::chrono::steady_clock::now();
  if (std::any_of(toasts_.begin(), toasts_.end(), [&](const Toast& t) { return t.until < now; })) touch();
}

namespace {

/// Those that take time first, those of the graph alone last, each part by name: times vary from run to run, colours do
/// not.
std::vector<std::string> types_of(const TraceData* data) {
  if (data == nullptr) return {};
  constexpr double kMatters = 0.01;  // of all
  const inspector::GroupTable table =
      inspector::group_costs(data->shown, inspector::GroupBy::Type, inspector::Filter());
  std::set<std::pair<int, std::string>> types;
  double all = 0;
  for (const inspector::GroupRow& row : table.rows) all += row.self;
  for (const inspector::GroupRow& row : table.rows) {
    if (!row.none) types.emplace(row.self < kMatters * all ? 1 : 0, row.key);
  }
  for (const inspector::GraphModel& graph : data->graphs) {
    for (const inspector::GraphNode& node : graph.nodes) types.emplace(2, node.op);
  }
  std::vector<std::string> out;
  for (const auto& [rank, type] : types) out.push_back(type);
  return out;
}

}  // namespace

void App::remember_recent() {
  if (document_.comparison().recent.empty()) document_.comparison().recent = settings_.recent;
  if (document_.version() == seen_version_) return;
  seen_version_ = document_.version();
  // Another basis has the same types: they keep their colours.
  if (std::exchange(seen_trace_version_, document_.trace_version()) != document_.trace_version())
    set_types(types_of(document_.data()));
  if (document_.state() == Document::State::Ready && is_lasting(document_.request()))
    settings_.remember(document_.request().files());
  document_.comparison().recent = settings_.recent;
}

namespace {

/// Tooltips come when the mouse has rested for a while, without any event.
bool awaits_tooltip() {
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  const float rest = g.Style.HoverStationaryDelay + g.Style.HoverDelayNormal + 0.1F;
  return g.HoveredWindow != nullptr && ImGui::IsMousePosValid() && g.MouseStationaryTimer < rest;
}

}  // namespace

void App::draw() {
  if (settle_ > 0) --settle_;
  if (jobs_.pump()) touch();
  remember_recent();
  take_notices();
  const std::string wanted = document_.take_wanted_panel();
  if (!wanted.empty() && show_panel(wanted)) panel(wanted)->asked(document_);
  document_.comparison().update(document_);
  for (Entry& entry : panels_) entry.panel->update(document_);
  run_shortcuts();
  draw_menu();
  draw_banner();
  draw_status_bar();
  if (solo_.empty()) {
    draw_dockspace();
    draw_panels();
  } else {
    draw_solo();
  }
  draw_palette();
  draw_editor_choice();
  draw_help();
  draw_import();
  browser_.draw();
  draw_error();
  draw_leave_question();
  // A text cursor blinks, held keys repeat, a drag scrolls: these need frames without events.
  if (ImGui::IsAnyMouseDown() || ImGui::GetIO().MouseWheel != 0 || awaits_tooltip()) touch();
}

void App::draw_dockspace() {
  const ImGuiID dockspace = ImGui::DockSpaceOverViewport(0, ImGui::GetMainViewport());
  if (layout_wanted_) {
    layout_wanted_ = false;
    build_layout(dockspace);
  }
}

void App::draw_panels() {
  PanelContext shared = context();
  focused_.clear();
  bool shown_front = false;
  // Not in the first frames: windows that appear take the focus themselves.
  constexpr int kAppearing = 4;
  if (!first_panel_.empty() && fronts_.empty()) {
    touch();
    if (++first_waited_ > kAppearing) show_panel(std::exchange(first_panel_, {}));
  }
  for (Entry& entry : panels_) {
    if (!entry.open) continue;
    // The front tab of each part of a new layout, one a frame: the last one has the focus.
    if (!fronts_.empty() && fronts_waited_ >= kAppearing && fronts_.front() == entry.spec->id) entry.focus = true;
    if (entry.focus) ImGui::SetNextWindowFocus();
    ImGui::SetNextWindowSize({scaled(800), scaled(500)}, ImGuiCond_FirstUseEver);
    // Tabs without buttons: more of them fit, and none moves when another comes to the front.
    entry.front = ImGui::Begin(window_name(*entry.spec).c_str());
    tab_menu(entry);
    place_floating(entry);
    if (entry.front) {
      if (ImGui::IsWindowFocused(ImGuiFocusedFlags_ChildWindows)) document_.set_panel(focused_ = entry.spec->id);
      draw_panel(entry, &shared);
    }
    ImGui::End();
    if (entry.focus && !fronts_.empty() && fronts_.front() == entry.spec->id) shown_front = true;
    entry.focus = false;
  }
  if (shown_front) {
    fronts_.erase(fronts_.begin());
    fronts_waited_ -= 2;  // what came to the front settles first
  }
  if (!fronts_.empty()) {
    ++fronts_waited_;
    touch();
  }
  scroll_to_front_tabs();
  if (!focused_.empty()) last_focused_ = focused_;
  finish_panels(shared);
}

/// Behind Begin() the last item is the panel's tab.
void App::tab_menu(Entry& entry) {
  if (ImGui::IsItemClicked(ImGuiMouseButton_Middle)) entry.open = false;
  if (!ImGui::BeginPopupContextItem("##tab")) return;
  if (ImGui::MenuItem("Close", "middle click")) entry.open = false;
  if (ImGui::MenuItem("Close all others")) {
    for (Entry& other : panels_) other.open = &other == &entry;
  }
  if (ImGui::MenuItem("Open all")) {
    for (Entry& other : panels_) other.open = true;
  }
  ImGui::EndPopup();
}

void App::draw_panel(Entry& entry, PanelContext* shared) {
  const bool searched = search_wanted_ == entry.spec->id;
  search_request() = searched;
  ImGui::PushID(entry.spec->id);
  if (is_restricted_panel(entry.spec->id)) draw_restriction(shared->document);
  if (is_whole_panel(entry.spec->id)) draw_whole(shared->document);
  if (has_shares(entry.spec->id)) draw_disturbed(shared->document, entry.spec->id);
  entry.panel->draw(*shared);
  ImGui::PopID();
  if (searched) follow_search();
}

void App::finish_panels(const PanelContext& shared) {
  if (shared.wants_frames) touch();
  if (shared.command.empty()) return;
  for (const Command& command : commands()) {
    if (command.title == shared.command && command.enabled) command.run();
  }
  touch();
}

void App::draw_solo() {
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(viewport->WorkPos);
  ImGui::SetNextWindowSize(viewport->WorkSize);
  for (Entry& entry : panels_) {
    if (solo_ != entry.spec->id) continue;
    PanelContext shared = context();
    const std::string title = std::string(entry.spec->title) + "##solo";
    if (ImGui::Begin(title.c_str(), nullptr,
                     ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoSavedSettings |
                         ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoBringToFrontOnFocus)) {
      document_.set_panel(focused_ = entry.spec->id);
      draw_panel(entry, &shared);
    }
    ImGui::End();
    finish_panels(shared);
  }
}

Status App::save_csv(const std::string& id, const std::string& path) {
  Panel* found = panel(id);
  const std::string text = found == nullptr ? std::string() : found->csv();
  if (text.empty()) return {Error::NotSupported, "panel " + id + " has no table to save"};
  return save_text(text, path);
}

Status App::save_text(const std::string& text, const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) return {Error::AccessFailed, path + ": cannot write"};
  return {};
}

Status App::save_svg(const std::string& id, const std::string& path, ImVec2 size) {
  Panel* found = panel(id);
  SvgCanvas canvas(size, theme().background);
  if (found == nullptr || !found->draw_on(canvas)) {
    return {Error::NotSupported, "panel " + id + " has no drawing to save"};
  }
  std::ofstream file(path, std::ios::binary);
  file << canvas.finish();
  file.close();
  if (!file) return {Error::AccessFailed, path + ": cannot write"};
  return {};
}

}  // namespace et::gui
