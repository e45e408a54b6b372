// The strip of executions: one bar each, in the order in which they ran, its height the duration. Where there are more
// than pixels, a bar stands for several and shows the slowest.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gui/core/trace_data.h"

namespace et::gui {

struct ExecutionBar {
  size_t first = 0, last = 0;  ///< range of executions
  size_t slowest = 0;          ///< among them
  size_t typical = 0;          ///< their median: thousands in a bar always have a slow one
  bool cold = false;           ///< one of them is
  bool complete = true;        ///< all of them are
};

class ExecutionsModel {
 public:
  /// Executions of the trace; its other runs (loading) when it has none.
  static ExecutionsModel make(const TraceData& data);

  size_t size() const { return runs_.size(); }
  /// Index into TraceData::runs.
  int32_t run(size_t execution) const { return runs_[execution]; }
  /// Position of a run (run_id), -1 when it is not shown.
  int64_t find(int64_t run_id) const;
  /// Position of the execution that runs at a time of the trace's clock, else of the last one before it; -1 for none.
  int64_t at_time(int64_t time) const;
  /// First and last execution of which a stretch of the trace's clock shows more than a sliver; the last one before it
  /// where it shows none.
  std::pair<int64_t, int64_t> seen(int64_t begin, int64_t end) const;
  int64_t duration(size_t execution) const { return durations_[execution]; }
  bool is_cold(size_t execution) const { return cold_[execution]; }
  /// Neither cold nor cut off.
  bool is_warm(size_t execution) const { return !cold_[execution] && complete_[execution]; }
  /// Which executions have a median in common: those of a method.
  size_t group(size_t execution) const { return blocks_[execution]; }

  /// Median of the executions of its method (the warm ones when there are any), and the execution that is nearest to
  /// it. All that names a median takes it from here.
  double median_of(size_t execution) const { return median(execution).duration; }
  size_t median_execution(size_t execution) const { return median(execution).execution; }
  /// Where a method's executions fall into two groups, its median stands for neither: that of the execution's own.
  void set_median(size_t execution, double duration, size_t nearest) {
    own_.resize(size());
    own_[execution] = {duration, nearest};
  }
  /// "#4", or "encode #4" where several methods run.
  std::string name(const TraceData& data, size_t execution) const;
  bool several_blocks() const { return shown_blocks_ > 1; }
  /// Duration at the strip's full height: outliers beyond it are cut, so that the others can be told apart.
  int64_t ceiling() const { return ceiling_; }

  /// Bars for executions [from, to) over `width` pixels, at most one a pixel.
  std::vector<ExecutionBar> bars(double from, double to, int width) const;
  /// The slowest executions, slowest first: some dozens.
  const std::vector<size_t>& slowest() const { return slowest_; }

 private:
  struct Median {
    double duration = 0;
    size_t execution = 0;
  };
  const Median& median(size_t execution) const {
    const bool own = execution < own_.size() && own_[execution].duration > 0;
    return own ? own_[execution] : medians_[blocks_[execution]];
  }

  std::vector<int32_t> runs_;
  std::vector<int64_t> ids_, starts_, durations_;
  std::vector<bool> cold_, complete_;
  std::vector<size_t> blocks_;   // by execution
  std::vector<Median> medians_;  // by block
  std::vector<Median> own_;      // by execution, where that differs
  std::vector<size_t> slowest_;
  int64_t ceiling_ = 1;
  int shown_blocks_ = 0;
};

}  // namespace et::gui
