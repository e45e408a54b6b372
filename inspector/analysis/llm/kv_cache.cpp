#include "inspector/analysis/llm/kv_cache.h"

#include <algorithm>
#include <map>

#include "inspector/analysis/work/node_work.h"
#include "inspector/analysis/work/operator_work.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

/// Buffers that are written are caches when they are called so, or have the form of one: batch, heads, positions and
/// channels. Counters and running statistics have fewer dimensions.
bool is_cache(std::string_view name, size_t dims) {
  return (dims >= 3 && lower_case(name).find("cache") != std::string::npos) || dims == 4;
}

/// Between the batch and the channels stand heads and positions, in either order: positions are more.
int64_t positions_of(const Shape& shape) {
  return shape.size() < 3 ? 0 : *std::max_element(shape.begin() + 1, shape.end() - 1);
}

}  // namespace

Status find_kv_caches(const Store& store, int64_t trace_id, std::vector<KvCache>* out) {
  out->clear();
  std::map<std::string, KvCache> found;
  Statement st = store.query(
      "SELECT target, coalesce(dtype, ''), coalesce(shape, '') FROM graph_values WHERE trace_id = ?1 AND role = "
      "'output' AND kind = 'buffer_mutation' AND target IS NOT NULL");
  st.bind_all(trace_id);
  while (st.step()) {
    KvCache cache = {.name = st.str(0), .dtype = st.str(1), .shape = st.str(2)};
    const size_t dims = static_cast<size_t>(std::count(cache.shape.begin(), cache.shape.end(), ',')) + 1;
    if (!is_cache(cache.name, dims)) continue;
    if (const std::optional<Shape> shape = parse_shape(cache.shape)) {
      cache.bytes = static_cast<int64_t>(elements_of(*shape) * bits_of_dtype(cache.dtype) / 8);
      cache.positions = positions_of(*shape);
    }
    found.emplace(cache.name, std::move(cache));
  }
  for (auto& [name, cache] : found) out->push_back(std::move(cache));
  return st.finish("buffers");
}

}  // namespace et::inspector
