// The text of a query: coloured, with suggestions while it is typed, and a wave below a mistake.
#pragma once

#include <TextEditor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gui/models/sql_model.h"
#include "gui/widgets/theme.h"

namespace et::gui {

class SqlEditor {
 public:
  SqlEditor() { set_text(""); }
  SqlEditor(const SqlEditor&) = delete;
  SqlEditor& operator=(const SqlEditor&) = delete;

  std::string text() const { return editor_->GetText(); }
  void set_text(const std::string& sql);
  /// It gets the keyboard with the next frame.
  void focus() { editor_->SetFocus(); }
  /// In place of what is selected, where the cursor is.
  void insert(const std::string& name) { editor_->ReplaceTextInAllCursors(name); }
  /// A wave below the place that SQLite names, once for each `version` of a result.
  void mark(const inspector::SqlResult& result, uint64_t version);
  void clear_marks();
  /// In the room that is left. `chord`: the keys of this frame are the panel's.
  void draw(bool focused, bool chord);
  const std::vector<inspector::ViewDoc>& views() const { return completion_.views(); }

 private:
  void complete(TextEditor::AutoCompleteState& state);
  void leave_list();
  void render();

  std::unique_ptr<TextEditor> editor_;
  SqlCompletion completion_;
  std::vector<SqlSuggestion> suggestions_;
  bool word_complete_ = false;  // the one that they are for
  bool list_moved_ = false;     // by an arrow key, since they were made
  bool palette_set_ = false;
  ThemeKind palette_kind_ = ThemeKind::Dark;
  uint64_t marked_ = 0;
};

}  // namespace et::gui
