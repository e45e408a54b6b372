// Statistics of one op's samples: exact integers in, numpy's definitions out.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace et::inspector {

struct SampleStatistics {
  uint64_t count = 0;
  int64_t sum = 0;
  double mean = 0, stddev = 0;  // population standard deviation (numpy.std)
  int64_t min = 0, max = 0;
  double p10 = 0, p50 = 0, p90 = 0, p99 = 0;
};

/// Statistics of `values`, which are reordered. All zero when it is empty.
SampleStatistics sample_statistics(std::vector<int64_t>& values);

/// Percentile `q` (0 to 1) with linear interpolation between the neighbours of rank q (n - 1), as numpy.percentile.
/// Reorders `values`; 0 when it is empty.
double percentile(std::vector<int64_t>& values, double q);

}  // namespace et::inspector
