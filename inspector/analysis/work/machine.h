// What a machine can do at most, as et-run --calibrate measured it: the roofs that ops are held against.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/status.h"

namespace et::inspector {

class Store;

struct MachinePeaks {
  std::string host, cpu;
  int64_t threads = 1;
  double gflops = 0;     ///< float32, 10^9 operations a second
  double int8_gops = 0;  ///< int8 with sums in int32; 0 when it was not measured
  /// Working set in bytes, and 10^9 bytes a second read and written there; by size. Caches make small ones faster.
  std::vector<std::pair<double, double>> bandwidth;
  /// A measured speed holds for working sets up to so many times its own.
  double reach = 1;
  bool at_least = false;  ///< what ops reached, not what was measured as peaks: the machine may do more

  /// Of a working set: the entry of the next larger one that was measured, the last for what is larger than all.
  size_t bandwidth_entry(double bytes) const;
  /// Its speed; 0 where none was measured.
  double gbytes_per_second(double bytes) const;

  /// The roofs of some work, of which the one that takes longer holds it.
  struct Roofs {
    double gops = 0;   ///< of its arithmetic
    size_t entry = 0;  ///< of `bandwidth`, for the working set of one call
    double compute_ns = 0, memory_ns = 0;
    bool memory_holds() const { return memory_ns >= compute_ns; }
  };
  /// `bytes`, which are moved in `calls` calls; `integer`: int8, where that was measured.
  Roofs roofs_of(double flops, double bytes, double calls, bool integer) const;
};

/// "et-inspect/machines/HOST-1t.toml" below $XDG_CACHE_HOME or ~/.cache; "" without a home.
std::string machine_file(const std::string& host, int64_t threads);
/// Of this machine; "localhost" when it has no name.
std::string host_name();

std::string machine_text(const MachinePeaks& peaks);
/// Errors: AccessFailed; InvalidArgument with the place for a file that is not as machine_text() writes it.
Status read_machine(const std::string& path, MachinePeaks* out);

/// Where a trace was made; `cpu` is "" where it does not say.
struct TraceMachine {
  std::string cpu;
  int64_t threads = 1;
};
Status read_trace_machine(const Store& store, int64_t trace_id, TraceMachine* out);

/// The peaks of this host, as et-run --calibrate left them, where the trace was made on its processor. An unknown one
/// is taken for it, which `hint` says. Otherwise `found` is false and `hint` says why. Errors: as read_machine().
Status find_host_machine(const TraceMachine& trace, MachinePeaks* peaks, bool* found, std::string* hint);

/// This host has the trace's processor, or the trace does not say which that was: et-run --calibrate here measures it.
bool may_be_of_host(const TraceMachine& trace);

}  // namespace et::inspector
