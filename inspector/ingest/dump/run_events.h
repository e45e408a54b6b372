// First stage: the events of one run as columns. What tells events apart is interned in EventKeys, once a trace, so
// that the stages behind compare numbers.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <string>
#include <unordered_map>
#include <vector>

#include "inspector/ingest/dump/dump_file.h"
#include "inspector/ingest/trace_model.h"

namespace et::inspector {

struct EventKeys {
  std::pmr::monotonic_buffer_resource arena;
  std::vector<EventKey> keys{EventKey()};  // key 0: what takes no part in the grouping
  std::pmr::unordered_multimap<uint64_t, uint32_t> by_hash{&arena};
  std::vector<uint32_t> last_run;  // keys of the run before

  const EventKey& operator[](uint32_t k) const { return keys[k]; }
};

/// Flags of an event. Plain measurements have none.
constexpr uint8_t kDebugEvent = 1, kOutputEvent = 2, kAllocationEvent = 4;

struct RunEvents {
  etdump::Run run;
  std::string identity;  // what separates runs besides their events: name, bundled input, method where it is known
  std::vector<uint32_t> keys, indexes;
  std::vector<uint64_t> starts, ends;
  std::vector<uint8_t> flags;

  size_t size() const { return keys.size(); }
  bool measured(size_t i) const { return flags[i] == 0; }
  /// Outputs and allocations are not: they belong to no op.
  bool grouped(size_t i) const { return (flags[i] & (kOutputEvent | kAllocationEvent)) == 0; }
};

/// Reads one run into `out`, which is reused from run to run. False when the run cannot be read or is empty.
bool read_run_events(DumpFile& dump, size_t run, EventKeys& keys, ImportContext& context, RunEvents* out);

}  // namespace et::inspector
