// What a note on several things hangs on, as text: the title in the first line, then a part a line, its fields between
// tabs. A version that does not know it still shows the title.
#include <array>
#include <charconv>
#include <optional>

#include "inspector/store/notes.h"

namespace et::inspector {
namespace {

// kind, block, method, instruction, name, delegate, occurrence, line
constexpr size_t kPartFields = 8;

std::string one_line(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '\n' || c == '\t') {
      out += '\\';
      out += c == '\n' ? 'n' : c == '\t' ? 't' : c;
    } else {
      out += c;
    }
  }
  return out;
}

std::string of_one_line(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const char c = text[++i];
    out += c == 'n' ? '\n' : c == 't' ? '\t' : c;
  }
  return out;
}

/// "-" is no value, any other text begins with "=".
std::string maybe_field_of(const std::optional<std::string>& text) {
  return text.has_value() ? "=" + one_line(*text) : "-";
}
std::optional<std::string> maybe_text_of(std::string_view field) {
  return field.starts_with('=') ? std::optional(of_one_line(field.substr(1))) : std::nullopt;
}

std::optional<int64_t> number_of_field(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

std::string line_of_part(const NoteAnchor& a) {
  std::string out = anchor_kind_name(a.kind);
  for (const std::string& field :
       {one_line(a.block), maybe_field_of(a.method), a.instruction ? std::to_string(*a.instruction) : std::string("-"),
        one_line(a.name), maybe_field_of(a.delegate_id), std::to_string(a.occurrence), std::to_string(a.line)})
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
  a.block = of_one_line(fields[1]);
  a.method = maybe_text_of(fields[2]);
  a.instruction = number_of_field(fields[3]);
  a.name = of_one_line(fields[4]);
  a.delegate_id = maybe_text_of(fields[5]);
  a.occurrence = number_of_field(fields[6]).value_or(0);
  a.line = number_of_field(fields[7]).value_or(0);
  return a;
}

}  // namespace

NoteAnchor set_anchor(const std::string& title, const std::vector<NoteAnchor>& parts) {
  NoteAnchor set;
  set.kind = AnchorKind::Set;
  set.name = one_line(title);
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
  return of_one_line(std::string_view(set.name).substr(0, set.name.find('\n')));
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
