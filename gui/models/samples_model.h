// The samples of one op as two pictures: their distribution, and their course over the executions.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gui/core/document.h"
#include "gui/core/jobs.h"
#include "inspector/analysis/ops/samples.h"
#include "inspector/match/nearest_rank.h"

namespace et::gui {

/// Bin i reaches from edges[i] to edges[i + 1]; the last one includes its right edge, too.
struct Histogram {
  bool logarithmic = false;
  std::vector<double> edges;  ///< in ticks, ascending; one more than counts
  std::vector<int64_t> counts;
  int64_t highest = 0;
  int64_t beyond = 0;                          ///< samples above the last edge, in no bin
  int64_t beyond_lowest = 0, beyond_most = 0;  ///< the smallest and the largest of them
};
/// Bins by the rule of Freedman and Diaconis, 1 to `most`; never narrower than a tick. Where half of the samples lie in
/// one place, their number decides alone (Sturges). Linear ones end at the 99th percentile (of fewer than a hundred: at
/// the largest that is not far out) when the slowest lie far beyond: one that was preempted would rule the axis.
/// Logarithmic ones have equal ratios and hold all, what is below one tick in the first of them.
Histogram make_histogram(const std::vector<int64_t>& values, bool logarithmic, int most = 100);

/// Points of a picture: samples as they came, or smallest, mean and largest of neighbours when there are more than
/// `most`.
struct Course {
  std::vector<double> position;  ///< number of the execution among those of the block
  std::vector<double> low, mean, high;
  std::vector<bool> cold;  ///< a cold execution is among them
  bool exact = true;       ///< one point a sample: low, mean and high are the same
};
Course make_course(const TraceData& data, const inspector::OpSamples& samples, int most = 2000);

/// Of fewer samples a histogram is a row of single ones, too.
using inspector::kFewestForP99;

struct SamplesView {
  inspector::OpSamples samples;
  Histogram linear, logarithmic;  ///< of warm executions; of all where there are no others
  Course course;
  int64_t counted = 0;        ///< samples in the histograms
  std::vector<int64_t> cold;  ///< samples of cold executions, which the histograms are without
  int64_t worst_run = 0;      ///< execution (run_id) of the histograms' largest sample
  /// Only the course is worth drawing.
  bool few() const { return counted < kFewestForP99; }
};
/// From the samples.
void complete_samples_view(const TraceData& data, SamplesView* view);

constexpr size_t kMaxSamples = 200000;

/// Follows one op.
class SamplesModel {
 public:
  /// `op`: index into the ops of the document's trace, -1 for none.
  void refresh(const Document& document, Jobs& jobs, int32_t op);
  bool reading() const { return reading_; }
  const Status& status() const { return status_; }
  /// nullptr until it was read.
  const SamplesView* view() const { return view_.get(); }
  /// Index of the op whose samples the view has.
  int32_t op() const { return shown_; }
  /// "1,000 samples", or what part of them was read.
  std::string caption() const;

 private:
  std::unique_ptr<SamplesView> view_;
  Status status_;
  int32_t asked_ = -1, shown_ = -1;
  uint64_t asked_version_ = 0;
  std::optional<inspector::TimeRange> asked_range_;
  bool reading_ = false;
  JobHandle job_;
};

}  // namespace et::gui
