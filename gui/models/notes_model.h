// The notes panel's data: the notes of the trace that is open, what each hangs on today, and writing new ones. No
// drawing.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gui/core/document.h"
#include "inspector/store/notes.h"

namespace et::gui {

/// What a note would hang on when it is written with that selection, all of it; the trace when nothing is selected.
inspector::NoteAnchor anchor_of(const TraceData& data, const Selection& selection);
/// The thing that an anchor names; None when this trace does not have it.
Selection selection_of(const TraceData& data, const inspector::NoteAnchor& anchor);
/// "aten.add.Tensor, instruction 4", "models.py:12", "the trace": without looking it up.
std::string anchor_text(const TraceData& data, const inspector::NoteAnchor& anchor);

/// What the ops of a selection cost on the shown basis, as the status bar says it; of a range its length. Empty where
/// nothing is timed.
std::string cost_text(const TraceData& data, const Selection& selection);

struct NoteRow {
  inspector::Note note;
  std::string place;       ///< what it hangs on, in words
  bool found = true;       ///< this trace has it
  bool elsewhere = false;  ///< written on another import of the same ETDump
  Selection target;        ///< what it hangs on in this trace
};

class NotesModel {
 public:
  /// Reads the notes when another trace was opened.
  void refresh(Document& document);
  bool busy() const { return busy_; }
  /// Of the last reading or writing, "" when it went well.
  const std::string& error() const { return error_; }
  void dismiss_error() { error_.clear(); }
  /// What was last asked for is not in the store: its text is nowhere but with who asked.
  bool lost() const { return lost_; }

  const std::vector<NoteRow>& rows() const { return rows_; }
  /// Indices of rows that contain all words of the filter, newest first.
  const std::vector<int32_t>& shown(const std::string& filter);

  // Each writes in a job and reads the notes again.
  void add(Document& document, inspector::NoteKind kind, const inspector::NoteAnchor& anchor, const std::string& text,
           const std::string& color);
  void edit(Document& document, int64_t id, const std::string& text, const std::string& color);
  void remove(Document& document, int64_t id);
  /// Adds a bookmark on the selection, or takes it away when it has one.
  void toggle_bookmark(Document& document);
  /// The row of the bookmark on what is selected, -1 without.
  int32_t bookmark_of(const Document& document);

  /// The rows that were shown last.
  std::string csv() const;
  /// The same for an issue or a pull request: a list with what each thing costs; "" without notes.
  std::string markdown(const TraceData& data) const;
  /// The list alone, for a report that has a heading.
  std::string markdown_list(const TraceData& data) const;

 private:
  void read(Document& document);
  std::vector<NotePin> pins() const;
  void write(Document& document, std::function<Status(const std::string& path)> change);

  std::vector<NoteRow> rows_;
  std::vector<int32_t> shown_;
  std::string shown_filter_, error_;
  uint64_t document_version_ = 0, rows_version_ = 0, shown_version_ = 0;
  /// Asked for in every frame, and finding it looks at all ops.
  struct Bookmark {
    int32_t row = -1;
    uint64_t document = 0, selection = 0, rows = 0;
  } bookmark_;
  bool busy_ = false, asked_ = false, write_pending_ = false, lost_ = false;
  JobHandle read_job_, write_job_;
};

}  // namespace et::gui
