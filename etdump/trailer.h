// Views of the trailer behind an ETDump (file id ETX1, schema/trailer.fbs): what the ETDump itself has no place for.
// A Trailer exists only when its whole buffer was verified; the views read lazily, cannot fail and own nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "etdump/int64_view.h"
#include "etdump/wire.h"

namespace et::etdump {

enum class TrailerState : uint8_t {
  Absent,   // no bytes after the ETDump: upstream wrote it
  Present,  // verified
  Damaged,  // bytes that are not a valid trailer: the ETDump is read without it
};

/// Where the program ran. Empty strings and 0: not said.
struct HostInfo {
  std::string_view name, cpu, os;
  std::string_view build;    // compiler, flags
  std::string_view kernels;  // providers linked
  uint32_t cores = 0;
  uint32_t threads_used = 0;
};

/// The clock that was read. start/end of events are nanoseconds already; the ratio says what was applied
/// (ns = ticks × numerator / denominator; 0/0 when not said).
struct ClockInfo {
  std::string_view name;  // "monotonic", "tsc", "dwt"…
  uint64_t numerator = 0, denominator = 0;
  int64_t utc_at_zero_ns = 0;  // unix time of tick 0, or 0
};

struct ProgramId {
  std::span<const uint8_t> sha256;       // 32 bytes, or empty when not said
  std::span<const uint8_t> data_sha256;  // 32 bytes, or empty
  uint64_t bytes = 0;                    // size of the .pte
  std::string_view path;                 // as the user gave it
};

struct KeyValueView {
  std::string_view key, value;
};

struct Counter {
  std::string_view name;  // "cycles", "instructions", "cache-misses"…
  uint64_t value = 0;
};

struct AllocationInfo {
  int32_t event = -1;  // index of the event during which it happened, -1 outside
  std::string_view allocator;
  uint64_t bytes = 0, offset = 0;
};

struct ArenaInfo {
  std::string_view name;                  // "planned:1", "temp", "method", "delegate:XnnpackBackend"
  uint64_t capacity = 0, high_water = 0;  // bytes
};

/// Additions to one event of the run.
class EventExt {
 public:
  uint32_t event = 0;       // index in RunData.events
  Int64View output_sizes;   // rank, then sizes, per output in turn
  uint64_t bytes_temp = 0;  // largest temporary memory
  uint32_t thread = 0;

  size_t counter_count() const { return static_cast<size_t>(counters_.count); }
  Counter counter(size_t i) const;

 private:
  friend class TrailerRun;
  wire::Bytes bytes_;
  wire::Vector counters_;
};

/// Additions to one run: entry i belongs to run i of the ETDump.
class TrailerRun {
 public:
  std::string_view method;
  std::string_view kind;   // "load", "execute"
  std::string_view phase;  // given by the application: "prefill", "decode"…
  uint64_t execution = 0;  // 0, 1, … per method
  uint64_t lost_events = 0;
  uint32_t error = 0;  // runtime error code, 0 when fine

  /// Sparse and, as our writer stores them, ascending by EventExt::event.
  size_t event_count() const { return static_cast<size_t>(events_.count); }
  EventExt event(size_t i) const;
  size_t allocation_count() const { return static_cast<size_t>(allocations_.count); }
  AllocationInfo allocation(size_t i) const;
  size_t arena_count() const { return static_cast<size_t>(arenas_.count); }
  ArenaInfo arena(size_t i) const;

 private:
  friend class Trailer;
  wire::Bytes bytes_;
  wire::Vector events_, allocations_, arenas_;
};

class Trailer {
 public:
  /// Verifies the flatbuffer of `size` bytes at `at` of `file` (`at` is behind the size prefix). False: not sound.
  static bool open(std::span<const uint8_t> file, uint64_t at, uint64_t size, Trailer* out);

  uint32_t version() const { return version_; }
  std::string_view producer() const { return producer_; }
  bool has_host() const { return has_host_; }
  const HostInfo& host() const { return host_; }
  bool has_clock() const { return has_clock_; }
  const ClockInfo& clock() const { return clock_; }
  bool has_program() const { return has_program_; }
  const ProgramId& program() const { return program_; }
  uint64_t lost_events() const { return lost_events_; }
  std::string_view policy() const { return policy_; }  // "stop" or "ring"
  double overhead_ns() const { return overhead_ns_; }  // measured cost of recording one event; 0 = not said
  size_t label_count() const { return static_cast<size_t>(labels_.count); }
  KeyValueView label(size_t i) const;
  /// Need not equal the ETDump's number of runs: the reader tolerates fewer and more.
  size_t run_count() const { return static_cast<size_t>(runs_.count); }
  TrailerRun run(size_t i) const;

 private:
  wire::Bytes bytes_;  // offsets are counted from the trailer's own start
  uint32_t version_ = 0;
  std::string_view producer_, policy_;
  bool has_host_ = false, has_clock_ = false, has_program_ = false;
  HostInfo host_;
  ClockInfo clock_;
  ProgramId program_;
  uint64_t lost_events_ = 0;
  double overhead_ns_ = 0;
  wire::Vector runs_, labels_;
};

}  // namespace et::etdump
