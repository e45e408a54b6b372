#include "cli/check/report.h"

#include <algorithm>

#include "cli/check/report_parts.h"

namespace et::cli {
namespace {

size_t count(const CheckReport& report, Outcome outcome) {
  return static_cast<size_t>(
      std::count_if(report.performance.begin(), report.performance.end(),
                    [&](const PerformanceCheck& p) { return outcome_of(p, report.fail_on_noise) == outcome; }));
}

}  // namespace

size_t CheckReport::passed() const { return run.passed + count(*this, Outcome::Passed); }
size_t CheckReport::failed() const { return run.failed + count(*this, Outcome::Failed); }
size_t CheckReport::skipped() const { return count(*this, Outcome::Skipped); }

}  // namespace et::cli
