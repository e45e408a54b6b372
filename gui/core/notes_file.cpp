#include "gui/core/notes_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>

#include "base/sha256.h"
#include "gui/core/text.h"
#include "inspector/text/line_fields.h"

namespace et::gui {
namespace {

using inspector::Note;

constexpr const char* kHeader = "# Notes of et-inspect-gui, one a line; version 1";
// size, kind, anchor, block, method, instruction, name, delegate, occurrence, line, start, end, colour, created, text
constexpr size_t kNoteFields = 15;

bool number_of(const std::string& text, int64_t* out) {
  const std::optional<int64_t> number = inspector::number_of_field(text);
  if (number) *out = *number;
  return number.has_value();
}

std::string line_of(int64_t bytes, const Note& n) {
  const inspector::NoteAnchor& a = n.anchor;
  std::string out = std::to_string(bytes);
  const auto add = [&](const std::string& field) { out += "\t" + field; };
  add(inspector::note_kind_name(n.kind));
  add(inspector::anchor_kind_name(a.kind));
  add(inspector::escaped_line(a.block));
  add(inspector::maybe_field(a.method));
  add(a.instruction.has_value() ? std::to_string(*a.instruction) : "-");
  add(inspector::escaped_line(a.name));
  add(inspector::maybe_field(a.delegate_id));
  for (const int64_t number : {a.occurrence, a.line, a.start, a.end}) add(std::to_string(number));
  add(n.color);
  add(n.created);
  add(inspector::escaped_line(n.text));
  return out + "\n";
}

bool parse_line(const std::string& line, int64_t* bytes, Note* n) {
  std::vector<std::string> fields;
  for (size_t at = 0; at <= line.size();) {
    const size_t end = std::min(line.find('\t', at), line.size());
    fields.push_back(line.substr(at, end - at));
    at = end + 1;
  }
  if (fields.size() != kNoteFields || !number_of(fields[0], bytes)) return false;
  using inspector::AnchorKind;
  using inspector::NoteKind;
  bool known = false;
  for (const NoteKind kind : {NoteKind::Note, NoteKind::Bookmark}) {
    if (fields[1] == inspector::note_kind_name(kind)) n->kind = kind, known = true;
  }
  if (!known) return false;
  known = false;
  for (int kind = 0; kind <= static_cast<int>(AnchorKind::Trace); ++kind) {
    if (fields[2] != inspector::anchor_kind_name(static_cast<AnchorKind>(kind))) continue;
    n->anchor.kind = static_cast<AnchorKind>(kind);
    known = true;
  }
  if (!known) return false;
  n->anchor.block = inspector::unescaped_line(fields[3]);
  n->anchor.method = inspector::maybe_text(fields[4]);
  int64_t instruction = 0;
  if (number_of(fields[5], &instruction)) n->anchor.instruction = instruction;
  n->anchor.name = inspector::unescaped_line(fields[6]);
  n->anchor.delegate_id = inspector::maybe_text(fields[7]);
  n->color = fields[12];
  n->created = fields[13];
  n->text = inspector::unescaped_line(fields[14]);
  return number_of(fields[8], &n->anchor.occurrence) && number_of(fields[9], &n->anchor.line) &&
         number_of(fields[10], &n->anchor.start) && number_of(fields[11], &n->anchor.end);
}

struct Entry {
  int64_t bytes = 0;
  Note note;
};

Status read_entries(const std::string& path, std::vector<Entry>* out) {
  struct stat st {};
  if (::stat(path.c_str(), &st) != 0) return {};
  std::ifstream file(path, std::ios::binary);
  if (!file) return {Error::AccessFailed, path + ": cannot read the notes"};
  std::string line;
  if (!std::getline(file, line) || line != kHeader) {
    return {Error::InvalidExternalData, path + ": line 1: expected '" + kHeader + "'; the file is left alone"};
  }
  for (size_t number = 2; std::getline(file, line); ++number) {
    Entry entry;
    if (line.empty()) continue;
    if (!parse_line(line, &entry.bytes, &entry.note)) {
      return {Error::InvalidExternalData, path + ": line " + std::to_string(number) + ": expected a note of " +
                                              std::to_string(kNoteFields) + " fields; the file is left alone"};
    }
    out->push_back(std::move(entry));
  }
  return {};
}

}  // namespace

std::string notes_file_of(const std::string& opened, const std::string& settings_folder) {
  if (opened.empty()) return {};
  std::error_code error;
  const std::filesystem::path full = std::filesystem::absolute(opened, error).lexically_normal();
  const std::string beside = full.string() + ".notes";
  std::string elsewhere;
  if (!settings_folder.empty()) {
    const std::string text = full.string();
    const auto hash = sha256({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
    std::string name = base_name(text).substr(0, 100) + ".";
    constexpr size_t kBytes = 8;
    for (size_t i = 0; i < kBytes; ++i) {
      name += "0123456789abcdef"[hash[i] >> 4];
      name += "0123456789abcdef"[hash[i] & 15];
    }
    elsewhere = settings_folder + "/notes/" + name + ".notes";
  }
  struct stat st {};
  if (::stat(beside.c_str(), &st) == 0 && ::access(beside.c_str(), W_OK) == 0) return beside;
  if (!elsewhere.empty() && ::stat(elsewhere.c_str(), &st) == 0) return elsewhere;
  return ::access(full.parent_path().c_str(), W_OK) == 0 ? beside : elsewhere;
}

Status read_notes_file(const std::string& path, int64_t bytes, std::vector<Note>* out) {
  std::vector<Entry> entries;
  Status status = read_entries(path, &entries);
  if (!status.ok()) return status;
  for (Entry& entry : entries) {
    if (entry.bytes == bytes) out->push_back(std::move(entry.note));
  }
  return {};
}

Status write_notes_file(const std::string& path, int64_t bytes, const std::vector<Note>& notes) {
  std::vector<Entry> entries;
  Status status = read_entries(path, &entries);
  if (!status.ok()) return status;
  std::string text;
  for (const Entry& entry : entries) {
    if (entry.bytes != bytes) text += line_of(entry.bytes, entry.note);
  }
  for (const Note& note : notes) text += line_of(bytes, note);
  if (text.empty()) {
    ::unlink(path.c_str());
    return {};
  }
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  const std::string partial = path + ".part";
  std::ofstream file(partial, std::ios::binary);
  file << kHeader << "\n" << text;
  file.close();
  if (!file || std::rename(partial.c_str(), path.c_str()) != 0) {
    ::unlink(partial.c_str());
    return {Error::AccessFailed, path + ": cannot write the notes; File > Save store as… keeps them"};
  }
  return {};
}

}  // namespace et::gui
