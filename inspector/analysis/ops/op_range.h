// An OpTable of a span of time: what ran in it, with the costs and statistics of that part alone.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "inspector/analysis/ops/op_table.h"
#include "inspector/store/store.h"

namespace et::inspector {

/// Sets statistics and costs to those of the span: samples that stick out of it count with what lies inside, sums are
/// over all executions that it touches, and in each block the costs of the ops add up to the time of its executions in
/// the span. Ops that did not run stay, with a count of 0. Samples on a foreign clock are in the span when the call
/// that encloses them is. The basis becomes BasisKind::Range. Errors: AccessFailed or InvalidExternalData (damaged
/// store).
Status restrict_ops(const Store& store, const TimeRange& range, OpTable* table);

}  // namespace et::inspector
