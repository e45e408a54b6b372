// Second stage: runs with the same events share a block, events with the same key share an op, by upstream's rules
// (etdump format page, section 3).
#pragma once

#include <cstdint>
#include <memory_resource>
#include <string>
#include <unordered_map>
#include <vector>

#include "inspector/ingest/dump/run_events.h"

namespace et::inspector {

/// One exact sequence of events.
struct Variant {
  std::vector<uint32_t> keys;
  int32_t block = -1;
  std::vector<int32_t> op_of_event;  // -1 for program outputs
  std::vector<uint32_t> roots;       // events that nothing encloses, on the trace's clock (set by the nesting)
};

struct RunGroups {
  std::pmr::monotonic_buffer_resource arena;  // one chunk a map node would leave the heap in pieces for what follows
  std::vector<Variant> variants;
  std::unordered_multimap<uint64_t, int32_t> variant_by_hash;
  std::unordered_map<std::string, int32_t> block_by_signature;
  std::vector<std::string> block_identity;                               // by block
  std::vector<std::pmr::unordered_map<uint32_t, int32_t>> ops_of_block;  // by block: key → op
  int32_t last = -1;                                                     // variant of the run before
};

struct RunPlace {
  int32_t variant = -1;
  bool new_variant = false, new_block = false;
};

/// The variant of a run; a new one, and what it needs of new blocks and ops in `trace`, when no run before had it.
RunPlace group_run(const RunEvents& run, const EventKeys& keys, RunGroups& groups, Trace& trace);

}  // namespace et::inspector
