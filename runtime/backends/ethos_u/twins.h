// TOSA graphs that stand in for Ethos-U payloads: what Vela compiled, computed bit-exactly on this machine instead of
// the NPU. For those who have no device at hand: values, and events with the graph's operators.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/error.h"

namespace et {

/// Reads a .tosa file, or all of a folder, in the order of their names; replaces the graphs that are known, "" for
/// none. A payload that is loaded afterwards runs as the first graph with its inputs and outputs: the same shapes, else
/// as many elements; of several the order is that of loading. Not to be called while a payload is loaded. Errors:
/// AccessFailed, InvalidExternalData (no TOSA flatbuffer, none in the folder); the log says which file and why.
Error read_ethos_u_twins(const std::string& path);

/// How many graphs are known.
size_t ethos_u_twins();

/// The graph for a payload, empty for none. The same payload always gets the same one.
std::span<const uint8_t> ethos_u_twin(std::span<const uint8_t> payload);

}  // namespace et
