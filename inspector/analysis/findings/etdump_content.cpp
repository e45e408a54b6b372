// Is there an ETDump, and did it record what one looks for: executions?
#include "inspector/analysis/findings/finding.h"
#include "inspector/text/format.h"

namespace et::inspector {

void find_etdump_content(FindingContext& c) {
  if (!c.has_etdump()) {
    c.answer("no-dump");
    c.add("info", "no-dump", c.message("no-dump") + ": times are not known",
          "Run the program with event tracing enabled and pass the ETDump.");
  } else if (c.events() == 0) {
    c.answer("empty-dump");
    const bool damaged = c.diagnosed("dump-damaged") || c.diagnosed("run-damaged");
    c.add("error", "dump-empty", "the ETDump has no events",
          damaged ? "It is damaged: record it again. Upstream's runtime damages ETDumps that log float16 or bfloat16 "
                    "tensors."
                  : "Build the runtime with EXECUTORCH_ENABLE_EVENT_TRACER=ON, pass the tracer to the Module or "
                    "Method, and write the ETDump after execute().");
  } else if (c.executions() == 0) {
    c.add("warning", "no-execution", "the ETDump has " + format_count(c.events()) + " events, but no execution",
          "Only loading was recorded: execute the method before writing the ETDump.");
  } else if (c.number("SELECT count(*) FROM executions WHERE trace_id = ?1 AND duration_ns <> 0") == 0) {
    c.add("warning", "no-times",
          "all " + format_count(c.executions()) + " executions of the ETDump take no time at all",
          "The clock stood still: a platform without et_pal_current_ticks() has none. Nothing can be said of speed.");
  } else {
    c.add("ok", "dump",
          "the ETDump has " + format_count(c.events()) + " events of " + format_count(c.executions()) + " executions");
  }
}

}  // namespace et::inspector
