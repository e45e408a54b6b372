// Modules that are one thing repeated, as the layers of an encoder are: paths of one class that differ only in numbers
// are one row, "encoder.layer.{0..11}.output.dense". A row per layer says twelve times a twelfth of what it costs.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace et::gui {

struct ModuleCost {
  std::string path;
  std::string type;  ///< its class
  double time = 0;
};

struct ModuleFamily {
  std::string title;  ///< path, with what its numbers are where there are several
  std::string type;
  double time = 0;        ///< of all
  size_t modules = 1;     ///< number of them
  std::string costliest;  ///< path
};

/// "3", "{0..11}" without gaps, "{0,4}" of few, "{0…12}" of many with gaps.
std::string numbers_text(const std::set<int>& numbers);

/// The families of `modules`, the costliest first. One that costs far more than its like stays alone: it is what one
/// looks for, and the sum would hide it.
std::vector<ModuleFamily> module_families(const std::vector<ModuleCost>& modules);

}  // namespace et::gui
