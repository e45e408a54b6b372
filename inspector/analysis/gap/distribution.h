// How the elements of a tensor and of its reference are spread, side by side.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "inspector/analysis/gap/gap.h"

namespace et::inspector {

/// Of the finite elements; NaN without any.
struct Spread {
  uint64_t elements = 0, finite = 0, nan = 0, inf = 0, zeros = 0;
  double least = 0, most = 0, mean = 0, deviation = 0;
  std::vector<uint64_t> bins;  ///< counts in equal parts of Distributions::low to high
};

struct Distributions {
  Spread got, want;
  double low = 0, high = 0;  ///< of both; low < high unless nothing is finite
};

/// Of whole numbers each bin has as many values, of which there are at most twice `bins`. Releases both sides. Errors:
/// InvalidArgument (a dtype without real numbers), those of reading the values.
Status distributions_of(const GapSide& run, const GapSide& reference, const GapRow& row, size_t bins,
                        Distributions* out);

}  // namespace et::inspector
