#include "inspector/ingest/dump/delegate_events.h"

#include "etdump/delegate_metadata.h"
#include "runtime/format/delegate_metadata.h"

namespace et::inspector {

void read_recorded_nodes(const RunEvents& run, const NestedRun& nested, const Variant& variant, Trace& trace) {
  for (size_t n = 0; n < nested.events.size(); ++n) {
    Op& op = nested.op(n, variant, trace);
    etdump::Event event;
    format::DelegateMetadata recorded;
    if (op.kind != OpKind::DelegateOp || op.recorded || !run.run.event(run.indexes[nested.at[n]], &event) ||
        !format::DelegateMetadata::open(event.metadata, &recorded))
      continue;
    op.recorded = true;
    for (uint32_t i = 0; i < recorded.count(); ++i) op.recorded_nodes.push_back(recorded.node(i));
    if (recorded.phase() != format::DelegatePhase::Run) op.role = format::delegate_phase_name(recorded.phase());
  }
}

void describe_delegate_events(const RunEvents& run, const NestedRun& nested, const Variant& variant, Trace& trace) {
  for (size_t n = 0; n < nested.events.size(); ++n) {
    Op& op = nested.op(n, variant, trace);
    etdump::Event event;
    if (op.kind != OpKind::DelegateOp || !op.metadata.empty() || !run.run.event(run.indexes[nested.at[n]], &event))
      continue;
    for (const etdump::MetadataEntry& e : etdump::decode_metadata(op.backend, event.metadata)) {
      op.metadata += (op.metadata.empty() ? "" : "; ") + e.key + "=" + e.value;
    }
  }
}

void find_foreign_clocks(const DumpFile& dump, const RunEvents& run, const NestedRun& nested, const Variant& variant,
                         Trace& trace, ImportContext& context) {
  for (size_t n = 0; n < nested.events.size(); ++n) {
    Op& op = nested.op(n, variant, trace);
    if (op.kind != OpKind::DelegateOp || nested.parents[n] < 0 || op.clock_given || op.foreign()) continue;
    const NestingEvent& outer = nested.events[static_cast<size_t>(nested.parents[n])];
    const NestingEvent& inner = nested.events[n];
    if (outer.start > outer.end || (inner.start >= outer.start && inner.start <= outer.end)) continue;
    op.clock = "unknown";
    context.diagnostics.add("delegate-clock-foreign",
                            dump.place(run.run.index(), run.indexes[nested.at[n]]) + " (" + op.name + ", backend " +
                                (op.backend.empty() ? "unknown" : op.backend) + "): starts outside its call");
  }
}

}  // namespace et::inspector
