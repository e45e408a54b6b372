// Modules of a list that are one thing repeated, as the layers of an encoder are, as one box of the flame graph: what
// each of them contains is added up at its place.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "inspector/analysis/ops/module_tree.h"

namespace et::gui {

struct RepeatsMerged {
  std::shared_ptr<const inspector::CostTree> whole;  ///< its texts are those of `tree`, too
  inspector::CostTree tree;
  std::vector<std::vector<int32_t>> members;  ///< by node of `tree`: nodes of `whole`
};

/// Siblings of one class that contain modules and are called by numbers.
bool has_repeats(const inspector::CostTree& tree);
std::shared_ptr<const RepeatsMerged> merge_repeats(std::shared_ptr<const inspector::CostTree> whole);

}  // namespace et::gui
