// Are the values in the debug buffer readable, and what did it cost to log them?
#include "inspector/analysis/findings/finding.h"
#include "inspector/text/format.h"

namespace et::inspector {

void find_logged_values(FindingContext& c) {
  const int64_t values = c.number("SELECT count(*) FROM debug_values WHERE trace_id = ?1");
  const int64_t readable = c.number("SELECT count(*) FROM debug_values WHERE trace_id = ?1 AND problem IS NULL");
  if (values > 0 && readable == values) c.add("ok", "values", format_count(values) + " logged values are readable");
  if (values > 0 && c.executions() > 0)
    c.add("info", "values-take-time",
          "logging " + format_count(values) + " values is in the times of the executions, in no op",
          "Measure speed in a trace without a debug buffer.");
}

}  // namespace et::inspector
