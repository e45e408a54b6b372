// From a payload to a graph whose operators are checked and packed.
#pragma once

#include "runtime/backends/xnnpack/graph/operator.h"
#include "runtime/backends/xnnpack/graph/weight_cache.h"
#include "runtime/core/event_tracer.h"
#include "runtime/core/named_data_map.h"

namespace et::xnn {

/// Reads values and nodes, fuses, and packs weights through `cache`. Afterwards nothing refers to the payload or to
/// named data. With a tracer the packing of each node is an event. Everything that is wrong is logged with the number
/// of its node or value: InvalidProgram, NotImplemented (types of nodes without operator), NotSupported, NotFound
/// (named data), MemoryAllocationFailed.
Error load_graph(const format::XnnpackPayload& payload, const NamedDataMap* named_data, WeightCache& cache,
                 EventTracer* tracer, Graph* out);

}  // namespace et::xnn
