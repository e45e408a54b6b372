// What a part of an execution costs "per execution", on bases that add up: the costs of all parts of an execution are
// the execution's latency on the same basis.
//
// The warm median is built from the parts themselves: one sample that was preempted moves the sum and the mean of its
// part, and in the median execution another part may have been unlucky; the middle half of a part's own samples sees
// neither. Their mean, not their median: where a clock ticks in whole microseconds a part of 0.4 us reads 0 or 1, and
// its median is 0. A part that runs only in some executions counts as often as it runs. Such costs fall short of the
// median latency by what is unusual in every execution, each time in another part: that is told as variation, a part of
// its own, and not spread over parts that it does not belong to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace et::inspector {

/// One execution of a group whose parts are compared.
struct ExecutionFacts {
  int64_t latency = 0;
  bool cold = false;     // the first of its method
  bool complete = true;  // reached its end
};

/// Which executions a basis looks at.
class ExecutionBasis {
 public:
  /// Warm are the complete executions that are not cold; all of them when there are none. The tail are the warm ones at
  /// or above the 99th percentile of latency.
  explicit ExecutionBasis(const std::vector<ExecutionFacts>& executions);

  bool warm(size_t execution) const { return (marks_[execution] & kWarm) != 0; }
  bool cold(size_t execution) const { return (marks_[execution] & kCold) != 0; }
  bool tail(size_t execution) const { return (marks_[execution] & kTail) != 0; }
  int64_t warm_count() const { return warm_count_; }
  int64_t cold_count() const { return cold_count_; }
  int64_t tail_count() const { return tail_count_; }
  double warm_median() const { return warm_median_; }  ///< latency

 private:
  static constexpr uint8_t kWarm = 1, kCold = 2, kTail = 4;
  std::vector<uint8_t> marks_;
  int64_t warm_count_ = 0, cold_count_ = 0, tail_count_ = 0;
  double warm_median_ = 0;
};

/// The time of one part in one execution: exclusive, all of its samples added up.
struct PartTime {
  uint32_t execution = 0;
  int64_t time = 0;
};

struct PartCost {
  double warm_median = 0;  ///< mean of the middle half of its warm times
  double one_mode = 0;     ///< the same without what is more than twice the median of that half
  double cold = 0;         ///< mean over the cold executions; 0 without one
  double p99 = 0;          ///< mean over the tail
};
struct MiddleMean {
  double mean = 0, one_mode = 0;
};
/// The mean of the middle half of `values`, which are reordered: without the smallest and the largest quarter, rounded
/// up as long as something is left. 0 when it is empty.
MiddleMean middle_mean(std::vector<int64_t>& values);

/// Whether parts that take `sum` together are a quarter more than an execution of that latency, or more: a slower mode,
/// which a quarter to a half of the executions have, is in their means and not in the median. Then their one_mode is
/// what they cost.
bool exceeds_median(double sum, double median);

/// `times` at most one an execution.
PartCost part_cost(const ExecutionBasis& basis, const std::vector<PartTime>& times);

}  // namespace et::inspector
