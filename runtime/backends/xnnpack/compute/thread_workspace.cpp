#include "runtime/backends/xnnpack/compute/thread_workspace.h"

namespace et::xnn {

void* thread_workspace_bytes(WorkspaceSlot which, int64_t bytes) {
  struct Slot {
    void* data = nullptr;
    int64_t size = 0;
    ~Slot() { ::operator delete (data, std::align_val_t{64}); }
  };
  static thread_local Slot slots[static_cast<size_t>(WorkspaceSlot::Chain) + 1];
  Slot& slot = slots[static_cast<size_t>(which)];
  if (slot.size < bytes || slot.data == nullptr) {
    ::operator delete (slot.data, std::align_val_t{64});
    slot.data = nullptr;
    slot.size = 0;
    const int64_t size = (bytes + 4095) / 4096 * 4096 + 4096;
    slot.data = ::operator new (static_cast<size_t>(size), std::align_val_t{64});
    slot.size = size;
  }
  return slot.data;
}

}  // namespace et::xnn
