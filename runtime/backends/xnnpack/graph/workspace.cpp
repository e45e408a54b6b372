#include "runtime/backends/xnnpack/graph/workspace.h"

#include <new>
#include <unordered_map>

namespace et::xnn {
namespace {

constexpr std::align_val_t kWorkspaceAlignment{64};

struct Shared {
  std::mutex mutex;
  std::weak_ptr<Workspace> global;
  std::unordered_map<const void*, std::weak_ptr<Workspace>> of_model;
};
Shared& shared() {
  static Shared* const s = new Shared;  // methods may be destroyed while the process ends
  return *s;
}

}  // namespace

void Workspace::Free::operator()(uint8_t* p) const { ::operator delete(p, kWorkspaceAlignment); }

uint8_t* Workspace::reserve(size_t bytes) {
  if (bytes <= bytes_ && memory_ != nullptr) return memory_.get();
  memory_.reset();
  bytes_ = 0;
  memory_.reset(static_cast<uint8_t*>(::operator new(bytes == 0 ? 1 : bytes, kWorkspaceAlignment, std::nothrow)));
  if (memory_ != nullptr) bytes_ = bytes;
  return memory_.get();
}

std::shared_ptr<Workspace> get_workspace(WorkspaceSharing sharing, const void* model) {
  const bool nobody = sharing == WorkspaceSharing::PerModel && model == nullptr;
  if (sharing == WorkspaceSharing::Disabled || nobody) return std::make_shared<Workspace>(false);
  Shared& s = shared();
  const std::lock_guard<std::mutex> lock(s.mutex);
  std::erase_if(s.of_model, [](const auto& e) { return e.second.expired(); });
  std::weak_ptr<Workspace>& place = sharing == WorkspaceSharing::Global ? s.global : s.of_model[model];
  std::shared_ptr<Workspace> workspace = place.lock();
  if (workspace == nullptr) place = workspace = std::make_shared<Workspace>(true);
  return workspace;
}

}  // namespace et::xnn
