// Clocks of delegates: what the numbers in a backend's profile events count, as the user tells on the command line.
//   Backend=ns|us|ms|s              start and end are times in that unit
//   Backend=cycles                  cycles of the backend's own clock, rate unknown: no times
//   Backend=cycles@1.2GHz           cycles with a known rate
//   Backend=ticks@19.2MHz           a counter with a known rate
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace et::etdump {

enum class ClockUnit : uint8_t { Ns, Us, Ms, S, Cycles, Ticks };
/// "ns", "us", "ms", "s", "cycles", "ticks".
const char* clock_unit_name(ClockUnit unit);

struct DelegateClock {
  std::string backend;
  ClockUnit unit = ClockUnit::Ns;
  uint64_t numerator = 1, denominator = 1;  // ns = value × numerator / denominator, in lowest terms; 0/0: no rate

  /// Can values be turned into ns?
  bool convertible() const { return denominator != 0; }
  /// A separate clock (cycles, ticks): its events are shown on their own track and excluded from totals, because they
  /// need not agree with the host's clock. Times in ns, us, ms or s do add up with the host's.
  bool foreign() const { return unit == ClockUnit::Cycles || unit == ClockUnit::Ticks; }
  /// Value in ns, rounded to the nearest (a half goes up). `*ok` false: no rate, or the result does not fit.
  uint64_t to_ns(uint64_t value, bool* ok) const;
  double to_ns(double value) const;  // NaN without a rate
};

/// Parses one `Backend=…` text. On error returns InvalidArgument and writes a sentence for the user to `*message`.
Error parse_delegate_clock(std::string_view text, DelegateClock* out, std::string* message);

/// The clocks of one inspection, by backend name.
class DelegateClocks {
 public:
  /// As parse_delegate_clock; a second clock for a backend is an error too.
  Error add(std::string_view text, std::string* message);
  /// Null: the backend is on the host's clock.
  const DelegateClock* find(std::string_view backend) const;
  bool empty() const { return clocks_.empty(); }
  const std::vector<DelegateClock>& all() const { return clocks_; }

 private:
  std::vector<DelegateClock> clocks_;
};

}  // namespace et::etdump
