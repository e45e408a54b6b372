#include "base/nearest.h"

#include <algorithm>
#include <vector>

namespace et {
namespace {

constexpr size_t kLongestWord = 64;  // longer words are not typos; bounds the work on hostile input

}  // namespace

int typos(std::string_view a, std::string_view b) {
  // Optimal string alignment: three rows of the table of edit distances.
  std::vector<int> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = static_cast<int>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::string nearest(std::string_view word, std::span<const std::string> candidates) {
  if (word.size() < 2 || word.size() > kLongestWord) return {};
  const std::string* best = nullptr;
  int fewest = 0;
  for (const std::string& c : candidates) {
    const int n = typos(word, c);
    // A third of the word may be wrong; a beginning of at least three letters also counts.
    const bool begins = word.size() >= 3 && c.starts_with(word);
    if (!begins && n > std::max(1, static_cast<int>(std::min(word.size(), c.size())) / 3)) continue;
    if (best == nullptr || n < fewest) {
      best = &c;
      fewest = n;
    }
  }
  return best == nullptr ? std::string() : *best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates, std::string_view prefix) {
  const std::string best = nearest(word, candidates);
  return best.empty() ? "" : "; did you mean '" + std::string(prefix) + best + "'?";
}

}  // namespace et
