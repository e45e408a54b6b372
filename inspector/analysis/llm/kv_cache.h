// The key-value caches of a model: mutable buffers that the graph of its record writes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "inspector/store/store.h"

namespace et::inspector {

struct KvCache {
  std::string name;          ///< "layers.0.attention.kv_cache.k_cache"
  std::string dtype, shape;  ///< "float32", "[1, 8, 2048, 128]"
  int64_t bytes = 0;         ///< 0 where the shape is no number
  int64_t positions = 0;     ///< that it has room for; 0: not known
};

/// Each buffer once, though several methods write it; by name. Empty without a record, and for a model without caches.
/// Errors: InvalidExternalData (damaged store).
Status find_kv_caches(const Store& store, int64_t trace_id, std::vector<KvCache>* out);

}  // namespace et::inspector
