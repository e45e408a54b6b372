// Workspace of a thread: scratch memory for one call, kept for the next.
#pragma once

#include <cstdint>

#include "runtime/backends/xnnpack/compute/types.h"

namespace et::xnn {

/// Slots that are in use at the same time.
enum class WorkspaceSlot : uint8_t { Rows, Panel, Bytes, Numbers, Quant, Pointers, Padding, Products, Chain };

/// `count` elements of T with any contents, aligned to 64 bytes, until the same thread asks for the slot again. Without
/// memory the process ends as at any failed allocation of a C++ program.
template <class T>
T* thread_workspace(WorkspaceSlot slot, int64_t count);
void* thread_workspace_bytes(WorkspaceSlot slot, int64_t bytes);

template <class T>
T* thread_workspace(WorkspaceSlot slot, int64_t count) {
  return static_cast<T*>(thread_workspace_bytes(slot, count * static_cast<int64_t>(sizeof(T))));
}

}  // namespace et::xnn
