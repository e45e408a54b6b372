// The record that this project's backends put into the metadata of a delegate event: which nodes of the payload the
// event stands for, and their debug handles. With it an event leads exactly to the payload, the graph and the source,
// without its name being interpreted.
//
// Layout, little-endian: "eN", u8 version (1), u8 phase, u32 count, then count × { u32 node, u32 debug handle }.
#pragma once

#include <cstddef>
#include <cstdint>
#include "base/span.h"

namespace et::format {

inline constexpr uint32_t kNoDebugHandle = 0xFFFFFFFFu;  // a node without a counterpart in the graph

/// What the backend did in the time of the event.
enum class DelegatePhase : uint8_t {
  Run = 0,   ///< computed the nodes
  Init = 1,  ///< prepared them at load: read, packed weights
  Plan = 2,  ///< shapes and memory, because the shapes of the inputs changed
};
/// "run", "init", "plan"; "unknown" for other numbers.
const char* delegate_phase_name(DelegatePhase phase);

struct DelegateNode {
  uint32_t index = 0;  ///< position in the payload
  uint32_t debug_handle = kNoDebugHandle;
  bool operator==(const DelegateNode& o) const { return index == o.index && debug_handle == o.debug_handle; }
};

constexpr size_t delegate_metadata_size(size_t nodes) { return 8 + 8 * nodes; }
/// Writes delegate_metadata_size(nodes.size()) bytes.
void write_delegate_metadata(DelegatePhase phase, Span<const DelegateNode> nodes, uint8_t* out);

/// A verified view of such a record; the bytes must outlive it.
class DelegateMetadata {
 public:
  /// False: the bytes are something else, or of a version that this reader does not know.
  static bool open(Span<const uint8_t> bytes, DelegateMetadata* out);
  DelegatePhase phase() const { return phase_; }
  uint32_t count() const { return count_; }
  /// `i` < count().
  DelegateNode node(uint32_t i) const;

 private:
  const uint8_t* nodes_ = nullptr;
  uint32_t count_ = 0;
  DelegatePhase phase_ = DelegatePhase::Run;
};

}  // namespace et::format
