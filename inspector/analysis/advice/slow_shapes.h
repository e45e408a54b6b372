// Ops of one operator that are far from what their machine can do: what tells the slow ones apart, and what to do about
// them. What the shapes show and no more; which kernel ran is not in a trace.
#pragma once

#include <string>
#include <vector>

#include "inspector/analysis/advice/advice.h"

namespace et::inspector {

/// Of convolutions: "; 17 depthwise 601 µs (32 GFLOP/s), 12 with at most 16 channels on a side …". "" of other
/// operators, and where shapes are not known or all are of one kind.
std::string shapes_text(AdviceContext& c, const std::vector<const RooflineRow*>& rows);

/// What makes them slow, of convolutions those that lose the most time, and what spares it, without a space at the end.
/// `rows`: not empty, the costliest first or not.
std::string what_spares(AdviceContext& c, const std::vector<const RooflineRow*>& rows);

}  // namespace et::inspector
