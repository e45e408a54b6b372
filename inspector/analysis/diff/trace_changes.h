// What changed beside times: what is delegated, the memory plan, and the size of the program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "inspector/analysis/size/size_diff.h"
#include "inspector/store/store.h"

namespace et::inspector {

/// Nodes of a method's graph; of an ETRecord.
struct DelegationCount {
  int64_t subgraphs = 0, delegated = 0, non_delegated = 0;
  bool operator==(const DelegationCount&) const = default;
};
struct DelegationChange {
  std::string method;
  std::optional<DelegationCount> before, after;  ///< empty without an ETRecord, or where it has no such method
};

/// A planned arena; of a program.
struct ArenaCount {
  int64_t bytes = 0, peak = 0;  ///< as the program asks for it; the most that is in use
  bool operator==(const ArenaCount&) const = default;
};
struct MemoryChange {
  std::string method, device;
  int64_t memory_id = 0;
  std::optional<ArenaCount> before, after;
};

struct TraceChanges {
  std::vector<DelegationChange> delegation;
  std::vector<MemoryChange> memory;
  std::optional<SizeDiff> size;  ///< where both programs can be read
  bool same_program = false;     ///< byte for byte
  std::string no_size;           ///< why not: "no program before", or the error of reading it; "" with `size`
};

/// Files that belong to another model count as missing. Errors: InvalidExternalData (damaged store).
Status compare_traces(const Store& before, int64_t before_id, const Store& after, int64_t after_id, TraceChanges* out);

/// A sentence for each of the three that is known of both: "Memory plan: 12 KiB → 8 KiB".
std::vector<std::string> change_sentences(const TraceChanges& changes);

}  // namespace et::inspector
