#include "runtime/backends/xnnpack/graph/lost_conversions.h"

#include <algorithm>
#include <optional>

#include "runtime/backends/xnnpack/graph/operator_factories.h"
#include "runtime/format/xnnpack_faults.h"
#include "runtime/platform/log.h"

namespace et::xnn {
namespace {

/// int8 values that nodes read although no node writes them, and neither does the caller.
std::vector<uint32_t> lost_values(const format::XnnpackPayload& payload, const Graph& g) {
  std::vector<uint32_t> out = format::unwritten_values(payload);
  std::erase_if(out, [&](uint32_t i) { return !g.values[i].quantized() || g.values[i].defined; });
  return out;
}

/// Arguments of the call that no value is assigned to.
std::vector<uint32_t> free_arguments(const format::XnnpackPayload& payload, const Graph& g) {
  std::vector<bool> taken(payload.extern_count());
  for (const Value& v : g.values) {
    if ((v.input || v.output) && v.external < taken.size()) taken[v.external] = true;
  }
  std::vector<uint32_t> out;
  for (uint32_t i = 0; i < taken.size(); ++i) {
    if (!taken[i]) out.push_back(i);
  }
  return out;
}

/// The float input of that shape, if there is a single one.
std::optional<uint32_t> float_input(const Graph& g, const Shape& shape) {
  std::optional<uint32_t> found;
  for (uint32_t i = 0; i < g.values.size(); ++i) {
    const Value& v = g.values[i];
    if (!v.input || v.storage != Storage::F32 || !(v.declared == shape)) continue;
    if (found) return std::nullopt;
    found = i;
  }
  return found;
}

uint32_t add_input(Graph* g, const Value& like, uint32_t argument) {
  Value v;
  v.id = like.id;
  v.datatype = format::XnnDatatype::Fp32;
  v.storage = Storage::F32;
  v.declared = v.shape = like.declared;
  v.input = v.defined = true;
  v.external = argument;
  g->values.push_back(v);
  return static_cast<uint32_t>(g->values.size()) - 1;
}

}  // namespace

void restore_lost_conversions(const format::XnnpackPayload& payload, Graph* g) {
  const std::vector<uint32_t> lost = lost_values(payload, *g);
  if (lost.empty()) return;
  const std::vector<uint32_t> free = free_arguments(payload, *g);
  const Shape shape = g->values[lost.front()].declared;
  const bool one_shape =
      std::all_of(lost.begin(), lost.end(), [&](uint32_t i) { return g->values[i].declared == shape; });
  if (free.size() > 1 || (free.size() == 1 && !one_shape)) return;
  std::optional<uint32_t> from;
  if (free.size() == 1) from = add_input(g, g->values[lost.front()], free[0]);
  for (const uint32_t i : lost) {
    const std::optional<uint32_t> source = from ? from : float_input(*g, g->values[i].declared);
    if (!source) continue;
    std::unique_ptr<Operator> op = make_conversion(*g, *source, i);
    op->result = i;
    op->node = format::kXnnNoValue;
    g->operators.push_back(std::move(op));
    ET_LOG(Info,
           "XNNPACK value %u: int8, and nothing writes it: argument %u is quantised to it. The export lost the "
           "conversion; upstream's runtime computes with leftover memory here",
           static_cast<unsigned>(g->values[i].id), static_cast<unsigned>(g->values[*source].external));
  }
}

}  // namespace et::xnn
