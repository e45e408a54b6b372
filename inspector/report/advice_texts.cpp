// What a finding says of itself, in words: what it could win, its numbers, its places.
#include <algorithm>
#include <cmath>

#include "inspector/analysis/ops/share_basis.h"
#include "inspector/report/findings_report.h"
#include "inspector/report/roofline_report.h"
#include "inspector/text/format.h"

namespace et::inspector {

std::string advice_place_text(const AdvicePlace& p, bool brief) {
  std::string out = brief ? p.file.substr(p.file.rfind('/') + 1) : p.file;
  if (!out.empty() && p.line > 0) out += ":" + std::to_string(p.line);
  if (!p.module.empty()) out += (out.empty() ? "" : ", ") + p.module;
  return out;
}

std::string roofline_bound_text(const Advice& advice, const OpTable& shown) {
  constexpr double kAlike = 0.1, kNothing = 0.01;
  if (!advice.roof_win || !(advice.most_ns > 0)) return {};
  if (std::abs(*advice.roof_win - advice.most_ns) <= kAlike * advice.most_ns) return {};
  // Said already: what is won at the best rates for the same work.
  if (std::abs(*advice.roof_win - advice.likely_ns()) <= kAlike * advice.likely_ns()) return {};
  if (*advice.roof_win <= kNothing * advice.most_ns)
    return "has nothing to win with the same ops: none of the trace has a better rate for its operations and bytes";
  return "could win " + format_duration_with_unit(*advice.roof_win, shown.unit) +
         " with the same ops: each at the best rate for its operations and bytes, whatever it computes";
}

std::vector<const Finding*> of_measurement(const std::vector<Finding>& all) {
  constexpr double kMatters = 0.05;  // of the execution
  std::vector<const Finding*> out;
  for (const Finding& f : all) {
    if (f.severity != "ok" && (!f.time || f.time->share >= kMatters)) out.push_back(&f);
  }
  return out;
}

std::string advice_fact_text(const AdviceFact& fact, const OpTable& shown) {
  switch (fact.unit) {
    case AdviceFact::Unit::Time:
      return format_duration_with_unit(fact.value, shown.unit);
    case AdviceFact::Unit::Bytes:
      return format_bytes(static_cast<int64_t>(fact.value));
    case AdviceFact::Unit::Share:
      return format_share(fact.value);
    case AdviceFact::Unit::Count:
      return format_count(static_cast<int64_t>(fact.value));
    case AdviceFact::Unit::Gflops:
      return rate_text(fact.value) + " GFLOP/s";
    case AdviceFact::Unit::Gops:
      return rate_text(fact.value) + " GOP/s";
    case AdviceFact::Unit::Gbytes:
      break;
  }
  return rate_text(fact.value) + " GB/s";
}

double advice_whole(const Advice& a, const OpTable& shown) { return share_basis(shown, a.method); }

std::string advice_time_text(const Advice& a, double ticks, const OpTable& shown) {
  const double whole = advice_whole(a, shown);
  TimeUnit unit;
  if (!choose_unit("auto", shown.unit, ticks, &unit).ok()) return format_duration_with_unit(ticks, shown.unit);
  std::string out = format_duration_named(ticks, unit);
  if (whole > 0) out += " of " + format_duration_named(whole, unit) + " (" + format_share(ticks / whole) + ")";
  return out;
}

bool has_two_bounds(const Advice& a) {
  constexpr double kAlike = 0.9;
  return a.likely_ns() > 0 && a.likely_ns() < kAlike * a.most_ns;
}

double named_bound(const Advice& a) { return a.ranked_ns(); }

std::string advice_range_text(const Advice& a, const OpTable& shown) {
  std::string out = "up to " + advice_time_text(a, named_bound(a), shown);
  if (!has_two_bounds(a) || a.assumes.empty()) return out;
  const double whole = advice_whole(a, shown);
  out += ", " + format_duration_with_unit(a.likely_ns(), shown.unit);
  if (whole > 0) out += " (" + format_share(a.likely_ns() / whole) + ")";
  return out + " at the best rates for the same work";
}

std::string advice_win_text(const Advice& a, const OpTable& shown) {
  std::string out;
  if (a.most_ns > 0) {
    out = "at most " + advice_time_text(a, named_bound(a), shown);
  } else if (a.most_bytes > 0) {
    out = "at most " + format_bytes(a.most_bytes);
  }
  if (!out.empty() && !a.assumes.empty()) out += ", if " + a.assumes;
  // Not the least that is won: the kernels that take over may be faster than all that was seen here, or reach less.
  if (has_two_bounds(a) && !a.assumes.empty())
    out +=
        "; " + advice_time_text(a, a.likely_ns(), shown) +
        ", if the work that stays runs at the best rates for its operations and bytes, which kernels of its shapes may "
        "never reach";
  return out;
}

}  // namespace et::inspector
