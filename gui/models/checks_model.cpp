#include "gui/models/checks_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "gui/core/text.h"
#include "inspector/report/check_report.h"
#include "inspector/text/words.h"

namespace et::gui {

using inspector::CheckPoint;
using inspector::CheckSeries;

namespace {

CheckPlot plot_of(const CheckSeries& series) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  CheckPlot plot;
  int32_t part = 0;
  for (size_t i = 0; i < series.points.size(); ++i) {
    const CheckPoint& p = series.points[i];
    const CheckPoint& before = series.points[i > 0 ? i - 1 : 0];
    const bool single = p.samples == 1 && p.median_ns;
    const bool apart = i > 0 && (p.samples == 1 || before.samples == 1);
    if (p.host != before.host || p.cpu != before.cpu || apart) ++part;
    if (single) plot.single.push_back(static_cast<double>(i));
    const double time = p.median_ns.value_or(kNone);
    const double error = p.max_abs_error && std::isfinite(*p.max_abs_error) ? std::fabs(*p.max_abs_error) : kNone;
    plot.position.push_back(static_cast<double>(i));
    plot.time.push_back(time);
    plot.low.push_back(p.interval ? p.interval->low : time);
    plot.high.push_back(p.interval ? p.interval->high : time);
    plot.error.push_back(error);
    plot.parts.push_back(part);
    if (!p.ok()) plot.failed.push_back(static_cast<double>(i));
    plot.has_time = plot.has_time || !std::isnan(time);
    if (!std::isnan(time)) plot.longest = std::max(plot.longest, plot.high.back());
    if (!std::isnan(error)) plot.worst = std::max(plot.worst, error);
  }
  plot.has_error = plot.worst > 0;
  (void)inspector::choose_unit("auto", "ns", plot.longest, &plot.unit);
  return plot;
}

bool fits(const CheckSeries& series, const std::string& filter) {
  return has_all_words(series.key.text() + " " + inspector::verdict_text(series.now()), filter);
}

}  // namespace

std::vector<std::string> check_labels(const std::vector<inspector::CheckSeries>& checks) {
  std::set<std::string> files;
  bool one_method = checks.size() > 1;
  for (const inspector::CheckSeries& check : checks) {
    files.insert(check.key.file);
    one_method = one_method && check.key.method == checks.front().key.method;
  }
  std::map<std::string, std::string> names;
  for (const std::string& file : files) {
    // From its last part on, folder by folder, until no other file ends so.
    size_t from = file.rfind('/') == std::string::npos ? 0 : file.rfind('/') + 1;
    const auto is_alone = [&] {
      const std::string end = "/" + file.substr(from);
      return std::count_if(files.begin(), files.end(),
                           [&](const std::string& other) { return ("/" + other).ends_with(end); }) == 1;
    };
    while (from > 1 && !is_alone()) {
      const size_t slash = file.rfind('/', from - 2);
      from = slash == std::string::npos ? 0 : slash + 1;
    }
    names[file] = file.substr(from);
  }
  std::vector<std::string> out;
  for (const inspector::CheckSeries& check : checks) {
    inspector::CheckKey key = check.key;
    key.file = names[key.file];
    const std::string text = key.text();
    const std::string method = " · " + key.method.value_or("(no method)");
    const bool drop = one_method && text.starts_with(key.file + method);
    out.push_back(drop ? key.file + text.substr(key.file.size() + method.size()) : text);
  }
  return out;
}

std::string run_label(const inspector::CheckSeries& check, size_t run) {
  const auto& points = check.points;  // started: "2026-11-22T12:12:05Z"
  constexpr size_t kDay = 10, kMinute = 16, kSecond = 19;
  const auto tells_apart = [&](size_t length) {
    std::set<std::string> seen;
    return std::all_of(points.begin(), points.end(), [&](const inspector::CheckPoint& p) {
      return p.started.size() >= length && seen.insert(p.started.substr(0, length)).second;
    });
  };
  const auto one_day = [&] {
    return std::all_of(points.begin(), points.end(), [&](const inspector::CheckPoint& p) {
      return p.started.compare(0, kDay, points[0].started, 0, kDay) == 0;
    });
  };
  const std::string& at = points[run].started;
  if (tells_apart(kDay)) return at.substr(5, kDay - 5);
  for (const size_t length : {kMinute, kSecond}) {
    if (!tells_apart(length)) continue;
    const std::string time = at.substr(kDay + 1, length - kDay - 1);
    return one_day() ? time : at.substr(5, kDay - 5) + " " + time;
  }
  return "#" + std::to_string(run + 1);
}

NoChange no_change(const inspector::CheckSeries& check) {
  const inspector::CheckPoint& now = check.now();
  if (!now.median_ns) return {"no time", "The newest run measured no time."};
  if (!now.interval) return {"few samples", "Too few samples for an interval of the median."};
  const bool before = std::any_of(check.points.begin(), check.points.end() - 1, [&](const inspector::CheckPoint& p) {
    return p.interval && p.host == now.host && p.cpu == now.cpu;
  });
  if (before) return {"noise", "No change that the noise does not explain: the 95% intervals overlap."};
  if (check.points.size() == 1) return {"first run", "This is its only run."};
  return {"first here", "No earlier run on this host measured its time."};
}

std::string measured_text(const inspector::CheckPoint& p, const inspector::TimeUnit& unit) {
  constexpr double kWide = 1.5;
  if (!p.median_ns) return {};
  const std::string median = inspector::format_duration_named(*p.median_ns, unit);
  if (p.samples == 1) return median + " in one execution, cold unless others warmed it up";
  const std::string of = " of " + inspector::plural(p.samples, "execution");
  if (!p.interval) return "median " + median + of + ", too few for an interval";
  std::string out =
      "median " + median + ", 95% interval " + inspector::format_interval(p.interval->low, p.interval->high, unit) + of;
  if (p.interval->low > 0 && p.interval->high > kWide * p.interval->low)
    out += ": so wide because single executions differ that much; only a median outside of it would be a change";
  return out;
}

std::string worst_place(const inspector::CheckOutputRow& output) {
  if (!output.max_abs_error || output.max_abs_at.empty()) return {};
  std::string text = output.max_abs_at + ": " + inspector::format_error(output.max_abs_error);
  if (output.got && output.want) {
    // With as many digits as tell them apart.
    std::string got = inspector::format_error(output.got), want = inspector::format_error(output.want);
    for (int digits = 4; got == want && digits <= 9 && *output.got != *output.want; ++digits)
      got = fmt::format("{:.{}g}", *output.got, digits), want = fmt::format("{:.{}g}", *output.want, digits);
    text += " (got " + got + ", expected " + want + ")";
  }
  return text;
}

void ChecksModel::refresh(Document& document) {
  if (asked_ && store_version_ == document.store_version()) return;
  asked_ = true;
  store_version_ = document.store_version();
  if (document.store_path().empty()) {
    job_.reset();
    detail_job_.reset();
    busy_ = false;
    error_.clear();
    path_.clear();
    checks_.clear();
    at_ = point_ = -1;
    failing_ = 0;
    ++checks_version_;
    return;
  }
  busy_ = true;
  job_ = document.jobs().query<Loaded>(
      document.store_path(),
      [](const inspector::Store& store, const Cancel&, Loaded* out) {
        out->too_old = !inspector::count_checks(store).has_tables;
        return inspector::load_check_history(store, {}, &out->checks);
      },
      [this, &document](Status status, Loaded result) { loaded(document, std::move(status), std::move(result)); });
}

void ChecksModel::loaded(Document& document, Status status, Loaded result) {
  busy_ = false;
  error_ = status.message();
  if (!status.ok()) return;
  too_old_ = result.too_old;
  // What was looked at stays so, unless new runs came while the newest was on view.
  inspector::CheckKey key;
  int64_t run = 0;
  const bool same_store = path_ == document.store_path();
  if (same_store && chosen() != nullptr) {
    key = chosen()->key;
    if (point() != nullptr && point() != &chosen()->points.back()) run = point()->check_run_id;
  }
  if (!same_store) detail_ = {};
  path_ = document.store_path();
  checks_ = std::move(result.checks);
  ++checks_version_;
  failing_ = static_cast<size_t>(
      std::count_if(checks_.begin(), checks_.end(), [](const CheckSeries& s) { return !s.now().ok(); }));
  at_ = point_ = -1;
  for (size_t i = 0; i < checks_.size(); ++i) {
    if (checks_[i].key == key) at_ = static_cast<int32_t>(i);
  }
  if (at_ < 0 && !shown().empty()) at_ = shown().front();
  if (at_ < 0) return;
  plot_ = plot_of(*chosen());
  point_ = static_cast<int32_t>(chosen()->points.size()) - 1;
  for (size_t i = 0; i < chosen()->points.size(); ++i) {
    if (chosen()->points[i].check_run_id == run) point_ = static_cast<int32_t>(i);
  }
  look(document);
}

const std::vector<int32_t>& ChecksModel::shown() {
  if (shown_version_ == checks_version_ && shown_filter_ == filter && shown_failed_ == failed_only) return shown_;
  shown_version_ = checks_version_;
  shown_filter_ = filter;
  shown_failed_ = failed_only;
  shown_.clear();
  for (const bool ok : {false, true}) {
    for (size_t i = 0; i < checks_.size(); ++i) {
      if (checks_[i].now().ok() != ok || (failed_only && ok) || !fits(checks_[i], filter)) continue;
      shown_.push_back(static_cast<int32_t>(i));
    }
  }
  return shown_;
}

const CheckPoint* ChecksModel::point() const {
  return chosen() == nullptr || point_ < 0 ? nullptr : &chosen()->points[static_cast<size_t>(point_)];
}

void ChecksModel::choose(Document& document, int32_t check) {
  if (check == at_ || check < 0 || check >= static_cast<int32_t>(checks_.size())) return;
  at_ = check;
  plot_ = plot_of(*chosen());
  point_ = static_cast<int32_t>(chosen()->points.size()) - 1;
  look(document);
}

void ChecksModel::choose_point(Document& document, int32_t point) {
  if (chosen() == nullptr || point < 0 || point >= static_cast<int32_t>(chosen()->points.size())) return;
  point_ = point;
  look(document);
  const auto& trace = this->point()->trace_id;
  if (trace && (document.data() == nullptr || document.data()->trace_id() != *trace)) document.show_trace(*trace);
}

void ChecksModel::look(Document& document) {
  const int64_t id = point()->check_case_id;
  if (id != 0 && detail_.check_case_id == id) return;
  detail_job_ = document.jobs().query<CheckDetail>(
      path_,
      [id](const inspector::Store& store, const Cancel&, CheckDetail* out) {
        out->check_case_id = id;
        if (id == 0) return Status();  // only speed was checked
        Status status = inspector::load_check_outputs(store, id, &out->outputs);
        if (status.ok()) status = inspector::load_check_explanations(store, id, &out->explanations);
        return status;
      },
      [this](Status status, CheckDetail detail) {
        if (!status.ok()) error_ = status.message();
        detail_ = std::move(detail);
      });
}

int32_t ChecksModel::point_at(double position) const {
  if (chosen() == nullptr || std::isnan(position)) return -1;
  const double nearest = std::round(position);
  if (nearest < 0 || nearest >= static_cast<double>(plot_.position.size())) return -1;
  return static_cast<int32_t>(nearest);
}

std::string ChecksModel::csv() {
  std::vector<const CheckSeries*> rows;
  for (const int32_t i : shown()) rows.push_back(&checks_[static_cast<size_t>(i)]);
  return rows.empty() ? std::string() : inspector::check_history_csv(rows);
}

}  // namespace et::gui
