#include "gui/models/timeline_regimes.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "inspector/analysis/ops/execution_pattern.h"
#include "inspector/text/format.h"
#include "inspector/text/words.h"

namespace et::gui {
namespace {

TimelineRegime regime_of(const ExecutionsModel& executions, const std::vector<size_t>& of, double median, bool whole) {
  TimelineRegime out{.first = of.front(), .last = of.back(), .count = std::ssize(of), .median = median, .whole = whole};
  out.typical = *std::min_element(of.begin(), of.end(), [&](size_t x, size_t y) {
    const auto off = [&](size_t e) { return std::abs(static_cast<double>(executions.duration(e)) - median); };
    return off(x) < off(y);
  });
  return out;
}

void add_regimes(const ExecutionsModel& executions, std::vector<size_t> warm, bool has_cold, bool groups,
                 std::vector<TimelineRegime>* out) {
  std::vector<double> times;
  for (const size_t e : warm) times.push_back(static_cast<double>(executions.duration(e)));
  inspector::TimePattern pattern = inspector::find_pattern(times, groups);
  if (!has_cold && inspector::first_stands_out(pattern)) {
    warm.erase(warm.begin());
    times.erase(times.begin());
    pattern = inspector::find_pattern(times, groups);
  }
  std::vector<size_t> first, second;
  if (pattern.step) {
    const auto at = warm.begin() + static_cast<std::ptrdiff_t>(pattern.step->index);
    first.assign(warm.begin(), at);
    second.assign(at, warm.end());
    if (first.empty() || second.empty()) return;
    out->push_back(regime_of(executions, first, pattern.step->before, true));
    out->push_back(regime_of(executions, second, pattern.step->after, true));
  } else if (pattern.modes) {
    const double border = std::sqrt(pattern.modes->low * pattern.modes->high);
    for (size_t i = 0; i < warm.size(); ++i) (times[i] < border ? first : second).push_back(warm[i]);
    if (first.empty() || second.empty()) return;
    out->push_back(regime_of(executions, first, pattern.modes->low, false));
    out->push_back(regime_of(executions, second, pattern.modes->high, false));
  }
}

}  // namespace

bool names_groups(const std::vector<inspector::Finding>& findings) {
  return std::any_of(findings.begin(), findings.end(),
                     [](const inspector::Finding& f) { return f.id == "execution-modes"; });
}

std::vector<TimelineRegime> find_regimes(const ExecutionsModel& executions, bool groups) {
  std::map<size_t, std::vector<size_t>> warm;  // by method
  std::map<size_t, bool> has_cold;
  for (size_t e = 0; e < executions.size(); ++e) {
    if (executions.is_warm(e)) warm[executions.group(e)].push_back(e);
    has_cold[executions.group(e)] = has_cold[executions.group(e)] || executions.is_cold(e);
  }
  std::vector<TimelineRegime> out;
  for (const auto& [group, of] : warm) add_regimes(executions, of, has_cold[group], groups, &out);
  return out;
}

void use_medians(const std::vector<TimelineRegime>& regimes, ExecutionsModel* executions) {
  for (size_t e = 0; e < executions->size(); ++e) {
    const TimelineRegime* own = nullptr;
    const auto off = [&](const TimelineRegime& r) {
      return std::abs(std::log(static_cast<double>(executions->duration(e)) / r.median));
    };
    for (const TimelineRegime& r : regimes) {
      const bool inside = !r.whole || (e >= r.first && e <= r.last);
      if (executions->group(e) != executions->group(r.typical) || !executions->is_warm(e) || !inside) continue;
      if (own == nullptr || off(r) < off(*own)) own = &r;
    }
    if (own != nullptr) executions->set_median(e, own->median, own->typical);
  }
}

std::string regime_text(const TraceData& data, const ExecutionsModel& executions, const TimelineRegime& regime) {
  const std::string median = inspector::format_duration_with_unit(regime.median, data.unit());
  if (!regime.whole) return inspector::plural(regime.count, "execution") + " around " + median;
  const auto number = [&](size_t e) {
    return "#" + std::to_string(data.runs[static_cast<size_t>(executions.run(e))].execution);
  };
  std::string out = executions.name(data, regime.first);
  if (regime.last != regime.first) out += " to " + number(regime.last);
  return out + ": median " + median;
}

std::string regimes_in_short(const std::vector<TimelineRegime>& regimes, const std::string& unit) {
  std::string out;
  for (const TimelineRegime& r : regimes) {
    out += std::string(out.empty() ? ""
                       : r.whole   ? ", then "
                                   : ", ") +
           inspector::format_count(r.count) + " around " + inspector::format_duration_with_unit(r.median, unit);
  }
  return out;
}

}  // namespace et::gui
