// Ops under the roofs of their machine, as the window's panel shows them: rows, and points of a log-log plot.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gui/core/selection.h"
#include "gui/core/trace_data.h"
#include "gui/models/selected_part.h"
#include "inspector/analysis/advice/advice.h"
#include "inspector/analysis/work/roofline.h"

namespace et::gui {

inline constexpr double kNotablePoint = 0.01;  ///< of the time: from here on a point shows how far up its roof is

/// A row whose operations and bytes are known.
struct RooflinePoint {
  size_t row = 0;
  double intensity = 0, gflops = 0;  ///< operations a byte, 10^9 operations a second
  double share = 0;                  ///< of the execution
  bool moves_alone = false;          ///< computes nothing: in RooflineModel::lane(), where `gflops` are its GB/s
  std::string name;                  ///< "linear" of aten.linear: for a label
  std::string method;                ///< where several ran
};

/// The name of an operator type in the plot, once for all of its points; their colours say what limits them.
struct RooflineLabel {
  std::string text;            ///< "linear ×18", "linear ×9 in decode"
  double share = 0;            ///< of the execution, of all of them
  std::vector<size_t> points;  ///< indices, the most time first: where it may stand
};

/// Rows of one title and method, added up.
struct RooflineGroup {
  inspector::RooflineRow sum;  ///< times, operations and bytes of all; what all have in common
  double win = 0;              ///< of those whose roof is known
  double known_ns = 0;         ///< time of those
  std::string finding;         ///< what the panel of findings says of them: another bound; "" where nothing
  std::vector<size_t> rows;    ///< the most time first
};

/// Part of a roof: gflops from one intensity to another.
struct RoofLine {
  std::string name;  ///< "26.5 GB/s in 128 MiB", "116 GFLOP/s float32"
  double from = 0, to = 0;
  double gflops_from = 0, gflops_to = 0;
};

enum class RooflineColumn : uint8_t {
  Op,
  Time,
  Share,
  Win,
  Efficiency,
  Reference,
  Bound,
  Gflops,
  Gbytes,
  Flops,
  Bytes,
  Intensity,
  Method,
  Module,
  Line
};
inline constexpr size_t kRooflineColumns = 15;

/// The lower end of a logarithmic axis of `length` pixels, from `low` or below up to `top`, on which circles are whole:
/// each its value and its radius in pixels.
double low_end_for(const std::vector<std::pair<double, double>>& circles, double low, double top, double length);

/// Of a working set and the bandwidth in it: "38.9 GB/s in 128 KiB".
std::string roofline_rate_in(const std::pair<double, double>& bandwidth);

class RooflineModel {
 public:
  /// `machine`: nullopt when the roofs are not known, for which `hint` says why. `rates`: of the whole trace, where
  /// only a range of it is shown: what ops outside of it reached are roofs, too.
  void set(inspector::Roofline roofline, std::optional<inspector::MachinePeaks> machine, std::string hint,
           std::shared_ptr<const TraceData> data, const std::vector<inspector::Advice>& advice = {},
           std::optional<inspector::SeenPeaks> rates = {});
  const inspector::Roofline& roofline() const { return roofline_; }
  const std::optional<inspector::MachinePeaks>& machine() const { return machine_; }
  const std::string& hint() const { return hint_; }
  /// Without a machine: the best rates of the trace, which its ops are held against instead.
  const std::optional<inspector::SeenPeaks>& seen() const { return seen_; }
  /// Ops have roofs, of the machine or of the trace.
  bool has_roofs() const { return machine_.has_value() || seen_.has_value(); }
  bool integers() const;                                        ///< some points are operations of int8
  bool has_methods() const { return roofline_.has_methods(); }  ///< several: each row is of one
  const std::vector<RooflinePoint>& points() const { return points_; }
  /// The types that take the most time first; those that take next to nothing have none. Of a search only its points.
  const std::vector<RooflineLabel>& labels() const { return labels_; }
  /// Over the intensities of the points; empty without peaks of a machine or of the trace.
  const std::vector<RoofLine>& roofs() const { return roofs_; }
  /// Between those, the roofs that single points are held against: of working sets of other sizes.
  const std::vector<RoofLine>& other_roofs() const { return other_roofs_; }
  /// In the lane of those that move data alone roofs are level: GB/s, of all of those above.
  const std::vector<RoofLine>& lane_roofs() const { return lane_roofs_; }
  /// Some points are faster than what they are held against.
  bool has_points_above() const;
  /// Least and largest of points and roofs, with room around them.
  double least_intensity() const { return least_intensity_; }
  double most_intensity() const { return most_intensity_; }
  double least_gflops() const { return least_gflops_; }
  double most_gflops() const { return most_gflops_; }

  /// "At most 1.28 ms of 3.98 ms (32.2%) could be won …", "At the best rates of this trace …", or why that is not
  /// known;
  /// "" where the lines below say it. What only fewer calls win is told apart.
  std::string headline() const;
  /// "2.15 ms, 780 MFLOP: 363 GFLOP/s…"; what can be won at most.
  const std::vector<std::string>& summary() const { return summary_; }
  /// Where ops stand that move data alone: left of all others, by their GB/s. 0 without such an op.
  double lane() const { return lane_; }
  /// Where the lane ends and the axis begins.
  double lane_end() const { return lane_end_; }
  /// Times of what is in no row, and of all: they stand below the rows.
  struct Sum {
    std::string name;
    double ns = 0;
  };
  std::vector<Sum> sums() const;
  /// What limits most of a group's time.
  inspector::Bound group_bound(size_t group) const;
  /// "38.9 GB/s in 128 KiB, 11.5 GB/s in 288 KiB" of other_roofs(); "" without one.
  std::string other_rates() const;
  /// "2 ops of 0.1% in all": points below the axis, which the largest ones set; "" without one.
  std::string below_the_plot() const;
  /// Of those that could win the most: what the findings say of the same ops; "" where they say nothing.
  std::string findings_text() const;
  std::string findings_brief() const;  ///< which ops these are: for little room
  /// Rows in the order of a column; unknown values last.
  std::vector<size_t> order(RooflineColumn column, bool descending) const;
  std::string cell(size_t row, RooflineColumn column) const;
  /// Time above the roof; nullopt when that is not known.
  std::optional<double> win(size_t row) const;
  /// Rows by title, in the order of a column; unknown values last.
  const std::vector<RooflineGroup>& groups() const { return groups_; }
  std::vector<size_t> order_of_groups(RooflineColumn column, bool descending) const;
  /// Rows of a group in that order.
  std::vector<size_t> order_in(size_t group, RooflineColumn column, bool descending) const;
  std::string group_cell(size_t group, RooflineColumn column) const;
  Selection selection_of_group(size_t group) const;
  /// The roof that a row is held to: "154 GB/s in 132 KiB (aten.expand_copy)"; of a machine its peak for that working
  /// set. "" where none is.
  std::string reference_of(size_t row) const;
  Selection selection_of(size_t row) const;
  /// How much of a row, or of a group, is selected.
  SelectedPart selected_part(size_t row, const Selection& selection) const;
  SelectedPart selected_part_of_group(size_t group, const Selection& selection) const;
  /// Rows that have all words of a text: in operator, module, line, method, nodes, what limits them; "" for all. Groups
  /// and labels are of these rows alone, then.
  void search(const std::string& text);
  const std::string& query() const { return query_; }
  bool is_found(size_t row) const { return found_.empty() || found_[row]; }
  int64_t found() const { return std::count(found_.begin(), found_.end(), true); }
  double found_ns() const;   ///< time of those rows
  double found_win() const;  ///< of that, what is beyond their roofs
  /// "37 of 488 ops, 98.2 µs, could win 12.0 µs".
  std::string found_text() const;
  const TraceData* data() const { return data_.get(); }
  std::string csv() const;
  std::string markdown() const;

 private:
  void add_summary();
  void add_points();
  void add_axes();
  void fit_axes();
  void add_lane_roofs();
  double slopes_begin() const { return lane_ > 0 ? lane_end_ : least_intensity_; }
  std::string headline_without_roofs() const;
  void add_labels();
  void add_groups();
  bool is_about(const inspector::Advice& advice, size_t row) const;
  void add_findings();
  std::string reference_text(const inspector::RooflineRow& row) const;
  std::string cell_of(const inspector::RooflineRow& row, std::optional<double> value, RooflineColumn column) const;
  void add_roofs(const inspector::MachinePeaks& peaks);
  void add_other_roofs(const inspector::MachinePeaks& peaks, double top);
  std::vector<std::pair<double, double>> bandwidths_of_points(const inspector::MachinePeaks& peaks) const;

  inspector::Roofline roofline_;
  std::optional<inspector::MachinePeaks> machine_;
  std::optional<inspector::SeenPeaks> seen_;
  std::string hint_;
  std::vector<std::string> summary_;
  std::shared_ptr<const TraceData> data_;
  std::vector<RooflinePoint> points_;
  std::vector<RooflineLabel> labels_;
  std::vector<RooflineGroup> groups_;
  std::vector<inspector::Advice> advice_;
  std::string query_;
  std::vector<bool> found_;  // by row; empty without a search
  std::vector<RoofLine> roofs_, other_roofs_, lane_roofs_;
  double lane_ = 0, lane_end_ = 0, least_intensity_ = 0.1, most_intensity_ = 100, least_gflops_ = 0.1,
         most_gflops_ = 100;
};

/// `integers`: some rows are operations of int8.
const char* roofline_column_title(RooflineColumn column, bool integers = false);
/// `machine`: its peaks are known; else ops are held against the best of the trace.
const char* roofline_column_help(RooflineColumn column, bool machine = true);
/// Only known where there are roofs.
bool needs_roofs(RooflineColumn column);
/// Numbers stand at the right and sort with the largest first.
bool is_number(RooflineColumn column);

}  // namespace et::gui
