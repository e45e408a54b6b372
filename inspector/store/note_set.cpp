// What a note on several things hangs on, as text: the title in the first line, then a part a line, its fields between
// tabs. A version that does not know it still shows the title.
#include <array>
#include <optional>

#include "inspector/store/notes.h"
#include "inspector/text/line_fields.h"

namespace et::inspector {
namespace {

// kind, block, method, instruction, name, delegate, occurrence, line
constexpr size_t kPartFields = 8;

std::string line_of_part(const NoteAnchor& a) {
  std::string out = anchor_kind_name(a.kind);
  for (const std::string& field :
       {escaped_line(a.block), maybe_field(a.method), a.instruction ? std::to_string(*a.instruction) : std::string("-"),
        escaped_line(a.name), maybe_field(a.delegate_id), std::to_string(a.occurrence), std::to_string(a.line)})
    out += "\t" + field;
  return out;
}

std::optional<NoteAnchor> part_of_line(std::string_view line) {
  std::array<std::string_view, kPartFields> fields;
  for (size_t i = 0; i < fields.size(); ++i) {
    const size_t end = line.find('\t');
    if ((end == std::string_view::npos) != (i + 1 == fields.size())) return std::nullopt;
    fields[i] = line.substr(0, end);
    line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  }
  NoteAnchor a;
  bool known = false;
  for (const AnchorKind kind :
       {AnchorKind::Op, AnchorKind::Node, AnchorKind::Line, AnchorKind::Module, AnchorKind::Part, AnchorKind::Group}) {
    if (fields[0] == anchor_kind_name(kind)) a.kind = kind, known = true;
  }
  if (!known) return std::nullopt;
  a.block = unescaped_line(fields[1]);
  a.method = maybe_text(fields[2]);
  a.instruction = number_of_field(fields[3]);
  a.name = unescaped_line(fields[4]);
  a.delegate_id = maybe_text(fields[5]);
  a.occurrence = number_of_field(fields[6]).value_or(0);
  a.line = number_of_field(fields[7]).value_or(0);
  return a;
}

}  // namespace

NoteAnchor set_anchor(const std::string& title, const std::vector<NoteAnchor>& parts) {
  NoteAnchor set;
  set.kind = AnchorKind::Set;
  set.name = escaped_line(title);
  for (const NoteAnchor& part : parts) {
    if (part.kind == AnchorKind::Set) {
      for (const NoteAnchor& inner : parts_of_set(part)) set.name += "\n" + line_of_part(inner);
    } else if (part.kind < AnchorKind::Set) {
      set.name += "\n" + line_of_part(part);
    }
  }
  return set;
}

std::string title_of_set(const NoteAnchor& set) {
  return unescaped_line(std::string_view(set.name).substr(0, set.name.find('\n')));
}

std::vector<NoteAnchor> parts_of_set(const NoteAnchor& set) {
  std::vector<NoteAnchor> out;
  for (size_t at = set.name.find('\n'); at != std::string::npos;) {
    const size_t end = set.name.find('\n', at + 1);
    const std::string_view line =
        std::string_view(set.name).substr(at + 1, end == std::string::npos ? std::string_view::npos : end - at - 1);
    if (std::optional<NoteAnchor> part = part_of_line(line)) out.push_back(std::move(*part));
    at = end;
  }
  return out;
}

}  // namespace et::inspector
