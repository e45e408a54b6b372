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

/// The samples of one op, asked one number at a time; without samples there is only a count and a sum of 0.
class Samples {
 public:
  /// `values` are reordered, and must stay as they are otherwise.
  explicit Samples(std::vector<int64_t>& values);

  int64_t count() const { return static_cast<int64_t>(values_.size()); }
  int64_t sum() const { return sum_; }
  std::optional<double> mean() const { return values_.empty() ? std::nullopt : std::optional(mean_); }
  std::optional<double> stddev() const;  ///< population standard deviation (numpy.std)
  std::optional<int64_t> min() const { return values_.empty() ? std::nullopt : std::optional(min_); }
  std::optional<int64_t> max() const { return values_.empty() ? std::nullopt : std::optional(max_); }
  /// As the function of that name. Cheapest when `q` ascends from call to call.
  std::optional<double> percentile(double q);

 private:
  std::vector<int64_t>& values_;
  int64_t sum_ = 0, min_ = 0, max_ = 0;
  double mean_ = 0;
  size_t sorted_from_ = 0;  // ranks before it are smaller than those from it on
};

/// The sum, or the nearest number that there is.
int64_t add_clamped(int64_t a, int64_t b);

/// Statistics of `values`, which are reordered. All zero when it is empty.
SampleStatistics sample_statistics(std::vector<int64_t>& values);

/// Percentile `q` (0 to 1) with linear interpolation between the neighbours of rank q (n - 1), as numpy.percentile.
/// Reorders `values`; 0 when it is empty.
double percentile(std::vector<int64_t>& values, double q);

/// Of an even number the mean of the two in the middle; 0 when it is empty.
double median_of(std::vector<double> values);

}  // namespace et::inspector
