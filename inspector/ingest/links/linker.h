// Joins ops with graph nodes: many to many, each link with how it is known and how sure it is. What finds no node is
// listed with the reason. Nothing is matched by substring.
#pragma once

#include "inspector/ingest/links/link_context.h"

namespace et::inspector {

/// Checks that ETRecord and program belong to a block, and names the backends and delegates of its ops. Call when the
/// block's method is known.
void identify(LinkContext& context, Trace& trace, const Block& block);

/// Links all ops. Call after all blocks are read.
void link_trace(LinkContext& context, Trace& trace);

// The steps of link_trace(), one file each. Those with a MethodIndex need its graph unless they say otherwise.
void link_kernels(LinkContext& context, Trace& trace, const Block& block, const MethodIndex& index);
void link_delegate_calls(LinkContext& context, Trace& trace, const Block& block, const MethodIndex& index);
/// A node whose payload node ran in one call is of no other call, of which its handle alone says so: handles are
/// shared. Call when payload nodes are linked.
void settle_delegate_calls(Trace& trace, const Block& block);
void link_delegate_map(LinkContext& context, Trace& trace, const Block& block, const MethodIndex& index);
/// By the table of payload kinds; with a program (`method`) also without a graph.
void link_payload_events(LinkContext& context, Trace& trace, const Block& block, const MethodIndex& index,
                         MethodFacts* method);
/// Also without a graph.
void link_recorded(const LinkContext& context, Trace& trace, const Block& block, const MethodIndex& index,
                   MethodFacts* method);
void link_control_flow(Trace& trace, const Block& block, const MethodIndex& index);
void explain_unlinked(const LinkContext& context, Trace& trace, const Block& block, const MethodIndex& index);
/// Spreads each op's self time over its surest links; that of a Convert over those which go its way.
void assign_weights(const LinkContext& context, Trace& trace);
/// Makes the confidence that of the source line. Call after assign_weights().
void settle_confidence(Trace& trace, const Block& block, const MethodIndex& index);

}  // namespace et::inspector
