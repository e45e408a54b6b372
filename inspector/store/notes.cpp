#include "inspector/store/notes.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <functional>

namespace et::inspector {
namespace {

constexpr std::array kNoteKinds = {"note", "bookmark"};
constexpr std::array kAnchorKinds = {"op", "node", "line", "module", "part", "group", "set", "range", "trace"};
constexpr std::array kColors = {"", "good", "warning", "bad"};

template <class Enum, size_t kCount>
Enum enum_of(const std::array<const char*, kCount>& names, std::string_view name, Enum otherwise) {
  const auto it = std::find(names.begin(), names.end(), name);
  return it == names.end() ? otherwise : static_cast<Enum>(it - names.begin());
}

constexpr const char* kTable = "raw_note";

/// What went wrong, as far as a person can mend it.
Status explained(const Store& store, Status status) {
  if (status.ok()) return status;
  switch (sqlite3_errcode(store.db()) & 0xff) {
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
      return {Error::AccessFailed, store.path() + ": the store may not be written: save it elsewhere to keep notes"};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {Error::AccessFailed, store.path() + ": another program is writing to the store; try again"};
    default:
      return status;
  }
}

/// Runs `change` in a transaction of its own on a store that has the table.
Status write(const std::string& path, const std::function<Status(Store&)>& change) {
  // Opening a missing store would make a new one.
  struct stat st {};
  if (::stat(path.c_str(), &st) != 0 || st.st_size == 0) {
    return {Error::AccessFailed, path + ": the store no longer exists; nothing was written"};
  }
  Store store;
  Status status = Store::open(path, Store::Mode::ReadWrite, &store);
  if (!status.ok()) return status;
  Transaction transaction(store);
  status = transaction.begin_status();
  if (status.ok()) status = store.ensure_part("notes", kTable);
  if (status.ok()) status = change(store);
  if (status.ok()) status = transaction.commit();
  return explained(store, status);
}

Status check_text(NoteKind kind, const std::string& text, const std::string& color) {
  if (kind == NoteKind::Note && text.empty()) return {Error::InvalidArgument, "the note is empty"};
  if (text.size() > kLongestNote) {
    return {Error::InvalidArgument, "the note has " + std::to_string(text.size()) + " bytes, at most " +
                                        std::to_string(kLongestNote) + " are kept"};
  }
  if (std::find(kColors.begin(), kColors.end(), color) == kColors.end()) {
    return {Error::InvalidArgument, "no colour '" + color + "'; there are good, warning, bad and none"};
  }
  return {};
}

Status no_such_note(const Store& store, int64_t id) {
  return {Error::NotFound, store.path() + ": note " + std::to_string(id) + " no longer exists"};
}

}  // namespace

const char* note_kind_name(NoteKind kind) { return kNoteKinds[static_cast<size_t>(kind)]; }
const char* anchor_kind_name(AnchorKind kind) { return kAnchorKinds[static_cast<size_t>(kind)]; }

Status list_notes(const Store& store, int64_t trace_id, std::vector<Note>* out) {
  out->clear();
  if (!store.has_table(kTable)) return {};
  Statement st;
  Status status = store.prepare(
      "SELECT note_id, trace_id, kind, anchor, block, method, instruction_id, name, delegate_debug_id, occurrence, "
      "line, "
      "start_ns, end_ns, text, color, created FROM notes WHERE trace_id = ?1 OR trace_id IN (SELECT b.trace_id FROM "
      "traces a JOIN traces b ON b.dump_path = a.dump_path AND b.dump_bytes = a.dump_bytes AND b.events = a.events "
      "WHERE a.trace_id = ?1) ORDER BY note_id",
      &st);
  if (!status.ok()) return {Error::InvalidExternalData, status.message()};
  st.bind_all(trace_id);
  while (st.step()) {
    Note n;
    n.id = st.integer(0);
    n.trace = st.integer(1);
    n.kind = enum_of(kNoteKinds, st.text(2), NoteKind::Note);
    n.anchor.kind = enum_of(kAnchorKinds, st.text(3), AnchorKind::Trace);
    n.anchor.block = st.str(4);
    n.anchor.method = st.maybe_text(5);
    n.anchor.instruction = st.maybe_integer(6);
    n.anchor.name = st.str(7);
    n.anchor.delegate_id = st.maybe_text(8);
    n.anchor.occurrence = st.integer(9);
    n.anchor.line = st.integer(10);
    n.anchor.start = st.integer(11);
    n.anchor.end = st.integer(12);
    n.text = st.str(13);
    n.color = st.str(14);
    n.created = st.str(15);
    out->push_back(std::move(n));
  }
  const int rc = sqlite3_reset(st.raw());
  if (rc != SQLITE_OK) {
    return {Error::InvalidExternalData, store.path() + ": cannot read notes: " + store.error_text()};
  }
  return {};
}

Status add_note(const std::string& path, const Note& note, int64_t* id) {
  Status valid = check_text(note.kind, note.text, note.color);
  if (!valid.ok()) return valid;
  return write(path, [&](Store& store) -> Status {
    Statement trace = store.query("SELECT 1 FROM raw_trace WHERE id = ?1");
    trace.bind_all(note.trace);
    if (!trace.step()) {
      return {Error::NotFound, store.path() + ": no trace " + std::to_string(note.trace) + " in the store"};
    }
    trace.reset();
    Statement st = store.query(
        "INSERT INTO raw_note VALUES(NULL,?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,"
        "COALESCE(NULLIF(?15,''),strftime('%Y-%m-%dT%H:%M:%SZ','now')))");
    const NoteAnchor& a = note.anchor;
    st.run(note.trace, note_kind_name(note.kind), anchor_kind_name(a.kind), a.block, a.method, a.instruction, a.name,
           a.delegate_id, a.occurrence, a.line, a.start, a.end, note.text, note.color, note.created);
    if (id != nullptr) *id = sqlite3_last_insert_rowid(store.db());
    return {};
  });
}

Status edit_note(const std::string& path, int64_t id, const std::string& text, const std::string& color) {
  return write(path, [&](Store& store) -> Status {
    Statement find = store.query("SELECT kind FROM raw_note WHERE id = ?1");
    find.bind_all(id);
    if (!find.step()) return no_such_note(store, id);
    Status valid = check_text(enum_of(kNoteKinds, find.text(0), NoteKind::Note), text, color);
    find.reset();
    if (!valid.ok()) return valid;
    store.query("UPDATE raw_note SET text = ?2, color = ?3 WHERE id = ?1").run(id, text, color);
    return {};
  });
}

Status remove_note(const std::string& path, int64_t id) {
  return write(path, [&](Store& store) -> Status {
    store.query("DELETE FROM raw_note WHERE id = ?1").run(id);
    return sqlite3_changes(store.db()) == 0 ? no_such_note(store, id) : Status();
  });
}

}  // namespace et::inspector
