// Hardware counters that ETDumpGen reads at the start and at the end of each event; the differences go into the
// trailer.
#pragma once

#include <cstddef>
#include <cstdint>

namespace et::etdump {

class CounterReader {
 public:
  static constexpr size_t kMaxCounters = 6;  // further counters are not recorded

  virtual ~CounterReader() = default;
  virtual size_t count() const = 0;
  /// "cycles", "instructions", "cache-misses"…; `i` < count().
  virtual const char* name(size_t i) const = 0;
  /// Writes the running value of each counter to `values`. False: not readable now.
  virtual bool read(uint64_t* values) = 0;
};

}  // namespace et::etdump
