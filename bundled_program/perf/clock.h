// Clocks of performance checks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace et::perf {

enum class Clock : uint8_t { Cpu, Wall };

/// "cpu", "wall".
const char* clock_name(Clock clock);
/// False for another name.
bool clock_of(std::string_view name, Clock* out);

/// Nanoseconds since some fixed point. Cpu: time that this thread has run.
uint64_t clock_ns(Clock clock);

/// "2026-11-22T03:50:00Z".
std::string utc_now();

}  // namespace et::perf
