// Notes and bookmarks: what people write on a trace, kept in its store. A note names what it hangs on the way a person
// would (the second add of the block Execute, a line, a module), never by a row's number: imported once more, the same
// dump has the same notes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "inspector/store/store.h"

namespace et::inspector {

enum class NoteKind : uint8_t { Note, Bookmark };
enum class AnchorKind : uint8_t { Op, Node, Line, Module, Part, Group, Set, Range, Trace };
/// As the store has them: "note", "bookmark"; "op", "node", …
const char* note_kind_name(NoteKind kind);
const char* anchor_kind_name(AnchorKind kind);

/// What a note hangs on. Columns that make no sense for the kind are left as they are here.
struct NoteAnchor {
  AnchorKind kind = AnchorKind::Trace;
  std::string block;                   ///< Op: name of its block; Group: what its ops have in common, "type"
  std::optional<std::string> method;   ///< Op, Part: where it is known
  std::optional<int64_t> instruction;  ///< Op, Part
  /// Op: event name; Node: name; Line: file; Module: path; Group: its key; Set: as set_anchor() makes it.
  std::string name;
  std::optional<std::string> delegate_id;  ///< Op: identifier inside its delegate
  int64_t occurrence = 0;                  ///< Op: position among the ops that are alike in all of the above
  int64_t line = 0;                        ///< Line: 0 for the whole file
  int64_t start = 0, end = 0;              ///< Range: on the trace's clock, in its unit
  bool operator==(const NoteAnchor&) const = default;
};

/// What several things are together, as the ops of a kind of work: a title, and each of them. A set in it is taken
/// apart.
NoteAnchor set_anchor(const std::string& title, const std::vector<NoteAnchor>& parts);
/// Those of a set that this version can read.
std::vector<NoteAnchor> parts_of_set(const NoteAnchor& set);
std::string title_of_set(const NoteAnchor& set);

struct Note {
  int64_t id = 0;     ///< of the note; ignored by add_note()
  int64_t trace = 0;  ///< that it was written on
  NoteKind kind = NoteKind::Note;
  NoteAnchor anchor;
  std::string text;
  std::string color;    ///< good, warning, bad or ""
  std::string created;  ///< UTC, "2026-01-31T12:00:00Z"; "": add_note() takes the time of the day
};

/// Most bytes of a note's text.
inline constexpr size_t kLongestNote = 64 * 1024;

/// Notes of the trace and those of other imports of the same dump (same path, size and events) in this store, in the
/// order in which they were written. None when the store is older than notes.
/// Errors: InvalidExternalData (damaged store).
Status list_notes(const Store& store, int64_t trace_id, std::vector<Note>* out);

// Each opens the store at `path` for one short transaction.
// Errors: AccessFailed (the file is gone, read-only or locked by another program for five seconds), NotFound (no such
// trace, no such note), InvalidArgument (text too long, unknown colour, neither text nor bookmark).
Status add_note(const std::string& path, const Note& note, int64_t* id);
Status edit_note(const std::string& path, int64_t id, const std::string& text, const std::string& color);
Status remove_note(const std::string& path, int64_t id);

}  // namespace et::inspector
