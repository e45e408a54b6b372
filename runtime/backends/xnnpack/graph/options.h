// Settings of XnnpackBackend: those of the process, and those given for one load.
#pragma once

#include <atomic>
#include <cstddef>

#include "runtime/backends/backend.h"
#include "runtime/backends/xnnpack/graph/workspace.h"

namespace et::xnn {

inline constexpr const char* kSharingOption = "workspace_sharing_mode";
inline constexpr const char* kWeightCacheOption = "weight_cache_enabled";
/// Ours: limit in MiB of intermediate values of a delegate.
inline constexpr const char* kWorkspaceLimitOption = "workspace_limit_mb";
/// Ours: whether 3x3 convolutions of floats may be computed by Winograd's algorithm, whose results differ by rounding.
inline constexpr const char* kWinogradOption = "winograd_enabled";
/// Upstream's file of packed weights: there is none here (packing costs less than reading such a file).
inline constexpr const char* kPackedPathOption = "packed_cache_path";
inline constexpr const char* kSavePackedOption = "save_weight_cache_on_disk";

class Options {
 public:
  Error set(const BackendOption& option);
  void get(BackendOption* option) const;

  /// With what was given for this load. InvalidArgument: a value of another type, or outside of its range.
  Error resolve(const BackendInitContext& context, Options* out) const;

  WorkspaceSharing sharing() const { return static_cast<WorkspaceSharing>(sharing_.load()); }
  bool weight_cache() const { return weight_cache_.load(); }
  bool winograd() const { return winograd_.load(); }
  size_t workspace_limit() const { return static_cast<size_t>(limit_mb_.load()) << 20; }

 private:
  std::atomic<int> sharing_{static_cast<int>(WorkspaceSharing::PerModel)};
  std::atomic<bool> weight_cache_{true}, winograd_{true};
  std::atomic<int> limit_mb_{16 << 10};
};

}  // namespace et::xnn
