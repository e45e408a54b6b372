// A long graph in columns, as a text in a newspaper: a chain of layers is many times as high as it is wide, a window is
// not. Cuts go where no box is and few edges are; those are led below the column, up beside it and into the next one.
#pragma once

#include <cstdint>

#include "inspector/analysis/graph/graph_layout.h"

namespace et::inspector {

/// `width`, `height`: the room, in the layout's units. Unchanged where it fits, where columns would not show it larger,
/// and where there is no place to cut. Clusters that are cut have their first piece in `clusters`, the others in
/// `pieces`. `kept`: a cluster that is rather in one column, or begins one; -1 for none.
GraphLayout fold_layout(const LayoutInput& input, GraphLayout layout, float width, float height, int32_t kept = -1);

}  // namespace et::inspector
