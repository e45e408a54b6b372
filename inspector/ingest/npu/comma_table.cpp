#include "inspector/ingest/npu/comma_table.h"

#include <algorithm>
#include <charconv>

#include "base/read_double.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

constexpr double kMostInteger = 9e18;

/// The cells of one line. False: a quote has no end.
bool split(std::string_view line, std::vector<std::string>* out) {
  out->clear();
  size_t at = 0;
  while (true) {
    std::string cell;
    if (at < line.size() && line[at] == '"') {
      ++at;
      while (true) {
        if (at >= line.size()) return false;
        if (line[at] != '"') {
          cell += line[at++];
        } else if (at + 1 < line.size() && line[at + 1] == '"') {
          cell += '"';
          at += 2;
        } else {
          ++at;
          break;
        }
      }
    }
    const size_t end = std::min(line.find(',', at), line.size());
    cell += line.substr(at, end - at);
    out->push_back(std::move(cell));
    if (end == line.size()) return true;
    at = end + 1;
  }
}

}  // namespace

Status CommaTable::parse(std::string_view text, const std::string& path, size_t line, CommaTable* out) {
  *out = {};
  out->path_ = path;
  std::vector<std::string> cells;
  for (; !text.empty(); ++line) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view row = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (row.ends_with('\r')) row.remove_suffix(1);
    if (row.empty()) continue;
    const std::string where = path + ": line " + std::to_string(line);
    if (!split(row, &cells))
      return {Error::InvalidExternalData, where + ": expected a closing quote, got the line's end"};
    if (out->columns_.empty()) {
      out->columns_ = cells;
    } else if (cells.size() != out->columns_.size()) {
      return {Error::InvalidExternalData, where + ": expected " +
                                              plural(static_cast<int64_t>(out->columns_.size()), "cell") +
                                              " as in the heading, got " + std::to_string(cells.size())};
    } else {
      out->rows_.push_back(cells);
      out->lines_.push_back(line);
    }
  }
  if (!out->columns_.empty()) return {};
  return {Error::InvalidExternalData, path + ": line " + std::to_string(line) + ": expected a heading, got nothing"};
}

int CommaTable::column_of(std::string_view column) const {
  const auto it = std::find(columns_.begin(), columns_.end(), column);
  return it == columns_.end() ? -1 : static_cast<int>(it - columns_.begin());
}

std::string_view CommaTable::cell(size_t row, std::string_view column) const {
  const int c = column_of(column);
  return c < 0 ? std::string_view() : rows_[row][static_cast<size_t>(c)];
}

std::optional<int64_t> CommaTable::integer(size_t row, std::string_view column) const {
  const std::string_view text = cell(row, column);
  const char* const end = text.data() + text.size();
  int64_t whole = 0;
  if (const auto r = std::from_chars(text.data(), end, whole); r.ec == std::errc() && r.ptr == end && !text.empty())
    return whole;
  double value = 0;
  const auto r = read_double(text.data(), end, &value);
  if (text.empty() || r.ec != std::errc() || r.ptr != end || !(value > -kMostInteger && value < kMostInteger))
    return std::nullopt;
  return static_cast<int64_t>(value);
}

std::string CommaTable::place(size_t row) const { return path_ + ": line " + std::to_string(lines_[row]); }

}  // namespace et::inspector
