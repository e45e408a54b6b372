// The two texts that say where a node came from: Python stack trace and module stack.
#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "etrecord/program_json.h"

namespace et::etrecord {
namespace {

constexpr std::string_view kFile = "File \"", kLine = "\", line ", kIn = ", in ";
// What torch's passes write into nodes of no module, since there has to be something: key, path and class.
constexpr std::string_view kNoModule = "_empty_nn_module_stack_from_metadata_hook";
constexpr size_t kMaxRepeated = 1000;  // frames up to which recursion is spelled out

std::optional<Frame> frame_header(std::string_view line, bool first) {
  const size_t indent = line.find_first_not_of(" \t");
  // Deeper than a header stands is source text, which may itself look like a header.
  if (indent == std::string_view::npos || (indent > 2 && !first)) return std::nullopt;
  line.remove_prefix(indent);
  if (line.substr(0, kFile.size()) != kFile) return std::nullopt;
  // A path may contain anything, a line number only digits: take the last place that fits.
  for (size_t at = line.rfind(kLine); at != std::string_view::npos && at >= kFile.size();
       at = at == 0 ? std::string_view::npos : line.rfind(kLine, at - 1)) {
    const char* digits = line.data() + at + kLine.size();
    const char* end = line.data() + line.size();
    int64_t number = 0;
    const auto r = std::from_chars(digits, end, number);
    if (r.ptr == digits) continue;
    const std::string_view rest(r.ptr, static_cast<size_t>(end - r.ptr));
    if (!rest.empty() && rest.substr(0, kIn.size()) != kIn) continue;
    Frame f;
    f.file = line.substr(kFile.size(), at - kFile.size());
    constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
    f.line = r.ec == std::errc() && number >= 0 && number <= kMax ? static_cast<int32_t>(number) : 0;
    if (!rest.empty()) f.function = rest.substr(kIn.size());
    return f;
  }
  return std::nullopt;
}

bool only_markers(std::string_view line) { return line.find_first_not_of(" \t^~") == std::string_view::npos; }

// "  [Previous line repeated 3 more times]": Python's short form for recursion. 0 for other lines.
size_t repeats(std::string_view line) {
  constexpr std::string_view kBegin = "[Previous line repeated ", kEnd = " more time";
  const size_t indent = line.find_first_not_of(" \t");
  if (indent == std::string_view::npos || indent > 2) return 0;
  line.remove_prefix(indent);
  if (line.substr(0, kBegin.size()) != kBegin) return 0;
  line.remove_prefix(kBegin.size());
  size_t count = 0;
  const auto r = std::from_chars(line.data(), line.data() + line.size(), count);
  const std::string_view rest(r.ptr, static_cast<size_t>(line.data() + line.size() - r.ptr));
  return r.ec == std::errc() && rest.substr(0, kEnd.size()) == kEnd ? count : 0;
}

// Pieces of `text` between commas that are outside brackets; with unbalanced brackets between all commas.
std::vector<std::string_view> split_entry(std::string_view text) {
  for (const bool heed_brackets : {true, false}) {
    std::vector<std::string_view> parts;
    int depth = 0;
    size_t from = 0;
    for (size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (c == '[' || c == '(') ++depth;
      if ((c == ']' || c == ')') && depth > 0) --depth;
      if (c != ',' || (heed_brackets && depth != 0)) continue;
      parts.push_back(text.substr(from, i - from));
      from = i + 1;
    }
    parts.push_back(text.substr(from));
    if (depth == 0 || !heed_brackets) return parts;
  }
  return {};
}

}  // namespace

std::vector<Frame> parse_stack_trace(std::string_view text) {
  std::vector<Frame> frames;
  size_t indent = 0;
  bool fresh = false;  // no code line of the current frame yet
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (auto header = frame_header(line, frames.empty())) {
      frames.push_back(std::move(*header));
      fresh = true;
      continue;
    }
    if (frames.empty() || only_markers(line)) continue;
    if (const size_t more = repeats(line); more > 0) {
      // A text of a few bytes may not ask for a million frames.
      const size_t room = kMaxRepeated - std::min(frames.size(), kMaxRepeated);
      frames.insert(frames.end(), std::min(more, room), Frame(frames.back()));
      continue;
    }
    const size_t own = line.find_first_not_of(" \t");
    if (fresh) indent = own;
    std::string& code = frames.back().code;
    if (!fresh) code += '\n';
    code += line.substr(std::min(own, indent));
    fresh = false;
  }
  return frames;
}

std::vector<ModuleEntry> parse_module_stack(std::string_view text) {
  std::vector<ModuleEntry> modules;
  while (!text.empty()) {
    const size_t end = std::min(text.find(';'), text.size());
    const std::string_view entry = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (entry.empty() || entry.substr(0, entry.find(',')) == kNoModule) continue;
    const auto parts = split_entry(entry);
    ModuleEntry m;
    m.key = parts.front();
    if (parts.size() > 1) m.type = parts.back();
    if (parts.size() > 2) {
      const char* first = parts[1].data();
      m.path.assign(first,
                    static_cast<size_t>(parts[parts.size() - 2].data() - first) + parts[parts.size() - 2].size());
    }
    modules.push_back(std::move(m));
  }
  return modules;
}

}  // namespace et::etrecord
