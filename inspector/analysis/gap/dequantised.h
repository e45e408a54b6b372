// Integers of a quantised program as the numbers that they stand for.
#pragma once

#include <map>
#include <set>
#include <string>

#include "base/status.h"
#include "inspector/analysis/gap/gap.h"

namespace et::inspector {

/// What one step of the integers is, by name of the node that makes numbers of 8-bit ones per tensor.
std::map<std::string, double> dequantising_steps(const Store& store, int64_t trace_id);

/// Values of `side`, a run of the trace, whose node quantises per tensor and is not one of `kept`: they become float32,
/// and values of the node that was quantised. Errors: those of reading the store.
Status dequantise(const Store& store, int64_t trace_id, const std::set<std::string>& kept, GapSide* side);

}  // namespace et::inspector
