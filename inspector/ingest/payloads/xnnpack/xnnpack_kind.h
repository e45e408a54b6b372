// XNNPACK's payloads: their nodes, and the events of XNNPACK's profiler in terms of them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/file_error.h"
#include "base/span.h"

namespace et::inspector {

struct DelegateCall;
struct DelegateFacts;
struct MethodGraph;
struct Op;

FileError read_xnnpack(Span<const uint8_t> bytes, DelegateFacts* out);

/// Events → payload nodes → graph nodes. The payload's debug handle names the node it was made for; what was folded
/// into it (batch norm, activation, quantisation) has no handle there and is found by the graph's dataflow.
void link_xnnpack_events(DelegateCall& call);

/// Without a program the nodes of the call's handles take the place of the payload's. Fusion and inserted operators
/// are unknown, so these links are inferred.
void link_xnnpack_by_graph(DelegateCall& call);

/// Of nodes that share a debug handle those whose operator and sizes the event's name has ("Softmax (F32, 1x4x64x64)
/// node 8"); all where none has. Returns how many are of its first operator; they come first.
size_t keep_nodes_of_xnnpack_event(const MethodGraph& graph, std::string_view event, std::vector<int32_t>* nodes);

/// Events that fit no node of the graph inside a call, and nodes that should have an event but have none.
int64_t unmatched_xnnpack_by_graph(const MethodGraph& graph, const std::vector<int64_t>& handles,
                                   const std::vector<const Op*>& events);

/// Events that fit no node of the payload, and nodes that should have an event but have none.
int64_t unmatched_xnnpack_events(const DelegateFacts& delegate, const std::vector<std::string_view>& events);

}  // namespace et::inspector
