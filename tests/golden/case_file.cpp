#include "tests/golden/case_file.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

namespace et::golden {
namespace {

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

// "stdout contains" -> stream and kind; nothing when the key is another one.
std::optional<Expectation> expectation_of(std::string_view key) {
  Expectation out;
  if (key.starts_with("stdout ")) {
    out.stream = Expectation::Stream::kOut;
  } else if (key.starts_with("stderr ")) {
    out.stream = Expectation::Stream::kErr;
  } else {
    return std::nullopt;
  }
  const std::string_view kind = key.substr(7);
  if (kind == "is") {
    out.kind = Expectation::Kind::kIs;
  } else if (kind == "file") {
    out.kind = Expectation::Kind::kFile;
  } else if (kind == "contains") {
    out.kind = Expectation::Kind::kContains;
  } else if (kind == "excludes") {
    out.kind = Expectation::Kind::kExcludes;
  } else {
    return std::nullopt;
  }
  return out;
}

class Parser {
 public:
  explicit Parser(const std::string& text) : lines_(split_lines(text)) {}

  CaseFile parse() {
    while (at_ < lines_.size() && file_.error.empty()) {
      parse_line();
    }
    if (file_.error.empty()) {
      for (const Case& one : file_.cases) {
        if (one.steps.empty()) fail(one.line, "case '" + one.name + "' has no run: line");
      }
    }
    return std::move(file_);
  }

 private:
  void fail(std::size_t line, const std::string& what) { file_.error = "line " + std::to_string(line) + ": " + what; }

  void parse_line() {
    const std::size_t number = at_ + 1;
    const std::string_view line = trim(lines_[at_++]);
    if (line.empty() || line.front() == '#') return;
    if (line.front() == '[' && line.back() == ']') {
      start_case(number, std::string(line.substr(1, line.size() - 2)));
      return;
    }
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return fail(number, "expected 'key: value' or '[name]'");
    if (file_.cases.empty()) return fail(number, "expected '[name]' before the first key");
    set(number, line.substr(0, colon), std::string(trim(line.substr(colon + 1))));
  }

  void start_case(std::size_t number, const std::string& name) {
    for (const Case& other : file_.cases) {
      if (other.name == name) return fail(number, "a second case '" + name + "'");
    }
    Case one;
    one.name = name;
    one.line = number;
    file_.cases.push_back(std::move(one));
  }

  void set(std::size_t number, std::string_view key, const std::string& value) {
    Case& one = file_.cases.back();
    if (key == "env") {
      one.env.push_back(value);
    } else if (key == "mask") {
      one.masks.push_back(value);
    } else if (key == "requires") {
      one.requires_.push_back(value);
    } else if (key == "run") {
      Step step;
      step.command = value;
      step.line = number;
      one.steps.push_back(std::move(step));
    } else if (one.steps.empty()) {
      fail(number, "'" + std::string(key) + "' before the first run: line");
    } else if (key == "exit") {
      const char* end = value.data() + value.size();
      const auto parsed = std::from_chars(value.data(), end, one.steps.back().exit_code);
      if (parsed.ec != std::errc() || parsed.ptr != end) fail(number, "exit: wants a number");
    } else if (auto expectation = expectation_of(key)) {
      add(number, std::move(*expectation), value);
    } else {
      fail(number, "unknown key '" + std::string(key) + "'");
    }
  }

  void add(std::size_t number, Expectation expectation, const std::string& value) {
    expectation.line = number;
    expectation.text = value;
    if (expectation.kind == Expectation::Kind::kIs) {
      if (!value.empty()) return fail(number, "the text of 'is:' stands on the lines below, each after '| '");
      while (at_ < lines_.size() && lines_[at_].starts_with('|')) {
        const std::string& line = lines_[at_++];
        expectation.text += line.substr(line.size() > 1 && line[1] == ' ' ? 2 : 1) + "\n";
        ++expectation.block_size;
      }
    } else if (value.empty()) {
      return fail(number, "a value is missing");
    }
    file_.cases.back().steps.back().expectations.push_back(std::move(expectation));
  }

  std::vector<std::string> lines_;
  std::size_t at_ = 0;
  CaseFile file_;
};

}  // namespace

CaseFile parse_cases(const std::string& text) { return Parser(text).parse(); }

std::string with_blocks(const std::string& text, std::vector<BlockUpdate> updates) {
  std::vector<std::string> lines = split_lines(text);
  // From the end, so that the line numbers of the earlier ones stay right.
  std::sort(updates.begin(), updates.end(), [](const auto& a, const auto& b) { return a.line > b.line; });
  for (const BlockUpdate& update : updates) {
    const auto begin = lines.begin() + static_cast<std::ptrdiff_t>(update.line);
    const auto at = lines.erase(begin, begin + static_cast<std::ptrdiff_t>(update.block_size));
    std::vector<std::string> block = split_lines(update.text);
    for (std::string& line : block) line = line.empty() ? "|" : "| " + line;
    lines.insert(at, block.begin(), block.end());
  }
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

}  // namespace et::golden
