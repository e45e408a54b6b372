// POSIX: log lines on stderr, memory of the C library, and the cheapest clock that is right: the processor's counter
// where it runs at one rate in all states (x86-64 with an invariant counter that the kernel itself uses, aarch64), else
// CLOCK_MONOTONIC. A counter read costs a fraction of a system clock read.
#include <fcntl.h>
#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "runtime/platform/default_platform.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

namespace et {
namespace {

int64_t clock_ns(clockid_t id) {
  timespec t{};
  clock_gettime(id, &t);
  return static_cast<int64_t>(t.tv_sec) * 1000000000 + t.tv_nsec;
}

Timestamp monotonic_ticks() { return static_cast<Timestamp>(clock_ns(CLOCK_MONOTONIC)); }
TickRatio one_to_one() { return {}; }

#if defined(__x86_64__)
Timestamp counter_ticks() { return __rdtsc(); }
#elif defined(__aarch64__)
Timestamp counter_ticks() {
  uint64_t v = 0;
  asm volatile("mrs %0, cntvct_el0" : "=r"(v));
  return v;
}
#endif

#if defined(__x86_64__)
// A counter and a monotonic reading taken together: the closest pair of a few tries.
struct Anchor {
  uint64_t ticks = 0;
  int64_t ns = 0;
};
Anchor take_anchor() {
  Anchor best;
  uint64_t width = UINT64_MAX;
  for (int i = 0; i < 8; ++i) {
    const uint64_t before = __rdtsc();
    const int64_t ns = clock_ns(CLOCK_MONOTONIC);
    const uint64_t after = __rdtsc();
    if (after - before < width) {
      width = after - before;
      best = {before + (after - before) / 2, ns};
    }
  }
  return best;
}

bool invariant_counter() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  const bool told = __get_cpuid(0x80000007, &a, &b, &c, &d) != 0 && (d & 1u << 8) != 0;
  char source[16] = {};
  const int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY | O_CLOEXEC);
  if (fd >= 0) {
    const ssize_t n = read(fd, source, sizeof(source) - 1);
    close(fd);
    if (n >= 3 && source[0] == 't' && source[1] == 's' && source[2] == 'c') return true;
    // Virtual clocks are derived from the counter, but may be scaled when a machine moves: believe the processor.
  }
  return told;
}

Anchor g_anchor;

// The longer ago the anchor, the finer the rate: half a microsecond of error over the whole span.
TickRatio counter_ratio() {
  constexpr int64_t kMinSpanNs = 2000000;
  Anchor now = take_anchor();
  while (now.ns - g_anchor.ns < kMinSpanNs) now = take_anchor();
  return {static_cast<uint64_t>(now.ns - g_anchor.ns), now.ticks - g_anchor.ticks};
}
#elif defined(__aarch64__)
TickRatio counter_ratio() {
  uint64_t hz = 0;
  asm volatile("mrs %0, cntfrq_el0" : "=r"(hz));
  return {1000000000, hz == 0 ? 1000000000 : hz};
}
#endif

void emit(const LogMessage& m) {
  timespec t{};
  clock_gettime(CLOCK_REALTIME, &t);
  tm parts{};
  localtime_r(&t.tv_sec, &parts);
  std::fprintf(stderr, "%c %02d:%02d:%02d.%06ld et:%s:%u] %.*s\n", static_cast<char>(m.level), parts.tm_hour,
               parts.tm_min, parts.tm_sec, t.tv_nsec / 1000, m.file, static_cast<unsigned>(m.line),
               static_cast<int>(m.length), m.message);
}

}  // namespace

bool is_processor_counter([[maybe_unused]] Timestamp (*ticks)()) {
#if defined(__x86_64__) || defined(__aarch64__)
  return ticks == &counter_ticks;
#else
  return false;
#endif
}

Platform default_platform() {
  Platform p;
  p.name = "posix";
  p.clock_name = "monotonic";
  p.init = +[] {};
  p.abort = +[] { std::abort(); };
  p.ticks = &monotonic_ticks;
  p.tick_ratio = &one_to_one;
#if defined(__x86_64__)
  if (invariant_counter()) {
    g_anchor = take_anchor();
    p.clock_name = "tsc";
    p.ticks = &counter_ticks;
    p.tick_ratio = &counter_ratio;
  }
#elif defined(__aarch64__)
  p.clock_name = "cntvct";
  p.ticks = &counter_ticks;
  p.tick_ratio = &counter_ratio;
#endif
  p.utc_ns = +[] { return clock_ns(CLOCK_REALTIME); };
  p.emit_log = &emit;
  p.allocate = &std::malloc;
  p.free = &std::free;
  return p;
}

}  // namespace et
