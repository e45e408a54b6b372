// The graph as it was before it was partitioned: calls of delegates replaced by the nodes that were lowered.
#pragma once

#include <memory>
#include <vector>

#include "etrecord/graph.h"

namespace et::etrecord {

/// A copy of `program` in which the nodes inside of its delegate calls (DelegateCall::program, an index into
/// `programs`) stand in the place of the call, so that a debug handle leads to them and dataflow goes through them.
///   Names   those of the lowered graph, which are those from before the partition. What a call returned is called as
///           inside; a name that is taken gets a number behind it.
///   Inputs  parameters and buffers that only the lowered graph knew become inputs of the top graph.
/// Calls whose graph is not there, or does not fit the call, stay, and so do calls inside of what was lowered. Null if
/// there is no call to replace.
std::unique_ptr<Program> inline_delegates(const std::vector<Program>& programs, const Program& program);

}  // namespace et::etrecord
