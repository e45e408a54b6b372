// Memory for intermediate values: of one delegate alone, or shared by several that never run at the same time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

namespace et::xnn {

enum class WorkspaceSharing : int { Disabled = 0, PerModel = 1, Global = 2 };

class Workspace {
 public:
  /// Shared ones are locked for each execution.
  explicit Workspace(bool shared) : shared_(shared) {}
  std::unique_lock<std::mutex> lock() { return shared_ ? std::unique_lock(mutex_) : std::unique_lock<std::mutex>(); }
  /// At least `bytes`, aligned to 64; null: no memory. Never shrinks. What it held before is lost when it grows.
  uint8_t* reserve(size_t bytes);
  size_t bytes() const { return bytes_; }

 private:
  struct Free {
    void operator()(uint8_t* p) const;
  };
  std::mutex mutex_;
  std::unique_ptr<uint8_t, Free> memory_;
  size_t bytes_ = 0;
  const bool shared_;
};

/// The workspace that a delegate uses: a new one, that of its model (`model`: what its delegates have in common), or
/// that of the process. Lives as long as somebody uses it.
std::shared_ptr<Workspace> get_workspace(WorkspaceSharing sharing, const void* model);

}  // namespace et::xnn
