// The time of a trace by the frames of the Python stack: each line of the model with the lines that it calls, down to
// the operators. What leads to no line is a node of its own, by the reason for it.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "inspector/analysis/ops/filter.h"
#include "inspector/analysis/ops/group.h"
#include "inspector/analysis/ops/module_tree.h"
#include "inspector/store/store.h"
#include "inspector/text/path_maps.h"

namespace et::inspector {

/// Which frames of a stack are in the tree. A stack that has none of them is there with all of its frames.
enum class FrameScope : uint8_t {
  Model,      ///< those outside of torch and Python: the user's code and that of libraries
  User,       ///< the user's own code
  Outermost,  ///< the first one of Model only
  Everything,
};
/// What a rule of --lines (LineRule) means for whole stacks.
FrameScope scope_of_rule(std::string_view line_rule);

struct FrameTreeOptions {
  FrameScope scope = FrameScope::Model;
  PathMaps maps = {};
  const Filter* filter = nullptr;  ///< null: all ops
};

/// Root, methods, frames, and below the innermost frame a Node for each operator type that it asked for.
/// Errors: InvalidExternalData (damaged store).
Status frame_tree(const Store& store, const OpTable& table, const FrameTreeOptions& options, CostTree* out);

/// --group-by, frames included. By frame there is a row for each line that is in a stack, and one for each reason for
/// which time leads to no line; `self` adds up to the total, `inner` is with all that the line calls. The table's rule
/// of lines says which frames there are. Errors: as above.
Status load_groups(const Store& store, const OpTable& table, GroupBy by, const Filter& filter, const PathMaps& maps,
                   GroupTable* out);

}  // namespace et::inspector
