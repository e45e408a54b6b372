#include "bundled_program/perf/statistics.h"

#include <algorithm>
#include <cmath>

namespace et::perf {
namespace {

constexpr size_t kResamples = 1000;

/// The z of a two-sided normal interval.
double normal_quantile(double confidence) {
  double low = 0, high = 10;
  for (int i = 0; i < 60; ++i) {
    const double z = (low + high) / 2;
    (std::erf(z / std::sqrt(2.0)) < confidence ? low : high) = z;
  }
  return low;
}

/// How much wider Student's t is than the normal distribution at the same confidence. Source: the expansion of the
/// quantile in powers of 1/df (Abramowitz and Stegun 26.7.5).
double student_factor(double z, double df) {
  const double z2 = z * z;
  return 1 + (z2 + 1) / (4 * df) + (5 * z2 * z2 + 16 * z2 + 3) / (96 * df * df) +
         (3 * z2 * z2 * z2 + 19 * z2 * z2 + 17 * z2 - 15) / (384 * df * df * df);
}

/// Resampled midmeans of `values`. They are sorted once; a resample is how often each was drawn.
class Resampler {
 public:
  Resampler(std::span<const double> values, uint64_t seed)
      : sorted_(values.begin(), values.end()), drawn_(values.size()), state_(seed) {
    std::sort(sorted_.begin(), sorted_.end());
  }
  double next() {
    const size_t n = sorted_.size();
    std::fill(drawn_.begin(), drawn_.end(), 0U);
    for (size_t i = 0; i < n; ++i) ++drawn_[draw(n)];
    const size_t first = n / 4, last = n - n / 4;  // places of the middle half
    double sum = 0;
    for (size_t i = 0, place = 0; place < last; place += drawn_[i++]) {
      const size_t from = std::max(place, first), to = std::min(place + drawn_[i], last);
      if (to > from) sum += sorted_[i] * static_cast<double>(to - from);
    }
    return sum / static_cast<double>(last - first);
  }

 private:
  size_t draw(size_t n) {  // SplitMix64, its upper half scaled to 0 … n − 1
    uint64_t z = state_ += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return static_cast<size_t>(((z ^ (z >> 31)) >> 32) * n >> 32);
  }
  std::vector<double> sorted_;
  std::vector<uint32_t> drawn_;
  uint64_t state_;
};

/// Percentiles, widened because few values say little about their spread: those of the middle half count.
Interval interval_of(std::vector<double> resampled, double centre, size_t n, double confidence) {
  std::sort(resampled.begin(), resampled.end());
  const double tail = (1 - confidence) / 2 * static_cast<double>(resampled.size() - 1);
  const auto at = [&](double place) {
    const auto below = static_cast<size_t>(place);
    const size_t above = std::min(below + 1, resampled.size() - 1);
    return resampled[below] + (resampled[above] - resampled[below]) * (place - static_cast<double>(below));
  };
  const double df = std::max(1.0, static_cast<double>(n - 2 * (n / 4)) - 1);
  const double wider = student_factor(normal_quantile(confidence), df);
  return {centre, centre + (at(tail) - centre) * wider,
          centre + (at(static_cast<double>(resampled.size() - 1) - tail) - centre) * wider};
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double midmean(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const size_t cut = values.size() / 4;
  double sum = 0;
  for (size_t i = cut; i < values.size() - cut; ++i) sum += values[i];
  return sum / static_cast<double>(values.size() - 2 * cut);
}

Interval bootstrap(std::span<const double> values, double confidence, uint64_t seed) {
  if (values.empty()) return {};
  Resampler resampler(values, seed);
  std::vector<double> resampled(kResamples);
  for (double& r : resampled) r = resampler.next();
  return interval_of(std::move(resampled), midmean({values.begin(), values.end()}), values.size(), confidence);
}

Interval bootstrap_difference(std::span<const double> a, std::span<const double> b, double confidence, uint64_t seed) {
  if (a.empty() || b.empty()) return {};
  Resampler of_a(a, seed), of_b(b, ~seed);
  std::vector<double> resampled(kResamples);
  for (double& r : resampled) r = of_a.next() - of_b.next();
  return interval_of(std::move(resampled), midmean({a.begin(), a.end()}) - midmean({b.begin(), b.end()}),
                     std::min(a.size(), b.size()), confidence);
}

}  // namespace et::perf
