#include "runtime/backends/xnnpack/graph/weight_cache.h"

namespace et::xnn {

WeightCache& WeightCache::shared() {
  // Never destroyed: methods may be destroyed while the process ends.
  static WeightCache* const cache = new WeightCache;
  return *cache;
}

// Keys of entries that are gone cost memory; a sweep when the map has doubled costs little.
void WeightCache::drop_unused() {
  if (entries_.size() < sweep_at_) return;
  std::erase_if(entries_, [](const auto& e) { return e.second.expired(); });
  sweep_at_ = entries_.size() * 2 + 256;
}

}  // namespace et::xnn
