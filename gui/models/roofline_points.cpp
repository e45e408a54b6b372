// The plot of the roofline: points, their names, the axes and the roofs over them.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gui/models/roofline_model.h"
#include "inspector/match/type_family.h"
#include "inspector/report/roofline_report.h"
#include "inspector/text/format.h"
#include "inspector/text/words.h"

namespace et::gui {

using inspector::RooflineRow;

namespace {

constexpr double kRoom = 1.6;  // around points and roofs, as a factor

/// "linear" of aten.linear, "mul + sigmoid" of aten.mul.Tensor + sigmoid.
std::string point_name(std::string_view title) {
  constexpr std::string_view kFused = " + ";
  std::string out;
  for (size_t at = 0; at <= title.size();) {
    const size_t end = std::min(title.find(kFused, at), title.size());
    out += (out.empty() ? "" : std::string(kFused)) + inspector::short_type(title.substr(at, end - at));
    at = end + kFused.size();
  }
  return out;
}

}  // namespace

std::string roofline_rate_in(const std::pair<double, double>& bandwidth) {
  return inspector::rate_text(bandwidth.second) + " GB/s in " +
         inspector::format_bytes(static_cast<int64_t>(bandwidth.first));
}

double low_end_for(const std::vector<std::pair<double, double>>& circles, double low, double top, double length) {
  if (!(low > 0) || !(top > low)) return low;
  double end = std::log(low);
  for (const auto& [value, radius] : circles) {
    if (value > 0 && length > 2 * radius)
      end = std::min(end, (std::log(value) * length - radius * std::log(top)) / (length - radius));
  }
  return std::exp(end);
}

void RooflineModel::add_points() {
  points_.clear();
  const bool methods = has_methods();
  for (size_t i = 0; i < roofline_.rows.size(); ++i) {
    const RooflineRow& row = roofline_.rows[i];
    const auto intensity = row.intensity(), gflops = row.gflops();
    const bool moves_alone = row.work.flops == 0.0;
    if (!intensity || !gflops || !(row.gbytes().value_or(0) > 0) || (!moves_alone && !(*gflops > 0))) continue;
    const double share = roofline_.share_base_ns() > 0 ? row.ns / roofline_.share_base_ns() : 0;
    points_.push_back({i, *intensity, *gflops, share, moves_alone, point_name(row.title), methods ? row.method : ""});
  }
  // Small ones stand upon large ones, where a mouse reaches them.
  std::stable_sort(points_.begin(), points_.end(),
                   [](const RooflinePoint& a, const RooflinePoint& b) { return a.share > b.share; });
}

void RooflineModel::add_axes() {
  fit_axes();
  if (machine_ || seen_) add_roofs(machine_ ? *machine_ : seen_->peaks);
  add_lane_roofs();
  least_gflops_ /= kRoom, most_gflops_ *= kRoom;
}

/// The lane of those that move data alone lies left of all others, with GB/s on the numbers of the axis.
void RooflineModel::fit_axes() {
  const auto moves_alone = [](const RooflinePoint& p) { return p.moves_alone; };
  least_intensity_ = std::numeric_limits<double>::max(), most_intensity_ = 0;
  for (const RooflinePoint& p : points_) {
    if (p.moves_alone) continue;
    least_intensity_ = std::min(least_intensity_, p.intensity);
    most_intensity_ = std::max(most_intensity_, p.intensity);
  }
  if (!(most_intensity_ > 0)) least_intensity_ = 0.1, most_intensity_ = 1;
  least_intensity_ /= kRoom, most_intensity_ *= kRoom;
  lane_ = lane_end_ = 0;
  if (std::any_of(points_.begin(), points_.end(), moves_alone)) {
    constexpr double kHalfALane = 0.08;  // of the axis
    const double width = std::pow(most_intensity_ / least_intensity_, kHalfALane);
    lane_end_ = least_intensity_;
    lane_ = lane_end_ / width;
    least_intensity_ = lane_ / width;
    for (RooflinePoint& p : points_) {
      if (p.moves_alone) p.intensity = lane_, p.gflops = roofline_.rows[p.row].gbytes().value_or(0);
    }
  }
  // Ops of next to no time, which are often far below all others, do not stretch the axis.
  constexpr double kTiny = 0.002, kTinyBesideLargest = 0.1;
  const double counts = std::min(kTiny, kTinyBesideLargest * points_.front().share);
  least_gflops_ = most_gflops_ = points_.front().gflops;
  for (const RooflinePoint& p : points_) {
    most_gflops_ = std::max(most_gflops_, p.gflops);
    if (p.share >= counts) least_gflops_ = std::min(least_gflops_, p.gflops);
  }
  constexpr double kDecades = 100;  // what is near each other shall look so
  least_gflops_ = std::min(least_gflops_, most_gflops_ / kDecades);
}

std::string RooflineModel::below_the_plot() const {
  int64_t count = 0;
  double share = 0;
  for (const RooflinePoint& p : points_) {
    if (p.gflops < least_gflops_) ++count, share += p.share;
  }
  return count == 0 ? std::string()
                    : inspector::plural(count, "op") + " of " + inspector::format_share(share) + " in all";
}

void RooflineModel::add_labels() {
  constexpr double kWorthAName = 0.005;  // of the time; what was searched for is worth one
  labels_.clear();
  std::map<std::pair<std::string, std::string>, size_t> known;
  for (size_t i = 0; i < points_.size(); ++i) {
    if (!is_found(points_[i].row)) continue;
    const auto [at, is_new] = known.try_emplace({points_[i].name, points_[i].method}, labels_.size());
    if (is_new) labels_.push_back({points_[i].name, 0, {}});
    labels_[at->second].share += points_[i].share;
    labels_[at->second].points.push_back(i);
  }
  if (found_.empty()) std::erase_if(labels_, [](const RooflineLabel& label) { return label.share < kWorthAName; });
  std::stable_sort(labels_.begin(), labels_.end(),
                   [](const RooflineLabel& a, const RooflineLabel& b) { return a.share > b.share; });
  for (RooflineLabel& label : labels_) {
    if (label.points.size() > 1) label.text += " ×" + inspector::format_count(std::ssize(label.points));
    if (const std::string& method = points_[label.points.front()].method; !method.empty())
      label.text += " in " + method;
  }
}

/// The rates of the trace that a point is held against; of none the first.
std::vector<std::pair<double, double>> RooflineModel::bandwidths_of_points(const inspector::MachinePeaks& peaks) const {
  std::set<size_t> used;
  for (const RooflinePoint& point : points_) {
    const inspector::MachinePeaks::Roofs roofs = inspector::roofs_of(peaks, roofline_.rows[point.row]);
    if (roofs.memory_holds()) used.insert(roofs.entry);
  }
  if (used.empty()) used.insert(0);
  std::vector<std::pair<double, double>> out;
  for (const size_t at : used) {
    if (at < peaks.bandwidth.size()) out.push_back(peaks.bandwidth[at]);
  }
  return out;
}

/// The slope of a bandwidth ends where it meets the arithmetic's roof.
void RooflineModel::add_roofs(const inspector::MachinePeaks& peaks) {
  if (!(peaks.gflops > 0)) return;
  const bool integer = integers();
  const double top = integer ? std::max(peaks.gflops, peaks.int8_gops) : peaks.gflops;
  most_gflops_ = std::max(most_gflops_, top);
  std::vector<std::pair<double, double>> speeds;
  const auto drawn = machine_ ? peaks.bandwidth : bandwidths_of_points(peaks);
  if (!drawn.empty()) speeds.push_back(drawn.front());
  if (drawn.size() > 1) speeds.push_back(drawn.back());
  double fastest = 0;
  const double begin = slopes_begin();
  const std::string least = machine_ ? "" : "≥ ";
  for (const auto& [size, speed] : speeds) {
    if (!(speed > 0)) continue;
    const double bend = top / speed;
    fastest = std::max(fastest, speed);
    // Where the bend is to be seen the plot shows memory's and arithmetic's part.
    most_intensity_ = std::max(most_intensity_, bend * kRoom);
    roofs_.push_back({least + roofline_rate_in({size, speed}), begin, bend, begin * speed, top});
  }
  // A roof of arithmetic begins where it meets the steepest slope.
  const auto from = [&](double gops) { return std::max(fastest > 0 ? gops / fastest : begin, begin); };
  // Where only integers were seen, their rate stands for both.
  const char* const unit = integer && !machine_ && peaks.int8_gops >= peaks.gflops ? " GOP/s" : " GFLOP/s";
  roofs_.push_back({least + inspector::rate_text(peaks.gflops) + unit + (machine_ ? " float32" : " seen here"),
                    from(peaks.gflops), most_intensity_, peaks.gflops, peaks.gflops});
  if (integer && peaks.int8_gops > 0 && (machine_ || peaks.int8_gops > peaks.gflops))
    roofs_.push_back({least + inspector::rate_text(peaks.int8_gops) + " GOP/s int8", from(peaks.int8_gops),
                      most_intensity_, peaks.int8_gops, peaks.int8_gops});
  add_other_roofs(peaks, top);
}

/// The height that a point could reach ends at a line that is drawn, not in the air.
void RooflineModel::add_other_roofs(const inspector::MachinePeaks& peaks, double top) {
  std::map<size_t, double> times;
  for (const RooflineRow& row : roofline_.rows) {
    if (!(row.roof_ns > 0) || !row.work.flops || !row.work.bytes) continue;
    if (const auto roofs = inspector::roofs_of(peaks, row); roofs.memory_holds()) times[roofs.entry] += row.ns;
  }
  for (const auto& [entry, ns] : times) {
    const std::string name = roofline_rate_in(peaks.bandwidth[entry]);
    const bool is_there =
        std::any_of(roofs_.begin(), roofs_.end(), [&](const RoofLine& line) { return line.name.ends_with(name); });
    const double speed = peaks.bandwidth[entry].second;
    constexpr double kOneLine = 1.05;  // on a logarithmic axis
    const bool is_alike = std::any_of(roofs_.begin(), roofs_.end(), [&](const RoofLine& line) {
      const double drawn = line.gflops_from / line.from;
      return line.gflops_to > line.gflops_from && std::max(drawn, speed) <= kOneLine * std::min(drawn, speed);
    });
    if (is_there || is_alike || ns < kNotablePoint * roofline_.total_ns) continue;
    other_roofs_.push_back({(machine_ ? "" : "≥ ") + name, slopes_begin(), top / speed, slopes_begin() * speed, top});
  }
}

void RooflineModel::add_lane_roofs() {
  if (!(lane_ > 0)) return;
  for (const std::vector<RoofLine>* const lines : {&roofs_, &other_roofs_}) {
    for (const RoofLine& slope : *lines) {
      if (!(slope.gflops_to > slope.gflops_from)) continue;  // of arithmetic
      const double speed = slope.gflops_from / slope.from;
      most_gflops_ = std::max(most_gflops_, speed);
      lane_roofs_.push_back({slope.name, least_intensity_, lane_end_, speed, speed});
    }
  }
}

bool RooflineModel::has_points_above() const {
  return std::any_of(points_.begin(), points_.end(),
                     [&](const RooflinePoint& p) { return roofline_.rows[p.row].is_above_roof(); });
}

}  // namespace et::gui
