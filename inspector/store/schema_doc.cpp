#include "inspector/store/schema_doc.h"

#include <algorithm>

namespace et::inspector {
namespace {

constexpr std::string_view kViewMark = "--@view ";
constexpr std::string_view kIndexMark = "--@indexes";

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

/// "m.name AS method,   -- which method it is": the name before the comment, behind the last AS.
bool parse_column(std::string_view line, ColumnDoc* out) {
  const size_t comment = line.find("-- ");
  if (comment == std::string_view::npos) return false;
  std::string_view code = trimmed(line.substr(0, comment));
  if (code.ends_with(',')) code.remove_suffix(1);
  const size_t as = code.rfind(" AS ");
  if (as == std::string_view::npos) return false;
  const std::string_view name = trimmed(code.substr(as + 4));
  if (!is_name(name)) return false;
  std::string_view text = trimmed(line.substr(comment + 3));
  *out = {.name = std::string(name), .type = "", .description = ""};
  if (const size_t end = text.find("] "); text.starts_with('[') && end != std::string_view::npos) {
    out->type = text.substr(1, end - 1);
    text.remove_prefix(end + 2);
  }
  out->description = text;
  return true;
}

}  // namespace

std::vector<ViewDoc> parse_schema_doc(std::string_view sql) {
  std::vector<ViewDoc> out;
  bool inside = false;
  while (!sql.empty()) {
    const size_t end = std::min(sql.find('\n'), sql.size());
    const std::string_view line = sql.substr(0, end);
    sql.remove_prefix(std::min(end + 1, sql.size()));
    if (line.starts_with(kIndexMark)) break;
    if (line.starts_with(kViewMark)) {
      const std::string_view rest = line.substr(kViewMark.size());
      const size_t colon = std::min(rest.find(':'), rest.size());
      out.push_back({.name = std::string(trimmed(rest.substr(0, colon))),
                     .description = std::string(colon < rest.size() ? trimmed(rest.substr(colon + 1)) : ""),
                     .columns = {}});
      inside = true;
      continue;
    }
    ColumnDoc column;
    if (inside && parse_column(line, &column)) out.back().columns.push_back(std::move(column));
    if (trimmed(line).ends_with(';')) inside = false;
  }
  return out;
}

Status schema_doc(std::vector<ViewDoc>* out) {
  Store store;
  Status status = Store::open("", Store::Mode::Memory, &store);
  if (!status.ok()) return status;
  *out = parse_schema_doc(schema_sql());
  Statement st = store.query("SELECT name, type FROM pragma_table_xinfo(?1) WHERE type <> ''");
  for (ViewDoc& view : *out) {
    st.bind(1, view.name);
    while (st.step()) {
      for (ColumnDoc& c : view.columns) {
        if (c.name == st.text(0)) c.type = st.text(1);
      }
    }
    st.reset();
  }
  return {};
}

}  // namespace et::inspector
