#include "gui/models/samples_model.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "inspector/text/format.h"
#include "inspector/text/words.h"

namespace et::gui {
namespace {

/// Width of a bin: 2 * IQR / n^(1/3) (Freedman and Diaconis 1981); 0 when all lie together.
double bin_width(const std::vector<double>& sorted) {
  const auto at = [&](double part) {
    return sorted[static_cast<size_t>(part * static_cast<double>(sorted.size() - 1))];
  };
  return 2 * (at(0.75) - at(0.25)) / std::cbrt(static_cast<double>(sorted.size()));
}

/// Number of samples that a linear axis shows: all, unless the slowest ones would take most of it.
size_t shown_samples(const std::vector<double>& sorted) {
  constexpr size_t kFewest = 3, kFewerThanPercents = 100;
  const size_t n = sorted.size();
  if (n < kFewest) return n;
  const auto at = [&](double part) { return sorted[static_cast<size_t>(part * static_cast<double>(n - 1))]; };
  const auto up_to = [&](double limit) {
    return static_cast<size_t>(std::upper_bound(sorted.begin(), sorted.end(), limit) - sorted.begin());
  };
  size_t shown = up_to(at(0.99));
  if (n < kFewerThanPercents) {
    // The percentile of so few is one of the slowest itself: up to a tenth of them may be far out.
    const double q3 = at(0.75), far = q3 + 5 * std::max(q3 - at(0.25), 0.05 * std::abs(q3));
    shown = std::min(shown, std::max(up_to(far), n - (n + 9) / 10));
  }
  const double low = sorted.front(), end = sorted[shown - 1], high = sorted.back();
  return high - end <= std::max(0.25 * (end - low), 0.1 * std::abs(end)) ? n : shown;
}

}  // namespace

Histogram make_histogram(const std::vector<int64_t>& values, bool logarithmic, int most) {
  Histogram out;
  out.logarithmic = logarithmic;
  if (values.empty()) return out;
  std::vector<double> sorted;
  sorted.reserve(values.size());
  for (const int64_t v : values) {
    const auto ticks = static_cast<double>(v);
    sorted.push_back(logarithmic ? std::log10(std::max(ticks, 1.0)) : ticks);
  }
  std::sort(sorted.begin(), sorted.end());
  if (const size_t shown = logarithmic ? sorted.size() : shown_samples(sorted); shown < sorted.size()) {
    out.beyond = static_cast<int64_t>(sorted.size() - shown);
    out.beyond_lowest = static_cast<int64_t>(sorted[shown]);
    out.beyond_most = static_cast<int64_t>(sorted.back());
    sorted.resize(shown);
  }
  const double low = sorted.front(), high = sorted.back();
  const double range = high - low;
  // Of a handful of samples far apart, many bins would be a comb.
  most = std::clamp(static_cast<int>(2 * std::sqrt(static_cast<double>(sorted.size()))) + 1, std::min(8, most), most);
  double width = bin_width(sorted);
  // Half of the samples in one place say nothing of the others: then the number of samples decides alone.
  if (!(width > 0)) width = range / (1 + std::log2(static_cast<double>(sorted.size())));
  int bins = range > 0 ? static_cast<int>(std::clamp(std::ceil(range / width), 1.0, static_cast<double>(most))) : 1;
  if (!logarithmic && range > 0) {
    // Whole ticks: a bin narrower than one, or of a broken width, would leave regular gaps.
    const double whole = std::max(1.0, std::ceil((range + 1) / bins));
    bins = static_cast<int>(std::ceil((range + 1) / whole));
    for (int i = 0; i <= bins; ++i) out.edges.push_back(low - 0.5 + whole * i);
  } else if (!logarithmic) {
    out.edges = {low - 0.5, low + 0.5};
  } else {
    const double step = range > 0 ? range / bins : 0.1;
    const double first = range > 0 ? low : low - step / 2;
    for (int i = 0; i <= bins; ++i) out.edges.push_back(std::pow(10.0, first + step * i));
  }
  out.counts.assign(static_cast<size_t>(bins), 0);
  // The same arithmetic for edges and samples: each sample falls between its own edges.
  size_t bin = 0;
  for (const double v : sorted) {
    const double ticks = logarithmic ? std::pow(10.0, v) : v;
    while (bin + 1 < out.counts.size() && ticks >= out.edges[bin + 1]) ++bin;
    ++out.counts[bin];
  }
  out.highest = *std::max_element(out.counts.begin(), out.counts.end());
  return out;
}

Course make_course(const TraceData& data, const inspector::OpSamples& samples, int most) {
  Course out;
  std::unordered_map<int64_t, const Run*> executions;
  executions.reserve(data.runs.size());
  for (const Run& run : data.runs) executions.emplace(run.id, &run);
  const size_t n = samples.durations.size();
  const size_t per_point =
      n <= static_cast<size_t>(most) ? 1 : (n + static_cast<size_t>(most) - 1) / static_cast<size_t>(most);
  out.exact = per_point == 1;
  for (size_t first = 0; first < n; first += per_point) {
    const size_t end = std::min(n, first + per_point);
    double low = 0, high = 0, sum = 0, position = 0;
    bool cold = false;
    for (size_t i = first; i < end; ++i) {
      const auto v = static_cast<double>(samples.durations[i]);
      low = i == first ? v : std::min(low, v);
      high = i == first ? v : std::max(high, v);
      sum += v;
      const auto run = executions.find(samples.runs[i]);
      if (run == executions.end()) continue;
      position += run->second->execution;
      cold = cold || run->second->cold;
    }
    const auto count = static_cast<double>(end - first);
    out.position.push_back(position / count);
    out.low.push_back(low);
    out.mean.push_back(sum / count);
    out.high.push_back(high);
    out.cold.push_back(cold);
  }
  return out;
}

void complete_samples_view(const TraceData& data, SamplesView* view) {
  std::unordered_set<int64_t> cold_runs;
  for (const Run& run : data.runs) {
    if (run.cold) cold_runs.insert(run.id);
  }
  const inspector::OpSamples& samples = view->samples;
  std::vector<int64_t> warm;
  for (size_t i = 0; i < samples.durations.size(); ++i) {
    (cold_runs.contains(samples.runs[i]) ? view->cold : warm).push_back(samples.durations[i]);
  }
  if (warm.empty()) {
    warm = samples.durations;
    view->cold.clear();
    cold_runs.clear();
  }
  int64_t most = 0;
  for (size_t i = 0; i < samples.durations.size(); ++i) {
    if (cold_runs.contains(samples.runs[i])) continue;
    if (view->worst_run != 0 && samples.durations[i] <= most) continue;
    most = samples.durations[i];
    view->worst_run = samples.runs[i];
  }
  view->counted = std::ssize(warm);
  view->linear = make_histogram(warm, false);
  view->logarithmic = make_histogram(warm, true);
  view->course = make_course(data, samples);
}

void SamplesModel::refresh(const Document& document, Jobs& jobs, int32_t op) {
  const TraceData* data = document.data();
  if (data == nullptr || op < 0 || static_cast<size_t>(op) >= data->table.ops.size()) {
    *this = SamplesModel();
    return;
  }
  if (asked_ == op && asked_version_ == document.trace_version() && asked_range_ == data->range) return;
  if (asked_version_ != document.trace_version()) view_.reset();  // indices of another trace
  asked_ = op;
  asked_version_ = document.trace_version();
  asked_range_ = data->range;
  reading_ = true;
  const std::shared_ptr<const TraceData> shared = document.shared_data();
  const int64_t id = data->shown_op(op).id;
  job_ = jobs.query<SamplesView>(
      data->path,
      [shared, id](const inspector::Store& store, const Cancel& cancel, SamplesView* out) {
        Status status = shared->range
                            ? inspector::load_op_samples_in(store, id, *shared->range, kMaxSamples, &out->samples)
                            : inspector::load_op_samples(store, id, kMaxSamples, &out->samples);
        if (!status.ok() || cancel.cancelled()) return status;
        complete_samples_view(*shared, out);
        return status;
      },
      [this, op](Status status, SamplesView view) {
        status_ = std::move(status);
        view_ = status_.ok() ? std::make_unique<SamplesView>(std::move(view)) : nullptr;
        shown_ = op;
        reading_ = false;
      });
}

std::string SamplesModel::caption() const {
  if (view_ == nullptr) return {};
  const inspector::OpSamples& s = view_->samples;
  const auto cold = static_cast<int64_t>(view_->cold.size());
  std::string text = s.step > 1 || cold == 0 ? inspector::plural(s.total, "sample")
                                             : inspector::plural(view_->counted, "warm sample") + ", " +
                                                   inspector::format_count(cold) + " cold";
  if (s.step > 1) {
    text += ", one in " + inspector::format_count(s.step) + " shown (" +
            inspector::format_count(static_cast<int64_t>(s.durations.size())) + "); percentiles and mean include all";
  }
  return text;
}

}  // namespace et::gui
