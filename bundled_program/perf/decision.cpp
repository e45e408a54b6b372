#include "bundled_program/perf/decision.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace et::perf {
namespace {

/// How much further than the interval that is shown one of 99.9 % reaches: what a wide one needs for a verdict.
constexpr double kSurely = 3.29 / 1.96;

std::string print(const char* format, double value) {
  char text[48];
  std::snprintf(text, sizeof(text), format, value);
  return text;
}

double percent(double log_ratio) { return 100 * std::expm1(log_ratio); }

/// "4–7 %" or "1.2–1.9 %": as many digits as the interval is sure of. `low` and `high` in percent, from 0 on.
std::string range(double low, double high) {
  const char* format = high - low < 2 ? "%.1f" : "%.0f";
  const std::string a = print(format, low), b = print(format, high);
  return (a == b ? a : a + "–" + b) + " %";
}

}  // namespace

std::string change_text(double log_ratio) {
  const double p = percent(log_ratio);
  const std::string digits = print("%.1f", std::fabs(p));
  if (digits == "0.0") return "0 %";
  return digits + " % " + (p < 0 ? "faster" : "slower");
}

std::string duration_text(double ns) {
  const struct {
    double from, unit;
    const char* name;
  } rows[] = {{0.9995e9, 1e9, " s"}, {0.9995e6, 1e6, " ms"}, {999.5, 1e3, " µs"}, {0, 1, " ns"}};
  for (const auto& row : rows) {
    if (ns >= row.from) return print("%.3g", ns / row.unit) + row.name;
  }
  return "0 ns";
}

Contrast contrast(const Round& round) {
  std::vector<double> effects, nothings;
  for (size_t k = 0; k < round.slot[0].size(); ++k) {
    double t[kSlots];
    for (size_t i = 0; i < kSlots; ++i) t[i] = std::log(round.slot[i][k]);
    effects.push_back((t[0] + t[1] - t[2] - t[3]) / 2);
    nothings.push_back((t[0] - t[1] + t[2] - t[3]) / 2);
  }
  return {median(std::move(effects)), median(std::move(nothings))};
}

double widest(const PerfOptions& options) {
  return (std::log1p(options.max_slowdown) - std::log1p(options.min_effect)) / 2;
}

bool decided(const Effect& effect, const PerfOptions& options) {
  const double width = effect.effect.half_width();
  if (width <= std::min(std::log1p(options.min_effect), widest(options))) return true;
  return std::fabs(effect.effect.centre) > std::log1p(options.max_slowdown) + 3 * width;
}

void decide(const Effect& effect, const PerfOptions& options, PerfResult* out) {
  const Interval& e = effect.effect;
  const double min_effect = std::log1p(options.min_effect), max_slowdown = std::log1p(options.max_slowdown);
  out->ratio = std::exp(e.centre);
  out->ratio_low = std::exp(e.low);
  out->ratio_high = std::exp(e.high);
  out->noise = std::expm1(effect.nothing.half_width());
  out->passed = false;
  const std::string medians = duration_text(out->median_ns) + ", baseline " + duration_text(out->baseline_median_ns);
  const double far = kSurely * (e.centre > 0 ? e.centre - e.low : e.high - e.centre);
  const bool clear = std::fabs(e.centre) - far > min_effect;
  const bool odd = effect.nothing.low > min_effect || effect.nothing.high < -min_effect;
  if ((e.half_width() > widest(options) && !clear) || odd || out->rounds < kMinRounds) {
    out->verdict = PerfResult::TooNoisy;
    out->text = "too noisy to tell: ";
    if (out->rounds < kMinRounds) {
      out->text += std::to_string(out->rounds) + " rounds in " + print("%.1f", out->elapsed_s) +
                   " s, expected at least " + std::to_string(kMinRounds);
    } else if (odd) {
      out->text += "the same program against itself looks " + change_text(effect.nothing.centre);
    } else {
      out->text += "between " + change_text(e.low) + " and " + change_text(e.high) + " after " +
                   print("%.1f", out->elapsed_s) + " s; this interval is ±" + print("%.1f", percent(e.half_width())) +
                   " %, a verdict about " + print("%g", 100 * options.max_slowdown) + " % needs ±" +
                   print("%.1f", percent(widest(options))) + " %";
    }
  } else if (e.low > min_effect) {
    out->verdict = PerfResult::Slower;
    out->passed = e.high <= max_slowdown;
    out->text = "slower by " + range(percent(e.low), percent(e.high)) +
                (out->passed ? ", within the " : ", more than the ") + print("%g", 100 * options.max_slowdown) +
                " % allowed";
  } else if (e.high < -min_effect) {
    out->verdict = PerfResult::Faster;
    out->passed = true;
    out->text = "faster by " + range(-percent(e.high), -percent(e.low));
  } else {
    out->verdict = PerfResult::NoDifference;
    out->passed = true;
    out->text = "no difference: between " + change_text(e.low) + " and " + change_text(e.high);
  }
  out->text += " (" + medians + ")";
}

}  // namespace et::perf
