// Greedy sampling: the most likely token.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

class BasicSampler {
 public:
  int64_t sample(const std::vector<float>& logits) const {
    return std::max_element(logits.begin(), logits.end()) - logits.begin();
  }
};
