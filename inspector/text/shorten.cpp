#include "inspector/text/shorten.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/utf8.h"
#include "inspector/text/format.h"

namespace et::inspector {
namespace {

// In the order in which they are tried: the longer of two that begin alike first.
constexpr std::array<std::string_view, 6> kSharedPrefixes = {
    "native_call_", "torch.nn.modules.", "dim_order_ops.", "aten::", "aten.", "aten_"};

std::vector<std::string_view> code_points(std::string_view text) {
  std::vector<std::string_view> out;
  for (size_t i = 0; i < text.size();) {
    const auto length = static_cast<size_t>(std::max(utf8_length(text, i), 1));
    out.push_back(text.substr(i, length));
    i += length;
  }
  return out;
}

std::string join(const std::vector<std::string_view>& points, size_t begin, size_t end) {
  std::string out;
  for (size_t i = begin; i < end; ++i) out += points[i];
  return out;
}

bool is_mark(std::string_view point) { return std::string_view("._/-:,").find(point) != std::string_view::npos; }

// Length of the end that tells names apart: digits, with the marks around them. 0 without a digit or a mark.
size_t distinguishing_end(const std::vector<std::string_view>& points) {
  size_t at = points.size();
  const auto belongs = [](std::string_view p) {
    return p.size() == 1 && std::string_view("0123456789_#:[]()+?~ -").find(p[0]) != std::string_view::npos;
  };
  while (at > 0 && (belongs(points[at - 1]) || points[at - 1] == "×")) --at;
  return points.size() - at;
}

// A tail that begins within a word may read as another one ("quantize" of "dequantize"): it begins where a word does,
// where it has such a place.
size_t whole_words(const std::vector<std::string_view>& points, size_t tail) {
  const auto is_border = [](std::string_view p) {
    return p.size() == 1 && std::string_view("._/ :-#([").find(p[0]) != std::string_view::npos;
  };
  const size_t begin = points.size() - tail;
  for (size_t at = begin; at < points.size(); ++at) {
    if (is_border(points[at]) || (at > 0 && is_border(points[at - 1]))) return points.size() - at;
  }
  return tail;
}

std::string shorten(std::string_view text, int width, bool at_words) {
  if (width <= 0) return "";
  const auto room = static_cast<size_t>(width);
  std::vector<std::string_view> points = code_points(text);
  if (points.size() <= room) return std::string(text);
  // "lowered_module_0  XnnpackBackend": what stands behind two spaces says more of the name, and gives way first.
  if (const size_t gap = text.find("  "); gap != std::string_view::npos && gap > 0) {
    const std::string_view name = text.substr(0, gap), more = text.substr(gap + 2);
    const int left = width - text_width(name) - 2;
    if (left < 4) return shorten(name, width, at_words);
    return std::string(name) + "  " + shorten(more, left, at_words);
  }
  size_t tail = room / 2;
  const bool path = text.find(' ') == std::string_view::npos && text.find_first_of("/\\") != std::string_view::npos;
  if (path) {
    tail = room - 1;
  } else {
    for (const std::string_view prefix : kSharedPrefixes) {
      if (!text.starts_with(prefix)) continue;
      points.erase(points.begin(), points.begin() + static_cast<ptrdiff_t>(prefix.size()));
      if (points.size() + 1 <= room) return "…" + join(points, 0, points.size());
      if (points.size() <= room) return join(points, 0, points.size());
      break;
    }
    tail = std::clamp(distinguishing_end(points), tail, room - 1);
    if (at_words) tail = whole_words(points, tail);
  }
  const size_t head = room - 1 - tail;
  return join(points, 0, head) + "…" + join(points, points.size() - tail, points.size());
}

}  // namespace

std::string shorten_name(std::string_view text, int width) { return shorten(text, width, false); }

std::string shorten_at_words(std::string_view text, int width) { return shorten(text, width, true); }

std::vector<std::string> wrap_text(std::string_view text, int width) {
  const auto room = static_cast<size_t>(std::max(width, 1));
  std::vector<std::string> lines;
  std::string line;
  size_t used = 0;
  for (size_t i = 0; i <= text.size();) {
    const size_t end = std::min(text.find(' ', i), text.size());
    std::vector<std::string_view> word = code_points(text.substr(i, end - i));
    if (used > 0 && used + 1 + word.size() > room) {
      lines.push_back(std::exchange(line, {}));
      used = 0;
    }
    if (used > 0) line += ' ', ++used;
    size_t at = 0;
    while (word.size() - at > room) {
      size_t end_of_part = at + room;  // behind a mark within the word, where there is one
      while (end_of_part > at + room / 2 && !is_mark(word[end_of_part - 1])) --end_of_part;
      if (end_of_part <= at + room / 2) end_of_part = at + room;
      lines.push_back(join(word, at, end_of_part));
      at = end_of_part;
    }
    line += join(word, at, word.size());
    used += word.size() - at;
    i = end + 1;
  }
  if (used > 0 || lines.empty()) lines.push_back(std::move(line));
  return lines;
}

std::string wrapped_lines(std::string_view text, int width, std::string_view indent) {
  std::string out, line;
  bool any = false;
  for (size_t i = 0; i < text.size();) {
    const size_t end = std::min(text.find(' ', i), text.size());
    const std::string_view word = text.substr(i, end - i);
    if (any && text_width(line) + 1 + text_width(word) > width) {
      out += line + "\n";
      line = std::string(indent) + std::string(word);
    } else {
      line += (any ? " " : "") + std::string(word);
    }
    any = true;
    i = end + 1;
  }
  return out + line + "\n";
}

std::string in_ascii(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, char>, 31> kPlain = {
      {{"µ", 'u'}, {"·", '-'}, {"–", '-'}, {"—", '-'}, {"−", '-'}, {"×", 'x'}, {"→", '>'}, {"←", '<'},
       {"↔", '='}, {"∞", '!'}, {"─", '-'}, {"━", '-'}, {"│", '|'}, {"┃", '|'}, {"█", '#'}, {"▉", '#'},
       {"▊", '#'}, {"▋", '#'}, {"▌", '='}, {"▍", '-'}, {"▎", '-'}, {"▏", '-'}, {"▁", '_'}, {"▂", '.'},
       {"▃", ':'}, {"▄", '-'}, {"▅", '='}, {"▆", '+'}, {"▇", '*'}, {"⊃", '>'}, {"≥", '>'}}};
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const auto length = static_cast<size_t>(std::max(utf8_length(text, i), 1));
    const std::string_view point = text.substr(i, length);
    i += length;
    if (point == "…") {
      // A name that is cut goes on behind it; a list that goes on ends with it.
      const bool cut = i < text.size() && std::string_view(" ),;\n").find(text[i]) == std::string_view::npos;
      out += cut ? "~" : "...";
      continue;
    }
    const auto known = std::find_if(kPlain.begin(), kPlain.end(), [&](const auto& p) { return p.first == point; });
    known == kPlain.end() ? out += point : out += known->second;
  }
  return out;
}

}  // namespace et::inspector
