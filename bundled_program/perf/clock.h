// Clocks of performance checks.
#pragma once

#include <cstdint>
#include <string_view>

namespace et::perf {

enum class Clock : uint8_t { Cpu, Wall };

/// "cpu", "wall".
const char* clock_name(Clock clock);
/// False for another name.
bool clock_of(std::string_view name, Clock* out);

/// Nanoseconds since some fixed point. Cpu: time that this thread has run.
uint64_t clock_ns(Clock clock);

}  // namespace et::perf
