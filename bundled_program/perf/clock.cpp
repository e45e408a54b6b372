#include "bundled_program/perf/clock.h"

#include <time.h>

#include <ctime>

namespace et::perf {

const char* clock_name(Clock clock) { return clock == Clock::Cpu ? "cpu" : "wall"; }

bool clock_of(std::string_view name, Clock* out) {
  for (Clock clock : {Clock::Cpu, Clock::Wall}) {
    if (name != clock_name(clock)) continue;
    *out = clock;
    return true;
  }
  return false;
}

uint64_t clock_ns(Clock clock) {
  timespec time{};
  clock_gettime(clock == Clock::Cpu ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1000000000U + static_cast<uint64_t>(time.tv_nsec);
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

}  // namespace et::perf
