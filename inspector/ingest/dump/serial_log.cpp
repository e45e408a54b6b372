#include "inspector/ingest/dump/serial_log.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/base64.h"

namespace et::inspector {
namespace {

constexpr size_t kMagicChars = 16;         // 12 bytes: size prefix, root offset, identifier
constexpr size_t kSurelyBase64 = 12;       // a run of characters that long is rarely a word
constexpr size_t kMostLinesBetween = 500;  // of other output

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_base64(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || is_digit(c) || c == '+' || c == '/';
}

/// Without carriage returns, blanks and NULs at its end.
std::string_view trimmed(std::string_view line) {
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ' || line.back() == '\t' || line.back() == '\0'))
    line.remove_suffix(1);
  return line;
}

std::vector<std::string_view> lines_of(std::span<const uint8_t> log) {
  const std::string_view text(reinterpret_cast<const char*>(log.data()), log.size());
  std::vector<std::string_view> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(trimmed(text.substr(at, end - at)));
    at = end + 1;
  }
  return lines;
}

/// A run of base64 with its padding.
struct Base64Run {
  size_t begin = 0, end = 0, padding = 0;
  size_t chars() const { return end - begin - padding; }
};
Base64Run run_at(std::string_view line, size_t begin) {
  Base64Run run{begin, begin, 0};
  while (run.end < line.size() && is_base64(line[run.end])) ++run.end;
  while (run.padding < 2 && run.end < line.size() && line[run.end] == '=') ++run.end, ++run.padding;
  return run;
}

std::vector<uint8_t> decoded_groups(std::string_view chars) {
  return base64_decode(chars.substr(0, chars.size() / 4 * 4)).value_or(std::vector<uint8_t>());
}

/// Size of the ETDump that begins with these characters; 0: it has no size prefix. Nothing: it is none.
std::optional<uint64_t> dump_at(std::string_view chars) {
  if (chars.size() < kMagicChars) return std::nullopt;
  const std::vector<uint8_t> head = decoded_groups(chars.substr(0, kMagicChars));
  if (head.size() != 12) return std::nullopt;
  const auto is_id = [&](size_t at) {
    return head[at] == 'E' && head[at + 1] == 'D' && is_digit(static_cast<char>(head[at + 2])) &&
           is_digit(static_cast<char>(head[at + 3]));
  };
  if (is_id(8)) return 4 + (head[0] | uint64_t{head[1]} << 8 | uint64_t{head[2]} << 16 | uint64_t{head[3]} << 24);
  if (is_id(4)) return 0;
  return std::nullopt;
}

/// "[12:00:01.5] " and "[9:01:59.25] " have one shape: digits and blanks count once.
std::string shape_of(std::string_view prefix) {
  std::string shape;
  for (const char c : prefix) {
    const char kind = is_digit(c) || c == ' ' || c == '\t' ? '0' : c;
    if (kind != '0' || shape.empty() || shape.back() != '0') shape += kind;
  }
  return shape;
}

/// "… | base64 -d >etdump.bin" -> "etdump.bin"
std::string file_name_after(std::string_view rest) {
  const size_t arrow = rest.find('>');
  if (arrow == std::string_view::npos) return {};
  size_t begin = arrow + 1;
  while (begin < rest.size() && rest[begin] == ' ') ++begin;
  size_t end = begin;
  while (end < rest.size() && rest[end] != ' ' && rest[end] != '"' && rest[end] != ';') ++end;
  return std::string(rest.substr(begin, end - begin));
}

class LogReader {
 public:
  explicit LogReader(std::span<const uint8_t> log) : lines_(lines_of(log)) {}

  std::vector<LogFile> read() {
    for (size_t l = 0; l < lines_.size();) {
      size_t next = l + 1;
      if (const std::optional<Base64Run> start = start_in(l)) next = std::max(next, read_file(l, *start));
      l = next;
    }
    return std::move(files_);
  }

 private:
  /// Where a file begins in a line: an ETDump by its bytes, others behind `echo "` or `<<<"\`.
  std::optional<Base64Run> start_in(size_t l) const {
    const std::string_view line = lines_[l];
    for (size_t at = 0; at < line.size();) {
      if (!is_base64(line[at])) {
        ++at;
        continue;
      }
      const Base64Run run = run_at(line, at);
      if (dump_at(line.substr(run.begin, run.chars()))) return run;
      const bool echoed =
          run.begin >= 6 && (line.substr(run.begin - 6, 6) == "echo \"" || line.substr(run.begin - 6, 6) == "echo '");
      const bool here = run.begin == 0 && l > 0 && lines_[l - 1].ends_with("base64 -i -d <<<\"\\");
      if ((echoed || here) && run.chars() >= kMagicChars) return run;
      at = run.end;
    }
    return std::nullopt;
  }

  /// Returns the line behind the file.
  size_t read_file(size_t first, const Base64Run& start) {
    const std::string_view line = lines_[first];
    LogFile file;
    file.first_line = file.last_line = first + 1;
    chars_ = line.substr(start.begin, start.chars());
    const std::optional<uint64_t> dump = dump_at(chars_);
    file.is_dump = dump.has_value();
    file.expected = dump.value_or(0);
    shape_ = shape_of(line.substr(0, start.begin));
    width_ = start.chars();
    broken_ = {};
    size_t next = first + 1;
    const std::string_view rest = line.substr(start.end);
    if (start.padding > 0 || !(rest.empty() || rest == "\\")) {
      file.name = file_name_after(rest);
    } else {
      next = read_on(next, &file);
    }
    finish(&file);
    return next;
  }

  void finish(LogFile* file) {
    if (broken_.line != 0 && !has_all(*file)) {
      file->broken_line = broken_.line;
      chars_.resize(broken_.chars);
    }
    if (chars_.size() % 4 == 1) chars_.pop_back();
    while (chars_.size() % 4 != 0) chars_ += '=';
    file->bytes = base64_decode(chars_).value_or(std::vector<uint8_t>());
    const bool named = file->is_dump || !file->name.empty();
    if (named && !file->bytes.empty()) files_.push_back(std::move(*file));
  }

  bool has_all(const LogFile& file) const {
    return file.expected > 0 && chars_.size() / 4 * 3 + chars_.size() % 4 * 3 / 4 >= file.expected;
  }

  /// What a line contributes: its last run, up to the line's end or a closing quotation mark.
  struct Piece {
    Base64Run run;
    bool fits = false, closes = false;
  };
  Piece piece_of(std::string_view line) const {
    Piece piece;
    size_t end = line.size();
    if (const size_t quote = line.find_first_of("\"'"); quote != std::string_view::npos) {
      piece.closes = true;
      end = quote;
    }
    while (end > 0 && line[end - 1] == '\\') --end;
    size_t padding = 0;
    while (padding < 2 && end > padding && line[end - padding - 1] == '=') ++padding;
    size_t begin = end - padding;
    while (begin > 0 && is_base64(line[begin - 1])) --begin;
    piece.run = {begin, end, padding};
    // The same prefix as the first line's, without what stands before the base64 there.
    piece.fits = shape_.starts_with(shape_of(line.substr(0, begin))) && (end > begin || piece.closes);
    return piece;
  }

  /// A word of other output that stands alone in its line is shorter than the lines around.
  bool is_word_between(size_t l, const LogFile& file, const Piece& piece) const {
    if (piece.closes || piece.run.padding > 0 || has_all(file) || piece.run.chars() >= width_) return false;
    for (size_t k = l + 1; k < std::min(l + 4, lines_.size()); ++k) {
      const Piece after = piece_of(lines_[k]);
      if (after.fits && after.run.chars() == width_) return true;
    }
    return false;
  }

  /// Base64 and other output in one line: the device did not wait for the line to end.
  void note_broken(size_t l) {
    const std::string_view line = lines_[l];
    for (size_t at = 0; at < line.size() && broken_.line == 0;) {
      const Base64Run run = run_at(line, at);
      const std::string_view text = line.substr(at, run.chars());
      const auto slashes = static_cast<size_t>(std::count(text.begin(), text.end(), '/'));
      const bool upper = std::any_of(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
      if (text.size() >= kSurelyBase64 && upper && slashes * 8 < text.size()) broken_ = {l + 1, chars_.size()};
      at = std::max(run.end, at + 1);
    }
  }

  /// The lines behind the first one. Returns the line behind the last.
  size_t read_on(size_t l, LogFile* file) {
    size_t between = 0, pieces = 0;
    for (; l < lines_.size() && between <= kMostLinesBetween; ++l) {
      const std::string_view line = lines_[l];
      if (line.starts_with("#[END]") || start_in(l)) break;
      if (line.empty()) continue;
      const Piece piece = piece_of(line);
      const bool too_wide = pieces > 0 && piece.run.chars() > width_;
      // Behind a whole dump only lines of the same width belong to it (the trailer of et-run's ETDumps).
      if (has_all(*file) && (!piece.fits || too_wide || pieces == 0) && !piece.closes) break;
      if (!piece.fits || too_wide || is_word_between(l, *file, piece)) {
        note_broken(l);
        ++between;
        continue;
      }
      chars_ += line.substr(piece.run.begin, piece.run.chars());
      file->last_line = l + 1;
      file->skipped_lines += between;
      between = 0;
      ++pieces;
      if (piece.closes) file->name = file_name_after(line.substr(piece.run.end));
      if (piece.closes || piece.run.padding > 0 || piece.run.chars() < width_) return l + 1;
      width_ = piece.run.chars();
    }
    return l;
  }

  std::vector<std::string_view> lines_;
  std::vector<LogFile> files_;
  std::string chars_, shape_;  // of the file that is being read
  size_t width_ = 0;           // of its lines
  struct {
    size_t line = 0, chars = 0;
  } broken_;
};

}  // namespace

std::vector<LogFile> files_of_log(std::span<const uint8_t> log) { return LogReader(log).read(); }

bool log_counts_cycles(std::span<const uint8_t> log) {
  const std::string_view text(reinterpret_cast<const char*>(log.data()), log.size());
  return text.find("--source_time_scale cycles") != std::string_view::npos;
}

}  // namespace et::inspector
