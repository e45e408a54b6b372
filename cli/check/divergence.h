// Compares the values of two runs, pair by pair, in the order in which the first wrote them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "bundled_program/compare.h"
#include "inspector/analysis/ops/logged_values.h"

namespace et::cli {

struct ValuePair {
  size_t value = 0;      // index in the run that is explained
  size_t reference = 0;  // in the good one
  bundled::Comparison figures;
};

struct Divergence {
  std::vector<ValuePair> pairs;
  std::optional<size_t> first;  // pair that is out of tolerance, and by enough to matter
  size_t unmatched = 0;         // values without a counterpart
  std::string matched_by;       // "instruction" or "graph node"
};

/// Values of the same program belong together by instruction, those of programs that were lowered in other ways by
/// their graph nodes. `tolerance` is for floating point; other dtypes are exact. Pairs with a signal to noise
/// ratio above `snr_limit` (dB) are not taken for the first divergence, unless nothing else diverges.
Divergence compare_runs(const std::vector<inspector::LoggedValue>& values,
                        const std::vector<inspector::LoggedValue>& reference, const bundled::Tolerance& tolerance,
                        double snr_limit);

}  // namespace et::cli
