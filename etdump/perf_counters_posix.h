// Cycles, instructions and cache misses of the calling thread, from Linux' perf_event_open. The counters run as one
// group, so that their values belong together; user code only. Not part of a device build.
#pragma once

#include <string>

#include "etdump/counter_reader.h"

namespace et::etdump {

class PerfCounters : public CounterReader {
 public:
  /// Opens what the machine has for the calling thread. available() says whether that is anything.
  PerfCounters();
  ~PerfCounters() override;
  PerfCounters(const PerfCounters&) = delete;
  PerfCounters& operator=(const PerfCounters&) = delete;

  bool available() const { return count_ != 0; }
  /// Why not all counters are there, for a person; empty when they are.
  const std::string& problem() const { return problem_; }

  size_t count() const override { return count_; }
  const char* name(size_t i) const override { return names_[i]; }
  /// False also while the system gives the counters to others: what was not counted would be wrong.
  bool read(uint64_t* values) override;

 private:
  int files_[kMaxCounters] = {};
  const char* names_[kMaxCounters] = {};
  size_t count_ = 0;
  std::string problem_;
};

}  // namespace et::etdump
