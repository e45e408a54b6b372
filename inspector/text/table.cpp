#include "inspector/text/table.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "inspector/text/csv_text.h"
#include "inspector/text/json_writer.h"
#include "inspector/text/shorten.h"

namespace et::inspector {
namespace {

constexpr int kGap = 2;
constexpr int kLeastWidth = 8;  // where even the wished minima do not fit
constexpr const char* kReset = "\x1b[0m";

const Cell kNull;

const Cell& cell_at(const Row& row, size_t c) { return c < row.cells.size() ? row.cells[c] : kNull; }

std::string key_of(const Column& column) {
  if (!column.key.empty()) return column.key;
  std::string key;
  for (const char ch : column.title) {
    key += ch == ' ' || ch == '-' ? '_' : (ch >= 'A' && ch <= 'Z' ? static_cast<char>(ch - 'A' + 'a') : ch);
  }
  return key;
}

// The first column of times names the unit; those that share it need not.
std::string title_of(const std::vector<Column>& columns, size_t c) {
  const Column& column = columns[c];
  if (column.kind != CellKind::Duration) return column.title;
  for (size_t i = 0; i < c; ++i) {
    if (columns[i].kind == CellKind::Duration && columns[i].unit.name == column.unit.name) return column.title;
  }
  return column.title + unit_heading(column.unit);
}

bool is_number(const Cell& cell) {
  return std::holds_alternative<int64_t>(cell) || std::holds_alternative<double>(cell);
}

double number(const Cell& cell) {
  if (const auto* i = std::get_if<int64_t>(&cell)) return static_cast<double>(*i);
  if (const auto* d = std::get_if<double>(&cell)) return *d;
  return 0;
}

// For people.
std::string shown(const Cell& cell, const Column& column, int bar_width) {
  if (const auto* text = std::get_if<std::string>(&cell)) return printable(*text);
  if (!is_number(cell)) return "";
  switch (column.kind) {
    case CellKind::Duration:
      return format_duration(number(cell), column.unit);
    case CellKind::Share:
      return format_share(number(cell));
    case CellKind::ShareBar: {
      std::string text = format_share(number(cell));
      text.insert(0, static_cast<size_t>(std::max(0, 6 - text_width(text))), ' ');
      return bar_width == 0 ? text : text + " " + format_bar(number(cell), bar_width);
    }
    case CellKind::Bytes:
      return format_bytes(static_cast<int64_t>(number(cell)));
    case CellKind::Integer:
    case CellKind::Text:
    case CellKind::Real:
      break;
  }
  if (const auto* i = std::get_if<int64_t>(&cell))
    return column.kind == CellKind::Text ? std::to_string(*i) : format_count(*i);
  return format_real(number(cell), column.decimals);
}

// For programs: full precision.
std::string plain(const Cell& cell, const Column& column) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (!is_number(cell)) return "";
  if (column.kind == CellKind::Duration && column.unit.divisor != 1)
    return format_scaled(number(cell), column.unit.divisor);
  if (const auto* i = std::get_if<int64_t>(&cell)) return std::to_string(*i);
  return format_double(number(cell));
}

std::string plain_title(const Column& column) {
  std::string key = key_of(column);
  if (column.kind == CellKind::Duration) key += "_" + column.unit.name;
  return key;
}

bool right_aligned(const Column& column) { return column.right || column.kind != CellKind::Text; }

// ---- terminal -------------------------------------------------------------------------------------------------------

const char* heat_color(double heat) {
  if (heat >= 0.2) return "\x1b[1;31m";
  if (heat >= 0.1) return "\x1b[31m";
  if (heat >= 0.03) return "\x1b[33m";
  return "";
}

struct Layout {
  std::vector<size_t> columns;  // those that fit
  std::vector<int> widths;      // of them
};

int total_width(const std::vector<int>& widths) {
  int sum = widths.empty() ? 0 : kGap * static_cast<int>(widths.size() - 1);
  for (const int w : widths) sum += w;
  return sum;
}

// Drops columns until the rest fits with its texts at their least widths, then shortens the widest text step by step.
Layout fit(const std::vector<Column>& columns, const std::vector<int>& natural, int width) {
  Layout layout;
  for (size_t c = 0; c < columns.size(); ++c) layout.columns.push_back(c);
  auto least = [&](size_t c, int wish) { return columns[c].min_width > 0 ? std::min(natural[c], wish) : natural[c]; };
  auto widths_at_least = [&](bool hard) {
    std::vector<int> w;
    for (const size_t c : layout.columns) w.push_back(least(c, hard ? kLeastWidth : columns[c].min_width));
    return w;
  };
  bool hard = false;
  while (width > 0 && total_width(widths_at_least(false)) > width) {
    const auto worst = std::max_element(layout.columns.begin(), layout.columns.end(),
                                        [&](size_t a, size_t b) { return columns[a].drop < columns[b].drop; });
    if (worst == layout.columns.end() || columns[*worst].drop == 0) {
      hard = true;
      break;
    }
    layout.columns.erase(worst);
  }
  for (const size_t c : layout.columns) layout.widths.push_back(natural[c]);
  if (width <= 0) return layout;
  const std::vector<int> floor = widths_at_least(hard);
  // Texts that could go altogether give way first; among equals the widest.
  for (const bool droppable : {true, false}) {
    while (total_width(layout.widths) > width) {
      size_t pick = layout.widths.size();
      for (size_t i = 0; i < layout.widths.size(); ++i) {
        if (layout.widths[i] <= floor[i] || (columns[layout.columns[i]].drop > 0) != droppable) continue;
        if (pick == layout.widths.size() || layout.widths[i] > layout.widths[pick]) pick = i;
      }
      if (pick == layout.widths.size()) break;
      --layout.widths[pick];
    }
  }
  return layout;
}

// The same of a width that nobody asked for: the last column stands behind it rather than nowhere.
Layout fit_all_but_last(const std::vector<Column>& columns, const std::vector<int>& natural, int width) {
  Layout layout = fit(columns, natural, width);
  const size_t last = columns.size() - 1;
  if (columns.empty() || (!layout.columns.empty() && layout.columns.back() == last)) return layout;
  layout.columns.push_back(last);
  layout.widths.push_back(natural[last]);
  return layout;
}

void append_cell(std::string* line, const std::string& text, int width, bool right, const char* color) {
  const std::string shown_text = shorten_name(text, width);
  const auto pad = static_cast<size_t>(std::max(width - text_width(shown_text), 0));
  if (right) line->append(pad, ' ');
  if (*color != '\0') *line += color;
  *line += shown_text;
  if (*color != '\0') *line += kReset;
  if (!right) line->append(pad, ' ');
}

// Numbers stand above each other although "s" is shorter than "ms": "12.1 s ".
void align_units(const Table& table, std::vector<std::string>* texts) {
  const size_t n = table.columns.size();
  for (size_t c = 0; c < n; ++c) {
    if (table.columns[c].kind != CellKind::Duration || !table.columns[c].unit.by_cell) continue;
    bool longer = false;
    for (size_t r = 0; r < table.rows.size(); ++r) {
      const std::string& text = (*texts)[r * n + c];
      longer = longer || (text.ends_with('s') && !text.ends_with(" s"));
    }
    for (size_t r = 0; longer && r < table.rows.size(); ++r) {
      if (std::string& text = (*texts)[r * n + c]; text.ends_with(" s")) text += ' ';
    }
  }
}

void end_line(std::string* line, std::string* out) {
  while (!line->empty() && line->back() == ' ') line->pop_back();
  *out += *line;
  *out += '\n';
  line->clear();
}

// Cells of columns that wrap go on below; the others stand on the first line.
void write_row(const Table& table, const TableOptions& options, const Layout& layout, const std::string* texts,
               const Row& row, std::string* out) {
  std::vector<std::vector<std::string>> lines(layout.columns.size());
  size_t height = 1;
  for (size_t i = 0; i < layout.columns.size(); ++i) {
    const std::string& text = texts[layout.columns[i]];
    lines[i] = table.columns[layout.columns[i]].wrap ? wrap_text(text, layout.widths[i]) : std::vector{text};
    height = std::max(height, lines[i].size());
  }
  std::string line;
  for (size_t k = 0; k < height; ++k) {
    for (size_t i = 0; i < layout.columns.size(); ++i) {
      const Column& column = table.columns[layout.columns[i]];
      const bool bar = column.kind == CellKind::ShareBar;
      const char* color = "";
      if (options.color) {
        if (bar) color = heat_color(row.heat);
        if (row.style == RowStyle::Dim) color = "\x1b[2m";
        if (row.style == RowStyle::Total) color = "\x1b[1m";
      }
      if (i != 0) line.append(kGap, ' ');
      append_cell(&line, k < lines[i].size() ? lines[i][k] : std::string(), layout.widths[i],
                  right_aligned(column) && !bar, color);
    }
    end_line(&line, out);
  }
}

void write_terminal(const Table& table, const TableOptions& options, std::string* out) {
  const int bar_width = options.width == 0 || options.width >= 140 ? 10 : (options.width >= 100 ? 8 : 4);
  const size_t n = table.columns.size();
  std::vector<std::string> texts;
  texts.reserve(table.rows.size() * n);
  std::vector<int> natural(n, 0);
  for (size_t c = 0; c < n; ++c) {
    if (options.header) natural[c] = text_width(title_of(table.columns, c));
  }
  for (const Row& row : table.rows) {
    for (size_t c = 0; c < n; ++c) texts.push_back(shown(cell_at(row, c), table.columns[c], bar_width));
  }
  align_units(table, &texts);
  for (size_t i = 0; i < texts.size(); ++i) natural[i % n] = std::max(natural[i % n], text_width(texts[i]));
  const Layout layout = (options.keep_columns ? fit_all_but_last : fit)(table.columns, natural, options.width);
  std::string line;
  auto gap = [&](size_t i) {
    if (i != 0) line.append(kGap, ' ');
  };
  auto rule = [&] {
    for (size_t i = 0; i < layout.columns.size(); ++i) {
      gap(i);
      for (int k = 0; k < layout.widths[i]; ++k) line += "─";
    }
    end_line(&line, out);
  };
  if (options.header) {
    for (size_t i = 0; i < layout.columns.size(); ++i) {
      const Column& column = table.columns[layout.columns[i]];
      gap(i);
      // A bar grows to the right, so does its heading.
      const bool right = right_aligned(column) && column.kind != CellKind::ShareBar;
      append_cell(&line, (column.kind == CellKind::ShareBar ? " " : "") + title_of(table.columns, layout.columns[i]),
                  layout.widths[i], right, options.color ? "\x1b[1m" : "");
    }
    end_line(&line, out);
    rule();
  }
  bool totals = false;
  for (size_t r = 0; r < table.rows.size(); ++r) {
    const Row& row = table.rows[r];
    if (row.style == RowStyle::Total && !totals) {
      totals = true;
      rule();
    }
    write_row(table, options, layout, texts.data() + r * n, row, out);
  }
}

// ---- text formats ---------------------------------------------------------------------------------------------------

// Even for programs: what a file calls a name must not steer the terminal that a careless `cat` shows it on.
std::string without_controls(std::string text) {
  for (char& c : text) {
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f) c = '?';
  }
  return text;
}

void append_tsv(std::string* out, const std::string& text) {
  for (const char c : text) {
    switch (c) {
      case '\t':
        *out += "\\t";
        break;
      case '\n':
        *out += "\\n";
        break;
      case '\r':
        *out += "\\r";
        break;
      case '\\':
        *out += "\\\\";
        break;
      default:
        *out += c;
    }
  }
}

void write_separated(const Table& table, const TableOptions& options, std::string* out) {
  const bool csv = options.format == "csv";
  auto append = [&](size_t c, const std::string& text) {
    if (c != 0) *out += csv ? ',' : '\t';
    if (csv) {
      *out += csv_text(without_controls(text));
    } else {
      append_tsv(out, without_controls(text));
    }
  };
  const char* end = csv ? "\r\n" : "\n";
  if (options.header) {
    for (size_t c = 0; c < table.columns.size(); ++c) append(c, plain_title(table.columns[c]));
    *out += end;
  }
  for (const Row& row : table.rows) {
    for (size_t c = 0; c < table.columns.size(); ++c) append(c, plain(cell_at(row, c), table.columns[c]));
    *out += end;
  }
}

std::string markdown_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
      continue;
    }
    if (c == '|' || c == '*' || c == '`' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

void write_markdown(const Table& table, std::string* out) {
  *out += '|';
  for (size_t c = 0; c < table.columns.size(); ++c) *out += " " + markdown_text(title_of(table.columns, c)) + " |";
  *out += "\n|";
  for (const Column& column : table.columns) *out += right_aligned(column) ? "---:|" : "---|";
  *out += '\n';
  for (const Row& row : table.rows) {
    *out += '|';
    for (size_t c = 0; c < table.columns.size(); ++c) {
      std::string text = shown(cell_at(row, c), table.columns[c], 0);
      text.erase(0, text.find_first_not_of(' '));
      *out += ' ' + markdown_text(text) + " |";
    }
    *out += '\n';
  }
}

void write_json(const Table& table, std::string_view name, std::string* out) {
  JsonWriter json(out);
  if (!name.empty()) json.begin_object().member("schema_version", kJsonSchemaVersion).key(name);
  json.begin_array();
  for (const Row& row : table.rows) {
    json.begin_object();
    for (size_t c = 0; c < table.columns.size(); ++c) {
      const Cell& cell = cell_at(row, c);
      const Column& column = table.columns[c];
      json.key(plain_title(column));
      if (const auto* text = std::get_if<std::string>(&cell)) {
        json.value(*text);
      } else {
        const std::string value = plain(cell, column);
        json.raw(value.empty() ? "null" : value);
      }
    }
    json.end_object();
  }
  json.end_array();
  if (!name.empty()) json.end_object();
}

}  // namespace

bool is_table_format(std::string_view format) {
  return format == "table" || format == "csv" || format == "tsv" || format == "markdown" || format == "json";
}

Status Table::write(const TableOptions& options, std::string* out) const {
  if (!is_table_format(options.format)) {
    return {Error::InvalidArgument,
            "unknown format '" + options.format + "': expected table, csv, tsv, markdown or json"};
  }
  if (options.format == "table") {
    write_terminal(*this, options, out);
  } else if (options.format == "markdown") {
    write_markdown(*this, out);
  } else if (options.format == "json") {
    write_json(*this, options.json_name, out);
  } else {
    write_separated(*this, options, out);
  }
  return {};
}

}  // namespace et::inspector
