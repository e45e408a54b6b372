// The platform of a target without an operating system: the clock stands still, logs vanish, there is no heap. An
// application replaces what it has.
#include "runtime/platform/default_platform.h"

namespace et {

bool is_processor_counter(Timestamp (*)()) { return false; }

Platform default_platform() {
  Platform p;
  p.name = "minimal";
  p.clock_name = "none";
  p.init = +[] {};
  p.abort = +[] { __builtin_trap(); };
  p.ticks = +[]() -> Timestamp { return 0; };
  p.tick_ratio = +[] { return TickRatio{}; };
  p.utc_ns = +[]() -> int64_t { return 0; };
  p.emit_log = +[](const LogMessage&) {};
  return p;
}

}  // namespace et
