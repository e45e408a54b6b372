#include "gui/models/samples_model.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "inspector/text/format.h"

namespace et::gui {
namespace {

/// Width of a bin: 2 * IQR / n^(1/3) (Freedman and Diaconis 1981); 0 when all lie together.
double bin_width(const std::vector<double>& sorted) {
  const auto at = [&](double part) {
    return sorted[static_cast<size_t>(part * static_cast<double>(sorted.size() - 1))];
  };
  return 2 * (at(0.75) - at(0.25)) / std::cbrt(static_cast<double>(sorted.size()));
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
  std::unordered_map<int64_t, int32_t> executions;
  executions.reserve(data.runs.size());
  for (const Run& run : data.runs) executions.emplace(run.id, run.execution);
  const size_t n = samples.durations.size();
  const size_t per_point =
      n <= static_cast<size_t>(most) ? 1 : (n + static_cast<size_t>(most) - 1) / static_cast<size_t>(most);
  out.exact = per_point == 1;
  for (size_t first = 0; first < n; first += per_point) {
    const size_t end = std::min(n, first + per_point);
    double low = 0, high = 0, sum = 0, position = 0;
    for (size_t i = first; i < end; ++i) {
      const auto v = static_cast<double>(samples.durations[i]);
      low = i == first ? v : std::min(low, v);
      high = i == first ? v : std::max(high, v);
      sum += v;
      const auto run = executions.find(samples.runs[i]);
      position += run == executions.end() ? 0 : run->second;
    }
    const auto count = static_cast<double>(end - first);
    out.position.push_back(position / count);
    out.low.push_back(low);
    out.mean.push_back(sum / count);
    out.high.push_back(high);
  }
  return out;
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
        out->linear = make_histogram(out->samples.durations, false);
        out->logarithmic = make_histogram(out->samples.durations, true);
        out->course = make_course(*shared, out->samples);
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
  std::string text = inspector::format_count(s.total) + (s.total == 1 ? " sample" : " samples");
  if (s.step > 1) {
    text += ", one in " + inspector::format_count(s.step) + " shown (" +
            inspector::format_count(static_cast<int64_t>(s.durations.size())) + "); percentiles and mean include all";
  }
  return text;
}

}  // namespace et::gui
