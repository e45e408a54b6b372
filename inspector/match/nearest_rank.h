// A percentile that is one of the samples, by the method of the nearest rank: of few samples, where a value between two
// of them would be one that nothing took.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace et::inspector {

/// Of fewer samples a 99th percentile says nothing.
constexpr int64_t kFewestForP99 = 10;

/// The smallest of `values` that at least `q` (0 to 1) of them do not exceed. Reorders `values`; 0 when it is empty.
inline int64_t nearest_rank(std::vector<int64_t>& values, double q) {
  if (values.empty()) return 0;
  const auto rank = static_cast<size_t>(std::ceil(q * static_cast<double>(values.size())));
  const auto at = values.begin() + static_cast<ptrdiff_t>(std::clamp<size_t>(rank, 1, values.size()) - 1);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace et::inspector
