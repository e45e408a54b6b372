// A panel: one dockable window. Its data are a model in gui/models, tested without a window; here it only draws and
// passes clicks on. A new panel is one file with a PanelSpec and one line in panels.def.
#pragma once

#include <imgui.h>

#include <memory>
#include <string>
#include <vector>

#include "gui/core/commands.h"
#include "gui/core/document.h"
#include "gui/widgets/canvas.h"
#include "gui/widgets/theme.h"

namespace et::gui {

/// What a panel may use.
struct PanelContext {
  Document& document;
  Jobs& jobs;
  Notices& notices;
  bool wants_frames = false;  ///< set by a panel whose drawing moves: the next frame comes without any input
  std::string command = {};   ///< title of a command of another panel that is to run after this frame
};

class Panel {
 public:
  virtual ~Panel() = default;

  /// The content, inside of its window; only called while it is visible. document.data() is there, or null when no
  /// trace is open: then say what to do.
  virtual void draw(PanelContext& context) = 0;

  /// Once a frame, seen or not: for what other panels show of it.
  virtual void update(Document& document) { (void)document; }
  /// Another panel leads here with what is selected, before update(): show it.
  virtual void asked(Document& document) { (void)document; }
  /// Its rows as CSV with a header line; "" when it has none.
  virtual std::string csv() const { return {}; }
  /// What it shows as Markdown; "" when there is nothing.
  virtual std::string markdown() const { return {}; }
  /// Draws what is seen; false when this panel has no drawing.
  virtual bool draw_on(Canvas& canvas) {
    (void)canvas;
    return false;
  }
  /// Once, before anything else: commands may be asked for before the panel was ever drawn.
  virtual void attach(Document& document) { (void)document; }
  /// What the command palette offers while the panel is open.
  virtual void commands(CommandList* list) { (void)list; }
  /// A file or folder that was dropped on the window, which this panel may know what to do with although it is no
  /// trace; true: it does.
  virtual bool take_dropped(Document& document, const std::string& path) {
    (void)document, (void)path;
    return false;
  }
  /// The panel's model, of the type that its file says: for tests, which assert on it.
  virtual void* model() { return nullptr; }
  /// Files or addresses a panel may keep between sessions: "key=value" lines in the settings file.
  virtual std::vector<std::pair<std::string, std::string>> settings() const { return {}; }
  virtual void restore(const std::string& key, const std::string& value) { (void)key, (void)value; }
};

/// A command of the notes that other panels offer as well.
inline constexpr const char* kBookmarkCommand = "Notes: toggle the bookmark of the selection";

/// A command of the shell that panels offer as well.
inline constexpr const char* kExecutionBasisCommand = "Times: the chosen execution";
/// Of the shell, for panels that have Markdown.
inline constexpr const char* kSaveMarkdownCommand = "Save this panel as Markdown…";

/// Of a comparison: of the flame graph, and of the shell, which asks for the files of the other side.
inline constexpr const char* kFlameChangeCommand = "Flame graph: colour by change";
inline constexpr const char* kCompareFilesCommand = "Compare with files…";

struct PanelSpec {
  const char* id;       ///< "timeline": command line, file names of screenshots
  const char* title;    ///< "Timeline"
  const char* summary;  ///< one sentence: what it answers
  ImGuiKey key;         ///< Ctrl+key shows it; ImGuiKey_None without
  std::unique_ptr<Panel> (*make)();
};

/// In the order of panels.def.
const std::vector<const PanelSpec*>& all_panels();
/// nullptr when there is none.
const PanelSpec* find_panel(const std::string& id);
/// By its id or its title, in capitals or not, as a person gives it.
const PanelSpec* find_panel_named(const std::string& name);

/// Middle of an empty panel: what is missing, and what to do.
void draw_empty(const char* what, const char* hint);
/// The same for a panel of times when an ETRecord or a program is open without an ETDump.
void draw_needs_etdump();
/// Command lines that make what is missing, with a button that copies them.
void draw_commands(const std::vector<std::string>& commands);
/// One of them below draw_empty(), in the middle as its texts are.
void draw_centered_command(const std::string& command);

}  // namespace et::gui
