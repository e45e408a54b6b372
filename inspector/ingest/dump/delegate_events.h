// What delegate events of a new block say of themselves: metadata, and whether they count on the trace's clock.
#pragma once

#include "inspector/ingest/dump/nest_ops.h"

namespace et::inspector {

/// Which nodes of the payload an event says it ran: before methods are told apart, which they help with.
void read_recorded_nodes(const RunEvents& run, const NestedRun& nested, const Variant& variant, Trace& trace);

/// Decodes the metadata of delegate events. Call when their backends are known: each has its decoder.
void describe_delegate_events(const RunEvents& run, const NestedRun& nested, const Variant& variant, Trace& trace);

/// Delegate events that start outside their enclosing call count something else than the trace's clock.
void find_foreign_clocks(const DumpFile& dump, const RunEvents& run, const NestedRun& nested, const Variant& variant,
                         Trace& trace, ImportContext& context);

}  // namespace et::inspector
