#include "inspector/analysis/ops/execution_pattern.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "inspector/match/statistics.h"

namespace et::inspector {
namespace {

constexpr size_t kLeast = 5;   // executions of which one can stand out
constexpr size_t kFewest = 3;  // of which one can by far
constexpr double kFewOutlierRatio = 3;
constexpr size_t kLeastForTrend = 10;  // executions that can have a trend or groups
constexpr size_t kTrendBlocks = 64;    // longer series are compared by the medians of blocks: n² pairs
constexpr double kMadToSigma = 1.4826;
// What is worth saying, as ratios of times: noise that the tests find in long series may still not matter.
constexpr double kOutlierRatio = 1.25, kStepRatio = 1.08, kDriftRatio = 1.05, kModesRatio = 1.1;
// A clock that ticks coarsely makes the deviation 0: no less than this is taken for it.
constexpr double kLeastSigma = 0.01;

using Series = std::vector<double>;

double sigma_of(const Series& residuals) {
  const double median = median_of(residuals);
  Series deviations;
  for (const double r : residuals) deviations.push_back(std::fabs(r - median));
  return std::max(kMadToSigma * median_of(std::move(deviations)), kLeastSigma);
}

double sum_of_deviations(const Series& residuals) {
  return std::accumulate(residuals.begin(), residuals.end(), 0.0, [](double s, double r) { return s + std::fabs(r); });
}

Series logarithms(std::span<const double> times) {
  double least = 0;
  for (const double t : times) {
    if (t > 0 && (least == 0 || t < least)) least = t;
  }
  Series out;
  for (const double t : times) out.push_back(std::log(t > 0 ? t : std::max(least, 1.0)));
  return out;
}

// How many sigmas the largest of n noisy values may lie above their median. A sigma that few values estimate is
// uncertain, which the last term pays for; the constants are from simulation.
double outlier_limit(size_t n) {
  const auto count = static_cast<double>(n);
  return 4 + 0.14 * std::log(count) + 600 / (count * count);
}

Series minus(const Series& a, const Series& b) {
  Series out(a.size());
  for (size_t i = 0; i < a.size(); ++i) out[i] = a[i] - b[i];
  return out;
}

// ---- step (Pettitt 1979) --------------------------------------------------------------------------------------------

Series ranks_of(const Series& values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] < values[b]; });
  Series ranks(values.size());
  for (size_t i = 0; i < order.size();) {
    size_t end = i;
    while (end < order.size() && values[order[end]] == values[order[i]]) ++end;
    for (size_t k = i; k < end; ++k) ranks[order[k]] = static_cast<double>(i + end - 1) / 2 + 1;  // ties: their mean
    i = end;
  }
  return ranks;
}

struct Fit {
  Series expected;  // logarithms
  double left = 0;  // what remains: sum of deviations
};

/// Ranks find a step within a few places: an outlier beside it counts like any other value of its side. Where it is
/// exactly say the distances to the medians of both sides.
size_t exact_step(const Series& logs, size_t at) {
  const double before = median_of({logs.begin(), logs.begin() + static_cast<ptrdiff_t>(at)});
  const double after = median_of({logs.begin() + static_cast<ptrdiff_t>(at), logs.end()});
  const size_t reach = 3 + logs.size() / 50;
  const size_t first = at > reach + 4 ? at - reach : 4, last = std::min(at + reach, logs.size() - 4);
  size_t best = at;
  double gain = 0, most = 0;  // of moving the step from `at` to i
  for (size_t i = at; i < last; ++i) {
    gain += std::fabs(logs[i] - after) - std::fabs(logs[i] - before);
    if (gain > most) most = gain, best = i + 1;
  }
  gain = 0;
  for (size_t i = at; i > first; --i) {
    gain += std::fabs(logs[i - 1] - before) - std::fabs(logs[i - 1] - after);
    if (gain > most) most = gain, best = i - 1;
  }
  return best;
}

std::optional<Fit> fit_step(const Series& logs, TimeStep* step) {
  const size_t n = logs.size();
  if (n < kLeastForTrend) return {};
  const Series ranks = ranks_of(logs);
  double sum = 0, most = 0;
  size_t at = 0;
  for (size_t t = 1; t < n; ++t) {
    sum += ranks[t - 1];
    const double u = std::fabs(2 * sum - static_cast<double>(t * (n + 1)));
    if (u > most && t >= 4 && n - t >= 4) most = u, at = t;
  }
  if (at == 0) return {};
  const auto count = static_cast<double>(n);
  const double chance = 2 * std::exp(-6 * most * most / (count * count * count + count * count));
  at = exact_step(logs, at);
  const auto split = logs.begin() + static_cast<ptrdiff_t>(at);
  const double before = median_of({logs.begin(), split}), after = median_of({split, logs.end()});
  Fit fit;
  fit.expected.assign(n, before);
  std::fill(fit.expected.begin() + static_cast<ptrdiff_t>(at), fit.expected.end(), after);
  const Series rest = minus(logs, fit.expected);
  const double jump = std::fabs(after - before) / sigma_of(rest);
  // Of few executions ranks alone prove nothing: then the jump must be far above the noise.
  const bool sure = chance < 0.0005 ? jump > 1.5 : chance < 0.1 && jump > 3.5 + 60 / count;
  if (!sure || std::fabs(after - before) < std::log(kStepRatio)) return {};
  *step = {at, std::exp(before), std::exp(after)};
  fit.left = sum_of_deviations(rest);
  return fit;
}

// ---- drift (Mann–Kendall, Theil–Sen) --------------------------------------------------------------------------------

/// Medians of what ran first and last: times that executions had, as the ends of the line that fits best are not. A
/// series that rises and falls again has a line that rises, too, and ends that do not.
TimeDrift ends_of(const Series& logs) {
  constexpr size_t kParts = 10, kLeastOfEnd = 3;
  const auto end = static_cast<ptrdiff_t>(std::max(kLeastOfEnd, logs.size() / kParts));
  return {std::exp(median_of({logs.begin(), logs.begin() + end})), std::exp(median_of({logs.end() - end, logs.end()})),
          static_cast<size_t>(end)};
}

std::optional<Fit> fit_drift(const Series& logs, TimeDrift* drift) {
  const size_t n = logs.size();
  if (n < kLeastForTrend) return {};
  Series values, places;
  const size_t blocks = std::min(n, kTrendBlocks);
  for (size_t b = 0; b < blocks; ++b) {
    const size_t begin = b * n / blocks, end = (b + 1) * n / blocks;
    values.push_back(
        median_of({logs.begin() + static_cast<ptrdiff_t>(begin), logs.begin() + static_cast<ptrdiff_t>(end)}));
    places.push_back(static_cast<double>(begin + end - 1) / 2);
  }
  double score = 0;
  Series slopes;
  for (size_t i = 0; i < blocks; ++i) {
    for (size_t k = i + 1; k < blocks; ++k) {
      score += values[k] > values[i] ? 1 : (values[k] < values[i] ? -1 : 0);
      slopes.push_back((values[k] - values[i]) / (places[k] - places[i]));
    }
  }
  const auto count = static_cast<double>(blocks);
  const double z = (std::fabs(score) - 1) / std::sqrt(count * (count - 1) * (2 * count + 5) / 18);
  const double slope = median_of(std::move(slopes));
  const double change = slope * static_cast<double>(n - 1);
  Series line(n);
  for (size_t i = 0; i < n; ++i) line[i] = slope * static_cast<double>(i);
  const double base = median_of(minus(logs, line));
  for (double& v : line) v += base;
  const Series rest = minus(logs, line);
  if (z < 3.5 || std::fabs(change) < std::log(kDriftRatio) || std::fabs(change) < sigma_of(rest)) return {};
  constexpr double kOfTheLine = 0.5;
  *drift = ends_of(logs);
  const double shown = std::log(drift->last / drift->first) * (change > 0 ? 1 : -1);
  if (shown < std::log(kDriftRatio) || shown < kOfTheLine * std::fabs(change)) return {};
  return Fit{line, sum_of_deviations(rest)};
}

// ---- two groups -----------------------------------------------------------------------------------------------------

// The part of the variance that stays inside the groups of the best split; of noise about 0.36, of few values less.
double modes_limit(size_t n) { return std::min(0.15, 0.15 * std::pow(static_cast<double>(n) / 40, 1.2)); }

std::optional<Fit> fit_modes(const Series& logs, TimeModes* modes) {
  const size_t n = logs.size();
  if (n < kLeastForTrend) return {};
  Series sorted = logs;
  std::sort(sorted.begin(), sorted.end());
  // A few stragglers at either end are no group, and would look like one's spread.
  const size_t trim = (n + 19) / 20, least = std::max<size_t>(3, n / 10);
  const size_t begin = trim, end = n - trim;
  Series sum(n + 1), square(n + 1);
  for (size_t i = 0; i < n; ++i) {
    const double v = sorted[i] - sorted[n / 2];
    sum[i + 1] = sum[i] + v, square[i + 1] = square[i] + v * v;
  }
  const auto inside = [&](size_t a, size_t b) {
    return square[b] - square[a] - (sum[b] - sum[a]) * (sum[b] - sum[a]) / static_cast<double>(b - a);
  };
  size_t at = 0;
  double best = 0;
  for (size_t k = std::max(begin + 1, least); k < end && n - k >= least; ++k) {
    const double within = inside(begin, k) + inside(k, end);
    if (at == 0 || within < best) best = within, at = k;
  }
  const double all = inside(begin, end);
  if (at == 0 || !(all > 0) || best / all > modes_limit(n)) return {};
  const Series below(sorted.begin(), sorted.begin() + static_cast<ptrdiff_t>(at));
  const Series above(sorted.begin() + static_cast<ptrdiff_t>(at), sorted.end());
  const double low = median_of(below), high = median_of(above);
  const double gap = above[above.size() / 10] - below[below.size() - 1 - below.size() / 10];
  if (high - low < std::log(kModesRatio) || gap < 0.4 * (high - low)) return {};
  *modes = {below.size(), above.size(), std::exp(low), std::exp(high)};
  Fit fit;
  const double middle = (low + high) / 2;
  for (const double v : logs) fit.expected.push_back(v < middle ? low : high);
  fit.left = sum_of_deviations(minus(logs, fit.expected));
  return fit;
}

}  // namespace

TimePattern find_pattern(std::span<const double> times, bool groups) {
  TimePattern out;
  out.median = median_of({times.begin(), times.end()});
  if (times.size() < kLeast) {
    // Too few to know how they scatter: what takes several times as long stands out all the same.
    for (size_t i = 0; i < times.size() && times.size() >= kFewest && out.median > 0; ++i) {
      if (times[i] > kFewOutlierRatio * out.median) out.outliers.push_back({i, times[i], out.median});
    }
    return out;
  }
  const Series logs = logarithms(times);
  TimeStep step;
  TimeDrift drift;
  TimeModes modes;
  const std::optional<Fit> by_step = fit_step(logs, &step), by_drift = fit_drift(logs, &drift);
  Series expected(times.size(), std::log(std::max(out.median, 1.0)));
  if (by_step && (!by_drift || by_step->left < 0.95 * by_drift->left)) {
    out.step = step;
    expected = by_step->expected;
  } else if (by_drift) {
    out.drift = drift;
    expected = by_drift->expected;
  } else if (const std::optional<Fit> by_modes = groups ? fit_modes(logs, &modes) : std::nullopt) {
    out.modes = modes;
    expected = by_modes->expected;
  }
  const Series rest = minus(logs, expected);
  const double limit = std::max(outlier_limit(times.size()) * sigma_of(rest), std::log(kOutlierRatio));
  for (size_t i = 0; i < rest.size(); ++i) {
    if (rest[i] > limit) out.outliers.push_back({i, times[i], std::exp(expected[i])});
  }
  std::sort(out.outliers.begin(), out.outliers.end(),
            [](const TimeOutlier& a, const TimeOutlier& b) { return a.time - a.expected > b.time - b.expected; });
  return out;
}

bool first_stands_out(const TimePattern& pattern) {
  return std::any_of(pattern.outliers.begin(), pattern.outliers.end(),
                     [](const TimeOutlier& o) { return o.index == 0; });
}

}  // namespace et::inspector
