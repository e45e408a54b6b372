// A runtime that was built for debugging: which operator costs most is another one then.
#include "inspector/analysis/findings/finding.h"

namespace et::inspector {

std::string slow_build_warning(std::string_view build) {
  const auto has = [&](std::string_view what) { return build.find(what) != std::string_view::npos; };
  std::string why;
  if (has("not optimized")) why = "without optimization";
  if (has(" asan")) why += why.empty() ? "with a sanitizer" : " and with a sanitizer";
  if (why.empty()) return {};
  return "the runtime was built " + why + " (" + std::string(build) +
         "): its times do not tell how long a release build takes, nor which operator costs most in it";
}

void find_slow_build(FindingContext& c) {
  Statement st = c.query("SELECT build FROM raw_trace WHERE id = ?1");
  const std::string warning = slow_build_warning(st.step() ? st.str(0) : "");
  if (warning.empty()) return;
  c.add({.severity = "warning",
         .id = "slow-build",
         .text = warning,
         .advice = "Build the runtime for release (CMAKE_BUILD_TYPE=Release), and measure again.",
         .of_executions = true});
}

}  // namespace et::inspector
