// Values of another export of the model, named by the nodes of this one.
#pragma once

#include "base/status.h"
#include "inspector/analysis/gap/gap.h"

namespace et::inspector {

/// Names of nodes change from export to export: gives the values of `reference`, a run of the trace `b`, the names that
/// their nodes have in the trace `a`, and no node where `a` has none like it. Values that only one of the exports
/// quantises, in `run` or in `reference`, become the numbers that they stand for. Nothing happens unless both have
/// graphs. Errors: those of reading the stores.
Status rename_nodes(const Store& a, int64_t a_id, const Store& b, int64_t b_id, GapSide* run, GapSide* reference);

}  // namespace et::inspector
