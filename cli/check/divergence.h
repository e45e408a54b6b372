// Compares the values of two runs, pair by pair, in the order in which the first wrote them, and finds the operator
// that went wrong: not one that is right, whatever it was fed.
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
  bool agrees = false;
  // What the links say it is; it agrees with another node of its op, or with some other value, where they differ.
  size_t linked = 0;
  bool elsewhere() const { return linked != reference; }
};

/// When two values are taken for equal.
struct Closeness {
  bundled::Tolerance tolerance;  // of floating point; other dtypes are exact, 8-bit ones up to a step
  double snr_limit = 0;          // dB; from here on a difference is rounding
  bool agrees(const inspector::LoggedValue& value, const bundled::Comparison& figures) const;
};

struct Divergence {
  std::vector<ValuePair> pairs;
  std::optional<size_t> first;  // pair that does not agree
  size_t unmatched = 0;         // values without a counterpart
  std::string matched_by;       // "instruction" or "graph node"
};

/// Values of the same program belong together by instruction, those of programs that were lowered in other ways by
/// their graph nodes. A value that agrees with another result of its op's nodes, or with any value of the reference,
/// has only been linked wrongly.
Divergence compare_runs(const std::vector<inspector::LoggedValue>& values,
                        const std::vector<inspector::LoggedValue>& reference, const Closeness& close);

/// The pairs that may be to blame, likeliest first, when each operator was also worked out from what this run fed it:
/// `local` has the reference's values in the same order, computed from the logged values. An operator whose local value
/// agrees is right. Empty: all of them are.
std::vector<size_t> suspects(const Divergence& d, const std::vector<inspector::LoggedValue>& values,
                             const std::vector<inspector::LoggedValue>& local, const Closeness& close);

}  // namespace et::cli
