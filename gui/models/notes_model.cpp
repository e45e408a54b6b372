#include "gui/models/notes_model.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <sstream>

#include "gui/core/notes_file.h"
#include "gui/core/selection_cost.h"
#include "gui/core/text.h"
#include "inspector/text/format.h"
#include "inspector/text/table.h"

namespace et::gui {

using inspector::AnchorKind;
using inspector::Note;
using inspector::NoteAnchor;
using inspector::NoteKind;
using inspector::OpEntry;

namespace {

NoteAnchor anchor_of_op(const TraceData& data, const OpEntry& op) {
  NoteAnchor a;
  a.kind = AnchorKind::Op;
  a.block = data.table.block_of(op).name;
  a.method = data.table.block_of(op).method;
  a.instruction = op.instruction_id;
  a.name = op.name;
  a.delegate_id = op.delegate_debug_id;
  return a;
}

/// The one that speaks for them first.
NoteAnchor anchor_of_modules(const Selection& selection) {
  std::vector<NoteAnchor> parts;
  const auto add = [&](const std::string& path) {
    NoteAnchor part;
    part.kind = AnchorKind::Module;
    part.name = path;
    parts.push_back(std::move(part));
  };
  add(selection.module);
  for (const std::string& path : selection.modules) {
    if (path != selection.module) add(path);
  }
  return inspector::set_anchor(selection.label, parts);
}

/// What of the set this trace has, under its title.
Selection selection_of_set(const TraceData& data, const NoteAnchor& set) {
  const std::vector<NoteAnchor> parts = inspector::parts_of_set(set);
  const std::string title = inspector::title_of_set(set);
  if (!parts.empty() &&
      std::all_of(parts.begin(), parts.end(), [](const NoteAnchor& part) { return part.kind == AnchorKind::Module; })) {
    std::vector<std::string> paths;
    for (const NoteAnchor& part : parts) paths.push_back(part.name);
    return select_modules(data, paths, title);
  }
  std::vector<Selection> found;
  for (const NoteAnchor& part : parts) found.push_back(selection_of(data, part));
  return select_several(std::move(found), title);
}

bool is_alike(const TraceData& data, const OpEntry& op, const NoteAnchor& a) {
  return op.instruction_id == a.instruction && op.name == a.name && op.delegate_debug_id == a.delegate_id &&
         data.table.block_of(op).name == a.block && data.table.block_of(op).method == a.method;
}

}  // namespace

NoteAnchor anchor_of(const TraceData& data, const Selection& selection) {
  NoteAnchor a;
  switch (selection.kind) {
    case Selection::Kind::None:
      break;
    case Selection::Kind::Op: {
      const int32_t index = data.find_op(selection.op);
      if (index < 0) break;
      a = anchor_of_op(data, data.table.ops[static_cast<size_t>(index)]);
      for (int32_t i = 0; i < index; ++i) {
        if (is_alike(data, data.table.ops[static_cast<size_t>(i)], a)) ++a.occurrence;
      }
      break;
    }
    case Selection::Kind::Node:
      a.kind = AnchorKind::Node;
      a.name = selection.node;
      break;
    case Selection::Kind::Line:
      a.kind = AnchorKind::Line;
      a.name = selection.file;
      a.line = selection.line;
      break;
    case Selection::Kind::Module:
      if (selection.modules.size() > 1) return anchor_of_modules(selection);
      a.kind = AnchorKind::Module;
      a.name = selection.module;
      break;
    case Selection::Kind::Part:
      a.kind = AnchorKind::Part;
      a.method = selection.method;
      a.instruction = selection.instruction;
      break;
    case Selection::Kind::Range:
      a.kind = AnchorKind::Range;
      a.start = selection.start;
      a.end = selection.end;
      break;
    case Selection::Kind::Several: {
      std::vector<NoteAnchor> parts;
      for (const Selection& part : selection.parts) parts.push_back(anchor_of(data, part));
      return inspector::set_anchor(selection.label, parts);
    }
    case Selection::Kind::Group:
      a.kind = AnchorKind::Group;
      a.block = inspector::group_by_name(selection.by);
      a.name = selection.group;
      break;
  }
  return a;
}

Selection selection_of(const TraceData& data, const NoteAnchor& anchor) {
  switch (anchor.kind) {
    case AnchorKind::Op: {
      int64_t before = anchor.occurrence;
      for (const OpEntry& op : data.table.ops) {
        if (is_alike(data, op, anchor) && before-- == 0) return select_op(data, op.id);
      }
      return {};
    }
    case AnchorKind::Node:
      return select_node(data, anchor.name);
    case AnchorKind::Line:
      return select_line(data, anchor.name, anchor.line);
    case AnchorKind::Module:
      return select_module(data, anchor.name);
    case AnchorKind::Part:
      return select_part(data, anchor.method.value_or(""), anchor.instruction.value_or(-1));
    case AnchorKind::Group: {
      inspector::GroupBy by = inspector::GroupBy::Type;
      return inspector::parse_group_by(anchor.block, &by).ok() ? select_group(data, by, anchor.name) : Selection();
    }
    case AnchorKind::Set:
      return selection_of_set(data, anchor);
    case AnchorKind::Range:
      return select_range(data, anchor.start, anchor.end);
    case AnchorKind::Trace:
      break;
  }
  return {};
}

std::string anchor_text(const TraceData& data, const NoteAnchor& anchor) {
  switch (anchor.kind) {
    case AnchorKind::Op: {
      // As all panels call it, where the trace has it.
      if (const Selection s = selection_of(data, anchor); !s.empty()) return s.label;
      std::string text = anchor.name;
      if (anchor.instruction.has_value()) text += ", instruction " + std::to_string(*anchor.instruction);
      return text;
    }
    case AnchorKind::Node:
      return anchor.name;
    case AnchorKind::Line:
      return anchor.name.substr(anchor.name.find_last_of('/') + 1) +
             (anchor.line > 0 ? ":" + std::to_string(anchor.line) : "");
    case AnchorKind::Module:
      return anchor.name.empty() ? "the model" : anchor.name;
    case AnchorKind::Part:
      return "delegate, instruction " + std::to_string(anchor.instruction.value_or(-1));
    case AnchorKind::Group:
    case AnchorKind::Set: {
      if (const Selection s = selection_of(data, anchor); !s.empty()) return s.label;
      return anchor.kind == AnchorKind::Set ? inspector::title_of_set(anchor) : anchor.name;
    }
    case AnchorKind::Range:
      return select_range(data, anchor.start, anchor.end).label;
    case AnchorKind::Trace:
      break;
  }
  return "the trace";
}

void NotesModel::refresh(Document& document) {
  if (asked_ && document_version_ == document.trace_version()) return;
  asked_ = true;
  document_version_ = document.trace_version();
  if (document.data() != nullptr) return read(document);
  read_job_.reset();
  rows_.clear();
  ++rows_version_;
  document.set_pins({});
}

void NotesModel::read(Document& document) {
  if (document.data() == nullptr) return;
  busy_ = true;
  read_job_ = document.jobs().query<std::vector<NoteRow>>(
      document.store_path(),
      [data = document.shared_data()](const inspector::Store& store, const Cancel&, std::vector<NoteRow>* out) {
        std::vector<Note> notes;
        Status status = inspector::list_notes(store, data->trace_id(), &notes);
        for (Note& note : notes) {
          NoteRow row;
          const Selection selection = selection_of(*data, note.anchor);
          row.place = selection.empty() ? anchor_text(*data, note.anchor) : selection.label;
          row.found = !selection.empty() || note.anchor.kind >= AnchorKind::Range;
          row.elsewhere = note.trace != data->trace_id();
          row.target = selection;
          row.note = std::move(note);
          out->push_back(std::move(row));
        }
        return status;
      },
      [this, &document](const Status& status, std::vector<NoteRow> rows) {
        busy_ = false;
        if (!status.ok()) error_ = status.message();
        rows_ = std::move(rows);
        ++rows_version_;
        document.set_pins(pins());
      });
}

std::vector<NotePin> NotesModel::pins() const {
  std::vector<NotePin> out;
  for (const NoteRow& row : rows_) {
    const bool timed = row.target.kind == Selection::Kind::Op || row.target.kind == Selection::Kind::Range;
    if (!timed || row.elsewhere) continue;
    const std::string& text = row.note.text;
    out.push_back({row.target, text.empty() ? row.place : text.substr(0, text.find('\n')), row.note.color});
  }
  return out;
}

const std::vector<int32_t>& NotesModel::shown(const std::string& filter) {
  if (shown_version_ == rows_version_ && shown_filter_ == filter) return shown_;
  shown_version_ = rows_version_;
  shown_filter_ = filter;
  shown_.clear();
  for (size_t i = rows_.size(); i-- > 0;) {
    const NoteRow& row = rows_[i];
    const std::string text = lower(row.note.text + "\n" + row.place + "\n" + row.note.anchor.name + "\n" +
                                   note_kind_name(row.note.kind) + "\n" + row.note.color);
    std::istringstream words(lower(filter));
    bool fits = true;
    for (std::string word; fits && words >> word;) fits = text.find(word) != std::string::npos;
    if (fits) shown_.push_back(static_cast<int32_t>(i));
  }
  return shown_;
}

namespace {

/// All notes of the trace, in the file that is found again with what was opened.
Status keep_beside(const std::string& path, int64_t trace, const std::string& file, int64_t bytes) {
  inspector::Store store;
  Status status = inspector::Store::open(path, inspector::Store::Mode::ReadOnly, &store);
  std::vector<Note> notes;
  if (status.ok()) status = inspector::list_notes(store, trace, &notes);
  if (status.ok()) status = write_notes_file(file, bytes, notes);
  return status;
}

}  // namespace

void NotesModel::write(Document& document, std::function<Status(const std::string& path)> change) {
  error_.clear();
  lost_ = true;
  if (document.data() == nullptr) {
    error_ = "no trace is open";
    return;
  }
  // Its handle is about to be replaced: what it says of its outcome would be lost.
  if (write_pending_) {
    error_ = "the previous note is still being saved";
    return;
  }
  busy_ = true;
  write_pending_ = true;
  lost_ = false;
  document.set_writes_notes(true);
  struct Written {
    Status change, file;  ///< of the store; of the file beside what has none
  };
  const bool temporary = document.is_temporary();
  const std::string file = temporary ? document.notes_file() : std::string();
  write_job_ = document.jobs().submit<Written>(
      [path = document.store_path(), change = std::move(change), file, bytes = document.notes_bytes(),
       trace = document.data()->trace_id()](const Cancel&) {
        Written written;
        written.change = change(path);
        if (written.change.ok() && !file.empty()) written.file = keep_beside(path, trace, file, bytes);
        return written;
      },
      [this, &document, temporary, file, store = document.store_path()](const Written& written) {
        busy_ = false;
        write_pending_ = false;
        lost_ = !written.change.ok();
        document.set_writes_notes(false);
        if (!written.change.ok()) error_ = written.change.message();
        if (!written.file.ok()) error_ = written.file.message();
        const bool kept = !temporary || (!file.empty() && written.file.ok());
        if (written.change.ok() && store == document.store_path()) document.set_unsaved_notes(!kept);
        read(document);
      });
}

void NotesModel::add(Document& document, NoteKind kind, const NoteAnchor& anchor, const std::string& text,
                     const std::string& color) {
  Note note;
  note.trace = document.data() == nullptr ? 0 : document.data()->trace_id();
  note.kind = kind;
  note.anchor = anchor;
  note.text = text;
  note.color = color;
  write(document, [note](const std::string& path) { return inspector::add_note(path, note, nullptr); });
}

void NotesModel::edit(Document& document, int64_t id, const std::string& text, const std::string& color) {
  write(document, [=](const std::string& path) { return inspector::edit_note(path, id, text, color); });
}

void NotesModel::remove(Document& document, int64_t id) {
  write(document, [id](const std::string& path) { return inspector::remove_note(path, id); });
}

int32_t NotesModel::bookmark_of(const Document& document) {
  if (document.data() == nullptr) return -1;
  if (bookmark_.document == document.trace_version() && bookmark_.selection == document.selection_version() &&
      bookmark_.rows == rows_version_) {
    return bookmark_.row;
  }
  bookmark_ = {-1, document.trace_version(), document.selection_version(), rows_version_};
  if (std::none_of(rows_.begin(), rows_.end(), [](const NoteRow& r) { return r.note.kind == NoteKind::Bookmark; })) {
    return -1;
  }
  const NoteAnchor anchor = anchor_of(*document.data(), document.selection());
  for (size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i].note.kind == NoteKind::Bookmark && rows_[i].note.anchor == anchor) {
      bookmark_.row = static_cast<int32_t>(i);
      break;
    }
  }
  return bookmark_.row;
}

void NotesModel::toggle_bookmark(Document& document) {
  if (document.data() == nullptr) return;
  const int32_t there = bookmark_of(document);
  if (there >= 0) return remove(document, rows_[static_cast<size_t>(there)].note.id);
  add(document, NoteKind::Bookmark, anchor_of(*document.data(), document.selection()), "", "");
}

std::string NotesModel::csv() const {
  if (rows_.empty() || shown_version_ != rows_version_) return {};
  inspector::Table table;
  for (const char* name : {"created", "kind", "anchor", "place", "text", "color", "trace"}) {
    table.columns.push_back({.title = name, .key = name});
  }
  for (const int32_t i : shown_) {
    const NoteRow& row = rows_[static_cast<size_t>(i)];
    table.add({row.note.created, std::string(note_kind_name(row.note.kind)),
               std::string(anchor_kind_name(row.note.anchor.kind)), row.place, row.note.text, row.note.color,
               row.note.trace});
  }
  std::string out;
  (void)table.write({.format = "csv"}, &out);
  return out;
}

std::string cost_text(const TraceData& data, const Selection& selection) {
  if (selection.kind == Selection::Kind::Range)
    return inspector::format_duration_with_unit(static_cast<double>(selection.end - selection.start), data.unit());
  SelectionCost cost = selection_cost(data, selection);
  cost.ops = 0;  // the place says how many
  return cost.text(data.unit());
}

namespace {

/// For a code span: nothing of it is a mark.
std::string plain_text(std::string text) {
  std::replace(text.begin(), text.end(), '`', '\'');
  return inspector::printable(text);
}

}  // namespace

std::string NotesModel::markdown(const TraceData& data) const {
  const std::string list = markdown_list(data);
  if (list.empty()) return {};
  return "# Notes on " + plain_text(data.model.empty() ? "trace " + std::to_string(data.trace_id()) : data.model) +
         "\n\nTimes: " + data.shown.basis.text() + ".\n" + list;
}

std::string NotesModel::markdown_list(const TraceData& data) const {
  if (rows_.empty() || shown_version_ != rows_version_) return {};
  std::string out;
  for (auto at = shown_.rbegin(); at != shown_.rend(); ++at) {  // the oldest first, as they were written
    const NoteRow& row = rows_[static_cast<size_t>(*at)];
    const std::string cost = row.found ? cost_text(data, row.target) : "not in this trace";
    out += "\n- `" + plain_text(row.place) + "`" + (cost.empty() ? "" : " (" + cost + ")");
    if (!row.note.color.empty()) out += row.note.color == "warning" ? " **to check**" : " **" + row.note.color + "**";
    out += row.note.text.empty() ? "\n" : ":\n";
    for (size_t begin = 0; begin < row.note.text.size();) {
      const size_t end = std::min(row.note.text.find('\n', begin), row.note.text.size());
      out += "  " + inspector::printable(row.note.text.substr(begin, end - begin)) + "\n";
      begin = end + 1;
    }
  }
  return out;
}

}  // namespace et::gui
