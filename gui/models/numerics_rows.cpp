// Rows and points of the panel Numerics.
#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

#include "gui/core/text.h"
#include "gui/models/numerics_model.h"
#include "inspector/analysis/ops/value_layout.h"
#include "inspector/report/gap_report.h"
#include "inspector/text/format.h"

namespace et::gui {

using inspector::GapFigures;
using inspector::GapRow;
using inspector::LoggedValue;

namespace {

struct ColumnFacts {
  const char *title, *help;
  bool number;
};
constexpr std::array<ColumnFacts, kNumericsColumns> kColumnFacts = {{
    {"#", "In the order of execution.", true},
    {"Op", "The operator; > is the first that diverges.", false},
    {"Node", "The node of the graph that the tensor is the value of; ~: found by its values.", false},
    {"Error", "Largest error, as a share of the reference's largest value.", true},
    {"Max error", "Largest |got − reference|.", true},
    {"MSE", "Mean of the squared errors.", true},
    {"L1", "Mean of |got − reference|.", true},
    {"SNR (dB)", "Signal to noise ratio: the reference's power over the error's.", true},
    {"Cosine", "Of the angle between both tensors: 1 is the same direction.", true},
    {"Own SNR", "SNR against what the op should have made of the inputs that this run gave it.", true},
    {"Role", "adds: wrong for what it was fed, too. passes on: right for what it was fed.", false},
    {"NaN, inf", "How many there are; instead of how many in the reference.", false},
    {"Tensor", "Dtype and shape; the reference's, where it differs, is in the tooltip.", false},
    {"Delegate", "Backend that made it.", false},
    {"Line", "Where in Python the node comes from.", false},
    {"Module", "Which module it belongs to.", false},
}};

struct MetricFacts {
  const char *title, *name, *help;
};
constexpr std::array<MetricFacts, kNumericsMetrics> kMetricFacts = {{
    {"Error (share)", "error", "largest error / largest value"},
    {"Max error", "max", "largest |error|"},
    {"MSE", "mse", "mean squared error"},
    {"L1", "l1", "mean |error|"},
    {"SNR (dB)", "snr", "SNR (dB)"},
    {"Cosine", "cosine", "1 − cosine"},
}};

/// As the metric has it; of the cosine what it lacks to 1.
double number_of_metric(const GapFigures& f, NumericsMetric metric) {
  switch (metric) {
    case NumericsMetric::Error:
      return f.relative();
    case NumericsMetric::MaxAbs:
      return f.max_abs;
    case NumericsMetric::Mse:
      return f.mse();
    case NumericsMetric::L1:
      return f.mean_abs();
    case NumericsMetric::Snr:
      return f.snr_db();
    case NumericsMetric::Cosine:
      return 1 - f.cosine();
  }
  return 0;
}

NumericsPoint::Kind point_kind(const GapFigures& f, NumericsMetric metric, double number) {
  using Kind = NumericsPoint::Kind;
  if (f.nan_mismatch + f.inf_mismatch > 0) return Kind::Broken;
  if (f.exact()) return Kind::Exact;
  if (!std::isfinite(number)) return Kind::Broken;
  return is_logarithmic(metric) && number <= 0 ? Kind::Exact : Kind::Number;
}

std::optional<double> number_of_column(const GapRow& r, size_t i, NumericsColumn column) {
  const GapFigures& f = r.figures;
  const auto known = [](double v) { return std::isnan(v) ? std::nullopt : std::optional(v); };
  switch (column) {
    case NumericsColumn::Order:
      return static_cast<double>(i);
    case NumericsColumn::Error:
      return known(f.relative());
    case NumericsColumn::MaxAbs:
      return known(f.max_abs);
    case NumericsColumn::Mse:
      return known(f.mse());
    case NumericsColumn::L1:
      return known(f.mean_abs());
    case NumericsColumn::Snr:
      return f.exact() ? HUGE_VAL : known(f.snr_db());
    case NumericsColumn::Cosine:
      return known(f.cosine());
    case NumericsColumn::Own:
      return !r.own ? std::nullopt : r.own->exact() ? std::optional(HUGE_VAL) : known(r.own->snr_db());
    default:
      return std::nullopt;
  }
}

std::string cosine_text(double cosine) {
  return std::isnan(cosine) ? std::string() : inspector::format_real(cosine, 6);
}

}  // namespace

const char* metric_title(NumericsMetric metric) { return kMetricFacts[static_cast<size_t>(metric)].title; }
const char* metric_name(NumericsMetric metric) { return kMetricFacts[static_cast<size_t>(metric)].name; }
const char* metric_help(NumericsMetric metric) { return kMetricFacts[static_cast<size_t>(metric)].help; }
const char* column_title(NumericsColumn column) { return kColumnFacts[static_cast<size_t>(column)].title; }
const char* column_help(NumericsColumn column) { return kColumnFacts[static_cast<size_t>(column)].help; }
bool is_number(NumericsColumn column) { return kColumnFacts[static_cast<size_t>(column)].number; }

std::string NumericsModel::cell(size_t i, NumericsColumn column) const {
  const GapRow& r = row(i);
  const LoggedValue &got = value(i), &want = reference().values[r.reference];
  const GapFigures& f = r.figures;
  switch (column) {
    case NumericsColumn::Order:
      return std::to_string(i);
    case NumericsColumn::Op:
      return title(i);
    case NumericsColumn::Node:
      return node(i);
    case NumericsColumn::Error:
      return f.exact() ? "0" : inspector::figure_text(f.relative());
    case NumericsColumn::MaxAbs:
      return inspector::figure_text(f.max_abs);
    case NumericsColumn::Mse:
      return f.finite == 0 ? "" : inspector::figure_text(f.mse());
    case NumericsColumn::L1:
      return f.finite == 0 ? "" : inspector::figure_text(f.mean_abs());
    case NumericsColumn::Snr:
      return inspector::db_text(f);
    case NumericsColumn::Cosine:
      return cosine_text(f.cosine());
    case NumericsColumn::Own:
      return r.own ? inspector::db_text(*r.own) : "";
    case NumericsColumn::Role:
      return inspector::gap_role_text(gap(), r);
    case NumericsColumn::Special:
      return inspector::special_text(f);
    case NumericsColumn::Tensor: {
      const std::string a = type_text(got), b = type_text(want);
      return a == b ? a : a + " / " + b;
    }
    case NumericsColumn::Delegate:
      return got.backend;
    case NumericsColumn::Line:
      return place(i);
    case NumericsColumn::Module:
      return r.module;
  }
  return {};
}

std::string NumericsModel::searched(size_t i) const {
  std::string text = title(i) + " " + value(i).name + " " + value(i).file;
  for (const NumericsColumn column :
       {NumericsColumn::Node, NumericsColumn::Role, NumericsColumn::Special, NumericsColumn::Tensor,
        NumericsColumn::Delegate, NumericsColumn::Line, NumericsColumn::Module})
    text += " " + cell(i, column);
  return lower(text);
}

const std::vector<size_t>& NumericsModel::shown(NumericsColumn column, bool descending) {
  const ShownAs as = {column, descending, filter};
  if (shown_as_ == as) return shown_;
  shown_as_ = as;
  shown_.clear();
  for (size_t i = 0; i < gap().rows.size(); ++i) {
    const std::string text = filter.empty() ? "" : searched(i);
    std::istringstream words(lower(filter));
    bool fits = true;
    for (std::string word; words >> word;) fits = fits && text.find(word) != std::string::npos;
    if (fits) shown_.push_back(i);
  }
  std::stable_sort(shown_.begin(), shown_.end(), [&](size_t a, size_t b) {
    if (is_number(column)) {
      const auto s = number_of_column(row(a), a, column), t = number_of_column(row(b), b, column);
      return s.has_value() != t.has_value() ? s.has_value() : s && (descending ? *t < *s : *s < *t);
    }
    const std::string s = cell(a, column), t = cell(b, column);
    return s.empty() != t.empty() ? t.empty() : descending ? t < s : s < t;
  });
  return shown_;
}

std::optional<double> NumericsModel::tolerance_at(size_t i) const {
  const GapRow& r = row(i);
  if (!(r.tolerance > 0)) return std::nullopt;
  const double largest = r.figures.largest;
  const double most =
      inspector::is_floating_name(value(i).dtype) ? std::max(r.tolerance * largest, r.floor) : r.tolerance;
  if (metric == NumericsMetric::MaxAbs) return most > 0 ? std::optional(most) : std::nullopt;
  return metric == NumericsMetric::Error && largest > 0 ? std::optional(most / largest) : std::nullopt;
}

std::string NumericsModel::tolerance_text(size_t i) const {
  const GapRow& r = row(i);
  if (!(r.tolerance > 0)) return {};
  // What rounding of its inputs explains counts as well: where it is more, it is what the dash stands at.
  const double largest = r.figures.largest;
  const bool floating = inspector::is_floating_name(value(i).dtype);
  if (floating && r.floor > r.tolerance * largest) {
    const std::string why = ", what rounding of its inputs explains";
    if (!(largest > 0)) return inspector::figure_text(r.floor) + why;
    return inspector::figure_text(r.floor / largest * 100) + " % of the largest value" + why;
  }
  if (floating) return inspector::figure_text(r.tolerance * 100) + " % of the largest value";
  return inspector::figure_text(r.tolerance) + (r.tolerance == 1 ? " step of " : " steps of ") + value(i).dtype;
}

const std::vector<NumericsPoint>& NumericsModel::points() {
  if (state_ != State::Ready || points_metric_ == metric) return points_;
  points_metric_ = metric;
  points_.clear();
  bool any = false;
  const auto note = [&](double v) {
    least_ = any ? std::min(least_, v) : v;
    most_ = any ? std::max(most_, v) : v;
    any = true;
  };
  for (size_t i = 0; i < gap().rows.size(); ++i) {
    const GapRow& r = row(i);
    NumericsPoint p;
    p.row = i;
    p.value = number_of_metric(r.figures, metric);
    p.kind = point_kind(r.figures, metric, p.value);
    if (p.kind == NumericsPoint::Kind::Number) note(p.value);
    if (r.own) {
      const double own = number_of_metric(*r.own, metric);
      if (point_kind(*r.own, metric, own) == NumericsPoint::Kind::Number) p.own = own;
    }
    if (p.own) note(*p.own);
    if (const auto tolerance = tolerance_at(i); tolerance && p.kind == NumericsPoint::Kind::Number) note(*tolerance);
    points_.push_back(p);
  }
  if (!any) {
    least_ = is_logarithmic(metric) ? 1e-8 : 0;
    most_ = is_logarithmic(metric) ? 1 : 100;
  } else if (is_logarithmic(metric)) {
    // At least two powers of ten: less would be looked at with a magnifying glass.
    if (const double lacking = 100 * least_ / most_; lacking > 1) {
      least_ /= std::sqrt(lacking);
      most_ *= std::sqrt(lacking);
    }
  } else if (most_ - least_ < 10) {
    least_ -= 5;
    most_ += 5;
  }
  return points_;
}

}  // namespace et::gui
