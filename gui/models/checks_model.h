// The checks of the open store: every test case over all calls of et-check, one of them chosen, one call of it looked
// at.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gui/core/document.h"
#include "inspector/analysis/checks/check_history.h"
#include "inspector/text/format.h"

namespace et::gui {

/// What the plots draw of a check: position i is its i-th run. NaN where a run has no such number.
struct CheckPlot {
  std::vector<double> position, time, low, high;  // ns; low and high are the median without an interval
  std::vector<double> error;                      // finite and at least 0
  std::vector<double> failed;                     // positions of runs that failed
  std::vector<int32_t> parts;                     // where a run that does not compare begins, from 0: another host, or
                                                  // one execution (which is cold) beside medians of many
  std::vector<double> single;                     // positions of runs of one execution
  double longest = 0, worst = 0;                  // largest of high, of error
  inspector::TimeUnit unit;                       // of times
  bool has_time = false, has_error = false;       // error: one that is not 0
};

/// What is shown of one case below its history.
struct CheckDetail {
  int64_t check_case_id = 0;
  std::vector<inspector::CheckOutputRow> outputs;
  std::vector<inspector::CheckExplanationRow> explanations;
};

class ChecksModel {
 public:
  /// Reads the checks when another store was opened or its file changed.
  void refresh(Document& document);
  bool busy() const { return busy_; }
  /// Of the last reading, "" when it went well.
  const std::string& error() const { return error_; }
  /// The store is of a version before checks.
  bool too_old() const { return too_old_; }

  std::string filter;        ///< words that file, method, case and verdict hold
  bool failed_only = false;  ///< checks whose newest run failed

  const std::vector<inspector::CheckSeries>& checks() const { return checks_; }
  /// Indices of checks that fit, failed ones first, else in the order of file, method and case.
  const std::vector<int32_t>& shown();
  size_t failing() const { return failing_; }

  /// nullptr when none is chosen.
  const inspector::CheckSeries* chosen() const { return at_ < 0 ? nullptr : &checks_[static_cast<size_t>(at_)]; }
  int32_t chosen_index() const { return at_; }
  /// The run of it that is looked at, its newest at first.
  const inspector::CheckPoint* point() const;
  int32_t point_index() const { return point_; }
  void choose(Document& document, int32_t check);
  /// Looks at a run; its trace, when the store has it, is opened.
  void choose_point(Document& document, int32_t point);

  const CheckPlot& plot() const { return plot_; }
  /// The run nearest to a position of the plot, -1 for none.
  int32_t point_at(double position) const;
  /// Outputs of point(); while they are read, those of before.
  const CheckDetail& detail() const { return detail_; }

  /// The shown checks with all their runs, as `et-inspect history --format csv`.
  std::string csv();

 private:
  struct Loaded {
    std::vector<inspector::CheckSeries> checks;
    bool too_old = false;
  };
  void loaded(Document& document, Status status, Loaded result);
  void look(Document& document);

  std::vector<inspector::CheckSeries> checks_;
  std::vector<int32_t> shown_;
  std::string shown_filter_, error_, path_;
  bool shown_failed_ = false, busy_ = false, too_old_ = false, asked_ = false;
  uint64_t store_version_ = 0, checks_version_ = 0, shown_version_ = 0;
  size_t failing_ = 0;
  int32_t at_ = -1, point_ = -1;
  CheckPlot plot_;
  CheckDetail detail_;
  JobHandle job_, detail_job_;
};

/// By check, what tells it from the others: its file without the folders that no other one needs, without the method
/// where all have the same: "many_outputs/bundled.bpte · case 0".
std::vector<std::string> check_labels(const std::vector<inspector::CheckSeries>& checks);

/// When a run was, written for all runs of its check alike and as short as tells them apart: "11-22",
/// "11-22 12:12:05", "12:12" where all are of one day, else their numbers, "#3".
std::string run_label(const inspector::CheckSeries& check, size_t run);
/// Why the newest run has no change of time: in a sentence, and in a word or two for a cell ("noise", "first run").
struct NoChange {
  std::string word, reason;
};
NoChange no_change(const inspector::CheckSeries& check);
/// "median 9.17 µs, 95% interval 2.80–11.0 µs of 19 executions"; of an interval so wide that it hides changes, that,
/// too. "" where nothing was measured.
std::string measured_text(const inspector::CheckPoint& point, const inspector::TimeUnit& unit);

/// "[2, 5]: 0.5 (got 2, expected 1.5)", "" without an error.
std::string worst_place(const inspector::CheckOutputRow& output);

}  // namespace et::gui
