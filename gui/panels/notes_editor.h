// The field that a note is written in: what it hangs on, its text and colour, and where it will be kept. Its text is
// not lost: not by another selection, nor by a store that cannot be written.
#pragma once

#include <cstdint>
#include <string>

#include "gui/core/document.h"
#include "gui/models/notes_model.h"
#include "gui/panels/panel.h"

namespace et::gui {

class NoteEditor {
 public:
  /// Once a frame, also while the panel is not in front.
  void update(Document& document, NotesModel& model);
  void draw(PanelContext& context, NotesModel& model);
  /// A new note. One that was begun stays where it is.
  void begin_on(Document& document, const Selection& target);
  void begin_edit(Document& document, const NoteRow& row);
  bool writing() const { return writing_; }
  bool writing_new() const { return writing_ && editing_ == 0; }
  bool wants_focus() const { return writing_ && focus_; }

 private:
  bool is_begun() const { return writing_ && text_ != begun_with_; }
  void hang_on(const Document& document, const inspector::NoteAnchor& anchor);
  void describe_place(const Document& document);
  void save(Document& document, NotesModel& model);
  bool draw_text();
  void draw_move(Document& document);

  std::string text_, color_, place_, cost_;
  std::string begun_with_;  ///< the text that a note had before
  inspector::NoteAnchor anchor_;
  int64_t editing_ = 0;  ///< the note; 0: a new one
  bool writing_ = false, focus_ = false;
  bool saving_ = false, to_end_ = false;
  uint64_t subject_ = 0;    ///< of the document when it was begun
  uint64_t described_ = 0;  ///< version of the document that place_ and cost_ are of
  uint64_t looked_at_ = 0;  ///< version of the selection that selected_ is of
  inspector::NoteAnchor selected_;
};

}  // namespace et::gui
