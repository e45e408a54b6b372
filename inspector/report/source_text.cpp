#include "inspector/report/source_text.h"

#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>

#include "base/files_read.h"
#include "inspector/report/export_text.h"

namespace et::inspector {
namespace {

constexpr int64_t kLargestFile = int64_t{16} << 20;

std::optional<std::vector<std::string>> read_lines(const std::string& path) {
  struct stat st = {};
  if (path.empty() || ::stat(path.c_str(), &st) != 0 || !S_ISREG(st.st_mode) || st.st_size > kLargestFile)
    return std::nullopt;
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  remember_input(st, path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    if (line.ends_with('\r')) line.pop_back();
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string_view trimmed(std::string_view s) {
  const size_t begin = s.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return s.substr(begin, s.find_last_not_of(" \t\r") - begin + 1);
}

std::string_view first_line(std::string_view s) { return s.substr(0, s.find('\n')); }

size_t indentation(std::string_view s) { return std::min(s.find_first_not_of(" \t"), s.size()); }

/// Number of the line that opens the function around `line`, 0 when there is none.
int64_t function_head(const std::vector<std::string>& lines, int64_t line) {
  if (line < 1 || static_cast<size_t>(line) > lines.size()) return 0;
  size_t indent = indentation(lines[static_cast<size_t>(line - 1)]);
  for (int64_t i = line - 1; i >= 1; --i) {
    const std::string& at = lines[static_cast<size_t>(i - 1)];
    const std::string_view text = trimmed(at);
    if (text.empty() || indentation(at) >= indent) continue;
    indent = indentation(at);
    if (text.starts_with("def ") || text.starts_with("async def ")) return i;
    if (text.starts_with("class ") || indent == 0) return 0;
  }
  return 0;
}

}  // namespace

std::optional<SourceText> find_source(const SourceFileCost& cost, const PathMaps& maps) {
  std::vector<std::string> places = {mapped_path(cost.file, maps), cost.file};
  if (cost.file.starts_with('/'))
    places.push_back(cost.file.substr(
        cost.file.find_first_not_of('/') == std::string::npos ? cost.file.size() : cost.file.find_first_not_of('/')));
  for (const std::string& path : places) {
    auto lines = read_lines(path);
    if (!lines) continue;
    SourceText text;
    text.path = path;
    text.lines = std::move(*lines);
    for (const SourceLine& l : cost.lines) {
      const bool there = l.line >= 1 && static_cast<size_t>(l.line) <= text.lines.size();
      if (l.code.empty()) continue;
      if (!there || trimmed(text.lines[static_cast<size_t>(l.line - 1)]) != trimmed(first_line(l.code))) ++text.changed;
    }
    return text;
  }
  return std::nullopt;
}

std::vector<ShownLine> lines_to_show(const SourceFileCost& cost, const std::optional<SourceText>& text, int context) {
  std::vector<ShownLine> out;
  if (!text) {
    for (const SourceLine& l : cost.lines) {
      out.push_back({l.line, std::string(first_line(l.code)), &l, !out.empty() && out.back().line + 1 != l.line});
    }
    return out;
  }
  const auto last = static_cast<int64_t>(text->lines.size());
  std::set<int64_t> shown;
  for (const SourceLine& l : cost.lines) {
    const int64_t around = std::clamp(context, 0, 1000);
    for (int64_t i = std::max<int64_t>(1, l.line - around); i <= std::min(last, l.line + around); ++i) shown.insert(i);
    if (const int64_t head = function_head(text->lines, l.line); head > 0) shown.insert(head);
    shown.insert(l.line);  // a changed file may be shorter: the line stays, with the record's text
  }
  auto cost_of = cost.lines.begin();
  for (const int64_t i : shown) {
    while (cost_of != cost.lines.end() && cost_of->line < i) ++cost_of;
    const SourceLine* l = cost_of != cost.lines.end() && cost_of->line == i ? &*cost_of : nullptr;
    const bool there = i >= 1 && i <= last;
    std::string line =
        there ? text->lines[static_cast<size_t>(i - 1)] : std::string(first_line(l == nullptr ? "" : l->code));
    out.push_back({i, std::move(line), l, !out.empty() && out.back().line + 1 != i});
  }
  return out;
}

}  // namespace et::inspector
