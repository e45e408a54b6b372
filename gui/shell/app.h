// The program without its window: state, menus, panels. A shell (GLFW, a test, nothing at all) feeds ImGui's inputs and
// calls draw() between NewFrame() and Render().
#pragma once

#include <imgui.h>
#include <chrono>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gui/core/commands.h"
#include "gui/core/document.h"
#include "gui/core/settings.h"
#include "gui/models/goto_model.h"
#include "gui/panels/panel.h"
#include "gui/shell/file_browser.h"

namespace et::gui {

struct AppOptions {
  bool keep_settings = true;  ///< false: nothing is read from or written to the user's folders
  bool may_write = true;      ///< false: commands that write files are not offered
  std::string theme;          ///< "", dark or light; wins over the settings
  std::string language;       ///< as --lang said; wins over the settings, which win over the environment
  float display_scale = 1;    ///< of the monitor: 1 for 96 dpi
  float scale = 0;            ///< asked for; 0: as the settings or the display say
  inspector::LineRule lines = inspector::LineRule::Auto;  ///< which frame a node's line is
  std::optional<inspector::Basis> basis = {};             ///< of times; else as the settings say
  std::string version = {};                               ///< of the program, in the menu Help
  bool neighbours = true;                                 ///< look for what belongs to the files that are opened
  /// Where fonts for text are looked for that the program's own do not have; else where the system keeps them.
  std::optional<std::vector<std::string>> font_folders = {};
  /// Told of what could not be opened, beside the window: a program that was started from a shell says it there.
  std::function<void(const std::string& message)> failed_to_open = {};
};

/// How the panels are arranged: all as tabs of one part, or some of them in a second part.
struct LayoutPreset {
  const char* title;        ///< of its command
  std::string_view second;  ///< ids of panels in the second part, each between spaces
  const char* first_shown;  ///< front panel of each part
  const char* second_shown;
  bool beside;  ///< the second part is on the right, else below
  float share;  ///< of the first part
};
/// The first is the layout of a first start.
const std::vector<LayoutPreset>& layout_presets();

/// Commands that choose which frame of its stack trace a node's line is.
inline constexpr std::pair<const char*, inspector::LineRule> kLineCommands[] = {
    {"Lines: automatic", inspector::LineRule::Auto},
    {"Lines: in your code", inspector::LineRule::User},
    {"Lines: innermost outside of torch", inspector::LineRule::Innermost},
    {"Lines: outermost", inspector::LineRule::Outermost}};

/// Commands that choose what the times of all panels are of.
inline constexpr std::pair<const char*, inspector::BasisKind> kBasisCommands[] = {
    {"Times: warm median per execution", inspector::BasisKind::WarmMedian},
    {"Times: mean per execution", inspector::BasisKind::Mean},
    {"Times: sum of all executions", inspector::BasisKind::Total},
    {"Times: cold execution", inspector::BasisKind::Cold},
    {"Times: mean of the slowest executions (p99)", inspector::BasisKind::P99}};

class App {
 public:
  /// Creates the contexts of ImGui and ImPlot; one at a time.
  explicit App(const AppOptions& options);
  ~App();
  App(const App&) = delete;
  App& operator=(const App&) = delete;

  /// `ImGui::NewFrame()`, with no key lost that comes and goes within one frame.
  void new_frame();
  /// One frame's content. new_frame() came before, `ImGui::Render()` comes next.
  void draw();
  /// True while frames must follow though nothing happens: results to show, animations, a scroll to finish.
  bool wants_frame() const { return settle_ > 0; }
  /// Something happened (input, a result, a resize): draws some frames more, since layouts settle over two or three.
  void touch() { settle_ = kSettleFrames; }
  /// Looks at the store's file and for results of jobs, as an idle loop does twice a second.
  void poll();

  Document& document() { return document_; }
  Jobs& jobs() { return jobs_; }
  Settings& settings() { return settings_; }
  Notices& notices() { return notices_; }

  void open_files(const std::vector<std::string>& files);
  /// Files that are dropped on the window: a panel's where one knows what to do with
  /// them, the others are compared while the panel Compare is in front, else opened.
  void drop_files(const std::vector<std::string>& files);
  /// The other side of a comparison with the open trace, or with the one that is being opened.
  void compare_files(const std::vector<std::string>& files);
  /// Opens (when it is closed) and focuses a panel. False when there is none of that name.
  bool show_panel(const std::string& id);
  /// As show_panel, when the first layout has settled: until then windows that appear take the focus themselves.
  bool show_first(const std::string& name);
  Panel* panel(const std::string& id);
  /// Only this panel, over the whole window; "" goes back to all.
  void set_solo(const std::string& id) { solo_ = id; }
  /// For pictures, which nobody waits in front of.
  void dismiss_notices() { toasts_.clear(); }
  /// The one that is shown now, "" for none.
  std::string shown_notice() const { return toasts_.empty() ? std::string() : toasts_.back().text; }
  const std::string& focused_panel() const { return focused_; }
  void set_theme(const std::string& name);
  /// One of languages(); kept in the settings.
  void set_language(const std::string& language);
  /// What the times of all panels are of; kept in the settings unless it is one execution.
  void set_basis(const inspector::Basis& basis);
  void set_display_scale(float scale);
  /// Moves the border between the panel and what is beside it, as dragging does; false where there is none.
  bool resize_panel(const std::string& id, bool larger);
  void reset_layout() { layout_wanted_ = true; }
  void set_layout(size_t preset) {
    layout_ = preset;
    layout_wanted_ = true;
  }
  /// Of the program's window; kept in the settings.
  void set_window_size(int width, int height) {
    if (width > 0 && height > 0) settings_.width = width, settings_.height = height;
  }
  /// What is said on top of the window as long as it is so: the store is gone, a font is missing. "" for nothing.
  std::string banner() const;
  /// Whether it is about files that belong to something else: in red.
  bool banner_is_error() const;
  /// Where the font for Chinese, Japanese and Korean text is, "" for none.
  const std::string& wide_font() const { return wide_font_; }
  /// Opens the selected line in the user's editor. Errors: as editor_command() and start_detached().
  Status open_in_editor();

  /// All commands as the palette shows them now.
  CommandList commands();
  bool palette_open() const { return palette_open_; }
  const std::string& palette_text() const { return palette_text_; }
  bool help_open() const { return help_open_; }
  bool quit_wanted() const { return quit_; }
  /// Quits, after a question when notes would be lost.
  void request_quit();
  /// Where the user wants a picture of the window, "" for nowhere; asking takes it. For who draws.
  std::string take_picture_path() { return std::exchange(picture_path_, {}); }
  std::string title() const;

  /// Writes what a panel shows, "<id>.csv" or "<id>.svg" in `folder`. Errors: NotSupported (no such form),
  /// AccessFailed.
  Status save_csv(const std::string& id, const std::string& path);
  static Status save_text(const std::string& text, const std::string& path);
  Status save_svg(const std::string& id, const std::string& path, ImVec2 size);

 private:
  static constexpr int kSettleFrames = 4;
  struct Entry {
    const PanelSpec* spec = nullptr;
    std::unique_ptr<Panel> panel;
    bool open = true, focus = false, front = false;
    bool docked = false;  ///< in the last frame
  };
  /// What happened, said in the status bar for a while.
  struct Toast {
    std::string text;
    std::chrono::steady_clock::time_point until;  ///< frames, and ImGui's time, stand still while nothing happens
  };

  /// The same window in all languages, so that its place in the layout stays.
  static std::string window_name(const PanelSpec& spec);
  void read_settings();
  std::vector<std::string> front_panels() const;
  std::string files_title() const;
  /// Where what is open lies, "" without.
  std::string folder_of_trace() const;
  void use_language(const std::string& language);
  /// "Ctrl+P", "" for none.
  static std::string chord_name(int chord);
  void run_shortcuts();
  void add_file_commands(CommandList* list);
  void add_view_commands(CommandList* list);
  void add_panel_commands(const std::string& id, CommandList* list);
  void zoom_text(bool larger);
  void draw_menu();
  void draw_basis_switch();
  void draw_basis_choices();
  void add_basis_commands(CommandList* list);
  /// The number, among those of its method, of the execution that was chosen in the timeline; -1 for none.
  int64_t chosen_execution() const;
  std::string shown_basis_text() const;
  void draw_banner();
  void draw_editor_choice();
  void draw_panel(Entry& entry, PanelContext* shared);
  void tab_menu(Entry& entry);
  void place_floating(Entry& entry);
  void scroll_to_front_tabs();
  std::vector<GotoTarget> fixed_targets();
  void go_to(const GotoTarget& target);
  void draw_palette_row(const GotoTarget& target, const std::string& keys);
  /// Draws the menu item of the command with this title, nothing when there is none.
  using MenuItemOf = std::function<void(const char* title)>;
  void draw_file_menu(const MenuItemOf& item);
  void draw_go_menu(const MenuItemOf& item);
  void draw_view_menu(const MenuItemOf& item);
  void draw_status_bar();
  void draw_selection_text();
  void draw_selection_cost();
  void draw_files_text(float room);
  void draw_dockspace();
  void build_layout(unsigned dockspace);
  void draw_panels();
  void draw_solo();
  void finish_panels(const PanelContext& shared);
  /// A text field is about to come: what is typed until then is for it.
  void await_text();
  /// The same of a panel's search, which comes when the panel has read what it shows.
  void await_search(const std::string& panel);
  void follow_search();
  bool holds_keys();
  void draw_palette();
  void draw_help();
  void draw_import();
  void draw_error();
  void draw_leave_question();
  void save_store_as();
  void take_notices();
  /// At the right of the status bar, in `room`.
  void draw_notice(float room);
  float notice_width() const;
  void remember_recent();
  void export_from(const std::string& id, bool csv);
  PanelContext context() { return {document_, jobs_, notices_}; }

  AppOptions options_;
  Settings settings_;
  std::string ini_path_;
  Jobs jobs_;
  Document document_;
  Notices notices_;
  std::vector<Entry> panels_;
  std::string solo_, focused_;
  int settle_ = kSettleFrames;
  int awaits_text_ = 0;  ///< frames in which a text field may still come
  int text_from_ = 0;    ///< frame from which on a field that has the keyboard is that one
  float scale_ = 1;
  bool layout_wanted_ = false, quit_ = false;
  bool palette_open_ = false, help_open_ = false, palette_focus_ = false;
  std::string palette_text_, picture_path_;
  int palette_at_ = 0;
  GotoModel goto_;
  CommandList palette_commands_;
  size_t layout_ = 0;
  std::vector<std::string> fronts_;  ///< panels that come to the front, one a frame
  std::string last_focused_;         ///< panel that had the keyboard last
  std::string first_panel_;          ///< to be in front when the window has settled
  int first_waited_ = 0;             ///< frames
  int fronts_waited_ = 0;            ///< frames since the layout was made
  int strips_settle_ = 0;            ///< frames that scroll_to_front_tabs() has left
  float strip_width_ = 0;
  std::string search_wanted_;  ///< panel whose search gets the keyboard
  double search_until_ = 0;    ///< time after which nobody waits for it
  int search_drawn_ = 0;       ///< frames in which it was drawn without a search, with nothing left to read
  std::string wide_font_, language_without_font_, editor_text_;
  bool editor_open_ = false, menu_wanted_ = false;
  mutable uint64_t wide_version_ = 0;  ///< of the document that wide_text_ is of
  mutable bool wide_text_ = false;
  FileBrowser browser_;
  std::vector<Toast> toasts_;
  float selection_width_ = 0;  ///< of what the status bar said of the selection in the last frame
  uint64_t seen_version_ = 0, seen_trace_version_ = 0;
  std::pair<uint64_t, uint64_t> cost_of_;  // versions of the choice and of the times
  std::string cost_text_;
  int execution_ = 0;  ///< typed beside the other bases
  std::string shown_error_;
  bool error_open_ = false;
};

}  // namespace et::gui
