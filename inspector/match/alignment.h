// Best order-preserving matching of two sequences (longest common subsequence with a weight for each pair), and how far
// it is forced: which elements another matching of the same weight would treat differently.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace et::inspector {

struct Alignment {
  static constexpr int32_t kNone = -1;
  std::vector<int32_t> of_a;    // partner in b, or kNone
  std::vector<int32_t> of_b;    // partner in a, or kNone
  std::vector<bool> ambiguous;  // by element of a
  size_t matched = 0;
  size_t unmatched_b = 0;
};

/// Aligns 0..n-1 with 0..m-1; `fits(i, j)` says whether a pair is allowed, as a bool or as a weight below 256 of which
/// the sum is made greatest. Needs n * m cells: past `max_cells` only a greedy matching is made, and every element of a
/// is called ambiguous.
template <class Fits>
Alignment align(size_t n, size_t m, Fits&& fits, size_t max_cells = size_t{1} << 25) {
  Alignment out;
  out.of_a.assign(n, Alignment::kNone);
  out.of_b.assign(m, Alignment::kNone);
  out.ambiguous.assign(n, false);
  auto pair = [&](size_t i, size_t j) {
    out.of_a[i] = static_cast<int32_t>(j);
    out.of_b[j] = static_cast<int32_t>(i);
    ++out.matched;
  };
  if (n == 0 || m == 0) {
    out.unmatched_b = m;
    return out;
  }
  if ((n + 1) > max_cells / (m + 1)) {
    size_t looks = 4 * max_cells;
    for (size_t i = 0, j = 0; i < n && looks > 0; ++i) {
      size_t k = j;
      for (; k < m && looks > 0 && !fits(i, k); ++k) --looks;
      if (k < m && looks > 0) {
        pair(i, k);
        j = k + 1;
      }
    }
    out.ambiguous.assign(n, true);
    out.unmatched_b = m - out.matched;
    return out;
  }
  const size_t width = m + 1;
  std::vector<uint32_t> tail((n + 1) * width, 0);  // longest matching of a[i..] with b[j..]
  std::vector<uint8_t> fit(n * m);
  for (size_t i = n; i-- > 0;) {
    for (size_t j = m; j-- > 0;) {
      uint32_t best = std::max(tail[(i + 1) * width + j], tail[i * width + j + 1]);
      if (const auto weight = static_cast<uint8_t>(fits(i, j)); weight != 0) {
        fit[i * m + j] = weight;
        best = std::max(best, weight + tail[(i + 1) * width + j + 1]);
      }
      tail[i * width + j] = best;
    }
  }
  for (size_t i = 0, j = 0; i < n && j < m;) {
    if (fit[i * m + j] != 0 && tail[i * width + j] == fit[i * m + j] + tail[(i + 1) * width + j + 1]) {
      pair(i++, j++);
    } else if (tail[i * width + j] == tail[(i + 1) * width + j]) {
      ++i;
    } else {
      ++j;
    }
  }
  // An element is free when it has more than one choice among all best matchings, leaving it out included.
  const uint32_t total = tail[0];
  std::vector<uint32_t> head(width, 0), next(width, 0);  // best matching of a[..i) with b[..j)
  for (size_t i = 0; i < n; ++i) {
    size_t choices = 0;
    bool skippable = false;
    for (size_t j = 0; j < m; ++j) {
      if (fit[i * m + j] != 0 && head[j] + fit[i * m + j] + tail[(i + 1) * width + j + 1] == total) ++choices;
    }
    for (size_t j = 0; j <= m && !skippable; ++j) skippable = head[j] + tail[(i + 1) * width + j] == total;
    out.ambiguous[i] = choices + (skippable ? 1 : 0) > 1;
    next[0] = 0;
    for (size_t j = 0; j < m; ++j) {
      next[j + 1] = std::max({next[j], head[j + 1], head[j] + fit[i * m + j]});
    }
    std::swap(head, next);
  }
  out.unmatched_b = m - out.matched;
  return out;
}

}  // namespace et::inspector
